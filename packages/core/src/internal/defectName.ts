/**
 * The name of a defect without its message. The message may quote the input of a caller, which must not be logged.
 */
export const defectName = (defect: unknown): string => (defect instanceof Error ? defect.name : typeof defect)

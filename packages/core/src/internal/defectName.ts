/**
 * Which defect it was, without its words: they may quote what a caller sent.
 */
export const defectName = (defect: unknown): string => (defect instanceof Error ? defect.name : typeof defect)

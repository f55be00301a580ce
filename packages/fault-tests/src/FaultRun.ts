/**
 * The result of a fault run: how much was tested, and every failure.
 */

export interface FaultRun {
  readonly counts: Readonly<Record<string, number>>
  /** Empty when the run passed. */
  readonly failures: ReadonlyArray<string>
  /** Lines of text with the measured values. */
  readonly report?: ReadonlyArray<string>
  /** Why nothing was tested: what this machine lacks. */
  readonly skipped?: string
}

/** The result as text for the terminal. Shows at most 20 failures. */
export const printed = (name: string, seconds: number, { counts, failures, report = [], skipped }: FaultRun): string =>
  [
    `${failures.length > 0 ? "FAILED" : skipped === undefined ? "passed" : "SKIPPED"}  ${name}  (${seconds.toFixed(0)} s)`,
    ...Object.entries(counts).map(([what, count]) => `        ${count.toLocaleString("en")} ${what}`),
    ...(skipped === undefined ? [] : [`        ${skipped}`]),
    ...report.map((line) => `        ${line}`),
    ...failures.slice(0, 20).map((failure) => `        FAILED: ${failure}`),
    ...(failures.length > 20 ? [`        … and ${failures.length - 20} more`] : [])
  ].join("\n")

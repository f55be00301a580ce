/**
 * The result of a fault run: how much was tested, and every failure.
 */

export interface FaultRun {
  readonly counts: Readonly<Record<string, number>>
  /** Empty when the run passed. */
  readonly failures: ReadonlyArray<string>
  /** Lines of text with the measured values. */
  readonly report?: ReadonlyArray<string>
}

/** The result as text for the terminal. Shows at most 20 failures. */
export const printed = (name: string, seconds: number, { counts, failures, report = [] }: FaultRun): string =>
  [
    `${failures.length === 0 ? "passed" : "FAILED"}  ${name}  (${seconds.toFixed(0)} s)`,
    ...Object.entries(counts).map(([what, count]) => `        ${count.toLocaleString("en")} ${what}`),
    ...report.map((line) => `        ${line}`),
    ...failures.slice(0, 20).map((failure) => `        FAILED: ${failure}`),
    ...(failures.length > 20 ? [`        … and ${failures.length - 20} more`] : [])
  ].join("\n")

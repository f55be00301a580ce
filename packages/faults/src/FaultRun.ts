/**
 * What a run of faults reports: how much was tried, and everything that went wrong.
 */

export interface FaultRun {
  readonly counts: Readonly<Record<string, number>>
  /** Empty when everything held. */
  readonly failures: ReadonlyArray<string>
  /** Tables of what was measured, as lines. */
  readonly report?: ReadonlyArray<string>
}

export const printed = (name: string, seconds: number, { counts, failures, report = [] }: FaultRun): string =>
  [
    `${failures.length === 0 ? "held" : "BROKEN"}  ${name}  (${seconds.toFixed(0)} s)`,
    ...Object.entries(counts).map(([what, count]) => `        ${count.toLocaleString("en")} ${what}`),
    ...report.map((line) => `        ${line}`),
    ...failures.slice(0, 20).map((failure) => `        FAILED: ${failure}`),
    ...(failures.length > 20 ? [`        … and ${failures.length - 20} more`] : [])
  ].join("\n")

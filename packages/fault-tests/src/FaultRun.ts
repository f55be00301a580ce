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

/** Does the run, or skips it when this machine lacks a program. With `CI=true`, that is a failure. `need` says what the run does with it. */
export const unlessMissing = async (
  need: string,
  missing: ReadonlyArray<string>,
  run: () => Promise<FaultRun>
): Promise<FaultRun> => {
  if (missing.length === 0) return run()
  const reason = `${need}, and this machine lacks: ${missing.join(", ")}.`
  return process.env["CI"] === "true"
    ? { counts: {}, failures: [reason] }
    : { counts: {}, failures: [], skipped: reason }
}

/** The result of the run. A run that throws has failed. */
export const ended = (run: () => Promise<FaultRun>): Promise<FaultRun> =>
  run().catch((cause: unknown) => ({
    counts: {},
    failures: [`The run ended with ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}`]
  }))

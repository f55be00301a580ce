/**
 * What crosses between a law and the process of its job: a line of JSON for each job, and the lines that the job reports.
 */

/** What a process does. */
export type Job =
  /**
   * Commits `NAME-0`, `NAME-1`, … without end, each with a setting, a unit of a counter and an event.
   * Makes a claim after every tenth commit. Reports each name and each claimed id.
   */
  | { readonly job: "commit"; readonly name: string }
  /** Claims until no delivery is due, and reports the id of each claimed delivery. */
  | { readonly job: "claim"; readonly name: string; readonly now: number }
  /** Spends one unit of the allowance at a time, and reports each result. */
  | { readonly job: "spend"; readonly count: number; readonly max: number }
  /**
   * Takes part in each kind of race, for the given number of rounds, and reports each result.
   * Waits for a line on the standard input before each round after the first.
   */
  | { readonly job: "race"; readonly name: string; readonly rounds: number }
  /** Spends one unit of two counters together, again and again, until the parent sends another line. */
  | { readonly job: "pairs" }

/** The line that begins a job. `argument` is that of the module's `open`. */
export interface JobRequest {
  readonly argument: string
  readonly job: Job
}

/** The line after the last one of a job. No job reports it. */
export const endOfJob = "end of the job"

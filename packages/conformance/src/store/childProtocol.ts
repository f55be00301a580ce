/**
 * What crosses between a law and the process of its job: a line of JSON for each job, and the lines that the job reports.
 */
import type { Job } from "./childWorker.ts"

/** The line that begins a job. `argument` is that of the module's `open`. */
export interface JobRequest {
  readonly argument: string
  readonly job: Job
}

/** The line after the last one of a job. No job reports it. */
export const endOfJob = "end of the job"

/**
 * What a run on PostgreSQL left behind: every delivery is processed, and the reports of the workers, the copies at the relay and the records agree.
 */
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { wronglyUnsent } from "../kill/killLoop.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import { noRelayFaults, recordingTransport } from "../RecordingTransport.ts"
import type { WorkerReport } from "../workerReports.ts"
import { contradictedReports, reportCounts, unanswered } from "../workerReports.ts"
import { copyToFile, databaseStore } from "./databaseStore.ts"

/** The clock of the recovery is ahead, so that the leases of killed workers have ended. */
const aheadMillis = 120_000

/**
 * Repeats the sends without an answer, processes every delivery, and compares. `counts` are the counts of the faults.
 */
export const finalCheck = async (
  folder: string,
  url: string,
  counts: FaultRun["counts"],
  failuresBefore: ReadonlyArray<string>
): Promise<FaultRun> => {
  const { received, reports: reportFile, store } = filesIn(folder)
  const reports = readLines<WorkerReport>(reportFile)
  const transport = recordingTransport(received, noRelayFaults)
  await drain(folder, Date.now() + aheadMillis, unanswered(reports), () => true, transport, databaseStore(url))
  await copyToFile(url, store)
  const copies = readLines<ReceivedCopy>(received)
  const deliveryIds = new Set(copies.map(({ deliveryId }) => deliveryId))
  const { duplicates, ambiguous, unexplained } = explainedCopies(store, copies)
  const failures = [
    ...failuresBefore,
    ...brokenInvariants(store),
    ...contradictedReports(folder, reports, deliveryIds),
    ...unexplained,
    ...wronglyUnsent(store)
  ]
  return {
    counts: {
      ...counts,
      ...reportCounts(reports),
      "deliveries at the relay": deliveryIds.size,
      "ambiguous attempts": ambiguous,
      "duplicates, each after an ambiguous attempt": duplicates,
      "problems: lost, stuck, or duplicated without an ambiguous attempt": failures.length
    },
    failures
  }
}

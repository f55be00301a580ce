/**
 * The commit thread: owns the connection that writes, so that neither a disk sync nor a lock blocks the caller's thread.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Database } from "better-sqlite3"
import { checkFiles } from "../fileCheck.ts"
import type { CommittedGroup, GroupTransaction } from "../groupTransaction.ts"
import { makeGroupTransaction } from "../groupTransaction.ts"
import { openConnection } from "../openConnection.ts"
import type { CommitReply, CommitRequest, CommitThreadData, CommittedElsewhere } from "./commitThread.ts"
import { answerRequests, toThreadError } from "./replies.ts"

const { filename, identity, startMillis } = workerData as CommitThreadData

interface Writer {
  readonly database: Database
  /** How long SQLite waits for a lock, in milliseconds. */
  readonly busyMillis: number
  readonly commit: GroupTransaction
}

let existing: Writer | undefined

/**
 * Opens the connection to the files that the caller's thread has open. The next request tries again when this fails, because the file can be
 * locked or moved for a while.
 */
const open = (busyMillis: number): Writer => {
  checkFiles(filename, identity)
  const database = openConnection(filename, { timeout: busyMillis, fileMustExist: true })
  try {
    checkFiles(filename, identity)
  } catch (cause) {
    database.close()
    throw cause
  }
  return { database, busyMillis, commit: makeGroupTransaction(database, () => checkFiles(filename, identity)) }
}

/** The writer, which waits so long for a lock. */
const writer = (busyMillis: number): Writer => {
  existing ??= open(busyMillis)
  if (existing.busyMillis !== busyMillis) {
    existing.database.pragma(`busy_timeout = ${busyMillis}`)
    existing = { ...existing, busyMillis }
  }
  return existing
}

const withThreadErrors = ({ outcomes, ...group }: CommittedGroup): CommittedElsewhere => ({
  ...group,
  outcomes: outcomes.map((outcome) => ("defect" in outcome ? { defect: toThreadError(outcome.defect) } : outcome))
})

const answer = (request: CommitRequest): CommitReply => {
  switch (request._tag) {
    case "Commit":
      return { group: withThreadErrors(writer(request.busyMillis).commit(request.writes)) }
    case "DataVersion":
      return {
        dataVersion: (existing ?? writer(startMillis)).database.pragma("data_version", { simple: true }) as number
      }
    case "Close":
      existing?.database.close()
      existing = undefined
      return { closed: true }
  }
}

answerRequests(parentPort!, answer)

try {
  writer(startMillis)
} catch {
  // The first request reports the failure.
}

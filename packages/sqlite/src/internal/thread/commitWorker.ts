/**
 * The commit thread: owns the connection that writes, so that neither a disk sync nor a lock blocks the caller's thread.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Database } from "better-sqlite3"
import { checkFiles } from "../fileCheck.ts"
import type { GroupTransaction, Outcome } from "../groupTransaction.ts"
import { makeGroupTransaction } from "../groupTransaction.ts"
import { monotonicMillis } from "../lockWait.ts"
import { openConnection } from "../openConnection.ts"
import { isBusy } from "../resultCodes.ts"
import { groupBytesMax, groupWritesMax } from "../writes.ts"
import type { CommitBatch, CommitReply, CommitRequest, CommitThreadData, CommittedElsewhere } from "./commitThread.ts"
import { answerTogether, takeThreadData, toThreadError } from "./replies.ts"

const { filename, identity, startMillis } = takeThreadData<CommitThreadData>(workerData)

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

const withThreadErrors = (outcomes: ReadonlyArray<Outcome>): CommittedElsewhere["outcomes"] =>
  outcomes.map((outcome) => ("defect" in outcome ? { defect: toThreadError(outcome.defect) } : outcome))

/** A group waits for a lock at least so long, also when its batches have waited behind others for their whole time. */
const lockMillisMin = 50

/** Waits are rounded up, so that the timeout of the connection is seldom set. */
const lockMillisStep = 100

/** How long the group may wait for a lock: as long as the least patient of its batches. */
const lockMillisOf = (batches: ReadonlyArray<CommitBatch>): number => {
  const millis = Math.min(...batches.map(({ lockedUntil }) => lockedUntil)) - monotonicMillis()
  return millis <= lockMillisMin ? lockMillisMin : Math.ceil(millis / lockMillisStep) * lockMillisStep
}

/** Commits the batches in one transaction. */
const commitBatches = (batches: ReadonlyArray<CommitBatch>): ReadonlyArray<CommitReply> => {
  let committed: ReturnType<GroupTransaction>
  try {
    committed = writer(lockMillisOf(batches)).commit(batches.flatMap(({ writes }) => writes))
  } catch (cause) {
    if (!isBusy(cause)) throw cause
    return batches.map(() => ({ locked: toThreadError(cause) }))
  }
  const all = withThreadErrors(committed.outcomes)
  let start = 0
  return batches.map(({ writes }, n) => {
    const outcomes = all.slice(start, start + writes.length)
    start += writes.length
    return { committed: { outcomes, transaction: n === 0 ? committed.transaction : null } }
  })
}

/** The number of batches at the start of the queue that fit into one transaction. A request of another kind is answered alone. */
const countTogether = (requests: ReadonlyArray<CommitRequest>): number => {
  let writeCount = 0
  let bytes = 0
  const end = requests.findIndex((request) => {
    if (request._tag !== "Commit") return true
    writeCount += request.writes.length
    bytes += request.bytes
    return writeCount > groupWritesMax || bytes > groupBytesMax
  })
  return end === -1 ? requests.length : Math.max(1, end)
}

const answerOne = (request: Exclude<CommitRequest, CommitBatch>): CommitReply => {
  switch (request._tag) {
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

const isBatch = (request: CommitRequest): request is CommitBatch => request._tag === "Commit"

const answer = (requests: ReadonlyArray<CommitRequest>): ReadonlyArray<CommitReply> =>
  requests.every(isBatch) ? commitBatches(requests) : requests.filter((request) => !isBatch(request)).map(answerOne)

answerTogether(parentPort!, countTogether, answer)

try {
  writer(startMillis)
} catch {
  // The first request reports the failure.
}

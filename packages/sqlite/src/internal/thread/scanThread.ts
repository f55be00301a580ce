/**
 * Sends queries that read many rows to a separate thread, so that they do not delay the caller's thread.
 */
import type { Query, StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Effect } from "effect"
import type { FileIdentity } from "../fileCheck.ts"
import type { ThreadNotAvailable } from "./workerThread.ts"
import { makeWorkerThread } from "./workerThread.ts"

/** The number of requests that may wait for the thread. */
const pendingMax = 256

/**
 * The heap limit of the thread, in MB. A page of a scan needs a few MB, and a low limit makes the garbage collector run
 * sooner.
 */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }

/** The thread uses about 40 MB, and takes 80 ms to start again. */
const idleMillisDefault = 10_000

export interface ScanThreadData {
  readonly filename: string
  /** The files that the caller's thread has opened. A thread that starts again after an idle time reads no other files. */
  readonly identity: FileIdentity
}

export interface ScanThread {
  /** Answers all queries from one state. Fails with `StoreUnavailable` ("overloaded") if too many requests are waiting. */
  readonly read: (queries: ReadonlyArray<Query>) => Effect.Effect<ReadonlyArray<unknown>, StoreUnavailable>
}

export const makeScanThread = (
  data: ScanThreadData,
  idleMillis = idleMillisDefault
): Effect.Effect<ScanThread, ThreadNotAvailable, Scope.Scope> =>
  Effect.map(
    makeWorkerThread<ReadonlyArray<Query>, ReadonlyArray<unknown>>({
      module: "scanWorker",
      workerData: data,
      resourceLimits,
      pendingMax,
      idleMillis
    }),
    ({ request }) => ({ read: (queries) => Effect.catchTag(request(queries), "NotCloneable", Effect.die) })
  )

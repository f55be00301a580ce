/**
 * Sends queries that read many rows to a separate thread. The first query starts the thread. The thread ends when it has
 * been idle
 * for a while, to release its memory.
 */
import { clearTimeout, setTimeout } from "node:timers"
import { Worker } from "node:worker_threads"
import type { Query } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { SqliteError } from "better-sqlite3"
import type { Scope } from "effect"
import { Effect } from "effect"
import { unavailable } from "./sqliteFailure.ts"

export interface ScanRequest {
  readonly id: number
  readonly queries: ReadonlyArray<Query>
}

export type ScanReply =
  | { readonly id: number; readonly answers: ReadonlyArray<unknown> }
  /** The result code of SQLite. */
  | { readonly id: number; readonly code: string }
  /** The class of an error that is not a result of SQLite: a bug. */
  | { readonly id: number; readonly defect: string }

/** The number of requests that may wait for the thread. */
const pendingMax = 256

/**
 * The heap limit of the thread, in MB. A page of a walk needs a few MB, and a low limit makes the garbage collector run
 * sooner.
 */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }

/** The thread uses about 40 MB, and takes 80 ms to start again. */
const idleMillisDefault = 10_000

type Resume = (effect: Effect.Effect<ReadonlyArray<unknown>, StoreUnavailable>) => void

export interface ScanThread {
  /** Answers all queries from one state. Fails with `StoreUnavailable` ("overloaded") if too many requests are waiting. */
  readonly read: (queries: ReadonlyArray<Query>) => Effect.Effect<ReadonlyArray<unknown>, StoreUnavailable>
}

const answered = (reply: ScanReply): Effect.Effect<ReadonlyArray<unknown>, StoreUnavailable> => {
  if ("answers" in reply) return Effect.succeed(reply.answers)
  if ("defect" in reply) return Effect.die(new Error(`The scan thread failed: ${reply.defect}`))
  return Effect.suspend(() => Effect.fail(unavailable(new SqliteError("The scan failed.", reply.code))))
}

/** This file and the worker file have the same extension: `.ts` in the repository, `.js` in the package. */
const workerUrl = new URL(import.meta.url.endsWith(".ts") ? "./scanWorker.ts" : "./scanWorker.js", import.meta.url)

export const makeScanThread = (
  filename: string,
  idleMillis = idleMillisDefault
): Effect.Effect<ScanThread, never, Scope.Scope> => {
  const pending = new Map<number, Resume>()
  let worker: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  let nextId = 0
  let closed = false

  const failAll = (reason: StoreUnavailable["reason"]): void => {
    // A caller that is resumed may send another query at once.
    const failed = [...pending.values()]
    pending.clear()
    for (const resume of failed) resume(Effect.fail(new StoreUnavailable({ reason })))
  }

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    const ending = worker
    worker = undefined
    await ending?.terminate()
  }

  /** The idle thread does not keep the process running. */
  const forget = (id: number): void => {
    pending.delete(id)
    if (pending.size > 0) return
    worker?.unref()
    clearTimeout(idle)
    idle = setTimeout(end, idleMillis).unref()
  }

  const start = (): Worker => {
    const started = new Worker(workerUrl, { workerData: filename, resourceLimits })
    started.on("message", (reply: ScanReply) => {
      const resume = pending.get(reply.id)
      forget(reply.id)
      resume?.(answered(reply))
    })
    // An error ends the thread; the next query starts another thread.
    started.on("error", () => {})
    started.on("exit", () => {
      if (worker !== started) return
      worker = undefined
      failAll("unreachable")
    })
    return started
  }

  const read: ScanThread["read"] = (queries) =>
    Effect.callback((resume) => {
      if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
      if (pending.size >= pendingMax) return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
      clearTimeout(idle)
      worker ??= start()
      const id = nextId++
      pending.set(id, resume)
      worker.ref()
      worker.postMessage({ id, queries } satisfies ScanRequest)
      return Effect.sync(() => forget(id))
    })

  const close = Effect.suspend(() => {
    closed = true
    failAll("closed")
    return Effect.promise(end)
  })

  return Effect.acquireRelease(
    Effect.sync(() => ({ read })),
    () => close
  )
}

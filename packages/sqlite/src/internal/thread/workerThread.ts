/**
 * Sends requests to a worker thread that starts when it is needed. A thread that dies fails its pending requests, and the next request
 * starts another thread.
 */
import { existsSync } from "node:fs"
import process from "node:process"
import { clearTimeout, setImmediate, setTimeout } from "node:timers"
import type { ResourceLimits } from "node:worker_threads"
import { Worker } from "node:worker_threads"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import type { Scope } from "effect"
import { Data, Effect, Result } from "effect"
import type { ThreadCancel, ThreadData, ThreadReply, ThreadRequest } from "./replies.ts"
import { fromThreadError } from "./replies.ts"
import { unavailable } from "../sqliteFailure.ts"
import type { DriverLoading } from "./driverLoading.ts"
import { beginLoading, endLoading, whenLoaded } from "./driverLoading.ts"

/** The thread cannot be started in this process. */
export class ThreadNotAvailable extends Data.TaggedError("ThreadNotAvailable")<{
  /** A sentence without a full stop. */
  readonly detail: string
  readonly cause?: unknown
}> {}

/** A request contains a value that cannot be copied to another thread, such as a function. */
export class NotCloneable extends Data.TaggedError("NotCloneable")<{ readonly cause: unknown }> {}

/** The module of a thread: a file next to this one, without its extension. */
type ThreadModule = "commitWorker" | "scanWorker"

export interface WorkerThreadOptions {
  readonly module: ThreadModule
  readonly workerData: unknown
  readonly resourceLimits?: ResourceLimits
  /** The number of requests that may be pending. */
  readonly pendingMax: number
  /** The thread ends after it has been idle so long, to release its memory. */
  readonly idleMillis: number
}

export interface WorkerThread<Request, Reply> {
  /**
   * Fails with `StoreUnavailable`: `overloaded` if too many requests are pending, `unreachable` if the thread dies before it answers. Fails
   * with `NotCloneable` before anything is sent. Dies of a bug in the thread.
   */
  readonly request: (request: Request) => Effect.Effect<Reply, StoreUnavailable | NotCloneable>
  /** Starts the thread, if it does not run, before the first request needs it. Fails if the process may start no thread. */
  readonly start: Effect.Effect<void, ThreadNotAvailable>
}

const effectOf = <Reply>(message: ThreadReply<Reply>): Effect.Effect<Reply, StoreUnavailable> =>
  "reply" in message
    ? Effect.succeed(message.reply)
    : Effect.suspend(() => Effect.fail(unavailable(fromThreadError(message.error))))

/** This file and the worker files have the same extension: `.ts` in the repository, `.js` in the package. */
const extension = import.meta.url?.endsWith(".ts") ? ".ts" : ".js"

/** Nitro and other tools copy only the files of a package that its code names in full. */
const publishedFileOf = (module: ThreadModule): URL =>
  module === "commitWorker"
    ? new URL("./commitWorker.js", import.meta.url)
    : new URL("./scanWorker.js", import.meta.url)

const fileOf = (module: ThreadModule): URL =>
  extension === ".js" ? publishedFileOf(module) : new URL(`./${module}${extension}`, import.meta.url)

/** A bundler that writes CommonJS leaves `import.meta.url` undefined. */
const isMissing = (module: ThreadModule): boolean => import.meta.url === undefined || !existsSync(fileOf(module))

/** Whether the file of a thread was copied without its modules or its package, as some bundlers do. */
const isIncomplete = (cause: unknown): boolean =>
  cause instanceof SyntaxError || (cause as NodeJS.ErrnoException | undefined)?.code === "ERR_MODULE_NOT_FOUND"

/**
 * A thread has the flags of the process. Node runs no file with `--input-type`, the flag for a program in `--eval` or in the standard input. A thread of
 * such a process gets no flags: a list of the others would be refused for each flag that belongs to the whole process.
 */
const threadFlags = (): { readonly execArgv?: Array<string> } =>
  process.execArgv.some((flag) => /^--input-type(?:=|$)/.test(flag)) ? { execArgv: [] } : {}

const incompleteSentence =
  "The thread of the store cannot load its modules. Mark the package @mailkeep/sqlite as external in your bundler."

type Resume<Reply> = (effect: Effect.Effect<Reply, StoreUnavailable | NotCloneable>) => void

/** The requests that wait for a reply. `onEmpty` is called when the last one has its reply or was forgotten. */
const makePendingRequests = <Reply>(onEmpty: () => void) => {
  const pending = new Map<number, Resume<Reply>>()
  const replies: Array<ThreadReply<Reply>> = []
  let nextId = 0

  const forget = (id: number): void => {
    pending.delete(id)
    if (pending.size === 0) onEmpty()
  }

  /** Resumes one caller in each turn of the event loop, so that the callers of many replies do not block it together. */
  const resumeNext = (): void => {
    const reply = replies.shift()
    if (reply === undefined) return
    if (replies.length > 0) setImmediate(resumeNext)
    const resume = pending.get(reply.id)
    forget(reply.id)
    resume?.(effectOf(reply))
  }

  return {
    size: () => pending.size,
    has: (id: number) => pending.has(id),
    /** Returns the id of the request. */
    add: (resume: Resume<Reply>): number => {
      pending.set(nextId, resume)
      return nextId++
    },
    /** The caller no longer waits. */
    forget,
    receive: (message: ReadonlyArray<ThreadReply<Reply>>): void => {
      if (replies.length === 0) setImmediate(resumeNext)
      replies.push(...message)
    },
    /** Resumes the callers of the requests that the thread has answered, and fails the others. */
    endAll: (failure: ConstructorParameters<typeof StoreUnavailable>[0]): void => {
      // A caller that is resumed may send another request at once.
      const ended = new Map(pending)
      pending.clear()
      for (const reply of replies.splice(0)) {
        ended.get(reply.id)?.(effectOf(reply))
        ended.delete(reply.id)
      }
      for (const resume of ended.values()) resume(Effect.fail(new StoreUnavailable(failure)))
    }
  }
}

const isReplies = <Reply>(message: unknown): message is ReadonlyArray<ThreadReply<Reply>> => Array.isArray(message)

const newThread = ({ module, workerData, resourceLimits }: WorkerThreadOptions, loading: DriverLoading): Worker => {
  try {
    return new Worker(fileOf(module), {
      workerData: { data: workerData, loading } satisfies ThreadData<unknown>,
      ...threadFlags(),
      ...(resourceLimits === undefined ? {} : { resourceLimits })
    })
  } catch (cause) {
    // The process may start no thread (`node --permission`).
    endLoading(loading)
    throw new StoreUnavailable({ reason: "unreachable", cause })
  }
}

interface ThreadEvents<Reply> {
  readonly onReplies: (replies: ReadonlyArray<ThreadReply<Reply>>) => void
  /** The thread has ended, by the error if there was one. */
  readonly onEnd: (cause: unknown) => void
}

/** A thread that runs at most once at a time, until it is idle for the time of the options. */
const makeRestartableThread = <Reply>(options: WorkerThreadOptions, { onReplies, onEnd }: ThreadEvents<Reply>) => {
  let worker: { readonly thread: Worker; readonly loading: DriverLoading } | undefined
  let idle: NodeJS.Timeout | undefined

  const startWorker = () => {
    const loading = beginLoading()
    const thread = newThread(options, loading)
    let cause: unknown
    // The thread of a process of `node --watch` also posts which modules it loads, and so may a module that the product preloads.
    thread.on("message", (message: unknown) => {
      if (isReplies<Reply>(message)) onReplies(message)
    })
    // An error ends the thread; the next request starts another thread.
    thread.on("error", (error) => {
      cause = error
    })
    thread.on("exit", () => {
      endLoading(loading)
      if (worker?.thread !== thread) return
      worker = undefined
      onEnd(cause)
    })
    return { thread, loading }
  }

  const end = async (): Promise<void> => {
    clearTimeout(idle)
    if (worker === undefined) return
    const { thread, loading } = worker
    worker = undefined
    thread.ref()
    await whenLoaded(loading)
    await thread.terminate()
  }

  return {
    /** Returns the thread, and starts it if it does not run. Throws `StoreUnavailable` if the process may start no thread. */
    running: (): Worker => (worker ??= startWorker()).thread,
    current: (): Worker | undefined => worker?.thread,
    end,
    keepBusy: () => clearTimeout(idle),
    /** Ends the thread after the idle time. The idle thread does not keep the process running. */
    startIdleTimer: (): void => {
      worker?.thread.unref()
      clearTimeout(idle)
      if (Number.isFinite(options.idleMillis)) idle = setTimeout(end, options.idleMillis).unref()
    }
  }
}

/** The scope ends the thread. A pending request then fails with `closed`. Fails if a bundler has left out the file of the thread. */
export const makeWorkerThread = <Request, Reply>(
  options: WorkerThreadOptions
): Effect.Effect<WorkerThread<Request, Reply>, ThreadNotAvailable, Scope.Scope> => {
  const { module, pendingMax } = options
  if (isMissing(module))
    return Effect.fail(
      new ThreadNotAvailable({
        detail: `The file ${module}${extension} of @mailkeep/sqlite is missing. Mark the package as external in your bundler, because a bundle cannot open the store`
      })
    )
  let closed = false
  const pending = makePendingRequests<Reply>(() => worker.startIdleTimer())
  const worker = makeRestartableThread<Reply>(options, {
    onReplies: pending.receive,
    onEnd: (cause) =>
      pending.endAll({ reason: "unreachable", cause, ...(isIncomplete(cause) && { detail: incompleteSentence }) })
  })

  /** The caller no longer waits. */
  const cancel = (id: number): void => {
    if (!pending.has(id)) return
    worker.current()?.postMessage({ cancel: id } satisfies ThreadCancel)
    pending.forget(id)
  }

  const request: WorkerThread<Request, Reply>["request"] = (request) =>
    Effect.callback((resume) => {
      if (closed) return resume(Effect.fail(new StoreUnavailable({ reason: "closed" })))
      if (pending.size() >= pendingMax) return resume(Effect.fail(new StoreUnavailable({ reason: "overloaded" })))
      worker.keepBusy()
      const started = Result.try({ try: worker.running, catch: (cause) => cause as StoreUnavailable })
      if (Result.isFailure(started)) return resume(Effect.fail(started.failure))
      const thread = started.success
      if (pending.size() === 0) thread.ref()
      const id = pending.add(resume)
      try {
        thread.postMessage({ id, request } satisfies ThreadRequest<Request>)
      } catch (cause) {
        pending.forget(id)
        return resume(Effect.fail(new NotCloneable({ cause })))
      }
      return Effect.sync(() => cancel(id))
    })

  const start = Effect.try({
    try: () => {
      worker.running()
      if (pending.size() === 0) worker.startIdleTimer()
    },
    catch: (cause) =>
      new ThreadNotAvailable({
        detail: "The process may not start a thread. With node --permission, add --allow-worker",
        cause
      })
  })

  const close = Effect.suspend(() => {
    closed = true
    pending.endAll({ reason: "closed" })
    return Effect.promise(worker.end)
  })

  return Effect.acquireRelease(
    Effect.sync(() => ({ request, start })),
    () => close
  )
}

/**
 * The messages between the caller's thread and a worker thread, and how errors cross. Loads no Effect.
 */
import { setImmediate } from "node:timers"
import type { MessagePort } from "node:worker_threads"
import Database, { SqliteError } from "better-sqlite3"
import { NotOpened } from "../notOpened.ts"
import { FileMoved } from "../resultCodes.ts"
import type { DriverLoading } from "./driverLoading.ts"
import { markLoaded } from "./driverLoading.ts"

/** What a thread is started with. */
export interface ThreadData<Data> {
  readonly data: Data
  readonly loading: DriverLoading
}

/** Loads the driver, and returns what the thread was started with. */
export const takeThreadData = <Data>(threadData: unknown): Data => {
  const { data, loading } = threadData as ThreadData<Data>
  // The driver loads its native module when the first connection opens.
  new Database(":memory:").close()
  markLoaded(loading)
  return data
}

/** An error as data. Of a bug, only the class is kept: its message can contain stored values. */
export type ThreadError =
  | { readonly sqlite: string; readonly message: string }
  | { readonly moved: string }
  | { readonly notOpened: NotOpened["reason"] }
  | { readonly bug: string }

export interface ThreadRequest<Request> {
  readonly id: number
  readonly request: Request
}

/** The caller no longer waits for this request, so it is not answered unless the thread is at it. */
export interface ThreadCancel {
  readonly cancel: number
}

export type ThreadReply<Reply> =
  | { readonly id: number; readonly reply: Reply }
  | { readonly id: number; readonly error: ThreadError }

export const toThreadError = (cause: unknown): ThreadError => {
  if (cause instanceof SqliteError) return { sqlite: cause.code, message: cause.message }
  if (cause instanceof FileMoved) return { moved: cause.message }
  if (cause instanceof NotOpened) return { notOpened: cause.reason }
  return { bug: cause instanceof Error ? cause.name : typeof cause }
}

/** Makes the error again on the caller's thread, with the class that it had. */
export const fromThreadError = (error: ThreadError): Error => {
  if ("sqlite" in error) return new SqliteError(error.message, error.sqlite)
  if ("moved" in error) return new FileMoved(error.moved)
  if ("notOpened" in error) return new NotOpened(error.notOpened)
  return new Error(`A thread of the store failed: ${error.bug}`)
}

/**
 * Answers the requests of the caller's thread in their order. `countTogether` says how many of those that wait `answer` gets at
 * once: at least one. The replies to them cross in one message. When `answer` throws, all of them fail.
 */
export const answerTogether = <Request, Reply>(
  port: MessagePort,
  countTogether: (requests: ReadonlyArray<Request>) => number,
  answer: (requests: ReadonlyArray<Request>) => ReadonlyArray<Reply>
): void => {
  const waiting: Array<ThreadRequest<Request>> = []
  const repliesTo = (taken: ReadonlyArray<ThreadRequest<Request>>): ReadonlyArray<ThreadReply<Reply>> => {
    try {
      const replies = answer(taken.map(({ request }) => request))
      return taken.map(({ id }, n) => ({ id, reply: replies[n]! }))
    } catch (cause) {
      const error = toThreadError(cause)
      return taken.map(({ id }) => ({ id, error }))
    }
  }
  const answerFirst = (): void => {
    if (waiting.length === 0) return
    port.postMessage(repliesTo(waiting.splice(0, countTogether(waiting.map(({ request }) => request)))))
    if (waiting.length > 0) setImmediate(answerFirst)
  }
  // All messages that have arrived are collected before the first is answered.
  port.on("message", (message: ThreadRequest<Request> | ThreadCancel) => {
    if ("cancel" in message) {
      const index = waiting.findIndex(({ id }) => id === message.cancel)
      // A request that does not wait any more is answered.
      if (index >= 0) waiting.splice(index, 1)
    } else if (waiting.push(message) === 1) setImmediate(answerFirst)
  })
}

/** Answers each request of the caller's thread by itself. */
export const answerRequests = <Request, Reply>(port: MessagePort, answer: (request: Request) => Reply): void =>
  answerTogether(
    port,
    () => 1,
    (requests: ReadonlyArray<Request>) => requests.map((request) => answer(request))
  )

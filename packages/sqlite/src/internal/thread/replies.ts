/**
 * The messages between the caller's thread and a worker thread, and how errors cross. Loads no Effect.
 */
import type { MessagePort } from "node:worker_threads"
import { SqliteError } from "better-sqlite3"
import { NotOpened } from "../openConnection.ts"
import { FileMoved } from "../resultCodes.ts"

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

/** Answers each request of the caller's thread, one after the other. */
export const answerRequests = <Request, Reply>(port: MessagePort, answer: (request: Request) => Reply): void => {
  const replyTo = ({ id, request }: ThreadRequest<Request>): ThreadReply<Reply> => {
    try {
      return { id, reply: answer(request) }
    } catch (cause) {
      return { id, error: toThreadError(cause) }
    }
  }
  port.on("message", (message: ThreadRequest<Request>) => port.postMessage(replyTo(message)))
}

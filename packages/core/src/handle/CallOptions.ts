/**
 * The last parameter of each method of a handle, and its check.
 */
import type { Issue } from "../domain/value/Issue.ts"
import { isRecord } from "../domain/value/Fields.ts"

/** Options of one call. */
export interface CallOptions {
  /**
   * Ends the wait for the answer. The call then rejects with the reason of the signal, by default an `AbortError`. What the call has already
   * written stays: an aborted send may have been accepted. Repeat it with the same idempotency key to learn its result.
   */
  readonly signal?: AbortSignal | undefined
}

const optionNames: Readonly<Record<keyof CallOptions, true>> = { signal: true }

/** Whether a value is an `AbortSignal`, also one of another realm. An `AbortController` is none. */
export const isAbortSignal = (value: unknown): value is AbortSignal =>
  typeof (value as Partial<AbortSignal> | null | undefined)?.throwIfAborted === "function"

/** What is wrong with the options of a call. Empty for none. An idempotency key, for example, belongs to the input of a send. */
export const callIssues = (options: unknown): ReadonlyArray<Issue> => {
  if (options === undefined) return []
  if (!isRecord(options)) return [{ path: [], code: "invalid_type", message: "must be an object, such as { signal }" }]
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(optionNames, name))
  if (unknown.length > 0)
    return unknown.map((name) => ({ path: [name], code: "unknown_field", message: "is not an option of a call" }))
  const { signal } = options
  return signal === undefined || isAbortSignal(signal)
    ? []
    : [{ path: ["signal"], code: "invalid_type", message: "must be an AbortSignal" }]
}

/**
 * The last parameter of each method of a handle.
 */

/** Options of one call. */
export interface CallOptions {
  /**
   * Ends the wait for the answer. The call then rejects with the reason of the signal, by default an `AbortError`. What the call has already
   * written stays: an aborted send may have been accepted. Repeat it with the same idempotency key to learn its result.
   */
  readonly signal?: AbortSignal | undefined
}

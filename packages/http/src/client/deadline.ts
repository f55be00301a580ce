/**
 * Bounds the time of a request and of a pause, and follows the signals of the caller.
 */

/**
 * Runs `run` with a signal that is aborted at the end of the time, by the caller, and after the work. Resolves with `undefined` after
 * `timeoutMillis`. Rejects with the reason of the first signal that is aborted. Does not wait for a `fetch` that ignores its signal.
 */
export const withDeadline = async <A>(
  timeoutMillis: number,
  signals: ReadonlyArray<AbortSignal>,
  run: (signal: AbortSignal) => Promise<A>
): Promise<A | undefined> => {
  const controller = new AbortController()
  const { promise: ended, resolve, reject } = Promise.withResolvers<undefined>()
  const onAbort = () => reject(signals.find(({ aborted }) => aborted)!.reason)
  for (const signal of signals) signal.addEventListener("abort", onAbort)
  // oxlint-disable-next-line no-restricted-globals -- The client has no Effect, and its longest time fits a timer.
  const timer = setTimeout(() => resolve(undefined), timeoutMillis)
  const work = run(controller.signal)
  // After the end, nobody waits for the work.
  work.catch(() => {})
  try {
    if (signals.some(({ aborted }) => aborted)) onAbort()
    return await Promise.race([ended, work])
  } finally {
    clearTimeout(timer)
    for (const signal of signals) signal.removeEventListener("abort", onAbort)
    controller.abort()
  }
}

/** Waits. Rejects with the reason of the first signal that is aborted. */
export const pause = async (millis: number, signals: ReadonlyArray<AbortSignal>): Promise<void> => {
  await withDeadline(millis, signals, () => new Promise<never>(() => {}))
}

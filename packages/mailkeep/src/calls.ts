/**
 * Runs the effects of the core as promises: rejects with the failures of the core, follows an `AbortSignal`, and knows the calls under way.
 */
import { StoreUnavailable, TransactionRefused } from "@mailkeep/core"
import type { CallOptions } from "@mailkeep/core/handle"
import type { Context, Scheduler } from "effect"
import { Cause, Duration, Effect, Exit, Fiber } from "effect"
import type { CoreServices } from "./coreRuntime.ts"
import { scheduler } from "./scheduler.ts"

/** Runs an effect of the core as a promise. */
export type Run = <A, E>(effect: Effect.Effect<A, E, CoreServices>, options?: CallOptions) => Promise<A>

/** Runs an effect of the core to its end at once, and throws what a promise would reject with. */
export type RunSync = <A, E>(effect: Effect.Effect<A, E, CoreServices>) => A

/** The part of a runtime that calls need. */
export interface CallRuntime {
  /** The services, with the scheduler of the core. Absent until the mail is open. */
  readonly cachedContext: Context.Context<CoreServices> | undefined
  readonly runFork: <A, E>(
    effect: Effect.Effect<A, E, CoreServices>,
    options?: { readonly signal?: AbortSignal | undefined; readonly scheduler?: Scheduler.Scheduler | undefined }
  ) => Fiber.Fiber<A, unknown>
}

/** The calls of a mail. */
export interface Calls {
  readonly run: Run
  /** For effects that do not wait. Throws `TransactionRefused` when the mail is not open. */
  readonly runSync: RunSync
  /** Refuses further calls, waits until those under way have ended, at most `graceMillis`, and interrupts the others. */
  readonly end: (graceMillis: number) => Promise<void>
}

/** The frames of the stack above the method of a handle that calls `run`. They are formatted only when a call rejects. */
const callerFrames = (run: Run | RunSync): (() => string) => {
  const site: { stack?: string } = {}
  Error.captureStackTrace(site, run)
  // The first line is a header and the second the method of the handle.
  return () => (site.stack ?? "").split("\n").slice(2).join("\n")
}

/**
 * Lets the stack of an error show the caller. A failure is made in the loop of a fiber, whose frames say nothing. A defect keeps its own frames,
 * because they show the bug.
 */
const withCaller = (error: unknown, isFailure: boolean, frames: () => string): unknown => {
  if (!(error instanceof Error) || Object.isFrozen(error)) return error
  const text = frames()
  if (text !== "")
    error.stack = `${isFailure ? `${error.name}: ${error.message}` : (error.stack ?? String(error))}\n${text}`
  return error
}

const rejectionOf = (cause: Cause.Cause<unknown>, signal: AbortSignal | undefined, frames: () => string): unknown => {
  if (Cause.hasInterruptsOnly(cause))
    return signal?.aborted === true
      ? signal.reason
      : withCaller(new StoreUnavailable({ reason: "closed" }), true, frames)
  return withCaller(Cause.squash(cause), cause.reasons.some(Cause.isFailReason), frames)
}

/**
 * `runtime` returns the runtime of the next call. `onFailure` is called with the runtime of each call that fails, but not of one that is
 * interrupted.
 */
export const makeCalls = <R extends CallRuntime>(runtime: () => R, onFailure: (runtime: R) => void): Calls => {
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  let hasEnded = false

  /** One promise and one fiber for each call, and no more, because a product calls this for each mail. */
  const run: Run = (effect, options) => {
    const frames = callerFrames(run)
    const signal = options?.signal
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason)
      if (hasEnded) return reject(withCaller(new StoreUnavailable({ reason: "closed" }), true, frames))
      const current = runtime()
      const { cachedContext } = current
      const fiber =
        cachedContext === undefined
          ? current.runFork(effect, { signal, scheduler })
          : Effect.runForkWith(cachedContext)(effect, signal === undefined ? undefined : { signal })
      underWay.add(fiber)
      fiber.addObserver((exit) => {
        underWay.delete(fiber)
        if (Exit.isSuccess(exit)) return resolve(exit.value)
        // Later, because it may interrupt the other calls that are about to end in the same way. Before the caller learns of the rejection.
        if (!Cause.hasInterruptsOnly(exit.cause)) queueMicrotask(() => onFailure(current))
        reject(rejectionOf(exit.cause, signal, frames))
      })
    })
  }

  const runSync: RunSync = (effect) => {
    const frames = callerFrames(runSync)
    if (hasEnded) throw withCaller(new StoreUnavailable({ reason: "closed" }), true, frames)
    const context = runtime().cachedContext
    if (context === undefined) throw withCaller(new TransactionRefused({ reason: "not_open" }), true, frames)
    const exit = Effect.runSyncExitWith(context)(effect)
    if (Exit.isSuccess(exit)) return exit.value
    throw rejectionOf(exit.cause, undefined, frames)
  }

  const end = async (graceMillis: number): Promise<void> => {
    hasEnded = true
    const allEnded = Effect.timeoutOption(Fiber.awaitAll(underWay), Duration.millis(graceMillis))
    await Effect.runPromise(
      Effect.andThen(
        allEnded,
        Effect.suspend(() => Fiber.interruptAll(underWay))
      ),
      { scheduler }
    )
  }

  return { run, runSync, end }
}

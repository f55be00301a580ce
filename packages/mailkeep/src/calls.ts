/**
 * Runs the effects of the core as promises: rejects with the failures of the core, follows an `AbortSignal`, and knows the calls under way.
 */
import { AsyncResource } from "node:async_hooks"
import { StoreUnavailable, TransactionRefused } from "@mailkeep/core"
import type { CallOptions } from "@mailkeep/core/handle"
import { callIssues, withOwnMessage } from "@mailkeep/core/handle/calls"
import type { Context, Scheduler } from "effect"
import { Cause, Duration, Effect, Exit, Fiber } from "effect"
import type { CoreServices } from "./coreRuntime.ts"
import { invalidArgument } from "./invalidArgument.ts"
import type { MailFailure } from "./failures.ts"
import { scheduler } from "./scheduler.ts"

/** How long the end waits for interrupted calls. A call in a transaction of the product still asks the server to undo it, which may not answer. */
const interruptedMillisMax = 5000

/** Runs an effect as a promise that may also reject with an error of a function of the product. */
type RunAny = <A, E>(effect: Effect.Effect<A, E, CoreServices>, options?: CallOptions) => Promise<A>

/** Runs an effect of the core as a promise. So the compiler proves that a method rejects with nothing but a `MailFailure`. */
export type Run = <A, E extends MailFailure>(
  effect: Effect.Effect<A, E, CoreServices>,
  options?: CallOptions
) => Promise<A>

/** Makes the function that runs one call of a service as a promise. */
export const callsOf =
  <Id extends CoreServices, Shape>(run: Run, service: Context.Service<Id, Shape>) =>
  <A, E extends MailFailure>(use: (shape: Shape) => Effect.Effect<A, E>, options?: CallOptions): Promise<A> =>
    run(service.use(use), options)

/** Runs an effect of the core to its end at once, and throws what a promise would reject with. */
export type RunSync = <A, E extends MailFailure>(effect: Effect.Effect<A, E, CoreServices>) => A

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
  readonly run: RunAny
  /** For effects that do not wait. Throws `TransactionRefused` when the mail is not open. */
  readonly runSync: RunSync
  /** Refuses further calls, waits until those under way have ended, at most `graceMillis`, and interrupts the others. Waits at most 5 s for these. */
  readonly end: (graceMillis: number) => Promise<void>
}

/**
 * The frames of the code that called `run` or waits for its promise, without the first `skipped`. They are taken when a call rejects, so that a call that
 * resolves pays nothing. V8 knows the functions that `await` a promise, and not those that pass a callback to `then`.
 */
const callerFrames = (run: RunAny | RunSync, skipped: number): string => {
  const site: { stack?: string } = {}
  Error.captureStackTrace(site, run)
  const [, ...frames] = (site.stack ?? "").split("\n")
  // Node's own frames only say in which phase of the event loop the promise was settled.
  const ofCaller = frames.slice(skipped).filter((frame) => !frame.includes("(node:internal/"))
  return ofCaller.join("\n")
}

/**
 * Lets the stack of an error show the caller. A failure is made in the loop of a fiber, whose frames say nothing. A defect keeps its own frames,
 * because they show the bug.
 */
const withCaller = (error: unknown, isFailure: boolean, frames: string): unknown => {
  if (frames !== "" && error instanceof Error && !Object.isFrozen(error))
    error.stack = `${isFailure ? `${error.name}: ${error.message}` : (error.stack ?? String(error))}\n${frames}`
  return withOwnMessage(error)
}

const rejectionOf = (cause: Cause.Cause<unknown>, signal: AbortSignal | undefined, frames: string): unknown => {
  if (Cause.hasInterruptsOnly(cause))
    return signal?.aborted === true
      ? signal.reason
      : withCaller(new StoreUnavailable({ reason: "closed" }), true, frames)
  return withCaller(Cause.squash(cause), cause.reasons.some(Cause.isFailReason), frames)
}

/** A call after the end is like one that the end has interrupted. */
const closed = Exit.interrupt()

/**
 * `runtime` returns the runtime of the next call. `onFailure` is called with the runtime of each call that fails, but not of one that is
 * interrupted.
 */
export const makeCalls = <R extends CallRuntime>(runtime: () => R, onFailure: (runtime: R) => void): Calls => {
  const underWay = new Set<Fiber.Fiber<unknown, unknown>>()
  // The first call opens the mail. Without this, all work in the background would run in the async context of that call, such as a request of the product.
  const contextOfMail = new AsyncResource("Mailkeep")
  let hasEnded = false

  /** One fiber for each call, and few promises, because a product calls this for each mail. */
  const exitOf = <A, E>(effect: Effect.Effect<A, E, CoreServices>, current: R, signal: AbortSignal | undefined) =>
    new Promise<Exit.Exit<A, unknown>>((resolve) => {
      const { cachedContext } = current
      const fiber =
        cachedContext === undefined
          ? contextOfMail.runInAsyncScope(() => current.runFork(effect, { signal, scheduler }))
          : Effect.runForkWith(cachedContext)(effect, signal === undefined ? undefined : { signal })
      underWay.add(fiber)
      fiber.addObserver((exit) => {
        underWay.delete(fiber)
        resolve(exit)
      })
    })

  const run: RunAny = async (effect, options) => {
    const issues = callIssues(options)
    if (issues.length > 0) throw invalidArgument({ argument: "options", issues })
    const signal = options?.signal
    signal?.throwIfAborted()
    const current = runtime()
    const exit = await (hasEnded ? closed : exitOf(effect, current, signal))
    if (Exit.isSuccess(exit)) return exit.value
    // In a microtask, because `onFailure` disposes of the runtime, which interrupts its calls. Calls that failed by the same opening reject first,
    // with its failure. The microtask still runs before the caller sees the rejection, so that the next call opens again.
    if (!Cause.hasInterruptsOnly(exit.cause)) queueMicrotask(() => onFailure(current))
    throw rejectionOf(exit.cause, signal, callerFrames(run, 0))
  }

  const exitNow = <A, E>(effect: Effect.Effect<A, E, CoreServices>): Exit.Exit<A, E | TransactionRefused> => {
    const context = runtime().cachedContext
    if (hasEnded) return closed
    return context === undefined
      ? Exit.fail(new TransactionRefused({ reason: "not_open" }))
      : Effect.runSyncExitWith(context)(effect)
  }

  const runSync: RunSync = (effect) => {
    const exit = exitNow(effect)
    if (Exit.isSuccess(exit)) return exit.value
    // The method of the handle is between this function and the caller.
    throw rejectionOf(exit.cause, undefined, callerFrames(runSync, 1))
  }

  const end = async (graceMillis: number): Promise<void> => {
    hasEnded = true
    const allEnded = Effect.timeoutOption(Fiber.awaitAll(underWay), Duration.millis(graceMillis))
    await Effect.runPromise(
      Effect.andThen(
        allEnded,
        Effect.suspend(() => Effect.timeoutOption(Fiber.interruptAll(underWay), interruptedMillisMax))
      ),
      { scheduler }
    )
  }

  return { run, runSync, end }
}

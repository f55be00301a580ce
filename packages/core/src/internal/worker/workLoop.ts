/**
 * The loop of a worker: claims work, starts the work, waits, backs off after a failure and shuts down. The dispatcher, the event sender and the
 * domain checks are its instances.
 */
import { Duration, Effect, Exit, Fiber, FiberSet, Latch, Scope, Stream } from "effect"
import type { ProjectId } from "../../domain/access/Project.ts"
import { secondMillis } from "../../domain/value/Instant.ts"
import { given } from "../../domain/value/OptionRule.ts"
import { errorNameOf } from "../../domain/observability/bugReport.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { makeLogLimit } from "../../telemetry/logLimit.ts"
import type { WorkerLease } from "./workerLease.ts"

/** At most one log line for each reason in this time. */
const logEveryMillis = 10 * secondMillis

/**
 * How long the end of a loop waits for interrupted work, which still stores its outcome. A store that does not answer for this time loses the outcome,
 * as in a crash.
 */
const interruptedMillisMax = 5 * secondMillis

/** How long the end of a loop waits for the store to end the lease. Without an answer, the lease ends by its time. */
const releaseMillisMax = 2 * secondMillis

/** Why a turn failed. `detail` says what to do, when the store knows it. */
type TurnFailure = Pick<StoreUnavailable, "detail"> & { readonly reason: string }

/** Logs the first failure of each reason. Then logs the number of failures, at most every 10 s for each reason. */
const makeTurnFailureLog = () => {
  const { logLine } = makeLogLimit(logEveryMillis)
  return (message: string, { reason, detail }: TurnFailure, log: typeof Effect.logWarning): Effect.Effect<void> =>
    logLine(`${message} ${reason}`, (counted) => log(message, { reason, ...given({ detail }), ...counted }))
}

/** Repeats `turn` for ever. After a failure or a defect the next turn starts 1 s later. `loopName` begins each log message. */
const repeatForever = (loopName: string, turn: Effect.Effect<void, StoreUnavailable>): Effect.Effect<never> =>
  Effect.suspend(() => {
    const logFailure = makeTurnFailureLog()
    return turn.pipe(
      Effect.catch((failure) =>
        Effect.delay(logFailure(`${loopName} waits for the store.`, failure, Effect.logWarning), "1 second")
      ),
      Effect.catchDefect((defect) =>
        Effect.delay(
          logFailure(`${loopName} failed and continues.`, { reason: errorNameOf(defect) }, Effect.logError),
          "1 second"
        )
      ),
      Effect.forever
    )
  })

/** Starts work on a claimed row in the background. */
export type StartWork = (work: Effect.Effect<unknown>) => Effect.Effect<unknown>

/** Work of one kind, with a limit for the work under way. */
export interface WorkGroup {
  /** Starts work by the function of a loop or of a tick. */
  readonly start: (startWork: StartWork, work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  /** How much more work may start. */
  readonly free: () => number
}

/** Makes a group of work under way, of which at most `max` runs at once. The group does not refuse work above `max`. */
export const makeWorkGroup = (max: number): WorkGroup => {
  let underWay = 0
  return {
    start: (startWork, work) =>
      Effect.suspend(() => {
        underWay++
        return startWork(
          Effect.ensuring(
            work,
            Effect.sync(() => underWay--)
          )
        )
      }),
    free: () => max - underWay
  }
}

/** The projects for which the subscribers were woken, or `any`. */
export type News = "any" | ReadonlySet<ProjectId>

/** The wake-ups of one loop. */
export interface WakeUpSubscription {
  /** Each wake-up opens the latch. Close it before each read. */
  readonly latch: Latch.Latch
  /** Returns the projects for which the loop was woken since the last call. */
  readonly takeNews: () => News
}

/** Wake-ups of the loops that wait for one kind of work. */
export interface WakeUpChannel {
  /** Wakes the subscribers for work of any project. */
  readonly notify: Effect.Effect<void>
  /** Wakes the subscribers for work of one project. */
  readonly notifyOf: (projectId: ProjectId) => Effect.Effect<void>
  /** Receives the wake-ups while the scope lasts. The first one has happened. */
  readonly subscribe: Effect.Effect<WakeUpSubscription, never, Scope.Scope>
}

export interface WorkLoopOptions {
  /** Begins each log message, such as "The dispatcher". */
  readonly name: string
  /** How long a shutdown waits for the work under way. It then interrupts this work. */
  readonly graceMillis: number
  readonly store: MailStoreShape
  /** The lease of the worker, which the loop renews while it runs and ends at its end; `null` for a worker that claims nothing. */
  readonly lease: Pick<WorkerLease, "heartbeat" | "release"> | null
  /** Wakes the loop before its wait is over. A commit of another process then also wakes the loop. `null`: only the time ends the wait. */
  readonly wakeUp: WakeUpChannel | null
  /**
   * Called once, with the function that starts work. The loop repeats the returned turn, which claims and starts the work that is due. The
   * answer of the turn is how long to wait for more work, in milliseconds. After 0 the next turn starts at once. The end of work that a turn
   * started also wakes the loop, without news.
   */
  readonly makeTurn: (start: StartWork, takeNews: () => News) => Effect.Effect<number, StoreUnavailable>
}

const neverWoken = (): WakeUpSubscription => ({ latch: Latch.makeUnsafe(false), takeNews: () => new Set() })

/** The work under way. When the scope closes, the work gets the grace time. Then it is interrupted. */
const makeUnderWay = (graceMillis: number): Effect.Effect<FiberSet.FiberSet<unknown>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const underWay = yield* Effect.provideService(FiberSet.make<unknown>(), Scope.Scope, scope)
    // A fiber of its own, because nothing interrupts the wait for the fibers of a scope.
    const interrupted = Effect.flatMap(Effect.forkDetach(Scope.close(scope, Exit.void)), Fiber.await)
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.timeoutOption(FiberSet.awaitEmpty(underWay), Duration.millis(graceMillis)),
        Effect.timeoutOption(Effect.interruptible(interrupted), interruptedMillisMax)
      )
    )
    return underWay
  })

/** Repeats the turns until it is interrupted. Then starts no more work, waits for the work under way, and ends the lease. */
export const runWorkLoop = (options: WorkLoopOptions): Effect.Effect<never> => {
  const { name, graceMillis, store, lease, wakeUp, makeTurn } = options
  const turns = Effect.gen(function* () {
    const { latch: wake, takeNews } = wakeUp === null ? neverWoken() : yield* wakeUp.subscribe
    const underWay = yield* makeUnderWay(graceMillis)
    const turn = makeTurn((work) => FiberSet.run(underWay, Effect.ensuring(work, wake.open)), takeNews)
    return yield* repeatForever(
      name,
      Effect.gen(function* () {
        // Closed before the turn reads the store, so that no wake-up is lost.
        yield* wake.close
        const waitMillis = yield* turn
        if (waitMillis > 0) yield* Effect.timeoutOption(wake.await, Duration.millis(waitMillis))
      })
    )
  })
  return Effect.gen(function* () {
    if (lease !== null) {
      const release = Effect.timeoutOption(Effect.interruptible(lease.release), releaseMillisMax)
      yield* Effect.addFinalizer(() => release)
      yield* Effect.forkScoped(lease.heartbeat)
    }
    if (wakeUp !== null) yield* Effect.forkScoped(Stream.runForEach(store.commitsOfOtherProcesses, () => wakeUp.notify))
    return yield* Effect.scoped(turns)
  }).pipe(Effect.scoped)
}

/**
 * Runs `claim` with a function that starts work, and waits for the end of the work. Waits also when `claim` fails, because a row that was claimed
 * before would wait for the end of its lease.
 */
export const runTogether = <A, E>(claim: (start: StartWork) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const underWay = yield* FiberSet.make<unknown>()
    const exit = yield* Effect.exit(claim((work) => FiberSet.run(underWay, work)))
    yield* FiberSet.awaitEmpty(underWay)
    return yield* exit
  }).pipe(Effect.scoped)

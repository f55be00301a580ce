/**
 * Loads facts, decides and commits. No use case commits in another way. The other writes are claims, sweeps, and the copy of a move between
 * stores. The policy says what happens after a conflict or an unavailable store.
 * Source: decisions 0035 and 0037.
 */
import { Clock, Data, Duration, Effect, Result } from "effect"
import type { Decision } from "../../decide/store/Decision.ts"
import type { StoreUnavailableReason } from "../../domain/store/Conflict.ts"
import { Conflict } from "../../domain/store/Conflict.ts"
import { hourMillis, secondMillis } from "../../domain/value/Instant.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { StoreUnavailable } from "../../port/MailStore.ts"

/** A result could not be stored within the time that a worker keeps it. The claimed delivery stays claimed until the lease ends. */
export class NotStored extends Data.TaggedError("NotStored")<{
  readonly reason: StoreUnavailableReason
}> {
  override get message() {
    return `The result could not be stored: ${this.reason}.`
  }
  /** Not retryable: the call has ended. A dispatcher continues with the delivery after the lease ends. */
  get isRetryable() {
    return false
  }
}

/**
 * - `once`: one try. Fails with `Conflict` when a guard did not hold.
 * - `bounded`: after a conflict, loads and decides again, at most 256 times. Then fails with `StoreUnavailable` (`contended`).
 * - `keepTryingMillis`: for a fact that must not be lost, such as the outcome of a hand-off. Repeats after a conflict and, with pauses of
 *   50 ms to 5 s, while the store is unavailable. Fails with `NotStored` after this much monotonic time, after 512 conflicts, and at once when
 *   the store is closed or moved, or needs a newer Mailkeep. Only the pauses can be interrupted.
 */
export type CommitPolicy = "once" | "bounded" | { readonly keepTryingMillis: number }

/**
 * How long this process keeps an outcome that only it knows, while the store cannot be reached. Longer than a lease on purpose: no other
 * worker can learn the outcome. If another worker has claimed the row since, the fencing token refuses the commit.
 */
export const outcomeKeptMillis = hourMillis

/**
 * Loads the facts, decides and commits. A failed commit may have been applied, so each repetition loads the facts again. A caller that reserves
 * ids and reads the clock before the call makes each repetition the same request.
 */
export interface Commit {
  <Facts, Answer, Failure, LoadFailure>(
    load: Effect.Effect<Facts, LoadFailure | StoreUnavailable>,
    decide: (facts: Facts) => Result.Result<Decision<Answer>, Failure>,
    policy: "bounded"
  ): Effect.Effect<Answer, Failure | LoadFailure | StoreUnavailable>
  <Facts, Answer, Failure, LoadFailure>(
    load: Effect.Effect<Facts, LoadFailure | StoreUnavailable>,
    decide: (facts: Facts) => Result.Result<Decision<Answer>, Failure>,
    policy: "once"
  ): Effect.Effect<Answer, Failure | LoadFailure | Conflict | StoreUnavailable>
  <Facts, Answer>(
    load: Effect.Effect<Facts, StoreUnavailable>,
    decide: (facts: Facts) => Result.Result<Decision<Answer>>,
    policy: { readonly keepTryingMillis: number }
  ): Effect.Effect<Answer, NotStored>
}

/** One of the concurrent writers of a record wins each time, so this many writers at once all succeed. */
const boundedTriesMax = 256

/** Conflicts in a row that are retried at once. After them the writer pauses. */
const conflictsInRowMax = 64
/** Pauses after conflicts. With 64 commits before each, 512 commits in total. */
const conflictPausesMax = 8
const pauseMillisMin = 50
const pauseMillisMax = 5 * secondMillis

const pauseMillis = (pauses: number): number => Math.min(pauseMillisMax, pauseMillisMin * 2 ** Math.min(pauses, 20))

/** Tries at most `triesMax` times while the commit meets a conflict. Lets other work run between the tries. */
const retryConflicts = <A, E>(once: Effect.Effect<A, E | Conflict>, triesMax: number): Effect.Effect<A, E | Conflict> =>
  Effect.catch(once, (failure) =>
    failure instanceof Conflict && triesMax > 1
      ? Effect.andThen(Effect.yieldNow, retryConflicts(once, triesMax - 1))
      : Effect.fail(failure)
  )

const bounded = <A, E>(
  once: Effect.Effect<A, E | Conflict>
): Effect.Effect<A, Exclude<E, Conflict> | StoreUnavailable> =>
  retryConflicts(once, boundedTriesMax).pipe(
    Effect.mapError((failure) =>
      failure instanceof Conflict
        ? new StoreUnavailable({ reason: "contended", cause: failure })
        : (failure as Exclude<E, Conflict>)
    )
  )

const untilStored = <A>(
  once: Effect.Effect<A, Conflict | StoreUnavailable>,
  boundMillis: number
): Effect.Effect<A, NotStored> =>
  Effect.gen(function* () {
    const startedNanos = yield* Clock.monotonicTimeNanos
    const boundNanos = BigInt(boundMillis) * 1_000_000n
    let conflictPauses = 0
    const retriedOnce = retryConflicts(once, conflictsInRowMax).pipe(Effect.uninterruptible, Effect.result)
    for (let pauses = 0; ; pauses++) {
      const result = yield* retriedOnce
      if (result._tag === "Success") return result.success
      const { failure } = result
      const reason = failure._tag === "Conflict" ? "contended" : failure.reason
      if (failure._tag === "Conflict") conflictPauses++
      const elapsedNanos = (yield* Clock.monotonicTimeNanos) - startedNanos
      if (
        reason === "closed" ||
        reason === "moved" ||
        reason === "newer_schema" ||
        conflictPauses >= conflictPausesMax ||
        elapsedNanos >= boundNanos
      )
        return yield* new NotStored({ reason })
      yield* Effect.interruptible(Effect.sleep(Duration.millis(pauseMillis(pauses))))
    }
  })

/** Decides by facts, and adds them to the answer. They are those of the last try, by which the commit was decided. */
export const withFacts =
  <Facts, Answer>(decide: (facts: Facts) => Decision<Answer>) =>
  (facts: Facts): Result.Result<Decision<{ readonly answer: Answer; readonly facts: Facts }>> => {
    const { changes, answer } = decide(facts)
    return Result.succeed({ changes, answer: { answer, facts } })
  }

/** Makes the function that commits to a store. */
export const makeCommit = (store: MailStoreShape): Commit =>
  ((
    load: Effect.Effect<unknown, StoreUnavailable>,
    decide: (facts: unknown) => Result.Result<Decision<unknown>>,
    policy: CommitPolicy
  ) => {
    const once = Effect.flatMap(load, (facts): Effect.Effect<unknown, Conflict | StoreUnavailable> => {
      const decided = decide(facts)
      return Result.isFailure(decided)
        ? Effect.fail(decided.failure)
        : Effect.as(store.commit(decided.success.changes), decided.success.answer)
    })
    if (policy === "once") return once
    return policy === "bounded" ? bounded(once) : untilStored(once, policy.keepTryingMillis)
  }) as Commit

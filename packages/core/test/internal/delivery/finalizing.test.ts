import { Deferred, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { StoreUnavailable } from "../../../src/index.ts"
import { makeCommit } from "../../../src/internal/store/commit.ts"
import { finalize, onlyOnce } from "../../../src/internal/delivery/finalizing.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import { attempt, delivery, ids, message, now, suppression } from "../../decide/fixtures.ts"

const leaseMillis = 30_000

/** A lease that was last set so long before `now`, and the renewals that it records. */
const leaseSetBefore = (millis: number | null) => {
  const renewals: Array<number> = []
  const renewedAt = millis === null ? undefined : { now: now - millis, monotonicMillis: now - millis }
  return {
    millis: leaseMillis,
    renewedAt: () => renewedAt,
    recordRenewal: (at: { readonly now: number }) => renewals.push(at.now - now),
    renewals
  }
}

/** Finalizes over a store that answers with the suppression and commits with `commit`. */
const finalizing = (
  commit: ReturnType<MailStoreShape["commit"]>,
  recipient: SuppressionRecord | null = null,
  lease = leaseSetBefore(null),
  written: Array<string> = []
) => {
  const read = () => Effect.succeed([[recipient]])
  const recorded = (changes: ReadonlyArray<Change>) => {
    written.push(...changes.map(({ _tag }) => _tag))
    return commit
  }
  const store = { read, commit: recorded } as unknown as MailStoreShape
  const deps = {
    store,
    commit: makeCommit(store),
    ids: { reserve: () => Effect.succeed(ids) }
  }
  const started = {
    delivery: delivery({ status: "sending", worker: "w" }),
    attempt: attempt(),
    message: message(),
    suppression: recipient
  }
  return finalize(deps, started, "key", lease)
}

const finalized = (...given: Parameters<typeof finalizing>) =>
  Effect.andThen(TestClock.setTime(now), Effect.result(finalizing(...given))).pipe(
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )

const conflict = (change: Conflict["change"]) => Effect.fail(new Conflict({ at: 0, change, reason: "Stale" }))

describe("finalize", () => {
  it.each<[string, string, ReturnType<MailStoreShape["commit"]>, SuppressionRecord | null]>([
    ["lease_lost", "another worker has claimed the delivery", conflict("TransitionAttempt"), null],
    ["too_late", "the commit takes more than half of the lease", TestClock.adjust(leaseMillis / 2 + 1), null],
    ["not_stored", "the store is unavailable", Effect.fail(new StoreUnavailable({ reason: "locked" })), null],
    ["suppressed", "the recipient is suppressed", Effect.void, suppression("manual")]
  ])("revokes the hand-off with %s when %s", async (why, _, commit, recipient) => {
    const result = await finalized(commit, recipient)
    expect(Result.isFailure(result) && result.failure).toMatchObject({ _tag: "HandOffRevoked", why })
  })

  it("permits the end of data when the commit takes exactly half of the lease", async () => {
    expect(Result.isSuccess(await finalized(TestClock.adjust(leaseMillis / 2)))).toBe(true)
  })

  it.each<[string, number | null, boolean]>([
    ["sets a lease that this process does not know", null, true],
    ["leaves a lease alone that was just set", 0, false],
    ["leaves a lease alone of which a sixth has passed", leaseMillis / 6, false],
    ["sets a lease of which more than a sixth has passed", leaseMillis / 6 + 1, true],
    ["leaves a lease alone that was set before the clock was set back", -1, false]
  ])("%s", async (_, before, isRenewed) => {
    const [lease, written] = [leaseSetBefore(before), [] as Array<string>]
    expect(Result.isSuccess(await finalized(Effect.void, null, lease, written))).toBe(true)
    expect(written.includes("RenewLease")).toBe(isRenewed)
    expect(lease.renewals).toEqual(isRenewed ? [0] : [])
  })

  it("records that the lease was set before its commit began, however long the commit takes", async () => {
    const lease = leaseSetBefore(null)
    expect(Result.isSuccess(await finalized(TestClock.adjust(4000), null, lease))).toBe(true)
    expect(lease.renewals).toEqual([0])
  })

  it.each([
    ["permits", leaseMillis / 2 - 4000, true],
    ["revokes", leaseMillis / 2 - 4000 + 1, false]
  ])(
    "%s the end of data when the commit takes %d ms after a lease was set 4 s before",
    async (_, millis, isPermitted) => {
      const result = await finalized(TestClock.adjust(millis), null, leaseSetBefore(4000))
      expect(Result.isSuccess(result)).toBe(isPermitted)
    }
  )

  it("finishes a commit that has begun when it is interrupted, because the phase would be unknown", () =>
    Effect.gen(function* () {
      const stored = yield* Deferred.make<void>()
      let isStored = false
      const running = yield* Effect.forkChild(
        finalizing(Effect.map(Deferred.await(stored), () => void (isStored = true)))
      )
      yield* Effect.yieldNow
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* Effect.yieldNow
      yield* Deferred.succeed(stored, undefined)
      yield* Fiber.join(interrupting)
      expect(isStored).toBe(true)
    }).pipe(Effect.runPromise))
})

describe("onlyOnce", () => {
  it("refuses a second run, and only after the first has ended", () =>
    Effect.gen(function* () {
      const end = yield* Deferred.make<void>()
      const ended: Array<string> = []
      const once = onlyOnce(Effect.map(Deferred.await(end), () => void ended.push("first")))
      const running = yield* Effect.forkChild(
        Effect.all([once, Effect.tapError(once, ({ why }) => Effect.sync(() => ended.push(why)))], {
          concurrency: "unbounded"
        }).pipe(Effect.result)
      )
      yield* Effect.yieldNow
      expect(ended).toEqual([])
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(running)
      expect(ended).toEqual(["first", "repeated"])
    }).pipe(Effect.runPromise))
})

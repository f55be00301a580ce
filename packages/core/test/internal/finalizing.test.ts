import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Conflict } from "../../src/domain/store/Conflict.ts"
import { StoreUnavailable } from "../../src/index.ts"
import { makeCommit } from "../../src/internal/commit.ts"
import { finalize } from "../../src/internal/finalizing.ts"
import type { MailStoreShape } from "../../src/port/MailStore.ts"
import type { SuppressionRecord } from "../../src/domain/contact/Suppression.ts"
import { attempt, delivery, ids, message, now, suppression } from "../decide/fixtures.ts"

const leaseMillis = 30_000

/** Runs the commit over a store that answers with the suppression and commits with `commit`. */
const finalized = (commit: ReturnType<MailStoreShape["commit"]>, recipient: SuppressionRecord | null = null) => {
  const read = () => Effect.succeed([[recipient]])
  const store = { read, commit: () => commit } as unknown as MailStoreShape
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
  return Effect.andThen(TestClock.setTime(now), Effect.result(finalize(deps, started, "key", leaseMillis))).pipe(
    Effect.provide(TestClock.layer()),
    Effect.runPromise
  )
}

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
})

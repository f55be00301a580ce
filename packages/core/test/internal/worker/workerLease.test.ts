/**
 * When a worker changes its id, what it does before a claim, and which leases a shutdown ends.
 */
import { settableClock } from "@mailkeep/test-support/settableClock"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import type { EventDelivery } from "../../../src/domain/event/EventDelivery.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { StoreUnavailable } from "../../../src/index.ts"
import { makeClockJumpDetector } from "../../../src/internal/worker/clockJumpDetector.ts"
import { NotStored } from "../../../src/internal/store/commit.ts"
import type { WorkerLease } from "../../../src/internal/worker/workerLease.ts"
import { makeWorkerLease } from "../../../src/internal/worker/workerLease.ts"
import type { Crypto } from "../../../src/port/Crypto.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"

type ClaimEnd = Effect.Effect<void, StoreUnavailable>

/** Runs the test with a lease over a store whose claims give one row each. `endClaims` sets how the next claims end. */
const withLease = (test: (lease: WorkerLease, store: ReturnType<typeof makeStore>) => Effect.Effect<void, unknown>) => {
  const store = makeStore()
  let bytes = 0
  const crypto = { randomBytes: () => Uint8Array.of(++bytes) } as Partial<Crypto["Service"]> as Crypto["Service"]
  const readClock = makeClockJumpDetector(10_000)
  const lease = makeWorkerLease({ store: store.shape, crypto, readClock }, 30_000)
  return Effect.runPromise(Effect.provide(test(lease, store), [TestClock.layer(), Logger.layer([])]))
}

const makeStore = () => {
  const committed: Array<Change> = []
  let commitEnding: ClaimEnd = Effect.void
  const calls: Array<string> = []
  let ending: ClaimEnd = Effect.void
  const commit = (changes: ReadonlyArray<Change>) => {
    committed.push(...changes)
    calls.push(...changes.map((change) => (change._tag === "RenewLease" ? `renewal ${change.worker}` : change._tag)))
  }
  const shape = {
    commit: (changes: ReadonlyArray<Change>) =>
      Effect.andThen(
        Effect.sync(() => commit(changes)),
        Effect.suspend(() => commitEnding)
      ),
    claimEventDeliveries: ({ worker }: { readonly worker: string }) =>
      Effect.as(
        Effect.suspend(() => {
          calls.push("claim")
          return ending
        }),
        [{ id: "evd_1", worker } as Partial<EventDelivery> as EventDelivery]
      )
  } as Partial<MailStoreShape> as MailStoreShape
  return {
    shape,
    /** The commits and claims since the last call, in their order. */
    takeCalls: () => calls.splice(0),
    endClaims: (how: ClaimEnd) => void (ending = how),
    endCommits: (how: ClaimEnd) => void (commitEnding = how),
    endedLeases: () => committed.flatMap((change) => (change._tag === "EndLease" ? [change.worker] : []))
  }
}

const claimOne = (lease: WorkerLease) => Effect.map(lease.claimEventDeliveries("whk_1", 1), ([row]) => row!)

/** Starts an effect, and interrupts it while it waits. */
const interrupted = (effect: Effect.Effect<unknown, unknown>) =>
  Effect.flatMap(Effect.forkChild(effect, { startImmediately: true }), Fiber.interrupt)

/** How the work on a row can end without a stored result. */
const endings: ReadonlyArray<
  readonly [string, (lease: WorkerLease, rows: ReadonlyArray<EventDelivery>) => Effect.Effect<unknown>]
> = [
  ["is interrupted", (lease, rows) => interrupted(workOnAll(lease, rows, Effect.never))],
  ["dies", (lease, rows) => workOnAll(lease, rows, Effect.die(new Error("a mistake")))],
  [
    "cannot store its result",
    (lease, rows) => workOnAll(lease, rows, Effect.fail(new NotStored({ reason: "unreachable" })))
  ]
]

const workOnAll = (
  lease: WorkerLease,
  rows: ReadonlyArray<EventDelivery>,
  work: Effect.Effect<never, NotStored>
): Effect.Effect<unknown> => Effect.forEach(rows, (row) => lease.workOn(row, work), { concurrency: "unbounded" })

describe("workOn", () => {
  it.each(endings)("changes the worker id when the work on a row of this id %s", (_, end) =>
    withLease((lease) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        expect(lease.workerId()).toBe(row.worker)
        yield* end(lease, [row])
        expect(lease.workerId()).not.toBe(row.worker)
        expect((yield* claimOne(lease)).worker).toBe(lease.workerId())
      })
    )
  )

  it.each(endings)("keeps the worker id when the work on a row of a former id %s", (_, end) =>
    withLease((lease) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        yield* lease.changeWorkerId
        const current = lease.workerId()
        yield* end(lease, [row])
        expect(lease.workerId()).toBe(current)
      })
    )
  )

  it("keeps the worker id when the work on a row ends well", () =>
    withLease((lease) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        yield* lease.workOn(row, Effect.void)
        expect(lease.workerId()).toBe(row.worker)
      })
    ))
})

describe("claimEventDeliveries", () => {
  const later = (end: ClaimEnd): ClaimEnd => Effect.andThen(Effect.yieldNow, end)
  const run = (claims: Effect.Effect<unknown>) => claims
  it.each<readonly [string, ClaimEnd, typeof run]>([
    ["are interrupted", Effect.never, interrupted],
    ["fail", later(Effect.fail(new StoreUnavailable({ reason: "unreachable" }))), run],
    ["die", later(Effect.die(new Error("a mistake"))), run]
  ])("changes the worker id once when 5 claims %s, because a claim may have been applied", (_, ending, runClaims) =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const before = lease.workerId()
        store.endClaims(ending)
        const claims = Array.from({ length: 5 }, () => Effect.exit(claimOne(lease)))
        yield* runClaims(Effect.all(claims, { concurrency: "unbounded" }))
        expect(lease.workerId()).not.toBe(before)
        yield* lease.release
        expect(store.endedLeases()).toEqual([before, lease.workerId()])
      })
    )
  )

  it("claims nothing for the time of a lease after the wall clock jumped a day ahead", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const { byClock, shiftTo } = yield* settableClock
        const claims = Effect.map(byClock(lease.claimEventDeliveries("whk_1", 1)), ({ length }) => length)
        expect(yield* claims).toBe(1)
        yield* shiftTo(dayMillis)
        store.takeCalls()
        expect(yield* claims).toBe(0)
        yield* TestClock.adjust("29 seconds")
        expect(yield* claims).toBe(0)
        expect(store.takeCalls()).toEqual([])
        yield* TestClock.adjust("1 second")
        expect(yield* claims).toBe(1)
      })
    ))

  it.each([
    ["leaves", "at half of the lease", "15 seconds", false],
    ["renews", "after half of the lease, because no heartbeat came", "16 seconds", true]
  ] as const)("%s the lease of a row under work when it claims %s", (_, __, wait, isRenewed) =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        const work = yield* Effect.forkChild(lease.workOn(row, Effect.never), { startImmediately: true })
        yield* TestClock.adjust(wait)
        store.takeCalls()
        yield* claimOne(lease)
        expect(store.takeCalls()).toEqual([...(isRenewed ? [`renewal ${row.worker}`] : []), "claim"])
        yield* Fiber.interrupt(work)
      })
    )
  )
})

describe("heartbeat", () => {
  const renewalsIn = (store: ReturnType<typeof makeStore>, time: "9 seconds" | "10 seconds" | "60 seconds") =>
    Effect.map(TestClock.adjust(time), () => store.takeCalls())

  it("renews the lease of rows under work every third of the lease, also after a failure, and none without rows", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        yield* Effect.forkChild(lease.heartbeat)
        expect(yield* renewalsIn(store, "60 seconds")).toEqual([])
        const row = yield* claimOne(lease)
        const renewal = `renewal ${row.worker}`
        const work = yield* Effect.forkChild(lease.workOn(row, Effect.never), { startImmediately: true })
        const claimedAt = lease.ofClaim(row).renewedAt()!.now
        store.takeCalls()
        expect(yield* renewalsIn(store, "9 seconds")).toEqual([])
        expect(yield* renewalsIn(store, "10 seconds")).toEqual([renewal])
        expect(lease.ofClaim(row).renewedAt()!.now).toBe(claimedAt + 10_000)
        store.endCommits(Effect.fail(new StoreUnavailable({ reason: "locked" })))
        expect(yield* renewalsIn(store, "10 seconds")).toEqual([renewal])
        expect(lease.ofClaim(row).renewedAt()!.now).toBe(claimedAt + 10_000)
        store.endCommits(Effect.void)
        yield* lease.changeWorkerId
        expect(yield* renewalsIn(store, "10 seconds")).toEqual([renewal])
        yield* Fiber.interrupt(work)
        expect(yield* renewalsIn(store, "60 seconds")).toEqual([])
      })
    ))
})

describe("ofClaim", () => {
  it("records a renewal only of rows under work, and no earlier one than the last", () =>
    withLease((lease) =>
      Effect.gen(function* () {
        const at = (millis: number) => ({ now: millis, monotonicMillis: millis })
        const row = yield* claimOne(lease)
        const { recordRenewal, renewedAt } = lease.ofClaim(row)
        const work = yield* Effect.forkChild(lease.workOn(row, Effect.never), { startImmediately: true })
        recordRenewal(at(20))
        recordRenewal(at(10))
        expect(renewedAt()).toEqual(at(20))
        yield* lease.changeWorkerId
        yield* Fiber.interrupt(work)
        recordRenewal(at(30))
        expect(renewedAt()).toBeUndefined()
      })
    ))
})

describe("release", () => {
  it("ends the leases of the last 64 former ids, and does not fail when the store is unavailable", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        for (let n = 0; n < 70; n++) yield* lease.changeWorkerId
        store.endCommits(Effect.fail(new StoreUnavailable({ reason: "locked" })))
        yield* lease.release
        expect(store.endedLeases()).toHaveLength(65)
      })
    ))

  it.each(endings)("ends the lease of 100 rows when the work on all of them %s", (_, end) =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const rows = yield* Effect.forEach(Array.from({ length: 100 }), () => claimOne(lease))
        yield* end(lease, rows)
        yield* lease.release
        expect(store.endedLeases()).toEqual([rows[0]!.worker, lease.workerId()])
      })
    )
  )
})

describe("releaseIdle", () => {
  it("ends the lease after the work on its rows, once", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        yield* lease.workOn(row, Effect.void)
        yield* lease.releaseIdle
        yield* lease.releaseIdle
        expect(store.endedLeases()).toEqual([row.worker])
      })
    ))

  it("leaves the lease of an id with a row under work", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        yield* Effect.forkChild(lease.workOn(row, Effect.never), { startImmediately: true })
        yield* lease.releaseIdle
        expect(store.endedLeases()).toEqual([])
      })
    ))

  it.each(endings)("leaves the lease of a row when the work on it %s", (_, end) =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        const row = yield* claimOne(lease)
        yield* end(lease, [row])
        yield* lease.releaseIdle
        expect(store.endedLeases()).toEqual([])
      })
    )
  )

  it("writes nothing when no claim has set a lease", () =>
    withLease((lease, store) =>
      Effect.gen(function* () {
        yield* lease.releaseIdle
        expect(store.endedLeases()).toEqual([])
      })
    ))
})

describe("changeWorkerId", () => {
  it("forgets the last renewal of an id without rows under work, and keeps the last renewal of an id with rows", () =>
    withLease((lease) =>
      Effect.gen(function* () {
        const idle = yield* claimOne(lease)
        yield* lease.changeWorkerId
        expect(lease.ofClaim(idle).renewedAt()).toBeUndefined()
        const busy = yield* claimOne(lease)
        const work = yield* Effect.forkChild(lease.workOn(busy, Effect.never), { startImmediately: true })
        yield* lease.changeWorkerId
        expect(lease.ofClaim(busy).renewedAt()).toBeDefined()
        yield* Fiber.interrupt(work)
        expect(lease.ofClaim(busy).renewedAt()).toBeUndefined()
      })
    ))
})

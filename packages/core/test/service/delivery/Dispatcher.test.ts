import { StubTransport } from "@mailkeep/smtp"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import {
  delivery,
  events,
  expectBalanced,
  withTestMail,
  project,
  send,
  sendOne,
  start,
  stores,
  tick,
  tickOver,
  tickWith
} from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { TransportShape } from "../../../src/port/Transport.ts"
import { Dispatcher, formatInstant, MailStore, StoreUnavailable } from "../../../src/index.ts"
import { hourMillis } from "../../../src/domain/value/Instant.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"

/** A store that records the names of the changes it commits. */
const recordingChanges = (store: MailStoreShape) => {
  const written: Array<string> = []
  const recording: MailStoreShape = {
    ...store,
    commit: (changes) => {
      written.push(...changes.map(({ _tag }) => _tag))
      return store.commit(changes)
    }
  }
  return { recording, written }
}

describe.each(stores)("Dispatcher, with failures, over $name", (store) => {
  it("hands over other deliveries when one delivery has no message", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const id = yield* sendOne
        const sound = yield* delivery(id)
        yield* mailStore.commit([
          { _tag: "InsertDelivery", delivery: { ...sound, id: "del_broken", messageId: "msg_none", dueAt: start - 1 } },
          {
            _tag: "InsertDelivery",
            delivery: { ...sound, id: "del_late", messageId: "msg_none", status: "scheduled", dueAt: start - 1 }
          }
        ])
        yield* tick
        expect((yield* delivery(id)).status).toBe("delivered")
        const result = yield* send("after")
        yield* tick
        expect((yield* delivery(result.deliveryIds[0]!)).status).toBe("delivered")
      })
    ))

  it.each<[string, TransportShape["handOff"], string]>([
    ["dies", () => Effect.die(new Error("a mistake")), "The transport failed."],
    [
      "throws",
      () => {
        throw new Error("a mistake")
      },
      "The transport failed."
    ],
    ["interrupts itself", () => Effect.interrupt, "The transport interrupted itself."]
  ])("retries a delivery later when the transport %s", (_, handOff, statusMessage) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const stub = yield* StubTransport.StubTransport
        yield* tickWith({ ...stub, handOff })
        const state = yield* delivery(id)
        expect(state).toMatchObject({ status: "queued", statusMessage, worker: null })
        expect(state.dueAt).toBeGreaterThan(start + 30_000)
      })
    )
  )

  it("keeps a claimed delivery until an unavailable store recovers", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        const mailStore = yield* MailStore
        let failures = 7
        const failing: MailStoreShape = {
          ...mailStore,
          commit: (changes) =>
            failures-- > 0 && failures % 2 === 0
              ? // Stored the changes, although the answer was lost.
                Effect.andThen(mailStore.commit(changes), Effect.fail(new StoreUnavailable({ reason: "unreachable" })))
              : failures > 0
                ? Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
                : mailStore.commit(changes)
        }
        const ticking = yield* Effect.forkChild(tickOver(failing))
        for (let i = 0; i < 40; i++) {
          yield* eventLoopTurns(10)
          yield* TestClock.adjust("1 second")
        }
        yield* Fiber.join(ticking)
        yield* TestClock.adjust("10 minutes")
        yield* tick
        expect(yield* delivery(id)).toMatchObject({ status: "delivered", worker: null })
        yield* expectBalanced
      })
    ))

  it("waits only for leases that have not ended", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* mailStore.commit([{ _tag: "RenewLease", worker: "dead", renewedAt: start - 9, leaseUntil: start - 1 }])
        const nextDue = (now: number) =>
          Effect.map(mailStore.read([{ _tag: "NextDue", worker: "me", now }]), ([next]) => next)
        expect(yield* nextDue(start)).toBeNull()
        yield* mailStore.commit([{ _tag: "RenewLease", worker: "alive", renewedAt: start, leaseUntil: start + 5 }])
        expect(yield* nextDue(start)).toBe(start + 5)
      })
    ))

  it("leaves the lease that a claim has just set to its hand-offs", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { recording, written } = recordingChanges(mailStore)
        yield* send("a", { to: ["ada@example.org", "bob@example.org"] })
        yield* tickOver(recording)
        expect(written.filter((tag) => tag === "InsertAttempt")).toHaveLength(2)
        expect(written).not.toContain("RenewLease")
      })
    ))

  it("ends the lease of its ticks when it is closed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const { recording, written } = recordingChanges(mailStore)
        const nextDue = Effect.map(mailStore.read([{ _tag: "NextDue", worker: "other", now: start }]), ([next]) => next)
        yield* sendOne
        yield* tickOver(recording)
        expect(yield* nextDue).toBeNull()
        expect(written).toContain("EndLease")
        // Nothing was due, so there is no lease to end.
        written.splice(0)
        yield* tickOver(recording)
        expect(written).toEqual([])
      })
    ))

  it("writes no lease when a claim finds nothing", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        yield* mailStore.claim({
          kind: "dueQueued",
          now: start,
          limit: 9,
          worker: "idle",
          leaseUntil: start + 30_000,
          rotation: wholeRotation
        })
        const [next] = yield* mailStore.read([{ _tag: "NextDue", worker: "me", now: start }])
        expect(next).toBeNull()
      })
    ))
})

describe.each(stores)("health and sweeping, over $name", (store) => {
  it("reports the waiting deliveries and the age of the oldest due delivery", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a")
        yield* send("b", { scheduledAt: formatInstant(start + hourMillis) })
        yield* TestClock.adjust("90 seconds")
        expect(yield* (yield* Dispatcher).health).toMatchObject({
          scheduled: 1,
          queued: 1,
          sending: 0,
          oldestDueAgeMillis: 90_000
        })
      })
    ))

  it("deletes expired events and idempotency keys", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* send("a")
        yield* tick
        expect(yield* events).toHaveLength(1)
        yield* TestClock.setTime(start + 31 * 24 * hourMillis)
        yield* tick
        expect(yield* events).toHaveLength(0)
        const [existingRecord] = yield* (yield* MailStore).read([{ _tag: "Idempotency", projectId: project, key: "a" }])
        expect(existingRecord).toBeNull()
      })
    ))
})

/**
 * The checked store keeps the laws of its inner store, and refuses an answer that breaks a law.
 */
import { storeLaws } from "@mailkeep/conformance"
import { conforms } from "@mailkeep/conformance/vitest"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import type { Claim, EventDeliveryClaim } from "../../../src/domain/store/Claim.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { EventDelivery } from "../../../src/domain/event/EventDelivery.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { wholeRotation } from "../../../src/domain/store/Rotation.ts"
import { freshState } from "../../../src/domain/delivery/Delivery.ts"
import { makeCheckedStore, checkedStore } from "../../../src/internal/store/checkedStore.ts"
import { eventDelivery, now } from "../../decide/fixtures.ts"

conforms("memory behind the checked store", storeLaws, { place: Layer.provide(checkedStore, MemoryMailStore.layer) })

const claim: Claim = { kind: "dueQueued", now: 10, limit: 1, worker: "w", leaseUntil: 20, rotation: wholeRotation }

const eventClaim: EventDeliveryClaim = { subscriber: "whk_1", now, limit: 1, worker: "worker", leaseUntil: now + 1 }

const row: Delivery = {
  ...freshState,
  id: "del_1",
  projectId: "p",
  messageId: "msg_1",
  kind: "to",
  recipient: "a@example.org",
  address: "a@example.org",
  contactId: null,
  source: "api",
  bulk: false,
  createdAt: 1,
  dueAt: 10,
  worker: "w",
  fencingToken: 1
}

const put = (name: string) => ({ _tag: "PutSetting", name, value: "1" }) as const

/** The result of the checked store for an adapter's answer: a value, or the id of the broken law. */
const resultOf = async (
  part: Partial<MailStoreShape>,
  use: (store: MailStoreShape) => Effect.Effect<unknown, unknown>
) => {
  const store = { ...(await Effect.runPromise(MemoryMailStore.make)), ...part }
  const exit = await Effect.runPromiseExit(use(makeCheckedStore(store)))
  if (Exit.isSuccess(exit)) return exit.value
  const [reason] = exit.cause.reasons
  return reason?._tag === "Die" ? (reason.defect as { law: string }).law : reason?._tag
}

describe("checkedStore, for an answer", () => {
  it.each<[law: string, rows: ReadonlyArray<Delivery>]>([
    ["claim/no-more-than-asked", [row, row]],
    ["claim/takes-what-is-due", [{ ...row, dueAt: 11 }]],
    ["claim/takes-what-is-due", [{ ...row, dueAt: null }]],
    ["claim/takes-what-is-due", [{ ...row, status: "sending" }]],
    ["claim/stamps-worker-and-token", [{ ...row, worker: "other" }]]
  ])("refuses an answer that breaks %s", async (law, rows) => {
    expect(await resultOf({ claim: () => Effect.succeed(rows) }, (store) => store.claim(claim))).toBe(law)
  })

  it.each<[law: string, rows: ReadonlyArray<EventDelivery>]>([
    ["events/no-more-than-asked", [eventDelivery(), eventDelivery()]],
    ["events/takes-what-is-due", [eventDelivery({ subscriber: "whk_2" })]],
    ["events/takes-what-is-due", [eventDelivery({ status: "delivered" })]],
    ["events/takes-what-is-due", [eventDelivery({ dueAt: null })]],
    ["events/takes-what-is-due", [eventDelivery({ dueAt: now + 1 })]],
    ["events/takes-what-is-due", [eventDelivery({ worker: "other" })]]
  ])("refuses an answer to a claim of event deliveries that breaks %s", async (law, rows) => {
    const part = { claimEventDeliveries: () => Effect.succeed(rows) }
    expect(await resultOf(part, (store) => store.claimEventDeliveries(eventClaim))).toBe(law)
  })

  it("refuses a read with a missing answer, and a conflict that names no change of the commit", async () => {
    const read = (() => Effect.succeed([])) as unknown as MailStoreShape["read"]
    expect(await resultOf({ read }, (store) => store.read([{ _tag: "Projects" }]))).toBe("read/one-answer-each")
    const commit = () => Effect.fail(new Conflict({ at: 7, change: "PutSetting", reason: "AlreadyExists" }))
    expect(await resultOf({ commit }, (store) => store.commit([put("a")]))).toBe("commit/reports-which-guard")
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, "2026-12-24"])(
    "refuses the next due time %s, because a loop that waits for it would never wait",
    async (next) => {
      const read = (() => Effect.succeed([[], next])) as unknown as MailStoreShape["read"]
      const nextDue = { _tag: "NextDue", worker: "w", now: 1 } as const
      expect(await resultOf({ read }, (store) => store.read([{ _tag: "Projects" }, nextDue]))).toBe("time/next-due")
    }
  )

  it("returns an answer that keeps the laws", async () => {
    expect(await resultOf({ claim: () => Effect.succeed([row]) }, (store) => store.claim(claim))).toEqual([row])
    const rows = [eventDelivery()]
    const part = { claimEventDeliveries: () => Effect.succeed(rows) }
    expect(await resultOf(part, (store) => store.claimEventDeliveries(eventClaim))).toEqual(rows)
  })
})

describe("checkedStore, for a request without work", () => {
  const notCalled = () => Effect.die("called")

  it("does not call the store for an empty commit or a claim of no rows", async () => {
    expect(await resultOf({ commit: notCalled }, (store) => store.commit([]))).toBeUndefined()
    expect(await resultOf({ claim: notCalled }, (store) => store.claim({ ...claim, limit: 0 }))).toEqual([])
    const part = { claimEventDeliveries: notCalled }
    expect(await resultOf(part, (store) => store.claimEventDeliveries({ ...eventClaim, limit: 0 }))).toEqual([])
  })
})

it("sorts the changes of a commit before the store gets them", async () => {
  let seen: ReadonlyArray<string> = []
  const commit: MailStoreShape["commit"] = (changes) =>
    Effect.sync(() => {
      seen = changes.map((change) => (change._tag === "PutSetting" ? change.name : change._tag))
    })
  await resultOf({ commit }, (store) => store.commit([{ _tag: "EndLease", worker: "w" }, put("b"), put("a")]))
  expect(seen).toEqual(["a", "b", "EndLease"])
})

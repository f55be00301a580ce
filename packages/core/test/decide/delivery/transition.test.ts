import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { applyTransition, transitionChanges, transitionAndRefunds } from "../../../src/decide/delivery/transition.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { Trigger } from "../../../src/domain/delivery/DeliveryTable.ts"
import { deliveryTable } from "../../../src/domain/delivery/DeliveryTable.ts"
import { counterChanges, delivery, now } from "../fixtures.ts"

const rows = fc.constantFrom(...deliveryTable.filter(({ from }) => from !== "none"))

/** A delivery from which the row starts. */
const before = (row: (typeof deliveryTable)[number]) =>
  delivery({
    status: row.from === "none" ? "queued" : row.from,
    reason: "fromReason" in row ? row.fromReason : null,
    worker: "w",
    attemptCount: 1
  })

describe("applyTransition", () => {
  it("follows the row of the table, and changes the fencing token each time", () => {
    fc.assert(
      fc.property(rows, (row) => {
        const start = before(row)
        const { after } = applyTransition(start, row.trigger, now)
        expect(after.status).toBe(row.to)
        expect(after.reason).toBe("reason" in row ? row.reason : null)
        expect(after.fencingToken).toBe(start.fencingToken + 1)
      })
    )
  })

  it("keeps the worker only while the delivery is sending", () => {
    fc.assert(
      fc.property(rows, (row) => {
        const { after } = applyTransition(before(row), row.trigger, now)
        expect(after.worker).toBe(after.status === "sending" ? "w" : null)
      })
    )
  })

  it("throws when the table has no row for the status and the trigger", () =>
    expect(() => applyTransition(delivery({ status: "canceled" }), "AttemptBegan", now)).toThrow(
      "A delivery makes no transition from canceled by AttemptBegan."
    ))

  it("refunds the charge and the daily count of a delivery that never reached the relay, and of no other", () => {
    const failed = (reachedRelay: boolean) =>
      applyTransition(delivery({ status: "sending", reachedRelay }), "MessageRefused", now)
    expect(failed(false).counterChanges).toEqual([
      { name: "allowance", by: -1 },
      { name: "daily:2026-11-21", by: -1 }
    ])
    expect(failed(false).after).toMatchObject({ chargedAt: null, countedDay: null })
    expect(failed(true).counterChanges).toEqual([])
  })
})

describe("dueSetAt after a transition", () => {
  const after = (trigger: Trigger, change: Partial<Delivery>, patch: Partial<Delivery> = {}) => {
    const { dueAt, dueSetAt } = applyTransition(delivery(change), trigger, now, patch).after
    return { dueAt, dueSetAt }
  }

  it.each<[string, Trigger, Partial<Delivery>, Partial<Delivery>, object]>([
    [
      "has no wait when an attempt begins, for clocks that differ by less than a second",
      "AttemptBegan",
      {},
      { dueAt: now },
      { dueAt: now, dueSetAt: now - 1000 }
    ],
    [
      "waits from 30 s ago after a deferral, so that clocks may differ by this time",
      "TransportDeferred",
      { status: "sending" },
      { dueAt: now + 60_000 },
      { dueAt: now + 60_000, dueSetAt: now - 30_000 }
    ],
    [
      "has no wait after a recovery",
      "WorkerDied",
      { status: "sending" },
      { dueAt: now },
      { dueAt: now, dueSetAt: now - 1000 }
    ],
    [
      "keeps the scheduled time when it is queued",
      "DueReached",
      { status: "scheduled", dueAt: now - 5, dueSetAt: null },
      {},
      { dueAt: now - 5, dueSetAt: null }
    ],
    [
      "waits until its new scheduled time",
      "Rescheduled",
      { status: "scheduled", dueAt: now + 5, dueSetAt: null },
      { dueAt: now + 9 },
      { dueAt: now + 9, dueSetAt: null }
    ],
    [
      "keeps its wait when it is not due yet",
      "NotYetDue",
      { dueAt: now + 5, dueSetAt: now - 9 },
      {},
      { dueAt: now + 5, dueSetAt: now - 9 }
    ],
    ["is cleared at the end", "TransportAccepted", { status: "sending" }, {}, { dueAt: null, dueSetAt: null }]
  ])("%s", (_, trigger, change, patch, expected) => expect(after(trigger, change, patch)).toEqual(expected))
})

describe("transitionChanges", () => {
  it("guards the status and the fencing token from which the delivery moves, and appends one event", () => {
    const moved = applyTransition(delivery({ status: "sending" }), "TransportAccepted", now)
    expect(transitionChanges(moved, now, "evt_1")).toMatchObject([
      { _tag: "TransitionDelivery", id: "del_1", from: "sending", fencingToken: 7, next: { status: "accepted" } },
      { _tag: "AppendEvent", event: { id: "evt_1", kind: "email.accepted", data: { previousStatus: "sending" } } }
    ])
  })

  it("appends no event for a row without one", () =>
    expect(
      transitionChanges(applyTransition(delivery(), "AttemptBegan", now), now, "evt_1").map(({ _tag }) => _tag)
    ).toEqual(["TransitionDelivery"]))

  it("adds the refund of a transition without a limit", () =>
    expect(
      counterChanges(
        transitionAndRefunds(applyTransition(delivery({ status: "sending" }), "MessageRefused", now), now, "evt_1")
      )
    ).toEqual({ allowance: -1, "daily:2026-11-21": -1 }))
})

import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import { freshState } from "../../../src/domain/delivery/Delivery.ts"
import {
  deliveryInstants,
  evaluateMessageSweep,
  hasEndedBefore,
  sweptCounts,
  withDeletedCounts
} from "../../../src/domain/store/messageSweep.ts"
import type { MessageSweep } from "../../../src/domain/store/Claim.ts"
import type { Position } from "../../../src/domain/store/Paging.ts"
import { evaluateMessagesBefore, evaluateUsageAudit } from "../../../src/domain/store/queryReference.ts"
import { delivery, message, now } from "../../decide/fixtures.ts"

const ended = (change: Partial<Delivery> = {}): Delivery => ({
  ...delivery({ ...freshState, status: "delivered", createdAt: now - 1, dueAt: null }),
  ...change
})

describe("hasEndedBefore", () => {
  it("knows every field of a delivery with an instant of its past, but not when it is due", () => {
    const shown = delivery()
    const fields = Object.keys({ ...freshState, createdAt: shown.createdAt }).filter((field) => field.endsWith("At"))
    expect([...deliveryInstants].toSorted()).toEqual(fields.filter((field) => !field.startsWith("due")).toSorted())
  })

  it.each(deliveryInstants)("compares %s with the instant", (field) => {
    expect(hasEndedBefore(ended({ [field]: now - 1 }), now)).toBe(true)
    expect(hasEndedBefore(ended({ [field]: now }), now)).toBe(false)
  })

  it("excludes a delivery that is still due", () => {
    expect(hasEndedBefore(ended({ dueAt: 1 }), now)).toBe(false)
  })
})

describe("evaluateMessageSweep", () => {
  it("returns the examined messages that have ended, and a position when it examined as many as the limit", () => {
    const examined = [
      message({ id: "msg_due", createdAt: 1 }),
      message({ id: "msg_b", createdAt: 2 }),
      message({ id: "msg_c", createdAt: 2 })
    ]
    const sweep = (limit: number) =>
      evaluateMessageSweep(examined, ({ id }) => (id === "msg_due" ? [delivery()] : [ended()]), {
        before: now,
        after: null,
        limit
      })
    expect(sweep(4)).toEqual({ ended: examined.slice(1), next: null })
    expect(sweep(3)).toEqual({ ended: examined.slice(1), next: { createdAt: 2, id: "msg_c" } })
  })

  it("deletes every message that has ended, in sweeps of any limit that continue each other", () => {
    const anyMessage = fc.record({ createdAt: fc.integer({ min: 1, max: 4 }), hasEnded: fc.boolean() })
    fc.assert(
      fc.property(fc.array(anyMessage, { maxLength: 12 }), fc.integer({ min: 1, max: 5 }), (shapes, limit) => {
        const all = shapes.map(({ createdAt }, n) => message({ id: `msg_${n}`, createdAt }))
        const ids = new Set(all.filter((_, n) => shapes[n]!.hasEnded).map(({ id }) => id))
        let left = all
        let after: Position | null = null
        do {
          const request: MessageSweep = { before: now, after, limit }
          const examined = evaluateMessagesBefore(left, request)
          expect(examined.length).toBeLessThanOrEqual(limit)
          const swept = evaluateMessageSweep(examined, ({ id }) => [ids.has(id) ? ended() : delivery()], request)
          left = left.filter((one) => !swept.ended.includes(one))
          after = swept.next
        } while (after !== null)
        expect(left).toEqual(all.filter(({ id }) => !ids.has(id)))
      })
    )
  })
})

describe("sweptCounts and withDeletedCounts", () => {
  const anyDelivery = fc
    .record({
      projectId: fc.constantFrom("p", "q"),
      chargedAt: fc.constantFrom(null, 1),
      countedDay: fc.constantFrom(null, "2026-11-20", "2026-11-21")
    })
    .map((change) => ended(change))

  it("gives the usage audit the same numbers, whichever deliveries are deleted", () => {
    fc.assert(
      fc.property(fc.array(anyDelivery), fc.array(anyDelivery), (kept, deleted) => {
        for (const projectId of ["p", "q"]) {
          const own = (list: ReadonlyArray<Delivery>) => list.filter((one) => one.projectId === projectId)
          const counters = sweptCounts(deleted)
            .filter((count) => count.projectId === projectId)
            .map(({ by, ...rest }) => ({ ...rest, value: by }))
          const { counters: _, ...before } = evaluateUsageAudit([], own([...kept, ...deleted]), [])
          const { counters: _c, ...after } = evaluateUsageAudit(counters, own(kept), [])
          expect(after).toEqual(before)
        }
      })
    )
  })

  it("gives one sum for each counter", () => {
    const counts = sweptCounts([ended({ chargedAt: 1, countedDay: "2026-11-21" }), ended({ chargedAt: 2 })])
    expect(counts.map(({ name, by }) => [name, by])).toEqual([
      ["deletedCharged", 2],
      ["deletedDaily:2026-11-21", 1]
    ])
  })

  it("orders the days of the records and of the counters together", () => {
    const counters = [{ name: "deletedDaily:2026-11-20", value: 1 }] as const
    const counted = [{ day: "2026-11-21", deliveries: 2 }]
    expect(withDeletedCounts(counters, { charged: 0, counted })).toEqual({
      charged: 0,
      counted: [{ day: "2026-11-20", deliveries: 1 }, ...counted]
    })
  })
})

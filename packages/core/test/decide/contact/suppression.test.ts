/**
 * The decisions about suppressions, and how the contact with the address follows.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { SuppressionFacts } from "../../../src/decide/contact/suppression.ts"
import { addReason, deleteSuppression, removeReason, suppressAddress } from "../../../src/decide/contact/suppression.ts"
import type { SuppressionReason, SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import { suppressionReasons } from "../../../src/domain/contact/Suppression.ts"
import { erasedAddress } from "../../../src/domain/contact/addressRedaction.ts"
import { parseReasonChange } from "../../../src/domain/contact/SuppressionRequest.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { contact, counterChanges, ids, keyedAddress, now, steps, suppression } from "../fixtures.ts"

const facts = (change: Partial<SuppressionFacts> = {}): SuppressionFacts => ({
  now,
  ids,
  keyedAddress,
  suppression: null,
  contact: null,
  ...change
})
const change = (reason: SuppressionReason) => Result.getOrThrow(parseReasonChange({ email: "ada@example.org", reason }))
const add = (reason: SuppressionReason, given: Partial<SuppressionFacts> = {}) =>
  addReason(change(reason), facts(given))
const remove = (reason: SuppressionReason, given: Partial<SuppressionFacts> = {}) =>
  removeReason(change(reason), facts(given))

const unsubscribed = contact({ emailStatus: "unsubscribed" })

describe("suppressAddress", () => {
  const { address } = keyedAddress
  it.each<[string, SuppressionRecord | null, string | null]>([
    ["writes the address of a new suppression", null, address],
    ["keeps the address of a suppression", suppression("unsubscribed"), address],
    ["writes no address that was deleted with its contact", { ...suppression("unsubscribed"), address: null }, null],
    [
      "writes the address when mail to the address was allowed again since",
      { ...suppression("manual"), reasons: {}, address: null },
      address
    ]
  ])("%s", (_, existing, left) => {
    const changes = suppressAddress({ now, keyedAddress, suppression: existing }, "hard_bounce")
    expect(changes).toMatchObject([
      { suppression: { address: left, reasons: { hard_bounce: now } }, replaces: existing?.revision ?? null }
    ])
  })

  it.each([
    ["without a reason", keyedAddress, null],
    ["for the placeholder of an erased address", { ...keyedAddress, address: erasedAddress }, "hard_bounce"]
  ] as const)("writes nothing %s", (_, keyed, reason) =>
    expect(suppressAddress({ now, keyedAddress: keyed, suppression: null }, reason)).toEqual([])
  )
})

describe("addReason", () => {
  it("writes a new suppression, and guards that no contact has the address when the reason is unsubscribed", () => {
    expect(add("manual")).toEqual({
      answer: { ...keyedAddress, reasons: { manual: now }, revision: 1 },
      changes: [
        {
          _tag: "PutSuppression",
          suppression: { ...keyedAddress, reasons: { manual: now }, revision: 1 },
          replaces: null
        }
      ]
    })
    expect(add("unsubscribed").changes[1]).toEqual({
      _tag: "Expect",
      record: { kind: "ContactAddress", projectId: keyedAddress.projectId, address: keyedAddress.address },
      revision: null
    })
  })

  it("unsubscribes the contact with the address, counts it and appends one event", () => {
    const { changes } = add("unsubscribed", { contact: contact() })
    expect(steps(changes)).toEqual(["PutSuppression", "PutContact", "AddToCounter", "contact.unsubscribed"])
    expect(changes[1]).toMatchObject({ contact: { emailStatus: "unsubscribed", revision: 5 }, replaces: 4 })
    expect(counterChanges(changes)).toEqual({ unsubscribed: 1 })
  })

  it("writes no contact that is already unsubscribed", () =>
    expect(steps(add("unsubscribed", { contact: unsubscribed }).changes)).toEqual(["PutSuppression"]))

  it("writes no contact for another reason", () =>
    expect(steps(add("complaint", { contact: contact() }).changes)).toEqual(["PutSuppression"]))

  it("writes nothing for an existing reason, except for temporary_failure, whose time starts again", () => {
    expect(add("manual", { suppression: suppression("manual") })).toEqual({
      answer: suppression("manual"),
      changes: []
    })
    expect(add("temporary_failure", { suppression: suppression("temporary_failure") }).answer.reasons).toEqual({
      temporary_failure: now
    })
  })

  it("gives the address back to the suppression of a deleted contact, and keeps the first time of the reason", () => {
    const { answer, changes } = add("manual", { suppression: { ...suppression("manual"), address: null } })
    expect(answer).toEqual({ ...suppression("manual"), revision: 4 })
    expect(changes).toEqual([{ _tag: "PutSuppression", suppression: answer, replaces: 3 }])
  })

  it("keeps the other reasons of a suppression when a reason is added", () =>
    expect(add("manual", { suppression: suppression("complaint") }).answer).toMatchObject({
      reasons: { complaint: now - 1, manual: now },
      revision: 4
    }))
})

describe("removeReason", () => {
  it("subscribes the contact with the address when the reason is unsubscribed", () => {
    const given = { suppression: suppression("unsubscribed"), contact: unsubscribed }
    const { answer, changes } = remove("unsubscribed", given)
    expect(answer).toMatchObject({ reasons: {}, revision: 4 })
    expect(steps(changes)).toEqual(["PutSuppression", "PutContact", "AddToCounter", "contact.subscribed"])
    expect(counterChanges(changes)).toEqual({ unsubscribed: -1 })
  })

  it("writes nothing for a reason that the address does not have", () => {
    expect(remove("manual", { suppression: suppression("complaint") })).toEqual({
      answer: suppression("complaint"),
      changes: []
    })
    expect(remove("manual")).toEqual({ answer: null, changes: [] })
  })
})

describe("deleteSuppression", () => {
  it("removes all reasons in one write, and subscribes the contact", () => {
    const both: SuppressionRecord = { ...suppression("complaint"), reasons: { complaint: 1, unsubscribed: 2 } }
    const { answer, changes } = Result.getOrThrow(
      deleteSuppression(facts({ suppression: both, contact: unsubscribed }))
    )
    expect(answer).toBeNull()
    expect(changes[0]).toMatchObject({ suppression: { reasons: {}, revision: 4 }, replaces: 3 })
    expect(steps(changes).at(-1)).toBe("contact.subscribed")
  })

  it.each([
    ["no suppression", null],
    ["no reason", { ...suppression("manual"), reasons: {} }],
    [
      "only a temporary failure of 30 days ago",
      { ...suppression("manual"), reasons: { temporary_failure: now - 30 * dayMillis } }
    ]
  ])("refuses an address with %s", (_, given) => {
    const refused = deleteSuppression(facts({ suppression: given }))
    expect(Result.isFailure(refused) && refused.failure._tag).toBe("RecordNotFound")
  })
})

describe("any sequence of changes", () => {
  it("leaves the contact unsubscribed if and only if its address has the reason unsubscribed", () => {
    const act = fc.record({ adds: fc.boolean(), reason: fc.constantFrom(...suppressionReasons) })
    fc.assert(
      fc.property(fc.array(act), (acts) => {
        let state = facts({ contact: contact() })
        let unsubscribedCount = 0
        const reasons = new Set<SuppressionReason>()
        for (const { adds, reason } of acts) {
          const { changes } = adds ? addReason(change(reason), state) : removeReason(change(reason), state)
          if (adds) reasons.add(reason)
          else reasons.delete(reason)
          for (const one of changes) {
            if (one._tag === "PutSuppression") state = { ...state, suppression: one.suppression }
            if (one._tag === "PutContact") state = { ...state, contact: one.contact }
          }
          unsubscribedCount += counterChanges(changes)["unsubscribed"] ?? 0
        }
        expect(Object.keys(state.suppression?.reasons ?? {}).toSorted()).toEqual([...reasons].toSorted())
        expect(state.contact!.emailStatus === "unsubscribed").toBe(reasons.has("unsubscribed"))
        expect(unsubscribedCount).toBe(reasons.has("unsubscribed") ? 1 : 0)
      })
    )
  })
})

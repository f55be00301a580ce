/**
 * Counters follow each write of a contact. The sum over any sequence of writes is what the last state counts.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { contactCounts } from "../../../src/decide/contact/contactCounts.ts"
import type { ContactRecord } from "../../../src/domain/contact/Contact.ts"
import { emailStatuses } from "../../../src/domain/contact/EmailStatusTable.ts"
import { contact, counterChanges, project } from "../fixtures.ts"

const full = contact({
  emailStatus: "unsubscribed",
  listIds: ["lst_1", "lst_2"],
  properties: { prop_1: "x", prop_2: 0 }
})

describe("contactCounts", () => {
  it.each([
    ["a new contact", null, contact(), { contacts: 1 }],
    [
      "a new contact with everything",
      null,
      full,
      { contacts: 1, unsubscribed: 1, "list:lst_1": 1, "list:lst_2": 1, "property:prop_1": 1, "property:prop_2": 1 }
    ],
    ["an unchanged contact", full, full, {}],
    ["a name", contact(), contact({ firstName: "A" }), {}],
    ["a subscription", full, { ...full, emailStatus: "subscribed" as const }, { unsubscribed: -1 }],
    ["another list", full, { ...full, listIds: ["lst_2", "lst_3"] }, { "list:lst_1": -1, "list:lst_3": 1 }],
    ["another value", full, { ...full, properties: { prop_1: "y" } }, { "property:prop_2": -1 }],
    ["a deletion", contact(), null, { contacts: -1 }]
  ])("changes the counters for %s", (_, before, after, counters) =>
    expect(counterChanges(contactCounts(project, before, after))).toEqual(counters)
  )

  it("limits only the number of contacts, and only when it grows", () => {
    expect(contactCounts(project, null, full, 5).map((change) => "max" in change && change.max)).toEqual([
      5,
      null,
      null,
      null,
      null,
      null
    ])
    expect(contactCounts(project, contact(), null, 5)).toMatchObject([{ name: "contacts", by: -1, max: null }])
  })

  it("adds up to what the last state counts, for any sequence of states", () => {
    const state = fc.option(
      fc.record({
        emailStatus: fc.constantFrom(...emailStatuses),
        listIds: fc.uniqueArray(fc.constantFrom("lst_1", "lst_2", "lst_3")),
        properties: fc.dictionary(fc.constantFrom("prop_1", "prop_2"), fc.string())
      })
    )
    fc.assert(
      fc.property(fc.array(state, { minLength: 1 }), (states) => {
        const records = states.map((one): ContactRecord | null => (one === null ? null : contact(one)))
        const total = new Map<string, number>()
        records.forEach((after, at) => {
          for (const [name, by] of Object.entries(
            counterChanges(contactCounts(project, records[at - 1] ?? null, after))
          ))
            total.set(name, (total.get(name) ?? 0) + by)
        })
        const counted = [...total].filter(([, value]) => value !== 0).toSorted()
        expect(counted).toEqual(
          Object.entries(counterChanges(contactCounts(project, null, records.at(-1)!))).toSorted()
        )
      })
    )
  })
})

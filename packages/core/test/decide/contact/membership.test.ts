/**
 * Adding a contact to a list, and removing the contact from it.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MembershipFacts } from "../../../src/decide/contact/membership.ts"
import { changeMembership } from "../../../src/decide/contact/membership.ts"
import { contact, counterChanges, now, resource, steps, tagOf } from "../fixtures.ts"

const list = resource("list", "lst_5", "l", { name: "L", description: "" })
const change = (onList: boolean, facts: Partial<MembershipFacts> = {}) =>
  changeMembership(
    { listId: "lst_5", contactId: "con_1", onList },
    {
      now,
      list,
      contact: contact(),
      deletedListIds: [],
      ...facts
    }
  )

const lists = (count: number) => Array.from({ length: count }, (_, n) => `lst_${100 + n}`)

describe("changeMembership", () => {
  it("guards the list, writes the contact with sorted lists, and counts the contact", () => {
    const { changes } = Result.getOrThrow(change(true, { contact: contact({ listIds: ["lst_1", "lst_9"] }) }))
    expect(steps(changes)).toEqual(["Expect", "PutContact", "AddToCounter"])
    expect(changes).toMatchObject([
      { record: { kind: "Resource", id: "lst_5" }, revision: 2 },
      { contact: { listIds: ["lst_1", "lst_5", "lst_9"], updatedAt: now, revision: 5 }, replaces: 4 },
      { name: "list:lst_5", by: 1 }
    ])
  })

  it("removes a contact from this list and from no other", () => {
    const { changes } = Result.getOrThrow(change(false, { contact: contact({ listIds: ["lst_1", "lst_5"] }) }))
    expect(changes).toMatchObject([{}, { contact: { listIds: ["lst_1"] } }, { name: "list:lst_5", by: -1 }])
  })

  it("removes the deleted lists of a contact when it adds a list, and does not count them for the limit", () => {
    const [deleted, ...kept] = lists(100)
    const facts = { contact: contact({ listIds: [deleted!, ...kept] }), deletedListIds: [deleted!] }
    const { changes } = Result.getOrThrow(change(true, facts))
    expect(changes[1]).toMatchObject({ contact: { listIds: [...kept, "lst_5"] } })
    expect(counterChanges(changes)).toEqual({ "list:lst_5": 1, [`list:${deleted}`]: -1 })
  })

  it.each([
    ["RecordNotFound", "an unknown list before an unknown contact", true, { list: null, contact: null }],
    [
      "RecordNotFound",
      "a resource of another kind",
      true,
      { list: resource("segment", "seg_1", "s", { name: "S", filter: { all: [] } }) }
    ],
    ["ContactNotFound", "an unknown contact", true, { contact: null }],
    ["TooManyRecords", "the list after the 100th of a contact", true, { contact: contact({ listIds: lists(100) }) }],
    ["decided", "the 100th list of a contact", true, { contact: contact({ listIds: lists(99) }) }],
    [
      "decided",
      "a removal from a contact with too many lists",
      false,
      { contact: contact({ listIds: ["lst_5", ...lists(100)] }) }
    ]
  ] as const)("returns %s for %s", (tag, _, onList, facts) => expect(tagOf(change(onList, facts))).toBe(tag))

  it("decides nothing more when it is applied a second time", () =>
    fc.assert(
      fc.property(fc.boolean(), fc.uniqueArray(fc.constantFrom("lst_1", "lst_5", "lst_9")), (onList, listIds) => {
        const before = contact({ listIds: listIds.toSorted() })
        const { changes } = Result.getOrThrow(change(onList, { contact: before }))
        const put = changes.find((one) => one._tag === "PutContact")
        const after = put?.contact ?? before
        expect(after.listIds.includes("lst_5")).toBe(onList)
        expect(after.listIds.filter((id) => id !== "lst_5")).toEqual(before.listIds.filter((id) => id !== "lst_5"))
        expect(counterChanges(changes)["list:lst_5"] ?? 0).toBe(Number(onList) - Number(listIds.includes("lst_5")))
        expect(Result.getOrThrow(change(onList, { contact: after })).changes).toEqual([])
      })
    ))
})

/**
 * The decisions about contacts: the refusals in their order, the contact that is written, and how its suppression and the counters follow.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { ContactFacts, UpdateContactFacts } from "../../../src/decide/contact/contact.ts"
import { createContact, deleteContact, updateContact } from "../../../src/decide/contact/contact.ts"
import type { CreateContactInput, UpdateContactInput } from "../../../src/domain/contact/ContactRequest.ts"
import { parseCreateContact, parseUpdateContact } from "../../../src/domain/contact/ContactRequest.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import type { EmailStatus } from "../../../src/domain/contact/EmailStatusTable.ts"
import { emailStatuses } from "../../../src/domain/contact/EmailStatusTable.ts"
import type { Plan } from "../../../src/domain/plan/Plan.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import {
  contact,
  counterChanges,
  ids,
  keyedAddress,
  now,
  project,
  property,
  steps,
  suppression,
  tagOf
} from "../fixtures.ts"

const facts = (change: Partial<ContactFacts> = {}): ContactFacts => ({
  now,
  ids,
  keyedAddress,
  holder: null,
  suppression: null,
  properties: [],
  ...change
})

const create = (
  fields: Partial<CreateContactInput> = {},
  change: Partial<ContactFacts & { plan: Plan; contactsUsed: number }> = {},
  emailStatus: EmailStatus | "unchanged" = "subscribed"
) => {
  const input = Result.getOrThrow(parseCreateContact({ email: " Ada@Example.org ", ...fields }))
  return createContact(
    { input, source: "import", emailStatus: emailStatus === "unchanged" ? undefined : emailStatus },
    { ...facts(change), plan: change.plan ?? noLimits, contactsUsed: change.contactsUsed ?? 0 }
  )
}

const update = (input: Partial<UpdateContactInput> = {}, change: Partial<UpdateContactFacts> = {}) =>
  updateContact("con_1", Result.getOrThrow(parseUpdateContact({ email: "Ada@example.org", ...input })), {
    ...facts(),
    contact: contact(),
    keepsProperties: false,
    ...change
  })

const decided = <A, E>(result: Result.Result<A, E>): A => Result.getOrThrow(result)
/** The reasons of the address after the commit. */
const reasonsAfter = (changes: ReadonlyArray<Change>, before: SuppressionRecord | null): ReadonlyArray<string> => {
  const put = changes.find((change) => change._tag === "PutSuppression")
  return Object.keys((put === undefined ? before : put.suppression)?.reasons ?? {}).toSorted()
}

const other = contact({ id: "con_2" })

describe("createContact", () => {
  it("creates a subscribed contact, with omitted fields empty", () =>
    expect(decided(create()).answer).toMatchObject({
      email: "Ada@Example.org",
      address: "ada@example.org",
      userId: null,
      firstName: "",
      lastName: "",
      phoneNumber: null,
      emailStatus: "subscribed",
      source: "import",
      properties: {},
      listIds: [],
      createdAt: now,
      updatedAt: now,
      revision: 1
    }))

  it("guards the suppression, writes the contact, counts it and appends one event, in this order", () => {
    const { changes } = decided(create({}, { plan: { ...noLimits, contacts: 7 } }))
    expect(steps(changes)).toEqual(["Expect", "PutContact", "AddToCounter", "contact.created"])
    expect(changes).toMatchObject([
      { record: { kind: "Suppression" }, revision: null },
      { replaces: null },
      { name: "contacts", by: 1, max: 7 },
      {}
    ])
  })

  it("removes the reason unsubscribed and keeps the other reasons", () => {
    const existing = { ...suppression("complaint"), reasons: { complaint: 1, unsubscribed: 2 } }
    const { changes } = decided(create({}, { suppression: existing }))
    expect(changes[0]).toMatchObject({ _tag: "PutSuppression", replaces: 3, suppression: { revision: 4 } })
    expect(reasonsAfter(changes, existing)).toEqual(["complaint"])
  })

  it.each([
    ["subscribed", [], "subscribed", [], []],
    ["subscribed", ["manual", "unsubscribed"], "subscribed", ["manual"], []],
    ["unsubscribed", ["manual"], "unsubscribed", ["manual", "unsubscribed"], ["contact.unsubscribed"]],
    ["unsubscribed", ["unsubscribed"], "unsubscribed", ["unsubscribed"], []],
    ["unchanged", [], "subscribed", [], []],
    ["unchanged", ["manual"], "subscribed", ["manual"], []],
    ["unchanged", ["manual", "unsubscribed"], "unsubscribed", ["manual", "unsubscribed"], []]
  ] as const)("creates a contact as %s at an address with the reasons %j", (wanted, before, status, after, events) => {
    const existing =
      before.length === 0
        ? null
        : { ...suppression("manual"), reasons: Object.fromEntries(before.map((reason) => [reason, 1])) }
    const { answer, changes } = decided(create({}, { suppression: existing }, wanted))
    expect(answer.emailStatus).toBe(status)
    expect(reasonsAfter(changes, existing)).toEqual(after)
    expect(steps(changes).filter((step) => step.startsWith("contact."))).toEqual(["contact.created", ...events])
    const ids = changes.flatMap((change) => (change._tag === "AppendEvent" ? [change.event.id] : []))
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ["subscribed", ["complaint"], "ada@example.org"],
    ["subscribed", ["complaint", "unsubscribed"], "ada@example.org"],
    ["unchanged", ["unsubscribed"], "ada@example.org"],
    ["unsubscribed", ["unsubscribed"], "ada@example.org"],
    ["subscribed", ["unsubscribed"], null]
  ] as const)(
    "creates a contact as %s after a deleted one with the reasons %j, and gives the suppression the address %j",
    (wanted, before, address) => {
      const reasons = Object.fromEntries(before.map((reason) => [reason, 1]))
      const existing: SuppressionRecord = { ...suppression("manual"), address: null, reasons }
      const [put] = decided(create({}, { suppression: existing }, wanted)).changes
      expect(put).toMatchObject({ _tag: "PutSuppression", replaces: 3, suppression: { address, revision: 4 } })
    }
  )

  it("stores property values by id, guards each property and counts each value", () => {
    const { answer, changes } = decided(
      create(
        { properties: { PLAN: "pro", visits: null } },
        { properties: [property("prop_1", "plan"), property("prop_2", "visits", "number")] }
      )
    )
    expect(answer.properties).toEqual({ prop_1: "pro" })
    expect(changes[0]).toMatchObject({ _tag: "Expect", record: { kind: "Resource", id: "prop_1" }, revision: 2 })
    expect(counterChanges(changes)).toEqual({ contacts: 1, "property:prop_1": 1 })
  })

  it.each([
    [
      "InvalidArgument",
      "an undefined property before any other refusal",
      { properties: { none: 1 } },
      { holder: other, contactsUsed: 1 }
    ],
    ["ContactEmailTaken", "a used address before the plan's limit", {}, { holder: other, contactsUsed: 1 }],
    ["PlanLimitReached", "a contact over the plan's limit", {}, { contactsUsed: 1 }],
    ["decided", "the last contact within the plan's limit", {}, { contactsUsed: 0 }]
  ] as const)("returns %s for %s", (tag, _, input, change) =>
    expect(tagOf(create(input, { ...change, plan: { ...noLimits, contacts: 1 } }))).toBe(tag)
  )
})

describe("updateContact", () => {
  it("keeps fields that the input omits", () => {
    const { answer, changes } = decided(update())
    expect(answer).toEqual({ ...contact(), updatedAt: now, revision: 5 })
    expect(steps(changes)).toEqual(["Expect", "PutContact", "contact.updated"])
    expect(changes[1]).toMatchObject({ contact: answer, replaces: 4 })
  })

  it("clears fields that the input sets to empty", () =>
    expect(decided(update({ userId: null, firstName: "", lastName: "", phoneNumber: "" })).answer).toMatchObject({
      userId: null,
      firstName: "",
      lastName: "",
      phoneNumber: null
    }))

  it("replaces all property values when the input has properties", () => {
    const before = contact({ properties: { prop_1: "free", prop_2: 1 } })
    const { answer, changes } = decided(
      update({ properties: { plan: "pro" } }, { contact: before, properties: [property("prop_1", "plan")] })
    )
    expect(answer.properties).toEqual({ prop_1: "pro" })
    expect(counterChanges(changes)).toEqual({ "property:prop_2": -1 })
  })

  it.each([
    [
      "InvalidArgument",
      "an undefined property before any other refusal",
      { properties: { none: 1 } },
      { contact: null }
    ],
    ["ContactNotFound", "an unknown contact before a used address", {}, { contact: null, holder: other }],
    ["ContactEmailTaken", "the address of another contact", {}, { holder: other }],
    ["decided", "the own address of the contact", {}, { holder: contact() }]
  ] as const)("returns %s for %s", (tag, _, input, change) => expect(tagOf(update(input, change))).toBe(tag))

  const moved = { keyedAddress: { ...keyedAddress, address: "new@example.org", addressKey: "key-of-new" } }
  const unsubscribed = contact({ emailStatus: "unsubscribed" })
  const existing = suppression("unsubscribed")

  it.each([
    ["unsubscribes a contact", { emailStatus: "unsubscribed" }, {}, "unsubscribed", ["contact.unsubscribed"]],
    [
      "unsubscribes an unsubscribed contact without an event",
      { emailStatus: "unsubscribed" },
      { contact: unsubscribed, suppression: existing },
      "unsubscribed",
      []
    ],
    [
      "subscribes an unsubscribed contact",
      { emailStatus: "subscribed" },
      { contact: unsubscribed, suppression: existing },
      "subscribed",
      ["contact.subscribed"]
    ],
    ["keeps an unsubscribed contact at a new address", {}, { ...moved, contact: unsubscribed }, "unsubscribed", []],
    [
      "unsubscribes a contact that moves to an unsubscribed address",
      {},
      { ...moved, suppression: existing },
      "unsubscribed",
      ["contact.unsubscribed"]
    ],
    [
      "subscribes a contact that moves to an unsubscribed address, when the input says so",
      { emailStatus: "subscribed" },
      { ...moved, suppression: existing },
      "subscribed",
      []
    ]
  ] as const)("%s", (_, input, change, status, events) => {
    const { answer, changes } = decided(update(input, change))
    expect(answer.emailStatus).toBe(status)
    expect(steps(changes).filter((step) => step.startsWith("contact."))).toEqual([...events, "contact.updated"])
  })

  it("leaves a contact unsubscribed if and only if its address has the reason unsubscribed", () =>
    fc.assert(
      fc.property(
        fc.record({
          before: fc.constantFrom(...emailStatuses),
          input: fc.constantFrom(undefined, ...emailStatuses),
          moves: fc.boolean(),
          suppressed: fc.boolean(),
          complaint: fc.boolean()
        }),
        ({ before, input, moves, suppressed, complaint }) => {
          // An unmoved contact agrees with its suppression before the update.
          const reason = moves ? suppressed : before === "unsubscribed"
          const reasons = { ...(reason ? { unsubscribed: 1 } : {}), ...(complaint ? { complaint: 2 } : {}) }
          const stored = Object.keys(reasons).length === 0 ? null : { ...existing, reasons }
          const { answer, changes } = decided(
            update(
              { emailStatus: input },
              { ...(moves ? moved : {}), contact: contact({ emailStatus: before }), suppression: stored }
            )
          )
          const after = reasonsAfter(changes, stored)
          expect(after.includes("unsubscribed")).toBe(answer.emailStatus === "unsubscribed")
          expect(after.includes("complaint")).toBe(complaint)
          expect(counterChanges(changes)["unsubscribed"] ?? 0).toBe(
            Number(answer.emailStatus === "unsubscribed") - Number(before === "unsubscribed")
          )
          const record = changes.find((change) => change._tag === "Expect" || change._tag === "PutSuppression")
          expect(record).toBeDefined()
        }
      )
    ))
})

describe("deleteContact", () => {
  const remove = (change: Partial<Parameters<typeof deleteContact>[1]> = {}) =>
    deleteContact("con_1", { now, ids, keyedAddress, contact: contact(), suppression: null, ...change })

  it("removes the contact with its counters, and appends an event that has only the id", () => {
    const listed = contact({ listIds: ["lst_1"], properties: { prop_1: "x" }, emailStatus: "unsubscribed" })
    const { answer, changes } = decided(remove({ contact: listed }))
    expect(answer).toBeNull()
    expect(changes[0]).toEqual({ _tag: "RemoveContact", projectId: "prj_test", id: "con_1", revision: 4 })
    expect(counterChanges(changes)).toEqual({ contacts: -1, unsubscribed: -1, "list:lst_1": -1, "property:prop_1": -1 })
    expect(changes.at(-1)).toMatchObject({
      event: { kind: "contact.deleted", projectId: project, data: { contactId: "con_1" } }
    })
    expect(JSON.stringify(changes.at(-1))).not.toMatch(/ada/i)
  })

  it("removes the address from the suppression and keeps its reasons", () => {
    const [, put] = decided(remove({ suppression: suppression("complaint") })).changes
    expect(put).toMatchObject({
      _tag: "PutSuppression",
      replaces: 3,
      suppression: { address: null, addressKey: "key-of-ada", reasons: { complaint: now - 1 } }
    })
  })

  it("refuses an unknown contact", () => expect(tagOf(remove({ contact: null }))).toBe("ContactNotFound"))
})

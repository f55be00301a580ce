/**
 * The decision about several contacts: the same as one contact after the other, in one commit.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createContact, updateContact } from "../../../src/decide/contact/contact.ts"
import type { ContactToWrite } from "../../../src/decide/contact/writeContacts.ts"
import { writeContacts } from "../../../src/decide/contact/writeContacts.ts"
import { parseCreateContact, parseUpdateContact } from "../../../src/domain/contact/ContactRequest.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { advanceBlock, idAt } from "../../../src/domain/value/Id.ts"
import { contact, counterChanges, ids, now, project, property, suppression } from "../fixtures.ts"

const plan = property("prop_1", "plan")

/** The n-th new contact, with this name before the at sign. */
const entry = (name: string, n: number, change: Partial<ContactToWrite> = {}): ContactToWrite => {
  const address = `${name}@example.org`
  return {
    contact: {
      input: Result.getOrThrow(parseCreateContact({ email: address, properties: { plan: "gold" } })),
      source: "import",
      emailStatus: undefined
    },
    ids: advanceBlock(ids, 2 * n),
    keyedAddress: { projectId: project, address, addressKey: `key-of-${name}` },
    update: null,
    holder: null,
    suppression: null,
    ...change
  }
}

/** An update of the n-th contact of a list. */
const updateOf = (name: string, n: number) => ({
  change: Result.getOrThrow(
    parseUpdateContact({ email: `${name}@example.org`, firstName: `Number ${n}`, properties: { plan: "silver" } })
  ),
  ids: advanceBlock(ids, 100 + 2 * n)
})

const facts = (contacts: ReadonlyArray<ContactToWrite>, contactsMax: number | null = null, contactsUsed = 0) => ({
  now,
  contacts,
  properties: [plan],
  plan: { ...noLimits, contacts: contactsMax },
  contactsUsed
})

const tags = (answer: ReturnType<typeof writeContacts>["answer"]) =>
  answer.map((one) => (Result.isSuccess(one) ? one.success.contact.address : one.failure._tag))

describe("writeContacts", () => {
  it("creates each contact and adds to each counter once", () => {
    const { answer, changes } = writeContacts(facts([entry("ada", 0), entry("bob", 1)]))
    expect(tags(answer)).toEqual(["ada@example.org", "bob@example.org"])
    expect(counterChanges(changes)).toEqual({ contacts: 2, "property:prop_1": 2 })
    expect(changes.filter(({ _tag }) => _tag === "AddToCounter")).toHaveLength(2)
    expect(inCommitOrder(changes)).toHaveLength(changes.length)
  })

  it("refuses only the contacts whose address is taken, by the store or by an earlier contact", () => {
    const { answer, changes } = writeContacts(
      facts([entry("ada", 0, { holder: contact() }), entry("bob", 1), entry("bob", 2)])
    )
    expect(tags(answer)).toEqual(["ContactEmailTaken", "bob@example.org", "ContactEmailTaken"])
    expect(counterChanges(changes)["contacts"]).toBe(1)
  })

  it("refuses the contacts beyond the limit of the plan", () => {
    const { answer, changes } = writeContacts(facts([entry("ada", 0), entry("bob", 1), entry("cat", 2)], 7, 5))
    expect(tags(answer)).toEqual(["ada@example.org", "bob@example.org", "PlanLimitReached"])
    expect(changes).toContainEqual({ _tag: "AddToCounter", projectId: project, name: "contacts", by: 2, max: 7 })
  })

  it("reports a contact of an earlier try of the same commit as created, without a change", () => {
    const earlier = contact({ id: idAt(advanceBlock(ids, 6), "con", 0) })
    const { answer, changes } = writeContacts(facts([entry("ada", 3, { holder: earlier })]))
    expect(answer).toEqual([Result.succeed({ contact: earlier, outcome: "created" })])
    expect(changes).toEqual([])
  })

  it("updates the contact that has the address, and counts a property that it did not have", () => {
    const holder = contact({ address: "ada@example.org" })
    const { answer, changes } = writeContacts(facts([entry("ada", 0, { holder, update: updateOf("ada", 0) })], 1, 1))
    expect(answer).toMatchObject([
      { success: { contact: { id: holder.id, firstName: "Number 0" }, outcome: "updated" } }
    ])
    expect(counterChanges(changes)).toEqual({ "property:prop_1": 1 })
    expect(changes).toContainEqual(expect.objectContaining({ _tag: "PutContact", replaces: holder.revision }))
  })

  it("keeps the limit of a counter, and leaves out a counter whose value does not change", () => {
    const holder = contact({ address: "ada@example.org", emailStatus: "unsubscribed" })
    const subscribed = { ...updateOf("ada", 0).change, emailStatus: "subscribed" } as never
    const unsubscribed = entry("bob", 1, { suppression: suppression("unsubscribed") })
    const { changes } = writeContacts(
      facts([entry("ada", 0, { holder, update: { ...updateOf("ada", 0), change: subscribed } }), unsubscribed], 7, 5)
    )
    expect(counterChanges(changes)).toEqual({ contacts: 1, "property:prop_1": 2 })
    expect(changes).toContainEqual({ _tag: "AddToCounter", projectId: project, name: "contacts", by: 1, max: 7 })
  })

  it("decides as createContact and updateContact do for one contact after the other", () => {
    const one = fc.record({
      name: fc.constantFrom("ada", "bob", "cat", "dan"),
      isHeld: fc.boolean(),
      isUpdate: fc.boolean(),
      isUnsubscribed: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), fc.option(fc.nat(6)), (rows, contactsMax) => {
        const held = new Set(rows.filter(({ isHeld }) => isHeld).map(({ name }) => name))
        const unsubscribed = new Set(rows.filter(({ isUnsubscribed }) => isUnsubscribed).map(({ name }) => name))
        const contacts = rows.map(({ name, isUpdate }, n) =>
          entry(name, n, {
            update: isUpdate ? updateOf(name, n) : null,
            holder: held.has(name) ? contact({ id: `con_${name}`, address: `${name}@example.org` }) : null,
            suppression: unsubscribed.has(name)
              ? { ...suppression("unsubscribed"), address: `${name}@example.org`, addressKey: `key-of-${name}` }
              : null
          })
        )
        const written = new Set<string>()
        let created = 0
        const oneByOne = contacts.map(({ contact: newContact, update, ...own }) => {
          const { address } = own.keyedAddress
          if (written.has(address)) return "ContactEmailTaken"
          const shared = { ...facts([], contactsMax, created), ...own }
          const { holder } = own
          const outcome = holder !== null && update !== null ? "updated" : "created"
          const decided: Result.Result<{ readonly answer: ReturnType<typeof contact> }, { readonly _tag: string }> =
            holder !== null && update !== null
              ? updateContact(holder.id, update.change, {
                  ...shared,
                  ids: update.ids,
                  contact: holder,
                  keepsProperties: true
                })
              : createContact(newContact, shared)
          if (Result.isFailure(decided)) return decided.failure._tag
          written.add(address)
          if (outcome === "created") created++
          return { contact: decided.success.answer, outcome }
        })
        const { answer, changes } = writeContacts(facts(contacts, contactsMax))
        expect(answer.map((result) => (Result.isSuccess(result) ? result.success : result.failure._tag))).toEqual(
          oneByOne
        )
        expect(counterChanges(changes)["contacts"] ?? 0).toBe(created)
        expect(inCommitOrder(changes)).toHaveLength(changes.length)
      })
    )
  })
})

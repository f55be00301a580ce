/**
 * The decision about several contacts: the same as one contact after the other, in one commit.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createContact } from "../../../src/decide/contact/contact.ts"
import type { ContactToCreate } from "../../../src/decide/contact/createContacts.ts"
import { createContacts } from "../../../src/decide/contact/createContacts.ts"
import { parseCreateContact } from "../../../src/domain/contact/ContactRequest.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { advanceBlock, idAt } from "../../../src/domain/value/Id.ts"
import { contact, counterChanges, ids, now, project, property, suppression } from "../fixtures.ts"

const plan = property("prop_1", "plan")

/** The n-th new contact, with this name before the at sign. */
const entry = (name: string, n: number, change: Partial<ContactToCreate> = {}): ContactToCreate => {
  const address = `${name}@example.org`
  return {
    contact: {
      input: Result.getOrThrow(parseCreateContact({ email: address, properties: { plan: "gold" } })),
      source: "import",
      emailStatus: undefined
    },
    ids: advanceBlock(ids, 2 * n),
    keyedAddress: { projectId: project, address, addressKey: `key-of-${name}` },
    holder: null,
    suppression: null,
    ...change
  }
}

const facts = (contacts: ReadonlyArray<ContactToCreate>, contactsMax: number | null = null, contactsUsed = 0) => ({
  now,
  contacts,
  properties: [plan],
  plan: { ...noLimits, contacts: contactsMax },
  contactsUsed
})

const tags = (answer: ReturnType<typeof createContacts>["answer"]) =>
  answer.map((one) => (Result.isSuccess(one) ? one.success.address : one.failure._tag))

describe("createContacts", () => {
  it("creates each contact and adds to each counter once", () => {
    const { answer, changes } = createContacts(facts([entry("ada", 0), entry("bob", 1)]))
    expect(tags(answer)).toEqual(["ada@example.org", "bob@example.org"])
    expect(counterChanges(changes)).toEqual({ contacts: 2, "property:prop_1": 2 })
    expect(changes.filter(({ _tag }) => _tag === "AddToCounter")).toHaveLength(2)
    expect(inCommitOrder(changes)).toHaveLength(changes.length)
  })

  it("refuses only the contacts whose address is taken, by the store or by an earlier contact", () => {
    const { answer, changes } = createContacts(
      facts([entry("ada", 0, { holder: contact() }), entry("bob", 1), entry("bob", 2)])
    )
    expect(tags(answer)).toEqual(["ContactEmailTaken", "bob@example.org", "ContactEmailTaken"])
    expect(counterChanges(changes)["contacts"]).toBe(1)
  })

  it("refuses the contacts beyond the limit of the plan", () => {
    const { answer, changes } = createContacts(facts([entry("ada", 0), entry("bob", 1), entry("cat", 2)], 7, 5))
    expect(tags(answer)).toEqual(["ada@example.org", "bob@example.org", "PlanLimitReached"])
    expect(changes).toContainEqual({ _tag: "AddToCounter", projectId: project, name: "contacts", by: 2, max: 7 })
  })

  it("reports a contact of an earlier try of the same commit as created, without a change", () => {
    const earlier = contact({ id: idAt(advanceBlock(ids, 6), "con", 0) })
    const { answer, changes } = createContacts(facts([entry("ada", 3, { holder: earlier })]))
    expect(answer).toEqual([Result.succeed(earlier)])
    expect(changes).toEqual([])
  })

  it("decides as createContact does for one contact after the other", () => {
    const one = fc.record({
      name: fc.constantFrom("ada", "bob", "cat", "dan"),
      isHeld: fc.boolean(),
      isUnsubscribed: fc.boolean()
    })
    fc.assert(
      fc.property(fc.array(one, { maxLength: 8 }), fc.option(fc.nat(6)), (rows, contactsMax) => {
        const held = new Set(rows.filter(({ isHeld }) => isHeld).map(({ name }) => name))
        const unsubscribed = new Set(rows.filter(({ isUnsubscribed }) => isUnsubscribed).map(({ name }) => name))
        const contacts = rows.map(({ name }, n) =>
          entry(name, n, {
            holder: held.has(name) ? contact({ address: `${name}@example.org` }) : null,
            suppression: unsubscribed.has(name)
              ? { ...suppression("unsubscribed"), address: `${name}@example.org`, addressKey: `key-of-${name}` }
              : null
          })
        )
        const created = new Map<string, ReturnType<typeof contact>>()
        const oneByOne = contacts.map(({ contact, ...own }) => {
          const { address } = own.keyedAddress
          const holder = created.get(address) ?? own.holder
          const shared = facts([], contactsMax, created.size)
          const decided = createContact(contact, { ...shared, ...own, holder })
          if (Result.isFailure(decided)) return decided.failure._tag
          created.set(address, decided.success.answer)
          return decided.success.answer
        })
        const { answer, changes } = createContacts(facts(contacts, contactsMax))
        expect(answer.map((result) => (Result.isSuccess(result) ? result.success : result.failure._tag))).toEqual(
          oneByOne
        )
        expect(counterChanges(changes)["contacts"] ?? 0).toBe(created.size)
        expect(inCommitOrder(changes)).toHaveLength(changes.length)
      })
    )
  })
})

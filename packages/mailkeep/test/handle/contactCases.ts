/**
 * The behaviour of contacts, lists, properties, segments and suppressions of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import {
  ContactEmailTaken,
  ContactNotFound,
  InvalidArgument,
  NameTaken,
  PlanLimitReached,
  PropertyInUse,
  RecordNotFound,
  TooManyRecords
} from "../../src/index.ts"
import { all, rejection } from "../testMail.ts"
import { issuesOf } from "./issues.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const contactCases = ({ open }: HandleUnderTest): void => {
  describe("contacts", () => {
    it("creates a contact and returns it in full", async () => {
      const { mail } = await open()
      const input = { email: "Ada@example.org", userId: "u_1", firstName: "Ada", phoneNumber: "1", lastName: undefined }
      const created = await mail.contacts.create(input)
      expect(created).toEqual({
        id: expect.stringMatching(/^con_/),
        email: "Ada@example.org",
        userId: "u_1",
        firstName: "Ada",
        lastName: "",
        phoneNumber: "1",
        emailStatus: "subscribed",
        source: "manual",
        createdAt: expect.any(Number),
        updatedAt: expect.any(Number)
      })
      expect(await mail.contacts.get(created.id)).toMatchObject({ ...created, properties: {}, blockReason: null })
    })

    it("keeps the values of properties, and writes a Date as text", async () => {
      const { mail } = await open()
      for (const [key, type] of [
        ["plan", "string"],
        ["score", "number"],
        ["since", "date"]
      ] as const)
        await mail.properties.create({ key, type })
      const since = new Date(0)
      const properties = { plan: "pro", score: 1.5, since: since as never }
      const { id } = await mail.contacts.create({ email: "ada@example.org", properties })
      const expected = { plan: "pro", score: 1.5, since: "1970-01-01T00:00:00.000Z" }
      expect((await mail.contacts.get(id)).properties).toEqual(expected)
    })

    it("names a property that is not defined", async () => {
      const { mail } = await open()
      const failure = await rejection(
        mail.contacts.create({ email: "ada@example.org", properties: { from_name: "x" } })
      )
      expect(failure).toBeInstanceOf(InvalidArgument)
      expect(failure).toMatchObject({ issues: [{ path: ["properties", "from_name"], code: "undefined_property" }] })
    })

    it("refuses a number that JSON cannot contain", async () => {
      const { mail } = await open()
      await mail.properties.create({ key: "score", type: "number" })
      const contact = { email: "ada@example.org", properties: { score: Number.POSITIVE_INFINITY } }
      const failure = await rejection(mail.contacts.create(contact))
      expect(failure).toMatchObject({ argument: "input", issues: [{ path: ["properties", "score"] }] })
    })

    it.each([
      ["a search with two texts", { search: ["a", "b"] }, [["search", "invalid_type"]]],
      ["a limit that is a text", { limit: "5" }, [["limit", "invalid_type"]]],
      ["a page that is a text", { page: "2" }, [["page", "invalid_type"]]],
      ["a list id in a list", { listId: ["lst_a"] }, [["listId", "invalid_type"]]],
      ["an email status in a list", { emailStatus: ["subscribed"] }, [["emailStatus", "invalid_value"]]],
      ["a text instead of filters", "ada", [["", "invalid_type"]]],
      ["null instead of filters", null, [["", "invalid_type"]]]
    ])("refuses %s", async (_, filters, issues) => {
      const { mail } = await open()
      const failure = await issuesOf(mail.contacts.list(filters as never))
      expect(failure).toEqual({ argument: "filters", issues })
    })

    it.each([
      ["an object that is no text", { p: new URL("https://acme.example/") }, ["properties.p", "invalid_type"]],
      ["an infinite number", { p: Number.POSITIVE_INFINITY }, ["properties.p", "invalid_value"]]
    ])("refuses %s as the value of a property", async (_, properties, issue) => {
      const { mail } = await open()
      await mail.properties.create({ key: "p", type: "string" })
      const creating = mail.contacts.create({ email: "ada@example.org", properties: properties as never })
      expect(await issuesOf(creating)).toEqual({ argument: "input", issues: [issue] })
    })

    it("updates the given fields only", async () => {
      const { mail } = await open()
      const { id, email } = await mail.contacts.create({ email: "ada@example.org", userId: "u_1", firstName: "Ada" })
      const updated = await mail.contacts.update(id, { email, userId: null, lastName: "Lovelace" })
      expect(updated).toMatchObject({ userId: null, firstName: "Ada", lastName: "Lovelace" })
      await mail.contacts.update(id, { email, emailStatus: "unsubscribed" })
      expect((await mail.contacts.get(id)).emailStatus).toBe("unsubscribed")
    })

    it("refuses the address of another contact", async () => {
      const { mail } = await open()
      await mail.contacts.create({ email: "ada@example.org" })
      const { id } = await mail.contacts.create({ email: "bob@example.org" })
      const twice = [
        mail.contacts.create({ email: "ADA@example.org" }),
        mail.contacts.update(id, { email: "ada@example.org" })
      ]
      for (const call of twice) {
        const failure = await rejection(call)
        expect(failure).toBeInstanceOf(ContactEmailTaken)
        expect(failure).toMatchObject({ kind: "duplicate_error", isRetryable: false, field: "email" })
      }
    })

    it("refuses more contacts than the plan allows", async () => {
      const { mail } = await open({ plan: { contacts: 1 } })
      await mail.contacts.create({ email: "ada@example.org" })
      const failure = await rejection(mail.contacts.create({ email: "bob@example.org" }))
      expect(failure).toBeInstanceOf(PlanLimitReached)
      expect(failure).toMatchObject({ code: "contact_limit_exceeded", isRetryable: false })
    })

    it.each(["con_unknown", "", "..", "a/b"])("finds no contact with the id %j", async (contactId) => {
      const { mail } = await open()
      const { contacts } = mail
      const calls = [
        contacts.get(contactId),
        contacts.delete(contactId),
        contacts.update(contactId, { email: "a@b.example" })
      ]
      for (const call of calls) {
        const failure = await rejection(call)
        expect(failure).toBeInstanceOf(ContactNotFound)
        expect(failure).toMatchObject({ contactId })
      }
    })

    it("deletes a contact", async () => {
      const { mail } = await open()
      const { id } = await mail.contacts.create({ email: "ada@example.org" })
      expect(await mail.contacts.delete(id)).toBeUndefined()
      expect(await rejection(mail.contacts.get(id))).toBeInstanceOf(ContactNotFound)
    })

    it("lists pages by number with the total", async () => {
      const { mail } = await open()
      for (const name of ["ada", "bob", "cleo"]) await mail.contacts.create({ email: `${name}@example.org` })
      const page = await mail.contacts.list({ page: 2, limit: 2 })
      expect(page).toMatchObject({ total: 3, page: 2, limit: 2, items: [{ email: "ada@example.org" }] })
      expect((await mail.contacts.list({ search: "BOB" })).items[0]).toMatchObject({
        email: "bob@example.org",
        emailStatus: "subscribed",
        phoneNumber: null
      })
      expect((await mail.contacts.list({ emailStatus: "unsubscribed", search: null })).total).toBe(0)
    })

    it("iterates over all contacts", async () => {
      const { mail } = await open()
      await Promise.all(Array.from({ length: 130 }, (_, n) => mail.contacts.create({ email: `c${n}@example.org` })))
      expect(new Set((await all(mail.contacts.each())).map(({ id }) => id)).size).toBe(130)
      expect((await all(mail.contacts.each({ search: "c12" }))).length).toBe(11)
    })

    it("leaves out no contact when the loop deletes each one", async () => {
      const { mail } = await open()
      await Promise.all(Array.from({ length: 230 }, (_, n) => mail.contacts.create({ email: `c${n}@example.org` })))
      let deleted = 0
      for await (const { id } of mail.contacts.each()) {
        await mail.contacts.delete(id)
        deleted++
      }
      expect(deleted).toBe(230)
      expect((await mail.contacts.list()).total).toBe(0)
    })

    it("reads the contacts from the beginning in each loop", async () => {
      const { mail } = await open()
      await mail.contacts.create({ email: "ada@example.org" })
      const contacts = mail.contacts.each()
      expect([(await all(contacts)).length, (await all(contacts)).length]).toEqual([1, 1])
    })
  })

  describe("lists", () => {
    it("creates, reads, changes and deletes a list", async () => {
      const { mail } = await open()
      const created = await mail.lists.create({ name: "Friends" })
      expect(created).toMatchObject({ id: expect.stringMatching(/^lst_/), description: "", contactCount: 0 })
      expect(await mail.lists.get(created.id)).toEqual(created)
      expect(await mail.lists.update(created.id, { description: "Old ones" })).toMatchObject({
        name: "Friends",
        description: "Old ones"
      })
      expect((await mail.lists.list()).total).toBe(1)
      expect((await all(mail.lists.each())).map(({ name }) => name)).toEqual(["Friends"])
      await mail.lists.delete(created.id)
      const failure = await rejection(mail.lists.get(created.id))
      expect(failure).toBeInstanceOf(RecordNotFound)
      expect(failure).toMatchObject({ record: "list", id: created.id, kind: "not_found" })
    })

    it("adds a contact once, and removes it", async () => {
      const { mail } = await open()
      const { id } = await mail.lists.create({ name: "Friends" })
      const ada = await mail.contacts.create({ email: "ada@example.org" })
      await mail.lists.addContact(id, ada.id)
      await mail.lists.addContact(id, ada.id)
      expect((await mail.contacts.list({ listId: id })).total).toBe(1)
      expect((await mail.lists.get(id)).contactCount).toBe(1)
      await mail.lists.removeContact(id, ada.id)
      await mail.lists.removeContact(id, ada.id)
      expect((await mail.lists.get(id)).contactCount).toBe(0)
    })

    it("says whether the list or the contact is unknown", async () => {
      const { mail } = await open()
      const { id } = await mail.lists.create({ name: "Friends" })
      const ada = await mail.contacts.create({ email: "ada@example.org" })
      for (const change of [mail.lists.addContact, mail.lists.removeContact]) {
        expect(await rejection(change("lst_unknown", ada.id))).toMatchObject({ _tag: "RecordNotFound", record: "list" })
        expect(await rejection(change(id, "con_unknown"))).toMatchObject({ contactId: "con_unknown" })
      }
    })

    it.each(["..", ".", ""])("removes nothing else for the contact id %j", async (contactId) => {
      const { mail } = await open()
      const list = await mail.lists.create({ name: "Friends" })
      expect(await rejection(mail.lists.removeContact(list.id, contactId))).toBeInstanceOf(ContactNotFound)
      expect(await mail.lists.get(list.id)).toEqual(list)
    })

    it("refuses the name of another list", async () => {
      const { mail } = await open()
      await mail.lists.create({ name: "Friends" })
      const failure = await rejection(mail.lists.create({ name: "FRIENDS" }))
      expect(failure).toBeInstanceOf(NameTaken)
      expect(failure).toMatchObject({ record: "list", field: "name", kind: "duplicate_error" })
    })

    it("leaves out no list when the loop deletes each one", async () => {
      const { mail } = await open()
      await Promise.all(Array.from({ length: 230 }, (_, n) => mail.lists.create({ name: `List ${n}` })))
      for await (const { id } of mail.lists.each()) await mail.lists.delete(id)
      expect((await mail.lists.list()).total).toBe(0)
    })
  })

  describe("properties", () => {
    it("creates, changes and deletes a property", async () => {
      const { mail } = await open()
      const created = await mail.properties.create({ key: "plan", type: "string", fallbackValue: "free" })
      expect(created).toMatchObject({ id: expect.stringMatching(/^prop_/), fallbackValue: "free" })
      expect(await mail.properties.list()).toEqual([created])
      expect((await mail.properties.update(created.id, { fallbackValue: null })).fallbackValue).toBeNull()
      await mail.properties.delete(created.id)
      expect(await rejection(mail.properties.delete(created.id))).toMatchObject({ record: "property" })
    })

    it("names a wrong field as the caller does", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.properties.create({ key: "score", type: "number", fallbackValue: "many" }))
      expect(failure).toMatchObject({ issues: [{ path: ["fallbackValue"], code: "invalid_type" }] })
      const wireName = { key: "score", type: "number", fallback_value: "1" } as const
      expect(await rejection(mail.properties.create(wireName))).toMatchObject({
        issues: [{ path: ["fallback_value"], code: "unknown_field" }]
      })
    })

    it("refuses another type while a contact has a value", async () => {
      const { mail } = await open()
      const { id } = await mail.properties.create({ key: "plan", type: "string" })
      await mail.contacts.create({ email: "ada@example.org", properties: { plan: "pro" } })
      const failure = await rejection(mail.properties.update(id, { type: "number" }))
      expect(failure).toBeInstanceOf(PropertyInUse)
      expect(failure).toMatchObject({ kind: "conflict", propertyId: id })
    })

    it("refuses a key that is taken, and the 201st property", async () => {
      const { mail } = await open()
      for (let n = 0; n < 200; n++) await mail.properties.create({ key: `p${n}`, type: "string" })
      expect(await rejection(mail.properties.create({ key: "P7", type: "string" }))).toMatchObject({
        _tag: "NameTaken",
        record: "property",
        field: "key"
      })
      const failure = await rejection(mail.properties.create({ key: "last", type: "string" }))
      expect(failure).toBeInstanceOf(TooManyRecords)
      expect(failure).toMatchObject({ kind: "conflict", record: "property", max: 200 })
    })
  })

  describe("segments", () => {
    const filter = {
      any: [{ field: "properties.plan", op: "eq", value: "pro" }, { not: { field: "email", op: "set" } }]
    } as const

    it("creates, reads, changes and deletes a segment", async () => {
      const { mail } = await open()
      await mail.properties.create({ key: "plan", type: "string" })
      const created = await mail.segments.create({ name: "Pro", filter })
      expect(created.filter).toEqual(filter)
      expect(await mail.segments.get(created.id)).toEqual(created)
      await mail.contacts.create({ email: "ada@example.org", properties: { plan: "pro" } })
      await mail.contacts.create({ email: "bob@example.org" })
      expect((await all(mail.contacts.each({ segmentId: created.id }))).map(({ email }) => email)).toEqual([
        "ada@example.org"
      ])
      expect((await mail.segments.update(created.id, { name: "Paid" })).name).toBe("Paid")
      expect((await mail.segments.list({ limit: 1 })).total).toBe(1)
      expect((await all(mail.segments.each())).length).toBe(1)
      await mail.segments.delete(created.id)
      expect(await rejection(mail.segments.get(created.id))).toMatchObject({ record: "segment" })
    })

    it("names the wrong part of a filter", async () => {
      const { mail } = await open()
      expect(await rejection(mail.segments.create({ name: "Pro", filter }))).toMatchObject({
        argument: "input",
        issues: [{ path: ["filter", "any", 0, "field"], code: "invalid_value" }]
      })
    })
  })

  describe("suppressions", () => {
    it("adds a reason, lists it and deletes it", async () => {
      const { mail } = await open()
      const added = await mail.suppressions.addReason("Ada@Example.org", "manual")
      expect(added).toMatchObject({ reason: "manual", reasons: [{ reason: "manual", since: expect.any(Number) }] })
      expect(await mail.suppressions.addReason("ada@example.org", "manual")).toEqual(added)
      const page = await mail.suppressions.list({ search: "ada", limit: 1 })
      expect(page).toEqual({ items: [added], limit: 1, hasMore: false, nextCursor: null })
      const { totalQueued, deliveryIds } = await mail.send({
        from: "hi@acme.example",
        to: "ada@example.org",
        subject: "Welcome",
        text: "Hello."
      })
      expect(totalQueued).toBe(0)
      expect(await mail.deliveries.get(deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "manual" })
      await mail.suppressions.delete("ada@example.org")
      const failure = await rejection(mail.suppressions.delete("ada@example.org"))
      expect(failure).toBeInstanceOf(RecordNotFound)
      expect(failure).toMatchObject({ record: "suppression", id: "" })
    })

    it("iterates over all addresses by address", async () => {
      const { mail } = await open()
      const addresses = Array.from({ length: 110 }, (_, n) => `c${String(n).padStart(3, "0")}@example.org`)
      await Promise.all(addresses.map((address) => mail.suppressions.addReason(address, "manual")))
      expect((await all(mail.suppressions.each())).map(({ email }) => email)).toEqual(addresses)
      expect((await all(mail.suppressions.each({ search: "c10" }))).length).toBe(10)
    })

    it("refuses a text that is no address", async () => {
      const { mail } = await open()
      expect(await rejection(mail.suppressions.addReason("nobody", "manual"))).toMatchObject({
        _tag: "InvalidArgument",
        argument: "input",
        issues: [{ path: ["email"], code: "invalid_value" }]
      })
    })
  })
}

/**
 * The behaviour of contacts of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { ContactEmailTaken, ContactNotFound, InvalidArgument, PlanLimitReached } from "../../src/index.ts"
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
  })
}

export const contactPropertyCases = ({ open }: HandleUnderTest): void => {
  describe("contacts", () => {
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
      ["an object that is no text", { p: new URL("https://acme.example/") }, ["properties.p", "invalid_type"]],
      ["an infinite number", { p: Number.POSITIVE_INFINITY }, ["properties.p", "invalid_value"]]
    ])("refuses %s as the value of a property", async (_, properties, issue) => {
      const { mail } = await open()
      await mail.properties.create({ key: "p", type: "string" })
      const creating = mail.contacts.create({ email: "ada@example.org", properties: properties as never })
      expect(await issuesOf(creating)).toEqual({ argument: "input", issues: [issue] })
    })
  })
}

export const contactPageCases = ({ open }: HandleUnderTest): void => {
  describe("contacts", () => {
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
}

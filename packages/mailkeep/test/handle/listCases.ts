/**
 * The behaviour of contact lists of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { ContactNotFound, NameTaken, RecordNotFound } from "../../src/index.ts"
import { all, rejection } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const listCases = ({ open }: HandleUnderTest): void => {
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
}

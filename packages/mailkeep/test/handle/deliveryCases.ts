/**
 * The behaviour of the delivery log of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { ContactNotFound, DeliveryNotFound, stub } from "../../src/index.ts"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { inOneHour, issuesOf } from "./issues.ts"

export const deliveryCases = ({ open }: HandleUnderTest): void => {
  describe("deliveries", () => {
    it("returns a delivery with its message and its attempts", async () => {
      const transport = stub({ script: [{ recipient: "ada@example.org", acts: [{ act: "refuse" }] }] })
      const { mail, core } = await open({ transport })
      const contact = await mail.contacts.create({ email: "ada@example.org", firstName: "Ada" })
      const { messageId, deliveryIds } = await mail.send({
        ...welcome,
        html: "<p>Hi</p>",
        metadata: { order: [1, null] }
      })
      await core.tick()
      const delivery = await mail.deliveries.get(deliveryIds[0]!)
      expect(delivery).toMatchObject({
        id: deliveryIds[0],
        recipient: "ada@example.org",
        subject: "Welcome",
        status: "bounced",
        bounceType: "hard",
        senderDomain: "acme.example",
        scheduledAt: null,
        deliveredAt: null,
        bouncedAt: expect.any(Number),
        createdAt: expect.any(Number),
        contact: { id: contact.id, email: "ada@example.org", firstName: "Ada", lastName: "" },
        domain: { domain: "acme.example" },
        template: null,
        message: { id: messageId, html: "<p>Hi</p>", text: "Hello.", metadata: { order: [1, null] }, attachments: [] },
        attempts: [{ number: 1, startedAt: expect.any(Number), smtpCode: 550, durationMillis: expect.any(Number) }]
      })
      // The embedded handle returns these fields and some more.
      expect(await core.deliveries.get(deliveryIds[0]!)).toMatchObject({ ...delivery, source: expect.any(String) })
    })

    it.each(["del_unknown", "", "..", "a/b", "?", "#"])("finds no delivery with the id %j", async (deliveryId) => {
      const { mail } = await open()
      const failure = await rejection(mail.deliveries.get(deliveryId))
      expect(failure).toBeInstanceOf(DeliveryNotFound)
      expect(failure).toMatchObject({ kind: "not_found", deliveryId })
    })

    it("rejects with failures that look the same to a caller", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.contacts.get("con_1"))
      expect(failure).toBeInstanceOf(ContactNotFound)
      expect(failure).toBeInstanceOf(Error)
      expect(failure).toMatchObject({
        name: "ContactNotFound",
        _tag: "ContactNotFound",
        kind: "not_found",
        message: "No contact with this ID.",
        contactId: "con_1"
      })
    })
  })
}

export const deliveryPageCases = ({ open }: HandleUnderTest): void => {
  describe("deliveries", () => {
    it("lists pages by cursor, newest first", async () => {
      const { mail } = await open()
      await mail.sendBatch({ messages: ["a", "b", "c"].map((name) => ({ ...welcome, to: `${name}@example.org` })) })
      const first = await mail.deliveries.list({ limit: 2 })
      expect(first).toEqual({ items: expect.any(Array), limit: 2, hasMore: true, nextCursor: expect.any(String) })
      const second = await mail.deliveries.list({ limit: 2, cursor: first.nextCursor })
      expect(second).toMatchObject({ hasMore: false, nextCursor: null })
      const ids = [...first.items, ...second.items].map(({ id }) => id)
      expect(ids.toSorted().toReversed()).toEqual(ids)
      expect(Object.keys(first)).toEqual(["items", "limit", "hasMore", "nextCursor"])
    })

    it("filters by status, recipient, search and times", async () => {
      const { mail } = await open()
      const before = Date.now() - 1
      await mail.send(welcome)
      await mail.send({ ...welcome, to: "bob@example.org", subject: "Größe & Co?", scheduledAt: inOneHour() })
      const recipients = async (input: Parameters<typeof mail.deliveries.list>[0]) =>
        (await mail.deliveries.list(input)).items.map(({ recipient }) => recipient)
      expect(await recipients({ status: "scheduled" })).toEqual(["bob@example.org"])
      expect(await recipients({ recipient: "ADA@example.org", status: null })).toEqual(["ada@example.org"])
      expect(await recipients({ search: "größe & co?" })).toEqual(["bob@example.org"])
      expect((await recipients({ startDate: new Date(before), endDate: undefined })).length).toBe(2)
      expect((await recipients({ startDate: before, endDate: new Date(Date.now() + 1000).toISOString() })).length).toBe(
        2
      )
      expect(await recipients({ endDate: before })).toEqual([])
      expect((await recipients({ startDate: new Date().toISOString().slice(0, 10) })).length).toBe(2)
    })

    it.each([
      ["a limit of 0", { limit: 0 }, "limit"],
      ["an unknown status", { status: "lost" }, "status"],
      ["an altered cursor", { cursor: "x" }, "cursor"],
      ["an unknown filter", { colour: "red" }, "colour"],
      ["a time that is none", { startDate: new Date(Number.NaN) }, "startDate"],
      ["a fraction of a millisecond", { startDate: 0.5 }, "startDate"],
      ["a time in a list", { startDate: ["2026-12-24"] }, "startDate"],
      ["a status in a list", { status: ["queued"] }, "status"],
      ["a limit that is a text", { limit: "5" }, "limit"],
      ["a search in a list", { search: ["ada"] }, "search"],
      ["a recipient that is a number", { recipient: 5 }, "recipient"]
    ])("refuses %s", async (_, input, path) => {
      const { mail } = await open()
      const { argument, issues } = await issuesOf(mail.deliveries.list(input as never))
      expect([argument, issues.map(([at]) => at)]).toEqual(["filters", [path]])
    })

    it("iterates over all pages", async () => {
      const { mail } = await open()
      for (const half of ["a", "b"])
        await mail.sendBatch({
          messages: Array.from({ length: 60 }, (_, n) => ({ ...welcome, to: `${half}${n}@example.org` }))
        })
      const found = await all(mail.deliveries.each())
      expect(new Set(found.map(({ recipient }) => recipient)).size).toBe(120)
      expect((await all(mail.deliveries.each({ recipient: "b7@example.org" }))).length).toBe(1)
    })

    it("ends an iteration with the reason of its signal", async () => {
      const { mail } = await open()
      await mail.send(welcome)
      const controller = new AbortController()
      const reason = new Error("Stopped.")
      const reading = (async () => {
        for await (const _ of mail.deliveries.each({}, { signal: controller.signal })) controller.abort(reason)
        await mail.deliveries.list({}, { signal: controller.signal })
      })()
      expect(await rejection(reading)).toBe(reason)
    })
  })
}

/**
 * The behaviour of sends and batches of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import {
  InvalidArgument,
  MessageNotFound,
  MessageNotScheduled,
  PlanLimitReached,
  SenderDomainNotVerified,
  stub
} from "../../src/index.ts"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { inOneHour, issuesOf } from "./issues.ts"

export const sendingCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
    it("accepts a message and returns its ids", async () => {
      const { mail, core } = await open()
      const sent = await mail.send({ ...welcome, to: ["ada@example.org", "bob@example.org"] })
      expect(sent).toEqual({
        messageId: expect.stringMatching(/^msg_/),
        deliveryIds: [expect.stringMatching(/^del_/), expect.stringMatching(/^del_/)],
        totalQueued: 2,
        scheduledAt: null,
        replayed: false
      })
      expect((await core.deliveries.list()).items.length).toBe(2)
    })

    it.each([
      ["Acme <hi@acme.example>", "Acme", "hi@acme.example"],
      ['"Acme, Inc." <hi@acme.example>', "Acme, Inc.", "hi@acme.example"],
      ["hi@acme.example", null, "hi@acme.example"],
      ["Größe 5 <hi@acme.example>", "Größe 5", "hi@acme.example"],
      ["<hi@acme.example>", null, "hi@acme.example"]
    ])("takes the name and the address of the sender from %s", async (from, name, address) => {
      const { mail } = await open()
      const { deliveryIds } = await mail.send({ ...welcome, from })
      expect((await mail.deliveries.get(deliveryIds[0]!)).message).toMatchObject({ from: address, fromName: name })
    })

    it("prefers the given name of the sender to the name in its address", async () => {
      const { mail } = await open()
      const { deliveryIds } = await mail.send({ ...welcome, fromName: "Shop" })
      expect((await mail.deliveries.get(deliveryIds[0]!)).message.fromName).toBe("Shop")
    })

    it("uses the default sender of the handle for a message without one", async () => {
      const { mail } = await open({ from: "Acme <hi@acme.example>" })
      const { from: _, ...unsigned } = welcome
      const { deliveryIds } = await mail.send(unsigned)
      expect((await mail.deliveries.get(deliveryIds[0]!)).message.fromName).toBe("Acme")
    })

    it("refuses a sender that is null, also with a default sender", async () => {
      const { mail } = await open({ from: "Acme <hi@acme.example>" })
      expect(await rejection(mail.send({ ...welcome, from: null as never }))).toMatchObject({
        _tag: "InvalidArgument",
        issues: [{ path: ["from"] }]
      })
    })

    it("accepts names in the addresses of recipients and of replies", async () => {
      const transport = stub()
      const { mail, core } = await open({ transport })
      const cc = ["Bob <bob@example.org>"]
      await mail.send({ ...welcome, to: "Ada <ada@example.org>", cc, replyTo: "Help <help@acme.example>" })
      await core.tick()
      expect(transport.captured().map(({ envelope }) => envelope.to)).toEqual(["ada@example.org", "bob@example.org"])
      expect(transport.captured()[0]!.message.replyTo).toBe("help@acme.example")
    })

    it("ignores fields that are undefined", async () => {
      const { mail } = await open()
      const message = { ...welcome, html: undefined, cc: undefined, scheduledAt: undefined, idempotencyKey: undefined }
      expect((await mail.send(message)).totalQueued).toBe(1)
    })

    it("attaches bytes and texts", async () => {
      const transport = stub()
      const { mail, core } = await open({ transport })
      const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => n % 251)
      const attachments = [
        { filename: "a.bin", content: bytes, contentType: "application/octet-stream" },
        { filename: "größe.txt", content: "Größe", contentId: "size", disposition: "inline" as const }
      ]
      const { deliveryIds } = await mail.send({ ...welcome, html: "<img src='cid:size'>", attachments })
      await core.tick()
      const sent = transport.captured()[0]!.message.attachments
      const contents = await Promise.all(sent.map(async ({ read }) => Buffer.concat(await all(read()))))
      expect(contents[0]!.equals(bytes)).toBe(true)
      expect(contents[1]!.toString()).toBe("Größe")
      expect((await mail.deliveries.get(deliveryIds[0]!)).message.attachments).toEqual([
        {
          filename: "a.bin",
          contentType: "application/octet-stream",
          contentId: null,
          disposition: "attachment",
          size: 70_000
        },
        { filename: "größe.txt", contentType: "text/plain", contentId: "size", disposition: "inline", size: 7 }
      ])
    })

    it("sends a repeat with the same idempotency key once", async () => {
      const { mail } = await open()
      const first = await mail.send({ ...welcome, idempotencyKey: "welcome:ada" })
      const second = await mail.send({ ...welcome, idempotencyKey: "welcome:ada" })
      expect(second).toEqual({ ...first, replayed: true })
      expect((await all(mail.deliveries.each())).length).toBe(1)
    })

    it("sends two messages for two calls without an idempotency key", async () => {
      const { mail } = await open()
      await mail.send(welcome)
      expect((await mail.send(welcome)).replayed).toBe(false)
      expect((await all(mail.deliveries.each())).length).toBe(2)
    })

    it("refuses an idempotency key that was used for another message", async () => {
      const { mail } = await open()
      await mail.send({ ...welcome, idempotencyKey: "a" })
      expect(await issuesOf(mail.send({ ...welcome, subject: "Other", idempotencyKey: "a" }))).toEqual({
        argument: "options",
        issues: [["idempotencyKey", "idempotency_key_reused"]]
      })
    })

    it.each(["", "two words", "line\nbreak", "é", "x".repeat(129), " padded "])(
      "refuses the idempotency key %j",
      async (idempotencyKey) => {
        const { mail } = await open()
        expect(await issuesOf(mail.send({ ...welcome, idempotencyKey }))).toEqual({
          argument: "options",
          issues: [["idempotencyKey", "invalid_value"]]
        })
      }
    )

    it("names each wrong field by its path", async () => {
      const { mail } = await open()
      const unknown = { typo: true, contentType: "text/plain", content_id: "logo" }
      const message = { ...welcome, to: ["ada@example.org", "no address"], subject: "", ...unknown }
      const { argument, issues } = await issuesOf(mail.send(message))
      expect(argument).toBe("input")
      expect(issues.toSorted()).toEqual([
        ["contentType", "unknown_field"],
        ["content_id", "unknown_field"],
        ["subject", "too_short"],
        ["to.1", "invalid_value"],
        ["typo", "unknown_field"]
      ])
    })

    it("names a wrong field of a file as the caller does", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a", content: "", contentType: "no type" }]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.contentType", "invalid_value"]
      ])
    })

    it("refuses the text of a file with an unpaired surrogate", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a.txt", content: "Ada \ud83d" }]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.content", "invalid_value"]
      ])
    })

    it("refuses the names of the wire as unknown fields", async () => {
      const { mail } = await open()
      const attachments = [{ filename: "a", content: "", content_type: "text/plain" } as never]
      expect((await issuesOf(mail.send({ ...welcome, attachments }))).issues).toEqual([
        ["attachments.0.content_type", "unknown_field"]
      ])
    })

    it.each([
      ["a number that JSON cannot contain", { score: Number.NaN }],
      ["a value that JSON cannot contain", { score: 1n }],
      ["a Set", { tags: new Set(["a"]) }],
      ["a Map within a list", { tags: [new Map([["a", 1]])] }],
      ["bytes", { hash: new Uint8Array([1, 2]) }],
      ["a Date", { at: new Date() }],
      ["a regular expression", { pattern: /a/ }],
      ["the query of a URL", { query: new URLSearchParams("a=1") }],
      ["an instance of a class", { price: new (class Money {})() }],
      ["a text object", { name: new Object("Ada") }],
      ["an object with toJSON", { price: { toJSON: () => 5 } }],
      ["undefined in a list", { list: [1, undefined] }],
      ["undefined within a value", { address: { city: undefined } }]
    ])("refuses metadata with %s", async (_, metadata) => {
      const { mail } = await open()
      const { issues } = await issuesOf(mail.send({ ...welcome, metadata: metadata as never }))
      expect(issues).toEqual([["metadata", "invalid_value"]])
    })

    it("accepts metadata of plain objects, without a field that is undefined", async () => {
      const { mail, core } = await open()
      const metadata = { order: { id: 7, tags: ["a", null, true] }, none: Object.assign(Object.create(null), { a: 1 }) }
      const { deliveryIds } = await mail.send({ ...welcome, metadata: { ...metadata, left: undefined } as never })
      const { message } = await core.deliveries.get(deliveryIds[0]!)
      expect(message.metadata).toEqual({ order: { id: 7, tags: ["a", null, true] }, none: { a: 1 } })
    })

    it.each([
      ["a URL", new URL("https://acme.example/")],
      ["a text object", new Object("Welcome")],
      ["a Date", new Date()],
      ["a Set", new Set(["Welcome"])]
    ])("refuses %s as a text", async (_, subject) => {
      const { mail } = await open()
      const { issues } = await issuesOf(mail.send({ ...welcome, subject: subject as never }))
      expect(issues).toEqual([["subject", "invalid_type"]])
    })

    it("refuses an input that is no object", async () => {
      const { mail } = await open()
      expect((await issuesOf(mail.send(undefined as never))).argument).toBe("input")
      expect((await issuesOf(mail.send("welcome" as never))).argument).toBe("input")
    })

    it("refuses a sender at a domain that is not verified", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.send({ ...welcome, from: "Acme <hi@other.example>" }))
      expect(failure).toBeInstanceOf(SenderDomainNotVerified)
      expect(failure).toMatchObject({ kind: "not_allowed", isRetryable: false, domain: "other.example" })
    })

    it("names the domain of a refused sender in A-labels", async () => {
      const { mail } = await open()
      for (const from of ["hi@Bücher.example ", "Acme <hi@bücher。example>"]) {
        const domain = "xn--bcher-kva.example"
        expect(await rejection(mail.send({ ...welcome, from }))).toMatchObject({
          _tag: "SenderDomainNotVerified",
          domain
        })
      }
    })

    it("refuses more than a limit of the plan allows", async () => {
      const { mail } = await open({ plan: { dailySends: 1 } })
      await mail.send(welcome)
      const failure = await rejection(mail.send(welcome))
      expect(failure).toBeInstanceOf(PlanLimitReached)
      expect(failure).toMatchObject({ code: "daily_sending_limit_exceeded", isRetryable: true })
    })

    it("sends from a template with its variables", async () => {
      const { mail } = await open()
      const variables = [{ key: "order", type: "string", required: true }] as const
      await mail.templates.create({
        name: "Receipt",
        alias: "receipt",
        subject: "Order {{order}}",
        text: "Hi.",
        variables
      })
      await mail.templates.publish("receipt")
      const { from, to } = welcome
      const message = { from, to, templateId: "receipt", templateVariables: { order: "1042" } }
      const { deliveryIds } = await mail.send(message)
      expect(await mail.deliveries.get(deliveryIds[0]!)).toMatchObject({
        subject: "Order 1042",
        template: { name: "Receipt" }
      })
      expect((await issuesOf(mail.send({ ...message, templateVariables: {} }))).issues).toEqual([
        ["templateVariables.order", "required"]
      ])
    })

    it("rejects with the reason of a signal that is aborted before", async () => {
      const { mail } = await open()
      const reason = new Error("The request of the user ended.")
      expect(await rejection(mail.send(welcome, { signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect((await mail.deliveries.list()).items).toEqual([])
    })
  })

  describe("sendBatch", () => {
    it("returns one result for each message, in their order", async () => {
      const { mail } = await open({ from: "Acme <hi@acme.example>" })
      const { from: _, ...unsigned } = welcome
      const results = await mail.sendBatch({
        messages: [unsigned, { ...welcome, to: "no address" }, { ...welcome, from: "hi@other.example" }, welcome]
      })
      expect(results).toMatchObject([
        { status: "fulfilled", value: { totalQueued: 1, replayed: false } },
        { status: "rejected", reason: { issues: [{ path: ["messages", 1, "to"], code: "invalid_value" }] } },
        { status: "rejected", reason: { _tag: "SenderDomainNotVerified", domain: "other.example" } },
        { status: "fulfilled", value: { totalQueued: 1 } }
      ])
      expect(results[1]).toMatchObject({ reason: expect.any(InvalidArgument) })
      expect(results[2]).toMatchObject({ reason: expect.any(SenderDomainNotVerified) })
    })

    it("refuses only the messages that JSON cannot contain, and names them", async () => {
      const { mail } = await open()
      const metadata = { total: 1n } as never
      const messages = [{ ...welcome, metadata }, welcome, undefined, { ...welcome, attachments: [{ contentId: 1n }] }]
      const batch = { messages: messages as never, idempotencyKey: "nightly" }
      for (const replayed of [false, true]) {
        const results = await mail.sendBatch(batch)
        expect(results).toMatchObject([
          { status: "rejected", reason: { issues: [{ path: ["messages", 0, "metadata"], code: "invalid_value" }] } },
          { status: "fulfilled", value: { replayed } },
          { status: "rejected", reason: { issues: [{ path: ["messages", 2], code: "invalid_type" }] } },
          { status: "rejected", reason: { issues: expect.arrayContaining([expect.anything()]) } }
        ])
        expect(results[0]).toMatchObject({ reason: expect.any(InvalidArgument) })
      }
      expect((await all(mail.deliveries.each())).length).toBe(1)
    })

    it("gives the reason of a refused message a message that a framework may change", async () => {
      const { mail } = await open()
      const [refused] = await mail.sendBatch({ messages: [{ ...welcome, to: "no address" }] })
      const { reason } = refused as PromiseRejectedResult
      expect(structuredClone(reason).message).toBe(reason.message)
      reason.message = `While the server starts: ${reason.message}`
      expect(reason.message).toMatch(/^While the server starts: messages\[0\]\.to /)
    })

    it("sends no message of a repeated batch again", async () => {
      const { mail } = await open()
      const batch = { messages: [welcome, { ...welcome, to: "bob@example.org" }], idempotencyKey: "nightly" }
      const first = await mail.sendBatch(batch)
      const second = await mail.sendBatch(batch)
      const ids = (results: typeof first) =>
        results.map((one) => (one.status === "fulfilled" ? one.value.messageId : null))
      expect(ids(second)).toEqual(ids(first))
      expect(second).toMatchObject([{ value: { replayed: true } }, { value: { replayed: true } }])
      expect((await all(mail.deliveries.each())).length).toBe(2)
    })

    it("refuses only the messages above a limit of the plan", async () => {
      const { mail } = await open({ plan: { dailySends: 1 } })
      const results = await mail.sendBatch({ messages: [welcome, welcome] })
      expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
      const refused = results.find((one) => one.status === "rejected")!
      expect(refused).toMatchObject({ reason: { _tag: "PlanLimitReached", code: "daily_sending_limit_exceeded" } })
    })

    it.each([
      ["no message", [], "too_short"],
      ["more than 100 messages", Array.from({ length: 101 }, () => welcome), "too_many_items"],
      ["no list", "welcome", "invalid_type"]
    ])("refuses a batch with %s", async (_, messages, code) => {
      const { mail } = await open()
      expect(await issuesOf(mail.sendBatch({ messages: messages as never }))).toEqual({
        argument: "input",
        issues: [["messages", code]]
      })
    })
  })

  describe("cancel and reschedule", () => {
    it("schedules with a Date, a number and a text", async () => {
      const { mail } = await open()
      const time = inOneHour()
      for (const scheduledAt of [time, time.getTime(), time.toISOString()])
        expect((await mail.send({ ...welcome, scheduledAt })).scheduledAt).toBe(time.getTime())
    })

    it.each([
      ["a time that has passed", new Date(0), "not_in_future"],
      ["a Date without a time", new Date(Number.NaN), "invalid_value"],
      ["a fraction of a millisecond", Date.now() + 3_600_000.5, "invalid_value"],
      ["a text without an offset", "2026-12-24T18:00:00", "invalid_value"]
    ])("refuses %s", async (_, scheduledAt, code) => {
      const { mail } = await open()
      expect((await issuesOf(mail.send({ ...welcome, scheduledAt }))).issues).toEqual([["scheduledAt", code]])
      const { messageId } = await mail.send({ ...welcome, scheduledAt: inOneHour() })
      expect((await issuesOf(mail.reschedule(messageId, scheduledAt))).issues).toEqual([["scheduledAt", code]])
    })

    it("reschedules and cancels a scheduled message", async () => {
      const { mail } = await open()
      const { messageId, deliveryIds } = await mail.send({ ...welcome, scheduledAt: inOneHour() })
      const later = new Date(inOneHour().getTime() + 60_000)
      expect(await mail.reschedule(messageId, later)).toEqual({ messageId, deliveryIds, scheduledAt: later.getTime() })
      const canceled = await mail.cancel(messageId)
      expect(canceled).toEqual({ messageId, deliveryIds, canceledAt: expect.any(Number) })
      expect(await mail.cancel(messageId)).toEqual(canceled)
      expect((await mail.deliveries.get(deliveryIds[0]!)).canceledAt).toBe(canceled.canceledAt)
    })

    it("refuses to cancel or reschedule a message that is not scheduled", async () => {
      const { mail } = await open()
      const { messageId } = await mail.send(welcome)
      for (const call of [mail.cancel(messageId), mail.reschedule(messageId, inOneHour())]) {
        const failure = await rejection(call)
        expect(failure).toBeInstanceOf(MessageNotScheduled)
        expect(failure).toMatchObject({ kind: "conflict", isRetryable: false, messageId })
      }
    })

    it.each(["msg_unknown", "", "..", ".", "a/b", "%2e%2e", "ü", "\ud800"])(
      "finds no message with the id %j",
      async (messageId) => {
        const { mail } = await open()
        const failure = await rejection(mail.cancel(messageId))
        expect(failure).toBeInstanceOf(MessageNotFound)
        expect(failure).toMatchObject({ kind: "not_found", messageId })
      }
    )

    it("refuses an id that is no text", async () => {
      const { mail } = await open()
      expect(await issuesOf(mail.cancel(7 as never))).toEqual({
        argument: "ids",
        issues: [["messageId", "invalid_type"]]
      })
    })
  })
}

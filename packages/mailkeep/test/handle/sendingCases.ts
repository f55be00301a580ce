/**
 * The behaviour of sends of each `ProjectHandle`.
 */
import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { PlanLimitReached, SenderDomainNotVerified, stub } from "../../src/index.ts"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"
import { issuesOf } from "./issues.ts"

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

    it("refuses more than a limit of the plan allows", async () => {
      const { mail } = await open({ plan: { dailySends: 1 } })
      await mail.send(welcome)
      const failure = await rejection(mail.send(welcome))
      expect(failure).toBeInstanceOf(PlanLimitReached)
      expect(failure).toMatchObject({ code: "daily_sending_limit_exceeded", isRetryable: true })
    })

    it("rejects with the reason of a signal that is aborted before", async () => {
      const { mail } = await open()
      const reason = new Error("The request of the user ended.")
      expect(await rejection(mail.send(welcome, { signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect((await mail.deliveries.list()).items).toEqual([])
    })
  })
}

export const contentCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
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

    it("attaches bytes of another realm, as in a test with jsdom", async () => {
      const { mail } = await open()
      const content = runInNewContext("new Uint8Array([0, 255])") as Uint8Array
      const { deliveryIds } = await mail.send({ ...welcome, attachments: [{ filename: "a.bin", content }] })
      expect((await mail.deliveries.get(deliveryIds[0]!)).message.attachments).toMatchObject([{ size: 2 }])
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
  })
}

export const senderCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
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
  })
}

export const idempotencyCases = ({ open }: HandleUnderTest): void => {
  describe("send", () => {
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
  })
}

/**
 * The behaviour of webhooks of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const webhookCases = ({ open }: HandleUnderTest): void => {
  describe("webhooks", () => {
    const url = "https://hooks.example.net/mail"

    it("creates, reads, changes and deletes a webhook", async () => {
      const { mail } = await open()
      const { webhook, secret } = await mail.webhooks.create({ url, events: ["email.bounced"] })
      expect(secret).toMatch(/^whsec_/)
      expect(webhook).toMatchObject({ url, events: ["email.bounced"], description: "", status: "enabled" })
      expect(await mail.webhooks.get(webhook.id)).toMatchObject({ id: webhook.id, createdAt: webhook.createdAt })
      expect((await mail.webhooks.update(webhook.id, { status: "disabled" })).status).toBe("disabled")
      expect((await mail.webhooks.list()).items.map(({ id }) => id)).toEqual([webhook.id])
      expect((await mail.webhooks.rotateSecret(webhook.id)).secret).not.toBe(secret)
      await mail.webhooks.delete(webhook.id)
      expect(await rejection(mail.webhooks.get(webhook.id))).toMatchObject({ record: "webhook", id: webhook.id })
    })

    it("tests a webhook that cannot be reached", async () => {
      const { mail } = await open({ webhooks: { allowLoopback: true } })
      const { webhook } = await mail.webhooks.create({ url: "https://127.0.0.1:1/mail" })
      const result = await mail.webhooks.test(webhook.id)
      expect(result).toEqual({ delivered: false, statusCode: null, error: expect.any(String) })
    })

    it("lists event deliveries and replays one", async () => {
      const { mail, core } = await open({ webhooks: { allowLoopback: true } })
      const { webhook } = await mail.webhooks.create({ url: "https://127.0.0.1:1/mail", events: ["contact.created"] })
      await mail.contacts.create({ email: "ada@example.org" })
      await core.tick()
      const { items, hasMore } = await mail.webhooks.listEventDeliveries(webhook.id, { limit: 10 })
      expect(hasMore).toBe(false)
      expect(items).toMatchObject([
        { eventKind: "contact.created", status: "pending", attempts: [{ status: null }], endedAt: null }
      ])
      expect(await all(mail.webhooks.eachEventDelivery(webhook.id))).toEqual(items)
      const [waiting] = items
      const replayed = await mail.webhooks.replay(webhook.id, waiting!.id)
      const { nextAttemptAt } = replayed
      expect(nextAttemptAt).toBeLessThan(waiting!.nextAttemptAt!)
      expect(replayed).toMatchObject({ id: waiting!.id, status: "pending", attempts: waiting!.attempts })
      expect((await core.webhooks.listEventDeliveries(webhook.id)).items).toMatchObject([
        { id: waiting!.id, nextAttemptAt }
      ])
    })

    it("says whether the webhook or the event delivery is unknown", async () => {
      const { mail } = await open()
      const { webhook } = await mail.webhooks.create({ url })
      expect(await rejection(mail.webhooks.replay("whk_1", "evd_1"))).toMatchObject({ record: "webhook", id: "whk_1" })
      for (const id of ["evd_1", ".."])
        expect(await rejection(mail.webhooks.replay(webhook.id, id))).toMatchObject({ record: "event delivery", id })
    })

    it("refuses an address without https", async () => {
      const { mail } = await open()
      expect(await rejection(mail.webhooks.create({ url: "http://hooks.example.net" }))).toMatchObject({
        _tag: "InvalidArgument",
        issues: [{ path: ["url"], code: "invalid_value" }]
      })
    })

    it("keeps the records of other projects apart", async () => {
      const { mail, core } = await open()
      const other = core.project("prj_other")
      await other.domains.ensure({ domain: "acme.example", verified: true })
      const { messageId } = await other.send(welcome)
      expect(await rejection(mail.cancel(messageId))).toMatchObject({ _tag: "MessageNotFound" })
      expect((await mail.deliveries.list()).items).toEqual([])
    })
  })
}

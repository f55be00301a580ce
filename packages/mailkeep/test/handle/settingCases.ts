/**
 * The behaviour of templates, domains and webhooks of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { DomainTaken, InvalidArgument, NameTaken, RecordNotFound, TemplateNotEditable } from "../../src/index.ts"
import { all, rejection, welcome } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

const receipt = {
  name: "Receipt",
  alias: "receipt",
  subject: "Order {{order}}",
  previewText: "Thank you",
  fromName: "Shop",
  replyTo: "help@acme.example",
  html: "<p>{{order}}</p>",
  variables: [{ key: "order", type: "string", required: true, fallbackValue: "none" }]
} as const

export const settingCases = ({ open }: HandleUnderTest): void => {
  describe("templates", () => {
    it("creates a draft with every field", async () => {
      const { mail, core } = await open()
      const created = await mail.templates.create(receipt)
      expect(created).toMatchObject({
        id: expect.stringMatching(/^tpl_/),
        name: "Receipt",
        alias: "receipt",
        status: "draft",
        description: null,
        locale: null,
        archivedAt: null,
        published: null,
        draft: {
          versionNumber: 1,
          status: "draft",
          subject: "Order {{order}}",
          previewText: "Thank you",
          fromName: "Shop",
          fromAddress: null,
          replyTo: "help@acme.example",
          html: "<p>{{order}}</p>",
          text: null,
          publishedAt: null,
          variables: [{ key: "order", type: "string", required: true, fallbackValue: "none" }]
        }
      })
      expect(await core.templates.get("receipt")).toEqual(created)
      expect(await mail.templates.get(created.id)).toEqual(created)
    })

    it("shows what is not set as null", async () => {
      const { mail } = await open()
      const created = await mail.templates.create({ name: "Empty" })
      expect(created).toMatchObject({ alias: null, locale: null, draft: { subject: null, html: null, text: null } })
    })

    it("publishes, changes and archives a template", async () => {
      const { mail, core } = await open()
      await mail.templates.create(receipt)
      const published = await mail.templates.publish("receipt")
      expect(published).toMatchObject({ status: "published", draft: null, published: { versionNumber: 1 } })
      const changed = await mail.templates.update("receipt", { subject: "Your order", locale: "en" })
      expect(changed).toMatchObject({ status: "changes_in_draft", locale: "en", draft: { subject: "Your order" } })
      expect((await mail.templates.list({ status: "changes_in_draft" })).items).toEqual(
        (await core.templates.list()).items
      )
      expect((await all(mail.templates.each({ search: "rec" }))).length).toBe(1)
      await mail.templates.archive("receipt")
      expect((await mail.templates.get(published.id)).status).toBe("archived")
      const failure = await rejection(mail.templates.update(published.id, { name: "New" }))
      expect(failure).toBeInstanceOf(TemplateNotEditable)
      expect(failure).toMatchObject({ reason: "archived", templateId: published.id })
    })

    it("refuses to publish without a draft", async () => {
      const { mail } = await open()
      await mail.templates.create(receipt)
      await mail.templates.publish("receipt")
      expect(await rejection(mail.templates.publish("receipt"))).toMatchObject({
        _tag: "TemplateNotEditable",
        reason: "no_draft"
      })
    })

    it("lists versions and variables", async () => {
      const { mail, core } = await open()
      await mail.templates.create(receipt)
      await mail.templates.publish("receipt")
      await mail.templates.update("receipt", { text: "Hello." })
      const versions = await mail.templates.listVersions("receipt")
      expect(versions).toEqual(await core.templates.listVersions("receipt"))
      expect(versions.map(({ versionNumber }) => versionNumber)).toEqual([2, 1])
      expect((await mail.templates.listVersions("receipt", { limit: 1, beforeVersion: 2 })).length).toBe(1)
      expect((await mail.templates.listVersions("receipt", { beforeVersion: null })).length).toBe(2)
      expect(await mail.templates.listVariables("receipt")).toEqual(versions[0]!.variables)
    })

    it("previews a send", async () => {
      const { mail } = await open()
      await mail.templates.create(receipt)
      const variables = { order: "<1042>", unused: undefined }
      const preview = await mail.templates.preview("receipt", { variables })
      expect(preview).toEqual({
        subject: "Order <1042>",
        html: expect.stringMatching(/<p>&lt;1042&gt;<\/p>$/),
        text: null
      })
      expect((await mail.templates.preview("receipt")).subject).toBe("Order none")
      expect(await rejection(mail.templates.preview("receipt", { variables: { order: 1 as never } }))).toMatchObject({
        issues: [{ path: ["variables", "order"] }]
      })
    })

    it("names wrong fields as the caller does", async () => {
      const { mail } = await open()
      const wrong = { ...receipt, fromAddress: "nobody", variables: [{ ...receipt.variables[0], fallbackValue: [] }] }
      const failure = await rejection(mail.templates.create(wrong as never))
      expect(failure).toBeInstanceOf(InvalidArgument)
      expect((failure as InvalidArgument).issues.map(({ path }) => path.join(".")).toSorted()).toEqual([
        "fromAddress",
        "variables.0.fallbackValue"
      ])
      expect(await rejection(mail.templates.create({ name: "A", from_name: "B" } as never))).toMatchObject({
        issues: [{ path: ["from_name"], code: "unknown_field" }]
      })
      await mail.templates.create({ ...receipt, previewText: "{{" })
      for (const [input, path] of [
        [{ fromName: "B" }, "fromName"],
        [{ from_name: "B" }, "from_name"],
        [{}, "previewText"]
      ] as const)
        expect(await rejection(mail.templates.preview("receipt", input as never))).toMatchObject({
          issues: [{ path: [path] }]
        })
    })

    it("refuses an alias that is taken, and finds no unknown template", async () => {
      const { mail } = await open()
      await mail.templates.create(receipt)
      const failure = await rejection(mail.templates.create(receipt))
      expect(failure).toBeInstanceOf(NameTaken)
      expect(failure).toMatchObject({ record: "template", field: "alias" })
      for (const id of ["unknown", "..", ""])
        expect(await rejection(mail.templates.get(id))).toMatchObject({
          _tag: "RecordNotFound",
          record: "template",
          id
        })
    })
  })

  describe("domains", () => {
    it("creates a domain with the records to publish", async () => {
      const { mail, core } = await open({ mailHost: "mail.acme.example" })
      const created = await mail.domains.create({ domain: "Shop.Example" })
      expect(created).toMatchObject({ domain: "shop.example", status: "pending", verificationAttempts: 0 })
      expect(created.records.map(({ purpose }) => purpose)).toContain("dkim")
      expect(await core.domains.get(created.id)).toMatchObject(created)
      expect(await mail.domains.get(created.id)).toMatchObject(created)
    })

    it("lists, filters and deletes domains", async () => {
      const { mail } = await open()
      const { id } = await mail.domains.create({ domain: "shop.example" })
      expect((await mail.domains.list()).total).toBe(2)
      expect((await mail.domains.list({ search: "SHOP" })).items.map((one) => one.id)).toEqual([id])
      expect((await all(mail.domains.each({ status: "verified" }))).map(({ domain }) => domain)).toEqual([
        "acme.example"
      ])
      await mail.domains.delete(id)
      const failure = await rejection(mail.domains.get(id))
      expect(failure).toBeInstanceOf(RecordNotFound)
      expect(failure).toMatchObject({ record: "domain", id })
    })

    it("checks a domain now", async () => {
      // No name server listens at this port.
      const { mail } = await open({ nameServers: ["127.0.0.1:1"] })
      const { id } = await mail.domains.create({ domain: "shop.example" })
      const checked = await mail.domains.verify(id)
      expect(checked).toMatchObject({ status: "pending", verificationAttempts: 1 })
      expect(checked.records.map(({ status }) => status)).toContain("temporary_failure")
    })

    it("refuses a domain that exists, and a text that is no domain", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.domains.create({ domain: "acme.example" }))
      expect(failure).toBeInstanceOf(DomainTaken)
      expect(failure).toMatchObject({ kind: "duplicate_error", isRetryable: false })
      expect(await rejection(mail.domains.create({ domain: "no domain" }))).toMatchObject({
        issues: [{ path: ["domain"] }]
      })
    })
  })

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
      expect(await mail.webhooks.replay(webhook.id, items[0]!.id)).toEqual(items[0])
      expect((await core.webhooks.listEventDeliveries(webhook.id)).items).toMatchObject(items)
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

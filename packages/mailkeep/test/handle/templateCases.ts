/**
 * The behaviour of templates of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { InvalidArgument, NameTaken, TemplateNotEditable } from "../../src/index.ts"
import { all, rejection } from "../testMail.ts"
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

export const templateCases = ({ open }: HandleUnderTest): void => {
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
  })
}

export const templateReadingCases = ({ open }: HandleUnderTest): void => {
  describe("templates", () => {
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
  })
}

export const wrongTemplateCases = ({ open }: HandleUnderTest): void => {
  describe("templates", () => {
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
}

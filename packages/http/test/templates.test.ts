/**
 * Templates over real HTTP: from a draft to a send, with the refusals.
 */
import { stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { error, invalid } from "./httpTestServer.ts"
import type { TemplatesOverHttp } from "./templatesOverHttp.ts"
import { openTemplates, timestamp } from "./templatesOverHttp.ts"

describe.each(stores)("templates, over $name", (store) => {
  let templates: TemplatesOverHttp
  beforeAll(async () => {
    templates = await openTemplates(store)
  })
  afterAll(() => templates.close())

  it("creates a template as a draft with version 1", async () => {
    const template = await templates.create({
      alias: "receipt",
      category: "orders",
      locale: "pt-BR",
      from_name: "Shop"
    })
    const version = {
      id: expect.stringMatching(/^tpv_[0-9a-z]{26}$/),
      template_id: template.id,
      version_number: 1,
      status: "draft",
      subject: "Order {{order}}",
      preview_text: null,
      from_name: "Shop",
      from_address: null,
      reply_to: null,
      html: "",
      text: "Thanks",
      published_at: null,
      created_at: timestamp,
      updated_at: timestamp,
      variables: [
        {
          id: expect.stringMatching(/^var_[0-9a-z]{26}$/),
          key: "order",
          type: "string",
          required: true,
          fallback_value: null
        }
      ]
    }
    expect(template).toEqual({
      id: expect.stringMatching(/^tpl_[0-9a-z]{26}$/),
      name: "Receipt",
      alias: "receipt",
      description: null,
      category: "orders",
      locale: "pt-BR",
      draft_version_id: template.draft_version.id,
      published_version_id: null,
      archived_at: null,
      created_at: timestamp,
      updated_at: timestamp,
      draft_version: version,
      published_version: null
    })
    expect((await templates.wire.call(`/emails/templates/${template.id}`)).body.data).toEqual(template)
    expect(await templates.post("/emails/templates", { name: "Other", alias: "receipt" })).toMatchObject(
      error(409, "duplicate_error")
    )
  })

  it("refuses to publish a template with undeclared variables, and refuses to publish a version twice", async () => {
    const { id } = await templates.create({ text: "{{nobody}}", html: "{{#open}}" })
    expect(await templates.post(`/emails/templates/${id}/publish`)).toMatchObject(
      invalid("body", [["html"], "malformed_template"], [["text"], "malformed_template"])
    )
    await templates.patch(id, { text: "fine", html: null })
    expect((await templates.post(`/emails/templates/${id}/publish`)).body.data).toMatchObject({
      draft_version: null,
      published_version: { status: "published", published_at: timestamp, version_number: 1 }
    })
    expect(await templates.post(`/emails/templates/${id}/publish`)).toMatchObject(error(409, "conflict"))
    expect(await templates.post("/emails/templates/tpl_none/publish")).toMatchObject(error(404, "not_found"))
  })

  it("keeps every version of a template, and never changes a published version", async () => {
    const { id, published_version: first } = await templates.published()
    for (const n of [2, 3]) {
      await templates.patch(id, { subject: `Version ${n} {{order}}` })
      await templates.post(`/emails/templates/${id}/publish`)
    }
    await templates.patch(id, { subject: "Draft {{order}}" })
    const versions = async (query: string) =>
      (await templates.wire.call(`/emails/templates/${id}/versions?${query}`)).body
    const shown = (await versions("")).data.map((one: Readonly<Record<string, unknown>>) => [
      one["version_number"],
      one["status"],
      one["subject"]
    ])
    expect(shown).toEqual([
      [4, "draft", "Draft {{order}}"],
      [3, "published", "Version 3 {{order}}"],
      [2, "saved", "Version 2 {{order}}"],
      [1, "saved", "Order {{order}}"]
    ])
    expect(await versions("limit=2&beforeVersion=4")).toEqual({
      message: "Email template versions fetched",
      data: [expect.objectContaining({ version_number: 3 }), expect.objectContaining({ version_number: 2 })]
    })
    const [saved] = (await versions("beforeVersion=2")).data
    expect(saved).toEqual({ ...first, status: "saved", updated_at: timestamp })
    expect((await versions("beforeVersion=1")).data).toEqual([])
    expect(await templates.wire.call(`/emails/templates/${id}/versions?beforeVersion=0`)).toMatchObject(
      invalid("query", [["beforeVersion"], "too_small"])
    )
  })

  it("treats null and empty text of a template as not set, and shows empty text", async () => {
    const { id } = await templates.create({ alias: "unset", locale: "en", html: "<p>{{order}}</p>" })
    for (const unset of [null, ""]) {
      await templates.patch(id, { alias: "unset", locale: "en", subject: "Hi", html: "<p></p>", text: "Hi" })
      const { data } = (
        await templates.patch(id, { alias: unset, locale: unset, subject: unset, html: unset, text: unset })
      ).body
      expect(data).toMatchObject({ alias: "", locale: "", draft_version: { subject: "", html: "", text: "" } })
      expect((await templates.wire.call("/emails/templates/unset")).status).toBe(404)
      expect(await templates.post(`/emails/templates/${id}/publish`)).toMatchObject(
        invalid("body", [["subject"], "required"], [["html"], "required"])
      )
    }
  })

  it("finds a template by id or alias on every route", async () => {
    const { id } = await templates.create({ alias: "by-alias" })
    const at = "/emails/templates/by-alias"
    expect((await templates.wire.call(at)).body.data.id).toBe(id)
    expect((await templates.patch("by-alias", { subject: "Hi {{order}}" })).body.data.id).toBe(id)
    expect((await templates.post(`${at}/publish`)).body.data.id).toBe(id)
    expect((await templates.wire.call(`${at}/variables`)).body.data).toMatchObject([{ key: "order" }])
    expect((await templates.wire.call(`${at}/versions`)).body.data).toMatchObject([{ template_id: id }])
    expect((await templates.post(`${at}/preview`, { variables: { order: "7" } })).body.data.subject).toBe("Hi 7")
    expect(await templates.detailOf(await templates.bySend("by-alias", { order: "7" }))).toMatchObject({
      template: { id }
    })
    expect((await templates.wire.call(at, { method: "DELETE" })).body).toEqual({ success: true })
    expect(await templates.wire.call(at)).toMatchObject(error(404, "not_found"))
  })

  it.each([
    [{}, [["name"], "required"]],
    [{ name: "x", alias: "Not An Alias" }, [["alias"], "invalid_value"]],
    [{ name: "x", locale: "?" }, [["locale"], "invalid_value"]],
    [{ name: "x", from_name: "a\nb" }, [["from_name"], "invalid_value"]],
    [{ name: "x", reply_to: "nobody" }, [["reply_to"], "invalid_value"]],
    [{ name: "x", alias: "tpl_receipt" }, [["alias"], "invalid_value"]],
    [{ name: "x", variables: [{ key: "constructor", type: "string" }] }, [["variables", 0, "key"], "invalid_value"]],
    [{ name: "x", variables: [{ key: "a", type: "date" }] }, [["variables", 0, "type"], "invalid_value"]],
    [
      { name: "x", variables: [{ key: "a", type: "number", fallback_value: "1" }] },
      [["variables", 0, "fallback_value"], "invalid_type"]
    ],
    [
      {
        name: "x",
        variables: [
          { key: "a", type: "string" },
          { key: "a", type: "string" }
        ]
      },
      [["variables", 1, "key"], "invalid_value"]
    ]
  ] as const)("refuses the template %j", async (body, issue) => {
    expect(await templates.post("/emails/templates", body)).toMatchObject(invalid("body", issue as never))
  })
})

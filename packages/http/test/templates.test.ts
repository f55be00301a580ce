/**
 * Templates over real HTTP: from a draft to a send, with the refusals.
 */
import { sendInput, stores } from "@mailkeep/test-support"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { error, invalid, openHttpTestServer, otherProject, postSend } from "./httpTestServer.ts"

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe.each(stores)("templates, over $name", (store) => {
  let wire: HttpTestServer
  /** An API key of another project. */
  let other: string
  beforeAll(async () => {
    wire = await openHttpTestServer(store)
    other = await otherProject(wire)
  })
  afterAll(() => wire.close())

  const post = (path: string, body?: unknown) => wire.call(path, { method: "POST", body })
  const patch = (id: string, body: unknown) => wire.call(`/emails/templates/${id}`, { method: "PATCH", body })
  const create = async (change = {}) =>
    (
      await post("/emails/templates", {
        name: "Receipt",
        subject: "Order {{order}}",
        text: "Thanks",
        ...variables,
        ...change
      })
    ).body.data
  const published = async (change = {}) => {
    const { id } = await create(change)
    return (await post(`/emails/templates/${id}/publish`)).body.data
  }
  const variables = { variables: [{ key: "order", type: "string", required: true }] }
  const bySend = (templateId: string, templateVariables = {}, change = {}) => {
    const { subject: _s, text: _t, ...rest } = sendInput()
    return postSend(wire, { ...rest, templateId, templateVariables, ...change })
  }
  const detailOf = async (answer: Awaited<ReturnType<typeof bySend>>) =>
    (await wire.call(`/emails/logs/${answer.body.data.deliveryIds[0]}`)).body

  it("creates a template as a draft with version 1", async () => {
    const template = await create({ alias: "receipt", category: "orders", locale: "pt-BR", from_name: "Shop" })
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
    expect((await wire.call(`/emails/templates/${template.id}`)).body.data).toEqual(template)
    expect(await post("/emails/templates", { name: "Other", alias: "receipt" })).toMatchObject(
      error(409, "duplicate_error")
    )
  })

  it("sends the published version of a template when the draft differs, and logs the template", async () => {
    const { id } = await published({ html: "<b>{{order}}</b>", from_name: "Shop", reply_to: "help@example.com" })
    await patch(id, { subject: "Changed {{order}}" })
    const sent = await bySend(id, { order: "<17>" }, { subject: "ignored", text: "ignored" })
    expect(sent.status).toBe(202)
    const detail = await detailOf(sent)
    expect(detail).toMatchObject({
      subject: "Order <17>",
      html_content: "<b>&lt;17&gt;</b>",
      text_content: "Thanks",
      from_name: "Shop",
      template: { id, name: "Receipt" }
    })
    expect(await detailOf(await bySend(id, { order: "1" }, { fromName: "Me" }))).toMatchObject({ from_name: "Me" })
    const logs = await wire.call(`/emails/logs?templateId=${id}`)
    expect(logs.body.data.items.map((item: { subject: string }) => item.subject)).toEqual(["Order 1", "Order <17>"])
    await post(`/emails/templates/${id}/publish`)
    expect(await detailOf(await bySend(id, { order: "2" }))).toMatchObject({ subject: "Changed 2" })
  })

  it("refuses a send when a template variable is missing, has another type or is not declared", async () => {
    const { id } = await published({ variables: [...variables.variables, { key: "sum", type: "number" }] })
    expect(await bySend(id, { sum: "9", vip: true })).toMatchObject(
      invalid(
        "body",
        [["templateVariables", "order"], "required"],
        [["templateVariables", "sum"], "invalid_type"],
        [["templateVariables", "vip"], "unknown_variable"]
      )
    )
    expect(await bySend(id, { order: "a\nb" })).toMatchObject(invalid("body", [["templateVariables"], "invalid_value"]))
  })

  it("refuses a send when its template is unpublished, archived, unknown or of another project", async () => {
    const draft = await create()
    const archived = await published({ alias: "archived" })
    expect((await wire.call(`/emails/templates/${archived.id}`, { method: "DELETE" })).body).toEqual({ success: true })
    const unknown = invalid("body", [["templateId"], "unknown_template"])
    for (const id of [draft.id, archived.id, "tpl_none", draft.draft_version.id])
      expect(await bySend(id, { order: "1" })).toMatchObject(unknown)
    const key = other
    const live = await published()
    const foreign = await postSend(
      wire,
      { from: "hello@example.com", to: "a@example.org", templateId: live.id },
      { key }
    )
    expect(foreign).toMatchObject(unknown)
    expect((await wire.call(`/emails/templates/${archived.id}`)).body.data).toMatchObject({
      archived_at: timestamp,
      alias: ""
    })
    expect(await patch(archived.id, { name: "x" })).toMatchObject(error(409, "conflict"))
    expect(await post(`/emails/templates/${archived.id}/publish`)).toMatchObject(error(409, "conflict"))
    expect((await wire.call(`/emails/templates/${archived.id}`, { method: "DELETE" })).status).toBe(200)
  })

  it("refuses to publish a template with undeclared variables, and refuses to publish a version twice", async () => {
    const { id } = await create({ text: "{{nobody}}", html: "{{#open}}" })
    expect(await post(`/emails/templates/${id}/publish`)).toMatchObject(
      invalid("body", [["html"], "malformed_template"], [["text"], "malformed_template"])
    )
    await patch(id, { text: "fine", html: null })
    expect((await post(`/emails/templates/${id}/publish`)).body.data).toMatchObject({
      draft_version: null,
      published_version: { status: "published", published_at: timestamp, version_number: 1 }
    })
    expect(await post(`/emails/templates/${id}/publish`)).toMatchObject(error(409, "conflict"))
    expect(await post("/emails/templates/tpl_none/publish")).toMatchObject(error(404, "not_found"))
  })

  it("keeps every version of a template, and never changes a published version", async () => {
    const { id, published_version: first } = await published()
    for (const n of [2, 3]) {
      await patch(id, { subject: `Version ${n} {{order}}` })
      await post(`/emails/templates/${id}/publish`)
    }
    await patch(id, { subject: "Draft {{order}}" })
    const versions = async (query: string) => (await wire.call(`/emails/templates/${id}/versions?${query}`)).body
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
    expect(await wire.call(`/emails/templates/${id}/versions?beforeVersion=0`)).toMatchObject(
      invalid("query", [["beforeVersion"], "too_small"])
    )
  })

  it("shows the variables of a template and a preview of a send", async () => {
    const { id } = await published({ html: "<p>{{order}}</p>", preview_text: "Your {{order}}" })
    expect((await wire.call(`/emails/templates/${id}/variables`)).body.data).toMatchObject([{ key: "order" }])
    const preview = (body: unknown) => post(`/emails/templates/${id}/preview`, body)
    expect((await preview({ variables: { order: "7" } })).body).toEqual({
      data: { subject: "Order 7", html: expect.stringMatching(/^<div.*Your 7<\/div><p>7<\/p>$/), text: "Thanks" }
    })
    expect(await preview({})).toMatchObject(invalid("body", [["variables", "order"], "required"]))
    await patch(id, { subject: "New {{order}}" })
    expect((await preview({ variables: { order: "7" } })).body.data.subject).toBe("New 7")
    expect((await preview({ variables: { order: "7" }, version: "published" })).body.data.subject).toBe("Order 7")
    expect(await preview({ version: "saved" })).toMatchObject(invalid("body", [["version"], "invalid_value"]))
    expect(await preview({ fromName: "x", previewText: "y" })).toMatchObject(
      invalid("body", [["fromName"], "unknown_field"], [["previewText"], "unknown_field"])
    )
    const keys = async () =>
      (await wire.call(`/emails/templates/${id}/variables`)).body.data.map((one: { key: string }) => one.key)
    await patch(id, { variables: [{ key: "total", type: "number" }] })
    expect(await keys()).toEqual(["total"])
    await patch(id, { subject: "Total {{total}}", html: null, preview_text: null })
    await post(`/emails/templates/${id}/publish`)
    expect(await keys()).toEqual(["total"])
  })

  it("lists templates by status, search and category, page by page", async () => {
    await create({ name: "Zebra news", category: "news", alias: "zebra" })
    await wire.run(TestClock.adjust("1 second"))
    await published({ name: "Zebra sale", category: "sale" })
    const names = async (query: string) =>
      (await wire.call(`/emails/templates?${query}`)).body.data.items.map((one: { name: string }) => one.name)
    expect(await names("search=ZEBRA")).toEqual(["Zebra sale", "Zebra news"])
    expect(await names("search=zebra&status=draft")).toEqual(["Zebra news"])
    expect(await names("search=zebra&status=published&category=sale")).toEqual(["Zebra sale"])
    expect(await names("search=zebra&status=archived")).toEqual([])
    expect(await names("search=zebra&status=changes_in_draft")).toEqual([])
    await wire.run(TestClock.adjust("1 second"))
    await patch("zebra", { name: "Zebra report" })
    expect(await names("search=zebra&origin=custom")).toEqual(["Zebra report", "Zebra sale"])
    expect(await wire.call("/emails/templates?origin=gallery")).toMatchObject(
      invalid("query", [["origin"], "invalid_value"])
    )
    expect(await wire.call("/emails/templates?status=saved")).toMatchObject(
      invalid("query", [["status"], "invalid_value"])
    )
    expect((await wire.call("/emails/templates?search=zebra&limit=1&page=2")).body).toMatchObject({
      message: "Email templates fetched",
      data: { items: [{ name: "Zebra sale" }], total: 2, page: 2, limit: 1 }
    })
    expect((await wire.call("/emails/templates", { key: other })).body.data.total).toBe(0)
  })

  it("treats null and empty text of a template as not set, and shows empty text", async () => {
    const { id } = await create({ alias: "unset", locale: "en", html: "<p>{{order}}</p>" })
    for (const unset of [null, ""]) {
      await patch(id, { alias: "unset", locale: "en", subject: "Hi", html: "<p></p>", text: "Hi" })
      const { data } = (await patch(id, { alias: unset, locale: unset, subject: unset, html: unset, text: unset })).body
      expect(data).toMatchObject({ alias: "", locale: "", draft_version: { subject: "", html: "", text: "" } })
      expect((await wire.call("/emails/templates/unset")).status).toBe(404)
      expect(await post(`/emails/templates/${id}/publish`)).toMatchObject(
        invalid("body", [["subject"], "required"], [["html"], "required"])
      )
    }
  })

  it("finds a template by id or alias on every route", async () => {
    const { id } = await create({ alias: "by-alias" })
    const at = "/emails/templates/by-alias"
    expect((await wire.call(at)).body.data.id).toBe(id)
    expect((await patch("by-alias", { subject: "Hi {{order}}" })).body.data.id).toBe(id)
    expect((await post(`${at}/publish`)).body.data.id).toBe(id)
    expect((await wire.call(`${at}/variables`)).body.data).toMatchObject([{ key: "order" }])
    expect((await wire.call(`${at}/versions`)).body.data).toMatchObject([{ template_id: id }])
    expect((await post(`${at}/preview`, { variables: { order: "7" } })).body.data.subject).toBe("Hi 7")
    expect(await detailOf(await bySend("by-alias", { order: "7" }))).toMatchObject({ template: { id } })
    expect((await wire.call(at, { method: "DELETE" })).body).toEqual({ success: true })
    expect(await wire.call(at)).toMatchObject(error(404, "not_found"))
  })

  it("refuses a template value that is too large, and names its field", async () => {
    const { id } = await published()
    const order = "x".repeat(256 * 1024 + 1)
    expect(await bySend(id, { order })).toMatchObject(invalid("body", [["templateVariables", "order"], "too_long"]))
    expect(await post(`/emails/templates/${id}/preview`, { variables: { order } })).toMatchObject(
      invalid("body", [["variables", "order"], "too_long"])
    )
  })

  it("limits a page of templates to 1 MiB, whatever is stored", async () => {
    const wide = "😀"
    // The largest version: one more octet is refused.
    const variables = Array.from({ length: 40 }, (_, n) => ({ key: `v${n}`, type: "string", required: false }))
    const about = { name: wide.repeat(100), category: wide.repeat(99), description: "d".repeat(95), locale: "de-CH" }
    const settings = {
      from_name: wide.repeat(45),
      from_address: `${"a".repeat(60)}@example.com`,
      reply_to: `${"b".repeat(60)}@example.com`,
      html: "<p>kept out of lists</p>",
      text: "kept out of lists"
    }
    const alias = (n: number) => `${"x".repeat(60)}-${100 + n}`
    const fits = async (count: number, subject: string) =>
      (await post("/emails/templates", { ...about, ...settings, subject, variables: variables.slice(0, count) }))
        .status === 200
    expect(await fits(40, "s")).toBe(false)
    let count = 0
    while (await fits(count + 1, "s")) count++
    let spare = 1
    while (await fits(count, "s".repeat(spare + 1))) spare++
    const version = { ...settings, subject: "s".repeat(spare), variables: variables.slice(0, count) }
    for (let n = 0; n < 100; n++) {
      const { status, body } = await post("/emails/templates", { ...about, ...version, alias: alias(n) })
      expect([status, body.error]).toEqual([200, undefined])
      expect((await post(`/emails/templates/${alias(n)}/publish`)).status).toBe(200)
      expect((await patch(alias(n), { subject: `${"s".repeat(spare - 1)}t` })).status).toBe(200)
    }
    const page = await wire.call("/emails/templates?limit=100")
    expect(page.body.data.items).toHaveLength(100)
    expect(page.body.data.items[99]).toMatchObject({ alias: alias(0), draft_version: { version_number: 2 } })
    expect(page.text).not.toContain("kept out of lists")
    const octets = Buffer.byteLength(page.text)
    expect(octets).toBeLessThanOrEqual(1024 * 1024)
    // Close to the bound, so that the sizes above are the extremes.
    expect(octets).toBeGreaterThan(0.9 * 1024 * 1024)
  })

  it("shows the bodies of the first versions up to 4 MiB, and omits the body fields of later versions", async () => {
    const half = "x".repeat(2 * 1024 * 1024)
    const { id } = await published({ html: half, text: "1" })
    await patch(id, { text: half })
    const versions = async (query: string) => (await wire.call(`/emails/templates/${id}/versions?${query}`)).body.data
    const [newest, oldest] = await versions("")
    expect([newest.html.length, newest.text.length]).toEqual([half.length, half.length])
    expect(Object.keys(newest).filter((field) => !(field in oldest))).toEqual(["html", "text"])
    expect(await versions("beforeVersion=2")).toMatchObject([{ version_number: 1, text: "1" }])
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
    expect(await post("/emails/templates", body)).toMatchObject(invalid("body", issue as never))
  })
})

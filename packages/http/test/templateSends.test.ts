/**
 * Sends from a template over HTTP.
 */
import { stores } from "@mailkeep/test-support"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { error, invalid, postSend } from "./httpTestServer.ts"
import type { TemplatesOverHttp } from "./templatesOverHttp.ts"
import { openTemplates, timestamp, variables } from "./templatesOverHttp.ts"

describe.each(stores)("templates, over $name", (store) => {
  let templates: TemplatesOverHttp
  beforeAll(async () => {
    templates = await openTemplates(store)
  })
  afterAll(() => templates.close())

  it("sends the published version of a template when the draft differs, and logs the template", async () => {
    const { id } = await templates.published({
      html: "<b>{{order}}</b>",
      from_name: "Shop",
      reply_to: "help@example.com"
    })
    await templates.patch(id, { subject: "Changed {{order}}" })
    const sent = await templates.bySend(id, { order: "<17>" }, { subject: "ignored", text: "ignored" })
    expect(sent.status).toBe(202)
    const detail = await templates.detailOf(sent)
    expect(detail).toMatchObject({
      subject: "Order <17>",
      html_content: "<b>&lt;17&gt;</b>",
      text_content: "Thanks",
      from_name: "Shop",
      template: { id, name: "Receipt" }
    })
    expect(await templates.detailOf(await templates.bySend(id, { order: "1" }, { fromName: "Me" }))).toMatchObject({
      from_name: "Me"
    })
    const logs = await templates.wire.call(`/emails/logs?templateId=${id}`)
    expect(logs.body.data.items.map((item: { subject: string }) => item.subject)).toEqual(["Order 1", "Order <17>"])
    await templates.post(`/emails/templates/${id}/publish`)
    expect(await templates.detailOf(await templates.bySend(id, { order: "2" }))).toMatchObject({ subject: "Changed 2" })
  })

  it("refuses a send when a template variable is missing, has another type or is not declared", async () => {
    const { id } = await templates.published({ variables: [...variables.variables, { key: "sum", type: "number" }] })
    expect(await templates.bySend(id, { sum: "9", vip: true })).toMatchObject(
      invalid(
        "body",
        [["templateVariables", "order"], "required"],
        [["templateVariables", "sum"], "invalid_type"],
        [["templateVariables", "vip"], "unknown_variable"]
      )
    )
    expect(await templates.bySend(id, { order: "a\nb" })).toMatchObject(
      invalid("body", [["templateVariables"], "invalid_value"])
    )
  })

  it("refuses a send when its template is unpublished, archived, unknown or of another project", async () => {
    const draft = await templates.create()
    const archived = await templates.published({ alias: "archived" })
    expect((await templates.wire.call(`/emails/templates/${archived.id}`, { method: "DELETE" })).body).toEqual({
      success: true
    })
    const unknown = invalid("body", [["templateId"], "unknown_template"])
    for (const id of [draft.id, archived.id, "tpl_none", draft.draft_version.id])
      expect(await templates.bySend(id, { order: "1" })).toMatchObject(unknown)
    const key = templates.other
    const live = await templates.published()
    const foreign = await postSend(
      templates.wire,
      { from: "hello@example.com", to: "a@example.org", templateId: live.id },
      { key }
    )
    expect(foreign).toMatchObject(unknown)
    expect((await templates.wire.call(`/emails/templates/${archived.id}`)).body.data).toMatchObject({
      archived_at: timestamp,
      alias: ""
    })
    expect(await templates.patch(archived.id, { name: "x" })).toMatchObject(error(409, "conflict"))
    expect(await templates.post(`/emails/templates/${archived.id}/publish`)).toMatchObject(error(409, "conflict"))
    expect((await templates.wire.call(`/emails/templates/${archived.id}`, { method: "DELETE" })).status).toBe(200)
  })

  it("shows the variables of a template and a preview of a send", async () => {
    const { id } = await templates.published({ html: "<p>{{order}}</p>", preview_text: "Your {{order}}" })
    expect((await templates.wire.call(`/emails/templates/${id}/variables`)).body.data).toMatchObject([{ key: "order" }])
    const preview = (body: unknown) => templates.post(`/emails/templates/${id}/preview`, body)
    expect((await preview({ variables: { order: "7" } })).body).toEqual({
      data: { subject: "Order 7", html: expect.stringMatching(/^<div.*Your 7<\/div><p>7<\/p>$/), text: "Thanks" }
    })
    expect(await preview({})).toMatchObject(invalid("body", [["variables", "order"], "required"]))
    await templates.patch(id, { subject: "New {{order}}" })
    expect((await preview({ variables: { order: "7" } })).body.data.subject).toBe("New 7")
    expect((await preview({ variables: { order: "7" }, version: "published" })).body.data.subject).toBe("Order 7")
    expect(await preview({ version: "saved" })).toMatchObject(invalid("body", [["version"], "invalid_value"]))
    expect(await preview({ fromName: "x", previewText: "y" })).toMatchObject(
      invalid("body", [["fromName"], "unknown_field"], [["previewText"], "unknown_field"])
    )
    const keys = async () =>
      (await templates.wire.call(`/emails/templates/${id}/variables`)).body.data.map((one: { key: string }) => one.key)
    await templates.patch(id, { variables: [{ key: "total", type: "number" }] })
    expect(await keys()).toEqual(["total"])
    await templates.patch(id, { subject: "Total {{total}}", html: null, preview_text: null })
    await templates.post(`/emails/templates/${id}/publish`)
    expect(await keys()).toEqual(["total"])
  })

  it("refuses a template value that is too large, and names its field", async () => {
    const { id } = await templates.published()
    const order = "x".repeat(256 * 1024 + 1)
    expect(await templates.bySend(id, { order })).toMatchObject(
      invalid("body", [["templateVariables", "order"], "too_long"])
    )
    expect(await templates.post(`/emails/templates/${id}/preview`, { variables: { order } })).toMatchObject(
      invalid("body", [["variables", "order"], "too_long"])
    )
  })
})

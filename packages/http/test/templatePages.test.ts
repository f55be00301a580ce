/**
 * The pages of templates and of their versions over HTTP.
 */
import { stores } from "@mailkeep/test-support"
import { TestClock } from "effect/testing"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { invalid } from "./httpTestServer.ts"
import type { TemplatesOverHttp } from "./templatesOverHttp.ts"
import { openTemplates } from "./templatesOverHttp.ts"

/** The largest number up to `max` that fits, of which each smaller one fits too. */
const largest = async (max: number, fits: (count: number) => Promise<boolean>): Promise<number> => {
  let [most, tooMany] = [0, max + 1]
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1
    if (await fits(middle)) most = middle
    else tooMany = middle
  }
  return most
}

describe.each(stores)("templates, over $name", (store) => {
  let templates: TemplatesOverHttp
  beforeAll(async () => {
    templates = await openTemplates(store)
  })
  afterAll(() => templates.close())

  it("lists templates by status, search and category, page by page", async () => {
    await templates.create({ name: "Zebra news", category: "news", alias: "zebra" })
    await templates.wire.run(TestClock.adjust("1 second"))
    await templates.published({ name: "Zebra sale", category: "sale" })
    const names = async (query: string) =>
      (await templates.wire.call(`/emails/templates?${query}`)).body.data.items.map((one: { name: string }) => one.name)
    expect(await names("search=ZEBRA")).toEqual(["Zebra sale", "Zebra news"])
    expect(await names("search=zebra&status=draft")).toEqual(["Zebra news"])
    expect(await names("search=zebra&status=published&category=sale")).toEqual(["Zebra sale"])
    expect(await names("search=zebra&status=archived")).toEqual([])
    expect(await names("search=zebra&status=changes_in_draft")).toEqual([])
    await templates.wire.run(TestClock.adjust("1 second"))
    await templates.patch("zebra", { name: "Zebra report" })
    expect(await names("search=zebra&origin=custom")).toEqual(["Zebra report", "Zebra sale"])
    expect(await templates.wire.call("/emails/templates?origin=gallery")).toMatchObject(
      invalid("query", [["origin"], "invalid_value"])
    )
    expect(await templates.wire.call("/emails/templates?status=saved")).toMatchObject(
      invalid("query", [["status"], "invalid_value"])
    )
    expect((await templates.wire.call("/emails/templates?search=zebra&limit=1&page=2")).body).toMatchObject({
      message: "Email templates fetched",
      data: { items: [{ name: "Zebra sale" }], total: 2, page: 2, limit: 1 }
    })
    expect((await templates.wire.call("/emails/templates", { key: templates.other })).body.data.total).toBe(0)
  })

  it("limits a page of templates to 1 MiB, whatever is stored", async () => {
    const wide = "😀"
    // The largest version: one more byte is refused.
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
      (
        await templates.post("/emails/templates", {
          ...about,
          ...settings,
          subject,
          variables: variables.slice(0, count)
        })
      ).status === 200
    expect(await fits(40, "s")).toBe(false)
    const count = await largest(39, (variableCount) => fits(variableCount, "s"))
    const spare = await largest(998, (length) => fits(count, "s".repeat(length)))
    const version = { ...settings, subject: "s".repeat(spare), variables: variables.slice(0, count) }
    for (let n = 0; n < 10; n++) {
      const { status, body } = await templates.post("/emails/templates", { ...about, ...version, alias: alias(n) })
      expect([status, body.error]).toEqual([200, undefined])
      expect((await templates.post(`/emails/templates/${alias(n)}/publish`)).status).toBe(200)
      expect((await templates.patch(alias(n), { subject: `${"s".repeat(spare - 1)}t` })).status).toBe(200)
    }
    const [page, shorter] = [
      await templates.wire.call("/emails/templates?limit=10"),
      await templates.wire.call("/emails/templates?limit=9")
    ]
    expect(page.body.data.items).toHaveLength(10)
    expect(page.body.data.items[9]).toMatchObject({ alias: alias(0), draft_version: { version_number: 2 } })
    expect(page.text).not.toContain("kept out of lists")
    // All templates have the same size, so each of the 100 of a page adds as many bytes.
    const bytes = Buffer.byteLength(page.text) + 90 * (Buffer.byteLength(page.text) - Buffer.byteLength(shorter.text))
    expect(bytes).toBeLessThanOrEqual(1024 * 1024)
    // Close to the bound, so that the sizes above are the extremes.
    expect(bytes).toBeGreaterThan(0.9 * 1024 * 1024)
  })

  it("shows the bodies of the first versions up to 4 MiB, and omits the body fields of later versions", async () => {
    const half = "x".repeat(2 * 1024 * 1024)
    const { id } = await templates.published({ html: half, text: "1" })
    await templates.patch(id, { text: half })
    const versions = async (query: string) =>
      (await templates.wire.call(`/emails/templates/${id}/versions?${query}`)).body.data
    const [newest, oldest] = await versions("")
    expect([newest.html.length, newest.text.length]).toEqual([half.length, half.length])
    expect(Object.keys(newest).filter((field) => !(field in oldest))).toEqual(["html", "text"])
    expect(await versions("beforeVersion=2")).toMatchObject([{ version_number: 1, text: "1" }])
  })
})

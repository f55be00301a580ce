/**
 * The pages of the development mailbox over HTTP: list, search, parts of a mail, files and the history of a delivery.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { MailboxServer } from "./mailboxServer.ts"
import { openMailboxServer } from "./mailboxServer.ts"

let server: MailboxServer
beforeAll(async () => {
  server = await openMailboxServer({
    stub: { script: [{ recipient: /@gone\.example$/, acts: [{ act: "refuse" }] }] }
  })
})
afterAll(() => server.close())

const page = async (path: string) => (await server.get(path)).text

describe("the list of the mailbox", () => {
  it("shows the newest mail first, with its recipient and status", async () => {
    const first = await server.deliver({ subject: "First mail" })
    const second = await server.deliver({ subject: "Second mail", to: "grace@example.org" })
    const text = await page("")
    expect(text.indexOf(second)).toBeLessThan(text.indexOf(first))
    expect(text).toContain("to <bdi>grace@example.org</bdi>")
    expect(text).toMatch(new RegExp(`data-mail="${first}"[^]*?<span class="status good">delivered</span>`))
  })

  it("shows a mail that the stub refused, with its status", async () => {
    const id = await server.deliver({ subject: "Nobody there", to: "ada@gone.example" })
    expect(await page("?q=nobody")).toMatch(new RegExp(`${id}[^]*<span class="status bad">bounced</span>`))
  })

  it("finds mail by a part of the recipient or the subject in upper or lower case", async () => {
    await server.deliver({ subject: "Quarterly Report", to: "finance@example.org" })
    expect(await page("?q=QUARTERLY")).toContain("1 mail found")
    expect(await page("?q=finance@")).toContain("Quarterly Report")
    expect(await page("?q=no%20such%20mail")).toContain("No mail matches the search.")
  })

  it("pages the list when it has more than 50 mails", async () => {
    for (let at = 0; at < 52; at++) await server.deliver({ subject: `Paged ${at}` })
    expect(await page("?q=paged")).toContain('href="/mailbox?q=paged&amp;offset=50"')
    const older = await page("?q=paged&offset=50")
    expect([older.includes("Paged 1<"), older.includes("Paged 2<"), older.includes('id="newer"')]).toEqual([
      true,
      false,
      true
    ])
  })

  it("ignores an offset that is not a number", async () => {
    expect((await server.get("?offset=-1&q=first")).text).toContain("First mail")
  })

  it("reports another state when mail arrives", async () => {
    const state = async () => JSON.parse(await page("/changes")).state as string
    const before = await state()
    expect(await state()).toBe(before)
    await server.deliver()
    expect(await state()).not.toBe(before)
  })
})

describe("the page of a mail", () => {
  it("shows the HTML in a frame without permissions", async () => {
    const id = await server.deliver({ html: "<p>Hello</p>", text: undefined as never })
    expect(await page(`/mails/${id}`)).toContain(
      `<iframe sandbox="" title="HTML of the mail" referrerpolicy="no-referrer" src="/mailbox/mails/${id}/preview">`
    )
    expect(await page(`/mails/${id}/preview`)).toBe("<p>Hello</p>")
  })

  it("shows the text first when the mail has no HTML", async () => {
    const id = await server.deliver({ text: "Only <text>" })
    expect(await page(`/mails/${id}`)).toContain('aria-label="Text of the mail">Only &lt;text&gt;</pre>')
    expect(await page(`/mails/${id}?part=html`)).toContain("This mail has no HTML.")
  })

  it("shows the source and header fields that SMTP would send", async () => {
    const id = await server.deliver({ subject: "Raw", text: "One line" }, { headers: { "X-Order": "42" } })
    const source = await server.get(`/mails/${id}/source.eml`)
    expect(source.text).toMatch(/^X-Order: 42\r\nFrom: hello@example\.com\r\n[^]*\r\n\r\nOne line/)
    expect(source.headers["content-disposition"]).toBe(`attachment; filename="${id}.eml"; filename*=UTF-8''${id}.eml`)
    expect(await page(`/mails/${id}?part=source`)).toContain(`${Buffer.byteLength(source.text)} bytes`)
    expect(await page(`/mails/${id}?part=headers`)).toContain("<dt>X-Order</dt><dd>42</dd>")
  })

  it("shows the beginning of a source of more than 256 KiB", async () => {
    const id = await server.deliver({ text: "0123456789abcdef\n".repeat(20_000) })
    const text = await page(`/mails/${id}?part=source`)
    expect(text).toContain("The first 256 KiB of")
    expect(text.length).toBeLessThan(300_000)
  })

  it("serves an attachment as a file to save, and an image for the preview", async () => {
    const id = await server.deliver({
      html: '<img src="cid:logo"><img src="cid:other">',
      attachments: [
        { filename: "Rechnung ü.html", content: "<script>alert(1)</script>" },
        { filename: "logo.png", content: new Uint8Array([1, 2, 3]), contentId: "logo" }
      ]
    })
    const [file, image] = [await server.get(`/mails/${id}/files/0`), await server.get(`/mails/${id}/files/1`)]
    expect([file.text, file.headers["content-type"], file.headers["content-disposition"]]).toEqual([
      "<script>alert(1)</script>",
      "application/octet-stream",
      "attachment; filename=\"Rechnung _.html\"; filename*=UTF-8''Rechnung%20%C3%BC.html"
    ])
    expect([image.headers["content-type"], image.headers["x-content-type-options"]]).toEqual(["image/png", "nosniff"])
    expect(image.headers["content-security-policy"]).toBe("sandbox; default-src 'none'")
    expect(await page(`/mails/${id}/preview`)).toBe(`<img src="/mailbox/mails/${id}/files/1"><img src="cid:other">`)
    expect((await server.get(`/mails/${id}/files/2`)).status).toBe(404)
    expect(await page(`/mails/${id}?part=files`)).toContain("<bdi>Rechnung ü.html</bdi>")
  })

  it("lists the links of the HTML and of the text once each", async () => {
    const id = await server.deliver({
      html: '<a href="https://acme.example/a?x=1&amp;y=2">A</a><a href="javascript:alert(1)">B</a>',
      text: "See https://acme.example/b. Or https://acme.example/a?x=1&y=2"
    })
    const text = await page(`/mails/${id}?part=links`)
    expect([...text.matchAll(/<li><a href="([^"]+)" rel="noreferrer noopener"/g)].map(([, link]) => link)).toEqual([
      "https://acme.example/a?x=1&amp;y=2",
      "https://acme.example/b"
    ])
    expect(text).toContain("<code>javascript:alert(1)</code>")
  })

  it("explains the delivery with its history", async () => {
    const id = await server.deliver({ to: "bob@gone.example" })
    const text = await page(`/mails/${id}?part=delivery`)
    expect(text).toContain('Status: <span class="status bad">bounced</span>')
    expect(text).toMatch(/<ol class="history"><li>[^]*5\.1\.1[^]*<\/ol>/)
  })

  it.each([
    "/mails/del_x",
    "/mails/del_00000000000000000000000000",
    "/mails/msg_00000000000000000000000000/preview",
    "/nothing",
    "/mails",
    "/mails//files/0",
    "/changes?mail=x"
  ])("answers 404 at %s", async (path) => {
    expect((await server.get(path)).status).toBe(404)
  })
})

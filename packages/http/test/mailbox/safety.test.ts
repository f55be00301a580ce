/**
 * What the development mailbox refuses: requests of other machines and sites, forms of other pages, markup of a mail, and other methods.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { isLocalHost, isLocalRequest } from "../../src/mailbox/localRequest.ts"
import type { MailboxServer } from "./mailboxServer.ts"
import { openMailboxServer } from "./mailboxServer.ts"

let server: MailboxServer
beforeAll(async () => {
  server = await openMailboxServer()
})
afterAll(() => server.close())

describe("requests of this machine", () => {
  it.each([
    "localhost",
    "localhost:4025",
    "LOCALHOST",
    "app.localhost:3000",
    "127.0.0.1",
    "127.8.9.1:80",
    "[::1]:4025"
  ])("takes the host %s", (host) => expect(isLocalHost(host)).toBe(true))

  it.each([
    "",
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil-localhost",
    "localhost@evil.example",
    "10.0.0.1",
    "0.0.0.0",
    "[::]",
    "[fe80::1]",
    "localhost:4025:1",
    "localhost:999999",
    "localhost ",
    "localhost."
  ])("refuses the host %j", (host) => expect(isLocalHost(host)).toBe(false))

  it.each([
    [{}, "10.0.0.1", false],
    [{}, "::ffff:127.0.0.1", true],
    [{}, "::1", true],
    [{}, "::ffff:10.0.0.1", false],
    [{ "x-forwarded-for": "203.0.113.9" }, "127.0.0.1", false],
    [{ "x-forwarded-for": "127.0.0.1, 203.0.113.9" }, "127.0.0.1", false],
    [{ "x-forwarded-for": "::1" }, "127.0.0.1", true],
    [{ "x-forwarded-for": "" }, "127.0.0.1", false],
    [{ "x-real-ip": "203.0.113.9" }, "127.0.0.1", false],
    [{ "x-forwarded-host": "tunnel.example" }, "127.0.0.1", false],
    [{ "x-forwarded-host": "localhost:3000" }, undefined, true],
    [{ forwarded: "for=203.0.113.9" }, "127.0.0.1", false]
  ] as const)(
    "looks at the headers %j and the address %s to say whether a request is local: %s",
    (headers, address, isLocal) => {
      expect(isLocalRequest({ host: "localhost", ...headers }, address)).toBe(isLocal)
    }
  )

  it.each(["", "/changes", "/style.css", "/mails/del_00000000000000000000000000", "/next", "/nothing"])(
    "refuses every request at %s that names another host",
    async (path) => {
      const { status, text } = await server.get(path, { headers: { host: "mail.evil.example" } })
      expect([status, text.includes("token")]).toEqual([403, false])
    }
  )
})

describe("forms", () => {
  const deliveryOf = async (id: string) => (await server.get(`/mails/${id}?part=delivery`)).text

  it("makes a delivery bounce and complain with the button of its page", async () => {
    const id = await server.deliver({ to: "bounce@example.org" })
    const answer = await server.post(`/mails/${id}/report`, { report: "bounce" })
    expect([answer.status, answer.headers["location"]]).toEqual([
      303,
      `/mailbox/mails/${id}?part=delivery&done=reported`
    ])
    expect(await deliveryOf(id)).toContain('<span class="status bad">bounced</span> hard bounce')
    await server.post(`/mails/${id}/report`, { report: "complaint" })
    expect(await deliveryOf(id)).toContain('<span class="status bad">complained</span>')
    const again = await server.post(`/mails/${id}/report`, { report: "complaint" })
    expect(again.headers["location"]).toMatch(/done=unchanged$/)
  })

  it("defers the next mail to an address, and only that one", async () => {
    const { headers } = await server.post("/next", { recipient: "Slow@example.org", outcome: "deferred" })
    expect(headers["location"]).toBe("/mailbox?done=chosen")
    expect((await server.get("")).text).toContain("The next mail to <bdi>slow@example.org</bdi> is deferred.")
    const first = await server.deliver({ to: "slow@example.org" })
    expect(await deliveryOf(first)).toContain('<span class="status wait">queued</span>')
    const second = await server.deliver({ to: "slow@example.org" })
    expect(await deliveryOf(second)).toContain('<span class="status good">delivered</span>')
  })

  it.each([
    ["refused", "bounced"],
    ["accepted", "accepted"],
    ["ambiguous", "queued"]
  ])("gives the next mail the outcome %s", async (outcome, status) => {
    await server.post("/next", { recipient: `${outcome}@example.org`, outcome })
    const id = await server.deliver({ to: `${outcome}@example.org` })
    expect(await deliveryOf(id)).toMatch(new RegExp(`<span class="status \\w+">${status}</span>`))
  })

  it.each([
    ["ada@bücher.example", "ADA@BÜCHER.example"],
    ["ada@xn--bcher-kva.example", "ada@bücher.example"],
    ["next@example.org", '"next"@example.org']
  ])("defers the next mail to %s when the form has %s", async (to, recipient) => {
    await server.post("/next", { recipient, outcome: "deferred" })
    const id = await server.deliver({ to })
    expect(await deliveryOf(id)).toContain('<span class="status wait">queued</span>')
  })

  it("refuses a form without the token, and changes nothing", async () => {
    const id = await server.deliver({ to: "safe@example.org" })
    for (const token of ["", "0".repeat(48)])
      expect((await server.post(`/mails/${id}/report`, { report: "bounce", token })).status).toBe(403)
    expect(await deliveryOf(id)).toContain('<span class="status good">delivered</span>')
  })

  it.each([
    [{ "sec-fetch-site": "cross-site" }, 403],
    [{ "sec-fetch-site": "same-site" }, 403],
    [{ origin: "https://evil.example" }, 403],
    [{ origin: "null" }, 403],
    [{ "sec-fetch-site": "same-origin" }, 400],
    [{ "content-type": "application/json" }, 400],
    [{ "content-type": "text/plain" }, 400]
  ])("answers a form with %j by %i", async (headers, status) => {
    expect((await server.post("/next", { recipient: "a@example.org", outcome: "?" }, { headers })).status).toBe(status)
  })

  it("refuses a form of more than 4 KiB, an unknown report and an invalid address", async () => {
    const id = await server.deliver()
    expect((await server.post("/next", { recipient: "a".repeat(5000), outcome: "deferred" })).status).toBe(400)
    expect((await server.post(`/mails/${id}/report`, { report: "__proto__" })).status).toBe(400)
    expect((await server.post("/next", { recipient: "<script>", outcome: "deferred" })).status).toBe(400)
    expect((await server.post("/mails/del_00000000000000000000000000/report", { report: "bounce" })).status).toBe(404)
  })

  it("deletes all mails of the mailbox", async () => {
    const id = await server.deliver()
    expect((await server.post("/clear", {})).headers["location"]).toBe("/mailbox?done=emptied")
    expect((await server.get("")).text).toContain("No mail yet.")
    expect((await server.get(`/mails/${id}`)).status).toBe(404)
  })
})

describe("methods", () => {
  it.each([
    ["", "POST", "GET, HEAD"],
    ["", "DELETE", "GET, HEAD"],
    ["/style.css", "PUT", "GET, HEAD"],
    ["/next", "GET", "POST"],
    ["/clear", "GET", "POST"],
    ["/mails/del_00000000000000000000000000/report", "GET", "POST"]
  ])("answers 405 at %j for %s", async (path, method, allow) => {
    const { status, headers } = await server.get(path, { method })
    expect([status, headers["allow"]]).toEqual([405, allow])
  })
})

const hostileTexts = [
  "<script>alert(1)</script>",
  "</title><script>alert(1)</script>",
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  "</bdi></h1><svg onload=alert(1)>",
  "<!--<script>alert(1)//-->",
  "&lt;script&gt;",
  "javascript:alert(1)",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "\u202egpj.exe<script>",
  "${alert(1)}<%= 1 %>{{1}}"
]

const elementNames = (html: string) => new Set([...html.matchAll(/<\/?([a-z][a-z\d]*)/gi)].map(([, name]) => name!))
const attributesOn = (html: string) => [...html.matchAll(/<[a-z][^>]*?\s(on[a-z]+)=/gi)]

describe("a hostile mail", () => {
  it.each(hostileTexts)("shows %j as text on every page", async (hostile) => {
    const harmless = await server.deliver({ html: "<p>x</p>" })
    const plain = hostile.replaceAll("\u202e", "")
    const id = await server.deliver(
      {
        subject: hostile,
        text: hostile,
        html: hostile,
        fromName: plain,
        attachments: [{ filename: plain.replaceAll("/", "_"), content: "x" }]
      },
      { headers: { "X-Hostile": plain } }
    )
    const paths = [
      "",
      ...["html", "text", "delivery", "headers", "source", "files", "links"].map((part) => `part=${part}`)
    ]
    for (const part of paths) {
      const of = (mail: string) => (part === "" ? "" : `/mails/${mail}?${part}`)
      const [expected, shown] = [await server.get(of(harmless)), await server.get(of(id))]
      const extra = [...elementNames(shown.text)].filter((name) => !elementNames(expected.text).has(name))
      // Only the hostile mail has a file and, in some cases, links.
      expect(extra.filter((name) => !["ul", "li", "ol", "code"].includes(name))).toEqual([])
      expect(attributesOn(shown.text)).toEqual([])
      expect(shown.headers["content-security-policy"]).toContain("script-src 'self'")
    }
    const search = await server.get(`?q=${encodeURIComponent(hostile)}&done=${encodeURIComponent(hostile)}`)
    expect([...elementNames(search.text)].filter((name) => ["svg", "img", "iframe"].includes(name))).toEqual([])
    expect([...search.text.matchAll(/<script/g)]).toHaveLength(1)
  })

  it("serves the preview with a policy that forbids scripts, forms and other hosts", async () => {
    const id = await server.deliver({
      html: '<link rel=preconnect href="https://x.example"><LINK href=y><IFrame src="https://x.example">'
    })
    const { text, headers } = await server.get(`/mails/${id}/preview`)
    const policy = String(headers["content-security-policy"]).split("; ")
    expect(policy).toEqual([
      "sandbox",
      "default-src 'none'",
      expect.stringMatching(new RegExp(`^img-src data: 127\\.0\\.0\\.1:\\d+/mailbox/mails/${id}/files/$`)),
      "style-src 'unsafe-inline'",
      "font-src data:",
      "media-src 'none'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'"
    ])
    expect(text).toBe(
      '<x-link rel=preconnect href="https://x.example"><x-LINK href=y><x-IFrame src="https://x.example">'
    )
    expect([headers["x-dns-prefetch-control"], headers["referrer-policy"]]).toEqual(["off", "no-referrer"])
    const remote = (await server.get(`/mails/${id}/preview?remote=1`)).headers["content-security-policy"]
    expect(remote).toMatch(/^sandbox; default-src 'none'; img-src data: http: https:;(?!.*script-src)/)
  })

  it("forbids another site to show a page of the mailbox in a frame", async () => {
    const { headers } = await server.get("")
    expect(headers["content-security-policy"]).toContain("frame-ancestors 'none'")
    expect(headers["x-frame-options"]).toBe("DENY")
    expect(headers["cache-control"]).toBe("no-store")
  })
})

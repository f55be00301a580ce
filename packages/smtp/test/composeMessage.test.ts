import fc from "fast-check"
import PostalMime, { decodeWords } from "postal-mime"
import { describe, expect, it } from "vitest"
import { headerFieldIssues } from "../../core/src/domain/message/HeaderField.ts"
import { otherFields } from "./smtpWithRelay.ts"
import { bytesOf, file, filename, line, pieces, readBack } from "./composedMessage.ts"

const body = fc
  .array(
    fc.constantFrom(...pieces, "\n", "\r\n", "\r", "\t", "\n.\n", ".", "From ", "\u0001", "\u007f", "x".repeat(1200)),
    {
      maxLength: 30
    }
  )
  .map((parts) => parts.join(""))

const withLf = (text: string) => text.replace(/\r\n|\r/g, "\n").replace(/\n+$/, "")

/** The lines of the message as bytes, one character each. */
const linesOf = (raw: Buffer) => raw.toString("latin1").split("\r\n")

describe("composeMessage", () => {
  it("keeps sender name, subject and header fields for every text of one line", async () => {
    await fc.assert(
      fc.asyncProperty(line(100), line(998), line(998), async (name, subject, value) => {
        const mail = await readBack({
          from: { name, address: "a@acme.example" },
          subject,
          headers: { "X-Order-ID": `v${value}` }
        })
        expect(mail.from).toEqual({ name, address: "a@acme.example" })
        expect(mail.subject ?? "").toBe(subject)
        expect(otherFields(mail)).toEqual({ "X-Order-ID": `v${value}` })
        expect([mail.to, mail.cc, mail.bcc]).toEqual([[{ name: "", address: "ada@example.org" }], undefined, undefined])
      })
    )
  })

  it("encodes a sender name with several spaces in a row, which a reader could join", async () => {
    const [from] = linesOf(await bytesOf({ from: { name: "Acme  Inc", address: "a@acme.example" } }))
    expect(from).toBe("From: =?UTF-8?Q?Acme__Inc?= <a@acme.example>")
  })

  it("keeps text and html for every text", async () => {
    await fc.assert(
      fc.asyncProperty(body, body, async (text, html) => {
        const mail = await readBack({ text: `t${text}`, html: `<p>${html}` })
        expect([withLf(mail.text!), withLf(mail.html!)]).toEqual([withLf(`t${text}`), withLf(`<p>${html}`)])
      })
    )
  })

  it("writes only short lines of ASCII that end with CR LF, for every text", async () => {
    await fc.assert(
      fc.asyncProperty(line(998), body, body, filename, async (subject, text, html, name) => {
        const raw = await bytesOf({ subject, text, html, attachments: [file(new Uint8Array(99), { filename: name })] })
        for (const one of linesOf(raw)) {
          expect(one.length).toBeLessThanOrEqual(998)
          expect(one).toMatch(/^[\t\u0020-\u007f]*$/)
        }
        expect(raw.subarray(-2).toString()).toBe("\r\n")
      })
    )
  })

  it.each([
    ["a name in ASCII", "News of Acme <news.acme.example>", "News of Acme <news.acme.example>"],
    [
      "a name with umlauts",
      "Müller Nachrichten <news.acme.example>",
      "=?UTF-8?B?TcO8bGxlciBOYWNocmljaHRlbg==?= <news.acme.example>"
    ],
    ["a quoted name", '"M\\"ü" <n.acme.example>', "=?UTF-8?B?TSLDvA==?= <n.acme.example>"],
    ["a quoted name in ASCII", '"Acme, Inc." <news.acme.example>', '"Acme, Inc." <news.acme.example>'],
    ["no name", "<news.acme.example>", "<news.acme.example>"]
  ])("encodes only the name of a mailing list in List-Id, not its id: %s", async (_, value, written) => {
    const raw = (await bytesOf({ headers: { "List-Id": value } })).toString()
    expect(raw).toContain(`List-Id: ${written}\r\n`)
  })

  it.each([
    ["mueller@acme.example", "mueller@acme.example"],
    ["Mü <m@acme.example>", "=?UTF-8?B?TcO8?= <m@acme.example>"],
    ['"A, B." <a@x.example>, b@x.example', '"A, B." <a@x.example>, b@x.example']
  ])("encodes only the name in Disposition-Notification-To, not the address: %s", async (value, written) => {
    const raw = (await bytesOf({ headers: { "Disposition-Notification-To": value } })).toString()
    expect(raw).toContain(`Disposition-Notification-To: ${written}\r\n`)
  })

  it("writes a URL so that nobody reads a part of it as an encoded word", async () => {
    const link = "<https://shop.example/=?utf-8?Q?=0D=0ABcc:_eve=40down.example?=>"
    const { headers } = await readBack({ headers: { "List-Unsubscribe": link } })
    const values = headers.filter(({ key }) => key === "list-unsubscribe").map(({ value }) => decodeWords(value))
    expect(values).toEqual([link])
  })

  it("writes a value in ASCII as it is, also with a quotation mark", async () => {
    const fields = { "X-Metadata": '{"order":"o_17"}', "List-Help": '<https://acme.example/help> ("Help")' }
    const raw = (await bytesOf({ subject: 'The book "Emma"', headers: fields })).toString()
    for (const [name, value] of Object.entries({ Subject: 'The book "Emma"', ...fields }))
      expect(raw).toContain(`${name}: ${value}\r\n`)
  })

  it("writes no line of only spaces, however many spaces a value has", async () => {
    const spaced = `a${" ".repeat(300)}b`
    const given = { subject: spaced, headers: { "X-Note": spaced } }
    expect(linesOf(await bytesOf(given)).filter((one) => /^ +$/.test(one))).toEqual([])
    const mail = await readBack(given)
    expect([mail.subject, otherFields(mail)]).toEqual([spaced, { "X-Note": spaced }])
  })

  it("writes only short lines of ASCII for every field with ids or URLs that a send may have", async () => {
    const word = fc.oneof(
      fc.string({ unit: fc.constantFrom(..."<>a@. ü"), maxLength: 12 }),
      fc.integer({ min: 990, max: 998 }).map((length) => "a".repeat(length)),
      fc.integer({ min: 990, max: 998 }).map((length) => `<${"a".repeat(length - 2)}>`)
    )
    const value = fc.oneof(
      word,
      fc.tuple(word, word).map(([one, other]) => `${one} ${other}`)
    )
    const name = fc.constantFrom(
      "List-Id",
      "List-Unsubscribe",
      "References",
      "In-Reply-To",
      "Disposition-Notification-To",
      "OTP-Token"
    )
    let written = 0
    await fc.assert(
      fc.asyncProperty(name, value, async (key, given) => {
        if (headerFieldIssues({ [key]: given }).length > 0) return
        written++
        for (const one of linesOf(await bytesOf({ headers: { [key]: given } }))) {
          expect(one.length).toBeLessThanOrEqual(998)
          expect(one).toMatch(/^[\t\u0020-\u007f]*$/)
        }
      }),
      { numRuns: 2000 }
    )
    expect(written).toBeGreaterThan(100)
  })

  it("gives the same bytes each time, and other boundaries for another content", async () => {
    const given = {
      text: "a ü",
      html: "<p>a",
      attachments: [file(new Uint8Array(5000))],
      headers: { "List-ID": "<a.b>" }
    }
    const first = await bytesOf(given)
    expect(await bytesOf(given)).toEqual(first)
    const boundary = (raw: Buffer) => /boundary="([^"]+)"/.exec(raw.toString())![1]!
    expect(boundary(await bytesOf({ ...given, text: "b" }))).not.toBe(boundary(first))
    expect(boundary(await bytesOf({ ...given, messageIdHeader: "<other@acme.example>" }))).not.toBe(boundary(first))
  })

  it("writes the standard fields, and no other field", async () => {
    const raw = await bytesOf({
      replyTo: "reply@acme.example",
      to: ["a@x.example", '"o.k"@x.example'],
      cc: ["c@bücher.example"],
      headers: { "X-MyHeader": "1", key: "Bcc", value: "evil@x.example" }
    })
    const header = raw.toString().slice(0, raw.indexOf("\r\n\r\n"))
    expect(header.split("\r\n").toSorted()).toEqual([
      "Cc: c@xn--bcher-kva.example",
      "Content-Transfer-Encoding: 7bit",
      "Content-Type: text/plain; charset=utf-8",
      "Date: Sat, 21 Nov 2026 12:00:00 +0000",
      "From: Acme <shop@acme.example>",
      "MIME-Version: 1.0",
      "Message-ID: <del_1@acme.example>",
      "Reply-To: reply@acme.example",
      "Subject: Your order",
      'To: a@x.example, <"o.k"@x.example>',
      "X-MyHeader: 1",
      "key: Bcc",
      "value: evil@x.example"
    ])
  })

  it("writes the text before the html, and a file that the html shows beside the html", async () => {
    const raw = await bytesOf({
      text: "Text",
      html: '<img src="cid:logo@acme">',
      attachments: [
        file(new Uint8Array(3), {
          contentType: "image/png",
          filename: "logo.png",
          contentId: "logo@acme",
          disposition: "inline"
        }),
        file(new Uint8Array(3))
      ]
    })
    const types = [...raw.toString().matchAll(/^Content-Type: ([a-z/]+)/gm)].map((match) => match[1])
    expect(types).toEqual([
      "multipart/mixed",
      "multipart/alternative",
      "text/plain",
      "multipart/related",
      "text/html",
      "image/png",
      "application/pdf"
    ])
    const mail = await PostalMime.parse(raw)
    expect(
      mail.attachments.map(({ contentId, disposition, mimeType }) => ({ contentId, disposition, mimeType }))
    ).toEqual([
      { contentId: "<logo@acme>", disposition: "inline", mimeType: "image/png" },
      { contentId: undefined, disposition: "attachment", mimeType: "application/pdf" }
    ])
  })

  it("makes a text from the html only when there is no text and the option is on", async () => {
    const html = "<h1>Hi</h1><p>See <a href='https://x.example/'>this</a>"
    const made = await PostalMime.parse(await bytesOf({ text: null, html }))
    expect(withLf(made.text!)).toBe("Hi\n\nSee this [https://x.example/]")
    const given = await readBack({ text: "Mine", html })
    expect(withLf(given.text!)).toBe("Mine")
    expect((await bytesOf({ text: null, html }, false)).toString()).not.toContain("text/plain")
  })
})

/**
 * Tests of the reader of submitted messages: bodies, files and limits.
 */
import { Result } from "effect"
import fc from "fast-check"
import MailComposer from "nodemailer/lib/mail-composer/index.js"
import { describe, expect, it } from "vitest"
import { readMessage } from "../../src/submission/messageReader.ts"

const read = async (lines: ReadonlyArray<string>) =>
  Result.getOrThrowWith(await readMessage(Buffer.from(lines.join("\r\n"), "latin1")), (fault) => new Error(fault))

const faultOf = async (text: string) => {
  const result = await readMessage(Buffer.from(text, "latin1"))
  return Result.isFailure(result) ? result.failure : null
}

const multipart = (type: string, ...parts: ReadonlyArray<ReadonlyArray<string>>) => [
  `Content-Type: multipart/${type}; boundary="=_b"`,
  "",
  "preamble",
  ...parts.flatMap((part) => ["--=_b", ...part]),
  "--=_b--",
  "epilogue"
]

const text = (content: Uint8Array) => Buffer.from(content).toString("latin1")

describe("readMessage", () => {
  it.each([
    ["a message without MIME", ["Subject: x", "", "Hi", "there"], "Hi\nthere", null],
    ["a message without a body", ["Subject: x", ""], "", null],
    ["a message without a header", ["", "Hi"], "Hi", null],
    ["html", ["Content-Type: text/html", "", "<p>"], null, "<p>"],
    [
      "quoted-printable",
      ["Content-Transfer-Encoding: Quoted-Printable", "", "a=3Db=", "c=\u00e4=zz="],
      "a=bc=ä=zz=",
      null
    ],
    ["base64", ["Content-Transfer-Encoding: BASE64", "", "SG", "k="], "Hi", null],
    [
      "comments after the type and the encoding",
      ["Content-Type: text/html (page); charset=utf-8", "Content-Transfer-Encoding: base64 (RFC 2045)", "", "PHA+"],
      null,
      "<p>"
    ],
    ["base64 with padding in the middle", ["Content-Transfer-Encoding: base64", "", "SA==", "aQ=="], "Hi", null],
    ["Latin-1", ["Content-Type: text/plain; charset=iso-8859-1", "", "\u00e4"], "ä", null],
    ["an unknown charset", ["Content-Type: text/plain; charset=x-none", "", "\u00e4"], "ä", null],
    ["UTF-8 by default", ["", "\u00c3\u00a4"], "ä", null],
    ["UTF-8 with the charset us-ascii", ["Content-Type: text/plain; charset=us-ascii", "", "\u00c3\u00a4"], "ä", null],
    ["Latin-1 without a charset", ["", "\u00e4"], "ä", null],
    [
      "a type without a semicolon before its parameter",
      ["Content-Type: text/html charset=koi8-r", "", "\u00c1"],
      null,
      "а"
    ],
    ["text with a type that is no type", ["Content-Type: text; charset=koi8-r", "", "\u00c1"], "а", null],
    ["text with a type in quotation marks", ['Content-Type: "text/plain"', "", "Hi"], "Hi", null],
    ["a transfer encoding before a semicolon", ["Content-Transfer-Encoding: base64;", "", "SGk="], "Hi", null],
    ["a transfer encoding in quotation marks", ['Content-Transfer-Encoding: "base64"', "", "SGk="], "Hi", null],
    [
      "text with flowed lines",
      ['Content-Type: text/plain; format="Flowed"', "", "Dear Ada, ", "hello.", " From us"],
      "Dear Ada, hello.\nFrom us",
      null
    ],
    [
      "text with flowed lines whose last space is deleted",
      ["Content-Type: text/plain; format=flowed; delsp=yes", "", "Dear  ", "Ada"],
      "Dear Ada",
      null
    ],
    ["html that says that it is flowed", ["Content-Type: text/html; format=flowed", "", "<p> ", "x"], null, "<p> \nx"],
    ["html in Latin-1 without a charset", ["Content-Type: text/html", "", "<p>\u00e4"], null, "<p>ä"]
  ])("reads %s", async (_, lines, plain, html) => {
    expect(await read(lines)).toMatchObject({ text: plain, html, attachments: [] })
  })

  it.each([
    ["Latin-1", "\u00e4"],
    ["UTF-8", "\u00c3\u00a4"]
  ])("reads header fields in %s that are not encoded", async (_, octets) => {
    const { header, attachments } = await read([
      `Subject: M${octets}rz`,
      `From: M${octets}rz <shop@example.com>`,
      `Content-Type: application/pdf; name="M${octets}rz.pdf"`,
      "",
      ""
    ])
    expect([header.subject, header.from, attachments[0]?.filename]).toEqual([
      "März",
      { name: "März", address: "shop@example.com" },
      "März.pdf"
    ])
  })

  it("takes the first plain text and the first html as bodies, and keeps every other part as a file", async () => {
    const message = await read(
      multipart(
        "mixed",
        ["Content-Type: text/plain", "", "first"],
        ["Content-Type: text/html", "", "<p>"],
        ["Content-Type: text/plain", "", "second"],
        ["Content-Type: text/plain; name=notes.txt", "", "third"],
        ["Content-Type: text/html", "Content-Disposition: attachment; filename=page.html", "", "<b>"],
        ["Content-Type: message/rfc822", "", "Subject: inner", "", "text"],
        ["Content-Type: text/calendar; charset=UTF-8; method=request", "", "BEGIN:VCALENDAR"],
        ["Content-Type: text/calendar; charset=iso-8859-1; method=REQUEST", "", "SUMMARY"],
        ["Content-Type: text/calendar; method=SELL", "", "SUMMARY"]
      )
    )
    expect(message.text).toBe("first")
    expect(message.html).toBe("<p>")
    expect(
      message.attachments.map(({ filename, contentType, content }) => [filename, contentType, text(content)])
    ).toEqual([
      ["message.txt", "text/plain", "second"],
      ["notes.txt", "text/plain", "third"],
      ["page.html", "text/html", "<b>"],
      ["message.eml", "application/octet-stream", "Subject: inner\r\n\r\ntext"],
      ["invite.ics", "text/calendar; method=REQUEST", "BEGIN:VCALENDAR"],
      ["invite.ics", "text/calendar; method=REQUEST", "SUMMARY"],
      ["invite.ics", "text/calendar", "SUMMARY"]
    ])
  })

  it.each([
    ['charset="us-ascii"', "SUMMARY:M\u00c3\u00a4rz"],
    ["charset=iso-8859-1", "SUMMARY:M\u00e4rz"],
    ["charset=utf8", "SUMMARY:M\u00c3\u00a4rz"],
    ["name=invite.ics", "SUMMARY:M\u00e4rz"]
  ])("keeps the method of an invitation with %s, in UTF-8", async (parameter, calendar) => {
    const invitation = [`Content-Type: text/calendar; method="REQUEST"; ${parameter}`, "", calendar]
    const [file] = (await read(multipart("alternative", ["", "Hi"], invitation))).attachments
    expect(file).toMatchObject({ contentType: "text/calendar; method=REQUEST" })
    expect(Buffer.from(file!.content).toString()).toBe("SUMMARY:März")
  })

  it("keeps the octets of a calendar file without a method", async () => {
    const calendar = ["Content-Type: text/calendar; charset=iso-8859-1", "", "SUMMARY:M\u00e4rz"]
    const [file] = (await read(multipart("mixed", ["", "Hi"], calendar))).attachments
    expect([file!.contentType, text(file!.content)]).toEqual(["text/calendar", "SUMMARY:M\u00e4rz"])
  })

  it("leaves out a further text without content, such as that of a mail program after a file", async () => {
    const pdf = ["Content-Type: application/pdf; name=a.pdf", "", "a"]
    const blank = [
      ["Content-Type: text/plain; charset=us-ascii", "", " ", "", ""],
      ["Content-Transfer-Encoding: quoted-printable", "", "=20=", "", ""],
      ["Content-Type: text/html", "", ""]
    ]
    const message = await read(multipart("mixed", ["", "first"], pdf, ["Content-Type: text/html", "", "<p>"], ...blank))
    expect(message).toMatchObject({ text: "first", html: "<p>" })
    expect(message.attachments.map(({ filename }) => filename)).toEqual(["a.pdf"])
    const named = ["Content-Type: text/plain; name=empty.txt", "", ""]
    const files = (await read(multipart("mixed", ["", "first"], named, ["", "second"]))).attachments
    expect(files.map(({ filename }) => filename)).toEqual(["empty.txt", "message.txt"])
  })

  it("takes the first text with content as the body", async () => {
    const message = await read(multipart("mixed", ["", ""], ["", "second"]))
    expect([message.text, message.attachments]).toEqual(["second", []])
    expect((await read(multipart("mixed", ["", ""], ["", " "]))).text).toBe("")
  })

  it("keeps the content id of an inline image without its brackets", async () => {
    const image = (id: string) => [
      "Content-Type: image/png; name=logo.png",
      `Content-ID: <${id}>`,
      "Content-Transfer-Encoding: base64"
    ]
    const message = await read(
      multipart(
        "related",
        ["Content-Type: text/html", "", '<img src="cid:logo@shop">'],
        [...image("logo@shop"), "", "AAEC"],
        [...image("other@shop"), "Content-Disposition: attachment", "", "AAEC"]
      )
    )
    expect(message.attachments).toEqual([
      {
        filename: "logo.png",
        contentType: "image/png",
        contentId: "logo@shop",
        disposition: "inline",
        content: new Uint8Array([0, 1, 2])
      },
      {
        filename: "logo.png",
        contentType: "image/png",
        contentId: "other@shop",
        disposition: "attachment",
        content: new Uint8Array([0, 1, 2])
      }
    ])
  })

  it.each([
    ['filename="report.pdf"', "report.pdf"],
    ["filename=../../etc/passwd", "passwd"],
    ['filename="C:\\\\Windows\\\\a.txt"', "a.txt"],
    ['filename="=?utf-8?q?=C3=A4.txt?="', "ä.txt"],
    ["filename*=utf-8''%C3%A4%2Fb.txt", "b.txt"],
    ["filename*0*=utf-8''%C3; filename*1*=%A4; filename*2=.txt", "ä.txt"],
    ["filename*0=long-; filename*1=name.txt", "long-name.txt"],
    ["filename=Annual Report 2026.pdf ; size=9", "Annual Report 2026.pdf"],
    ["filename=..", "attachment"],
    ['filename=""', "attachment"],
    ['filename="a\u0007b.txt"', "a_b.txt"],
    ["filename*=utf-8''%D9%85%DB%8C%E2%80%8C%D8%AE.pdf", "می\u200cخ.pdf"],
    ["filename*=utf-8''a%E2%80%AEb%E2%81%A6c.txt", "a_b_c.txt"],
    [`filename=${"x".repeat(300)}`, "x".repeat(255)]
  ])("gives a file with %s the name %s", async (parameter, filename) => {
    const [attachment] = (
      await read(["Content-Type: application/pdf", `Content-Disposition: attachment; ${parameter}`, "", "x"])
    ).attachments
    expect(attachment!.filename).toBe(filename)
  })

  it.each([["constructor"], ["__proto__"]])(
    "gives a file of the type %s the name of a file without a type",
    async (type) => {
      const message = await read(
        multipart("mixed", [`Content-Type: ${type}`, "Content-Disposition: attachment", "", "x"])
      )
      expect(message.attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
        ["attachment", "application/octet-stream"]
      ])
    }
  )

  it("gives a content id to the first of several files that have it", async () => {
    const image = (name: string) => [
      `Content-Type: image/png; name=${name}`,
      "Content-ID: <logo@shop>",
      "Content-Disposition: inline",
      "",
      "x"
    ]
    const { attachments } = await read(multipart("related", image("a.png"), image("b.png")))
    expect(attachments).toMatchObject([
      { filename: "a.png", contentId: "logo@shop", disposition: "inline" },
      { filename: "b.png", disposition: "attachment" }
    ])
    expect(attachments[1]).not.toHaveProperty("contentId")
  })

  it("copies the bytes of a file, so that the file does not keep the message in memory", async () => {
    const message = await read(multipart("mixed", ["Content-Type: a/b", "", "content"]))
    expect(message.attachments[0]!.content.buffer.byteLength).toBe("content".length)
  })

  it("reads a part without a header, an empty part and a message that ends early", async () => {
    const message = await read(multipart("mixed", ["", "body"], ["Content-Type: a/b", "", ""]))
    expect(message.text).toBe("body")
    expect(message.attachments.map(({ content }) => content.length)).toEqual([0])
    const cut = await read(["Content-Type: multipart/mixed; boundary=b", "", "--b", "", "body"])
    expect(cut.text).toBe("body")
  })

  it("takes a delimiter only at the beginning of a line, and only with nothing after it", async () => {
    const message = await read(
      multipart("mixed", ["", "a --=_b", "--=_bc", " --=_b", "--=_b \t", "Content-Type: a/b", "", "c"])
    )
    expect(message.text).toBe("a --=_b\n--=_bc\n --=_b")
    expect(message.attachments.map(({ content }) => text(content))).toEqual(["c"])
  })

  it("gives back the bytes of every file that nodemailer attaches", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            content: fc.uint8Array({ maxLength: 3000 }),
            filename: fc.stringMatching(/^[a-zäß ]{1,40}\.bin$/)
          }),
          {
            minLength: 1,
            maxLength: 5
          }
        ),
        async (files) => {
          const attachments = files.map(({ content, filename }) => ({ content: Buffer.from(content), filename }))
          const composed = new MailComposer({
            from: "a@b.example",
            subject: "x",
            text: "body",
            html: "<p>",
            attachments
          })
          const raw = await composed.compile().build()
          const result = await readMessage(raw)
          const message = Result.getOrThrowWith(result, (fault) => new Error(fault))
          expect(message.attachments.map(({ content }) => Buffer.from(content))).toEqual(
            files.map(({ content }) => Buffer.from(content))
          )
          expect(message.attachments.map(({ filename }) => filename)).toEqual(
            files.map(({ filename }) => filename.trim())
          )
          expect(message.text).toBe("body")
        }
      ),
      { numRuns: 50 }
    ))

  const start = "From: a@b.example\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
  const withBoundary = (boundary: string) =>
    `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n--${boundary}\r\n\r\nx`
  const nested = (levels: number) =>
    Array.from(
      { length: levels },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`
    ).join("")

  it.each([
    ["more than 200 parts", `${start}${"--b\r\n\r\n".repeat(201)}`, "has more than 200 parts"],
    ["more than 10 levels", nested(11), "has more than 10 levels of parts"],
    ["too large headers", `X: ${"a".repeat(131_073)}\r\n\r\n`, "has more than 131072 octets of headers"],
    [
      "too large headers of parts",
      `${start}${`--b\r\nX: ${"a".repeat(10_000)}\r\n\r\n`.repeat(14)}`,
      "has more than 131072 octets of headers"
    ],
    ["too many lines of headers", "X: a\r\n".repeat(2001), "has more than 2000 lines of headers"],
    ["a multipart without a boundary", "Content-Type: multipart/mixed\r\n\r\nx", "has a multipart without a boundary"],
    [
      "a boundary that does not occur",
      `${start}Hi\r\n--c\r\n\r\nHi\r\n--c--`,
      "has a multipart in which its boundary does not occur"
    ],
    ["a longer boundary than 200 octets", withBoundary("b".repeat(201)), "has a boundary of more than 200 octets"],
    ["a longer boundary in UTF-8", withBoundary("\u00c3\u00a4".repeat(101)), "has a boundary of more than 200 octets"],
    [
      "too many lines that look like delimiters",
      `${start}${"--bx\r\n".repeat(10_002)}`,
      "has too many lines that look like the end of a part"
    ]
  ])("refuses a message with %s", async (_, raw, fault) => {
    expect(await faultOf(raw)).toBe(fault)
  })

  const protectedBy = (type: string) =>
    `has a part of the type ${type}. Mailkeep composes each message again, so a signature or an encryption would break`
  const signed = ["Content-Type: text/plain", "", "Hi"]
  const signature = ["Content-Type: application/pkcs7-signature; name=smime.p7s", "", "MIIG"]
  const signedPart = multipart("signed", signed, signature).map((line) => line.replace("=_b", "=_c"))

  it.each([
    ["a signature of S/MIME or PGP", multipart("signed", signed, signature), "multipart/signed"],
    [
      "an encryption of PGP",
      multipart("Encrypted", ["Content-Type: application/pgp-encrypted", "", "Version: 1"], ["", "-----BEGIN"]),
      "multipart/encrypted"
    ],
    ["a signed part", multipart("mixed", signedPart, signed), "multipart/signed"],
    [
      "an encryption of S/MIME",
      ["Content-Type: application/pkcs7-mime; name=smime.p7m", "", "MIIG"],
      "application/pkcs7-mime"
    ],
    ["an old type of S/MIME", ["Content-Type: application/x-pkcs7-mime", "", "MIIG"], "application/x-pkcs7-mime"]
  ])("refuses a message with %s, which would break", async (_, lines, type) => {
    expect(await faultOf(lines.join("\r\n"))).toBe(protectedBy(type))
  })

  it("keeps a signed message in a message, and an encrypted file", async () => {
    const { text, attachments } = await read(
      multipart(
        "mixed",
        signed,
        ["Content-Type: message/rfc822", "", ...signedPart],
        ["Content-Type: application/pkcs7-mime; name=backup.p7m", "", "MIIG"]
      )
    )
    expect(text).toBe("Hi")
    expect(attachments.map(({ filename, contentType }) => [filename, contentType])).toEqual([
      ["message.eml", "application/octet-stream"],
      ["backup.p7m", "application/pkcs7-mime"]
    ])
  })

  it("accepts a message at its limits", async () => {
    expect(await faultOf(`${start}${"--b\r\n\r\n".repeat(199)}`)).toBe(null)
    expect(await faultOf(nested(10))).toBe(null)
    expect(await faultOf(withBoundary("b".repeat(200)))).toBe(null)
    expect(await faultOf("X: a\r\n".repeat(2000))).toBe(null)
  })

  it("returns a message or a reason, whatever the octets", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.constantFrom(
            "Content-Type: multipart/mixed; boundary=b\r\n",
            "Content-Type: text/html; charset=utf-16\r\n",
            "Content-Transfer-Encoding: base64\r\n",
            "Content-Disposition: attachment; filename*0*=x''%\r\n",
            "From: <@\r\n",
            "To: a:;,<b@c>\r\n",
            " folded\r\n",
            "\r\n",
            "--b\r\n",
            "--b--\r\n",
            "=?x?b?=",
            "=",
            "\u00ff\u00fe"
          ),
          { maxLength: 20 }
        ),
        async (pieces) => {
          const result = await readMessage(Buffer.from(pieces.join(""), "latin1"))
          expect(Result.isSuccess(result) || typeof result.failure === "string").toBe(true)
        }
      ),
      { numRuns: 1000 }
    ))

  it.each([
    ["empty lines", "\r\n".repeat(1024 * 1024)],
    ["delimiters in lines", "x--b".repeat(512 * 1024)],
    ["escapes", "=41".repeat(700_000)],
    ["padding", "YQ==\r\n".repeat(350_000)]
  ])("reads 2 MiB of %s in bounded time", async (_, body) => {
    const begin = performance.now()
    for (const encoding of ["7bit", "base64", "quoted-printable"])
      await readMessage(Buffer.from(`${start}--b\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${body}`))
    expect(performance.now() - begin).toBeLessThan(5000)
  })

  it.each([199, 990])("reads 8 MiB that repeat a part of a boundary of %i octets in bounded time", async (octets) => {
    const boundary = `${"a".repeat(30)}b${"a".repeat(octets - 31)}`
    const almost = `\r\n--${"a".repeat(29)}`.repeat(500)
    const begin = performance.now()
    await readMessage(
      Buffer.from(
        `Content-Type: multipart/mixed; boundary=${boundary}\r\n\r\n${almost}\r\n${"a".repeat(8 * 1024 * 1024)}`
      )
    )
    expect(performance.now() - begin).toBeLessThan(5000)
  })
})

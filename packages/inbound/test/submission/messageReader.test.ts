/**
 * Tests of the reader of submitted messages: header fields and bodies.
 */
import { describe, expect, it } from "vitest"
import { multipart, read, text } from "./submittedMessage.ts"

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
  ])("reads header fields in %s that are not encoded", async (_, bytes) => {
    const { header, attachments } = await read([
      `Subject: M${bytes}rz`,
      `From: M${bytes}rz <shop@example.com>`,
      `Content-Type: application/pdf; name="M${bytes}rz.pdf"`,
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
})

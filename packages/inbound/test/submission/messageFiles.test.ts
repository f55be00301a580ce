/**
 * The files that the reader of submitted messages finds: calendar files, inline images and attachments.
 */
import { Result } from "effect"
import fc from "fast-check"
import MailComposer from "nodemailer/lib/mail-composer/index.js"
import { describe, expect, it } from "vitest"
import { readMessage } from "../../src/submission/messageReader.ts"
import { multipart, read, text } from "./submittedMessage.ts"

describe("readMessage", () => {
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

  it("keeps the bytes of a calendar file without a method", async () => {
    const calendar = ["Content-Type: text/calendar; charset=iso-8859-1", "", "SUMMARY:M\u00e4rz"]
    const [file] = (await read(multipart("mixed", ["", "Hi"], calendar))).attachments
    expect([file!.contentType, text(file!.content)]).toEqual(["text/calendar", "SUMMARY:M\u00e4rz"])
  })

  it("keeps the messages of a digest as files, because such a part without a type is a message", async () => {
    const { text: body, attachments } = await read(
      multipart("digest", ["", "Subject: one", "", "first"], ["Content-Type: text/plain", "", "The text"])
    )
    expect(body).toBe("The text")
    expect(attachments.map(({ filename, content }) => [filename, text(content)])).toEqual([
      ["message.eml", "Subject: one\r\n\r\nfirst"]
    ])
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

  it("gives back the bytes of every file that nodemailer attaches", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            content: fc.nat(3000).map((length) => new Uint8Array(length).map((_, at) => at * at)),
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
})

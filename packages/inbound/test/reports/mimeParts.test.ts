import * as fc from "fast-check"
import PostalMime from "postal-mime"
import { describe, expect, it } from "vitest"
import { decodedText, decodedTexts } from "../../src/reports/decodedText.ts"
import { readMimeMessage } from "../../src/reports/mimeParts.ts"
import { mail } from "./sampleMail.ts"

const typesOf = (raw: Uint8Array) => readMimeMessage(raw).parts.map(({ type }) => type)
const textsOf = (raw: Uint8Array) => readMimeMessage(raw).parts.map((part) => decodedText(part))

describe("readMimeMessage", () => {
  it("reads a message without a content type as one part of plain text", () => {
    const raw = mail("Subject: hello", "", "one", "two")
    expect(typesOf(raw)).toEqual(["text/plain"])
    expect(textsOf(raw)).toEqual(["one\ntwo"])
  })

  it("splits nested parts in the order of the message and ignores what surrounds them", () => {
    const raw = mail(
      "Content-Type: multipart/mixed; boundary=outer",
      "",
      "preamble",
      "--outer",
      "Content-Type: multipart/alternative; boundary=inner",
      "",
      "--inner",
      "",
      "plain",
      "--inner",
      "Content-Type: text/html",
      "",
      "<p>html</p>",
      "--inner--",
      "--outer  ",
      "Content-Type: message/delivery-status",
      "",
      "Action: failed",
      "--outer--",
      "epilogue"
    )
    expect(typesOf(raw)).toEqual(["text/plain", "text/html", "message/delivery-status"])
    expect(textsOf(raw)[0]).toBe("plain")
  })

  it("does not split a returned message", () => {
    const raw = mail(
      "Content-Type: multipart/report; boundary=b",
      "",
      "--b",
      "Content-Type: message/rfc822",
      "",
      "Content-Type: multipart/mixed; boundary=c",
      "",
      "--c",
      "Content-Type: message/delivery-status",
      "",
      "--c--",
      "--b--"
    )
    expect(typesOf(raw)).toEqual(["message/rfc822"])
  })

  it("does not end a part at a longer line that begins like the delimiter", () => {
    const raw = mail("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "one", "--bb", "two", "--b--")
    expect(textsOf(raw)).toEqual(["one\n--bb\ntwo"])
  })

  it("reads a multipart whose boundary never occurs as one part", () => {
    const raw = mail("Content-Type: multipart/report; boundary=b", "", "--c", "", "text", "--c--")
    expect(typesOf(raw)).toEqual(["multipart/report"])
  })

  it("reads a truncated last part", () => {
    const raw = mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      "--b",
      "",
      "one",
      "--b",
      "Content-Type: text/x",
      "",
      "tw"
    )
    expect(textsOf(raw)).toEqual(["one", "tw"])
  })

  it("reads at most 100 parts and 10 levels", () => {
    const many = mail(
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...Array.from({ length: 300 }, () => "--b\r\n\r\nx")
    )
    expect(typesOf(many)).toHaveLength(100)
    const levels = Array.from({ length: 30 }, (_, level) => [
      `Content-Type: multipart/mixed; boundary=b${level}`,
      "",
      `--b${level}`
    ])
    const parts = readMimeMessage(mail(...levels.flat(), "", "deep")).parts
    expect(parts.map(({ parameters }) => parameters.get("boundary"))).toEqual(["b10"])
  })

  it("ends the header after 256 KiB", () => {
    const raw = mail(...Array.from({ length: 40_000 }, (_, index) => `X-${index}: y`), "Subject: late", "", "text")
    expect(readMimeMessage(raw).headers.has("x-1")).toBe(true)
    expect(readMimeMessage(raw).headers.has("subject")).toBe(false)
  })

  it("reads 256 KiB of all headers of a message together", () => {
    const part = [
      "--b",
      ...Array.from({ length: 20_000 }, (_, index) => `X-${index}: y`),
      "Content-Type: text/html",
      "",
      "x"
    ]
    const raw = mail("Content-Type: multipart/mixed; boundary=b", "", ...part, ...part)
    expect(typesOf(raw)).toEqual(["text/html", "text/plain"])
  })

  it("finds no delimiter after the first 2,000 lines that begin with two hyphens", () => {
    const withLines = (count: number) =>
      mail("Content-Type: multipart/mixed; boundary=b", "", "--b", "", ...Array(count).fill("--"), "--b", "", "x")
    expect(typesOf(withLines(1998))).toHaveLength(2)
    expect(typesOf(withLines(1999))).toHaveLength(1)
  })

  it("finds the parts of a message that is a section of a buffer", () => {
    const buffer = Buffer.concat([
      Buffer.from("--b\r\n"),
      mail("Content-Type: multipart/mixed; boundary=b", "", "--b", "", "x")
    ])
    expect(textsOf(buffer.subarray(5))).toEqual(["x"])
  })

  it("finds the texts that an independent reader finds, for any well-formed message", async () => {
    const line = fc.string({ unit: fc.constantFrom(..."abc =.ä€"), maxLength: 30 }).filter((text) => !/\s$/.test(text))
    const leaf = fc.record({
      lines: fc.array(line, { minLength: 1, maxLength: 5 }).filter((lines) => lines.join("").trim() !== ""),
      encoding: fc.constantFrom("8bit", "base64")
    })
    await fc.assert(
      fc.asyncProperty(fc.array(leaf, { minLength: 1, maxLength: 5 }), async (leaves) => {
        const parts = leaves.flatMap(({ lines, encoding }) => [
          "--frontier",
          "Content-Type: text/plain; charset=utf-8",
          `Content-Transfer-Encoding: ${encoding}`,
          "Content-Disposition: attachment",
          "",
          encoding === "base64" ? Buffer.from(lines.join("\r\n")).toString("base64") : lines.join("\r\n")
        ])
        const raw = mail("Content-Type: multipart/mixed; boundary=frontier", "", ...parts, "--frontier--")
        const { attachments } = await PostalMime.parse(raw, { attachmentEncoding: "utf8" })
        const others = attachments.map(({ content }) => String(content).replaceAll("\r\n", "\n").trimEnd())
        expect(textsOf(raw).map((text) => text.trimEnd())).toEqual(others)
      }),
      { numRuns: 200 }
    )
  })
})

describe("decodedText", () => {
  const decoded = (header: ReadonlyArray<string>, body: string) => textsOf(mail(...header, "", body))[0]

  it.each<[string, string, string, string]>([
    ["quoted-printable", "utf-8", "caf=C3=A9 a=\r\nb =zz =", "café ab =zz ="],
    ["base64", "utf-8", "Y2Fm\r\nw6k=", "café"],
    ["base64", "utf-8", "****Y2FmZQ", "cafe"],
    ["base64 (a comment)", "utf-8", "Y2FmZQ==", "cafe"],
    ["8bit", "iso-8859-1", "plain", "plain"],
    ["8bit", "no-such-charset", "plain", "plain"],
    ["7bit", "iso-2022-jp", "\u001b$B%a!<%k\u001b(B", "メール"]
  ])("decodes %s in %s", (encoding, charset, body, text) => {
    const header = [`Content-Type: text/plain; charset=${charset}`, `Content-Transfer-Encoding: ${encoding}`]
    expect(decoded(header, body)).toBe(text)
  })

  it("decodes a text without a charset that is not UTF-8", () => {
    expect(decoded(["Content-Type: text/plain", "Content-Transfer-Encoding: quoted-printable"], "caf=E9")).toBe("café")
  })

  it("turns HTML into text that keeps the addresses", () => {
    const html = "<p>Not delivered:</p><div>&lt;ada@example.org&gt; &amp; &quot;x&quot;</div>"
    expect(decoded(["Content-Type: text/html"], html)?.replaceAll(/\s+/g, " ").trim()).toBe(
      'Not delivered: <ada@example.org> & "x"'
    )
  })

  it("reads at most 256 KiB of a part", () => {
    expect(decoded([], "x".repeat(400_000))).toHaveLength(256 * 1024)
  })

  it("reads at most 256 KiB of several parts together", () => {
    const part = ["--b", "", "x".repeat(100_000)]
    const { parts } = readMimeMessage(
      mail("Content-Type: multipart/mixed; boundary=b", "", ...part, ...part, ...part, ...part)
    )
    expect(decodedTexts(parts).map(({ length }) => length)).toEqual([100_000, 100_000, 62_144, 0])
  })
})

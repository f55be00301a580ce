/**
 * The limits of the reader of submitted messages, and the time that it needs for hostile ones.
 */
import { Result } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readMessage } from "../../src/submission/messageReader.ts"
import { faultOf } from "./submittedMessage.ts"

describe("readMessage", () => {
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
    ["too large headers", `X: ${"a".repeat(131_073)}\r\n\r\n`, "has more than 131072 bytes of headers"],
    [
      "too large headers of parts",
      `${start}${`--b\r\nX: ${"a".repeat(10_000)}\r\n\r\n`.repeat(14)}`,
      "has more than 131072 bytes of headers"
    ],
    ["too many lines of headers", "X: a\r\n".repeat(2001), "has more than 2000 lines of headers"],
    ["a multipart without a boundary", "Content-Type: multipart/mixed\r\n\r\nx", "has a multipart without a boundary"],
    [
      "a boundary that does not occur",
      `${start}Hi\r\n--c\r\n\r\nHi\r\n--c--`,
      "has a multipart in which its boundary does not occur"
    ],
    ["a longer boundary than 200 bytes", withBoundary("b".repeat(201)), "has a boundary of more than 200 bytes"],
    ["a longer boundary in UTF-8", withBoundary("\u00c3\u00a4".repeat(101)), "has a boundary of more than 200 bytes"],
    [
      "too many lines that look like delimiters",
      `${start}${"--bx\r\n".repeat(10_002)}`,
      "has too many lines that look like the end of a part"
    ]
  ])("refuses a message with %s", async (_, raw, fault) => {
    expect(await faultOf(raw)).toBe(fault)
  })

  it.each(["x-uuencode", "uuencode", "X-UUE (old)", "x-yenc", "mac-binhex40"])(
    "refuses a part with the transfer encoding %s, which cannot be decoded",
    async (encoding) => {
      const file = `--b\r\nContent-Type: application/zip; name=a.zip\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\nbegin 644 a\r\n--b--`
      const [name] = encoding.toLowerCase().split(" ")
      expect(await faultOf(`${start}${file}`)).toBe(
        `has a part with the transfer encoding ${name}, which cannot be decoded. Use base64`
      )
    }
  )

  it("accepts a part whose transfer encoding is written in a wrong way, because its bytes are the content", async () => {
    for (const encoding of ["8-bit", "utf-8", "none", ""])
      expect(await faultOf(`Content-Transfer-Encoding: ${encoding}\r\n\r\nHi`)).toBe(null)
  })

  it("accepts a message at its limits", async () => {
    expect(await faultOf(`${start}${"--b\r\n\r\n".repeat(199)}`)).toBe(null)
    expect(await faultOf(nested(10))).toBe(null)
    expect(await faultOf(withBoundary("b".repeat(200)))).toBe(null)
    expect(await faultOf("X: a\r\n".repeat(2000))).toBe(null)
  })

  it("returns a message or a reason, whatever the bytes", () =>
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

  it.each([199, 990])("reads 8 MiB that repeat a part of a boundary of %i bytes in bounded time", async (bytes) => {
    const boundary = `${"a".repeat(30)}b${"a".repeat(bytes - 31)}`
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

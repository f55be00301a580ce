/**
 * Properties of whole conversations: whatever the bytes and their division into chunks, the listener accepts exactly the messages that a
 * simple reader of RFC 5321 finds.
 */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { acceptedMessages } from "./referenceReader.ts"
import { converse } from "./memoryClientSocket.ts"

const bytes = (text: string) => Buffer.from(text, "latin1")

/** Divides bytes at the given places. */
const divided = (whole: Uint8Array, places: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const cuts = [0, ...places.map((place) => place % (whole.length + 1)), whole.length].toSorted((a, b) => a - b)
  return cuts.slice(1).map((to, index) => whole.subarray(cuts[index], to))
}

const run = (text: string, places: ReadonlyArray<number> = []) =>
  Effect.runPromise(converse(divided(bytes(text), places).filter(({ length }) => length > 0)))

const start = "EHLO c\r\nMAIL FROM:<a@x.example>\r\nRCPT TO:<b@x.example>\r\nDATA\r\n"

const command = fc.constantFrom(
  "EHLO c\r\n",
  "MAIL FROM:<a@x.example>\r\n",
  "RCPT TO:<b@x.example>\r\n",
  "DATA\r\n",
  "RSET\r\n",
  "NOOP\r\n"
)
const fragment = fc.constantFrom(
  "\r\n.\r\n",
  "\n.\n",
  "\r.\r",
  "\r\n.\n",
  "\n.\r\n",
  "\r.\r\n",
  "\r\n.\r",
  "\r\r\n.\r\n",
  "\r\n..\r\n",
  "\r\n.",
  "\r\n",
  "\r",
  "\n",
  ".",
  "..",
  "\0",
  "\u00e9",
  "text",
  "QUIT\r\n",
  "MAIL FROM:<evil@x.example>\nRCPT TO:<c@x.example>\nDATA\n",
  "MAIL FROM:<evil@x.example>\r\nRCPT TO:<c@x.example>\r\nDATA\r\n"
)
const conversation = fc
  .array(fc.oneof({ weight: 2, arbitrary: command }, { weight: 3, arbitrary: fragment }), { maxLength: 25 })
  .map((pieces) => pieces.join(""))
const places = fc.array(fc.nat(2000), { maxLength: 30 })

describe("serveConnection", () => {
  it("accepts exactly the messages that an independent reader of RFC 5321 finds, in any division into chunks", () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom("", start), conversation, places, async (before, text, cuts) => {
        const { accepted, bytesLeft } = await run(before + text, cuts)
        const most = acceptedMessages(before + text, true)
        expect(accepted).toEqual(most.slice(0, accepted.length))
        expect(accepted.length).toBeGreaterThanOrEqual(acceptedMessages(before + text, false).length)
        expect(bytesLeft).toBe(0)
      }),
      { numRuns: 3000 }
    ))

  it("accepts exactly the messages that an independent reader finds in arbitrary bytes after DATA", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("\r", "\n", ".", "a", "\0"), { maxLength: 40 }),
        places,
        async (text, cuts) => {
          const whole = `${start}${text.join("")}\r\n.\r\nQUIT\r\n`
          const { accepted } = await run(whole, cuts)
          expect(accepted).toEqual(acceptedMessages(whole, false))
        }
      ),
      { numRuns: 3000 }
    ))

  it("gives the content that a client wrote, whatever lines begin with a period", () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.stringMatching(/^[.a-z]{0,6}$/)), places, async (lines, cuts) => {
        const content = lines.map((line) => `${line}\r\n`).join("")
        const sent = content.replace(/^\./gm, "..")
        const { accepted } = await run(`${start}${sent}.\r\nQUIT\r\n`, cuts)
        expect(accepted.map((one) => one.content)).toEqual([content])
      })
    ))

  it.each([
    ["\\n.\\n", "\n.\n"],
    ["\\r.\\r", "\r.\r"],
    ["\\r\\n.\\n", "\r\n.\n"],
    ["\\n.\\r\\n", "\n.\r\n"],
    ["\\r\\n.\\r", "\r\n.\r"],
    ["\\r.\\r\\n", "\r.\r\n"],
    ["\\0", "\0"]
  ])("refuses a whole message with %s, and reads nothing after it as a command", async (_, sequence) => {
    const smuggled = "MAIL FROM:<evil@x.example>\r\nRCPT TO:<c@x.example>\r\nDATA\r\nsecond\r\n.\r\n"
    const { accepted, replies } = await run(`${start}first${sequence}${smuggled}QUIT\r\n`)
    expect(accepted).toEqual([])
    expect(replies.split("\r\n").slice(-2)).toEqual([
      "554 5.6.0 The message has a CR, LF or NUL of its own: each line must end with <CRLF>",
      ""
    ])
  })

  it.each([
    ["a bare LF", "NOOP\nNOOP\r\n"],
    ["a bare CR", "NOOP\rNOOP\r\n"],
    ["only LF", "NOOP\n"]
  ])("closes the connection after a command with %s", async (_, line) => {
    const { replies } = await run(`EHLO c\r\n${line}NOOP\r\n`)
    expect(replies).toMatch(/ENHANCEDSTATUSCODES\r\n500 5\.5\.2 A line must end with <CRLF>\r\n$/)
  })

  it("reads commands that are pipelined after a message only after its end", async () => {
    const second = start.replace("EHLO c\r\n", "")
    const { accepted, replies } = await run(`${start}one\r\n.\r\n${second}two\r\n.\r\nQUIT\r\n`)
    expect(accepted.map(({ content }) => content)).toEqual(["one\r\n", "two\r\n"])
    expect(replies).toMatch(/221 2\.0\.0 [^\r\n]*\r\n$/)
  })

  it("runs no command in a message that a client sends although DATA was refused", async () => {
    const hidden = "MAIL FROM:<evil@x.example>\r\nRCPT TO:<c@x.example>\r\nDATA\r\nhidden\r\n.\r\n"
    const refused = "EHLO c\r\nMAIL FROM:<a@x.example>\r\nDATA\r\n"
    const together = await run(`${refused}${hidden}QUIT\r\n`)
    expect(together.accepted).toEqual([])
    expect(together.replies).toMatch(/554 5\.5\.1 [^\r\n]*\r\n503 5\.5\.1 DATA was refused[^\r\n]*\r\n$/)
    const later = await Effect.runPromise(converse([bytes(refused), bytes(`Subject: x\r\n\r\n${hidden}`)]))
    expect(later.accepted).toEqual([])
    expect(later.replies).toMatch(/503 5\.5\.1 DATA was refused[^\r\n]*\r\n$/)
  })

  it("runs no command after QUIT", async () => {
    const { accepted } = await run(`EHLO c\r\nQUIT\r\n${start}one\r\n.\r\n`)
    expect(accepted).toEqual([])
  })

  it("refuses a message above the limit after its end, and continues the connection", async () => {
    const text = `${start}${"x".repeat(30)}\r\n${"x".repeat(30)}\r\n.\r\n${start}small\r\n.\r\nQUIT\r\n`
    const { accepted, replies, bytesLeft } = await Effect.runPromise(
      converse([bytes(text)], {}, { messageBytesMax: 50 })
    )
    expect(accepted.map(({ content }) => content)).toEqual(["small\r\n"])
    expect(replies).toContain("552 5.3.4 The message is too large")
    expect(bytesLeft).toBe(0)
  })

  it("gives the handler the beginning of a message of which it keeps only a part, without memory for the rest", async () => {
    const chunks = [bytes(`${start}0123456789`), ...Array.from({ length: 10 }, () => bytes("x".repeat(100)))]
    const { accepted, replies } = await Effect.runPromise(
      converse([...chunks, bytes("\r\n.\r\n")], {}, { messageBytesMax: 1012, bufferedBytesMax: 15 }, 15)
    )
    expect(accepted.map(({ content }) => content)).toEqual(["0123456789xxxxx"])
    expect(replies).toMatch(/250 2\.0\.0 Ok\r\n$/)
  })

  it("refuses a message above the limit also if it keeps only a part", async () => {
    const { accepted, replies } = await Effect.runPromise(
      converse([bytes(`${start}${"x".repeat(60)}\r\n.\r\n`)], {}, { messageBytesMax: 50 }, 15)
    )
    expect(accepted).toEqual([])
    expect(replies).toContain("552 5.3.4 The message is too large")
  })

  it("closes the connection when a message goes far beyond the limit", async () => {
    const chunks = Array.from({ length: 20 }, () => bytes("x".repeat(30)))
    const { replies } = await Effect.runPromise(
      converse([bytes(start), ...chunks, bytes("\r\n.\r\nNOOP\r\n")], {}, { messageBytesMax: 50 })
    )
    expect(replies).toMatch(/552 5\.3\.4 [^\r\n]*\r\n$/)
  })

  it("closes the connection when a broken message goes far beyond the limit", async () => {
    const chunks = Array.from({ length: 20 }, () => bytes("x".repeat(30)))
    const { replies } = await Effect.runPromise(
      converse([bytes(`${start}one\ntwo`), ...chunks, bytes("\r\n.\r\nNOOP\r\n")], {}, { messageBytesMax: 50 })
    )
    expect(replies).toMatch(/554 5\.6\.0 [^\r\n]*\r\n$/)
    expect(replies).not.toContain("250 2.0.0 Ok")
  })

  it("refuses a message for which no memory is left, and continues the connection", async () => {
    const { accepted, replies } = await Effect.runPromise(
      converse(
        [bytes(`${start}${"one\r\n".repeat(4000)}.\r\nNOOP\r\n`)],
        {},
        { bufferedBytesMax: 10, messageBytesMax: 30_000 },
        30_000
      )
    )
    expect(accepted).toEqual([])
    expect(replies).toMatch(/452 4\.3\.1 [^\r\n]*\r\n250 2\.0\.0 Ok\r\n$/)
  })

  it("gives an LMTP client one reply for each recipient", async () => {
    const text = start.replace("EHLO", "LHLO").replace("DATA", "RCPT TO:<c@x.example>\r\nDATA")
    const { replies } = await Effect.runPromise(converse([bytes(`${text}one\r\n.\r\nQUIT\r\n`)], { protocol: "lmtp" }))
    expect(replies).toMatch(/354 [^\r\n]*\r\n250 [^\r\n]*\r\n250 [^\r\n]*\r\n221 /)
  })

  it("closes the connection after a line of more than 12,288 bytes without a line end", async () => {
    const chunks = [
      bytes("EHLO c\r\n"),
      ...Array.from({ length: 13 }, () => bytes("x".repeat(1000))),
      bytes("\r\nNOOP\r\n")
    ]
    const { replies } = await Effect.runPromise(converse(chunks))
    expect(replies).toMatch(/500 5\.5\.2 Line too long\r\n$/)
  })
})

import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { featuresOf } from "../src/relayFeatures.ts"
import { failureOf, parseReply } from "../src/replies.ts"

describe("parseReply", () => {
  it.each([
    ["250 2.0.0 Ok: queued as 12", 250, "2.0.0", "Ok: queued as 12"],
    [
      "550-5.1.1 The account\n550-5.1.1 does not exist.\n550 5.1.1 See https://x",
      550,
      "5.1.1",
      "The account does not exist. See https://x"
    ],
    ["451 Try again", 451, null, "Try again"],
    ["250", 250, null, ""],
    ["250-\n250 ", 250, null, ""],
    ["550 5.1.10 null MX", 550, "5.1.10", "null MX"],
    ["550 5.1.1", 550, "5.1.1", ""],
    ["550 5.1.1.1 x", 550, null, "5.1.1.1 x"],
    ["550 3.1.1 x", 550, null, "3.1.1 x"],
    ["554 a\u0000b\u001b[0m\tc\u009bd", 554, null, "a b [0m c d"],
    ["550 Grüße", 550, null, "Grüße"]
  ])("parses the reply %j", (response, smtpCode, enhancedCode, text) => {
    expect(parseReply("rcpt", response)).toEqual({ stage: "rcpt", smtpCode, enhancedCode, text })
  })

  it.each(["", "what", "25", "2500 x", "150 x", "650 x", "250x", " 250 x"])("returns nothing for %j", (response) => {
    expect(parseReply("rcpt", response)).toBeUndefined()
  })

  it("returns one line of at most 1,000 characters for every reply, without control characters", () => {
    const long = fc.tuple(fc.string({ unit: "binary" }), fc.nat(600)).map(([piece, times]) => piece.repeat(times))
    fc.assert(
      fc.property(long, (noise) => {
        const { text } = parseReply("mail", `550 ${noise}${noise}`)!
        expect(text.length).toBeLessThanOrEqual(1000)
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
      })
    )
  })
})

describe("failureOf", () => {
  it.each([
    [{ code: "EENVELOPE", command: "RCPT TO", response: "550 5.1.1 No" }, "mail", "rcpt"],
    [{ code: "EENVELOPE", command: "DATA", response: "451 4.3.0 No" }, "mail", "data"],
    [{ code: "EMESSAGE", command: "DATA", response: "552 5.3.4 No" }, "data", "data"],
    [{ code: "EMESSAGE", command: "DATA", response: "554 5.7.1 No" }, "endOfData", "endOfData"],
    [{ code: "EPROTOCOL", command: "CONN", response: "554 5.7.1 No" }, "greeting", "greeting"],
    [{ code: "ECONNECTION", command: "CONN", response: "421 4.3.2 No" }, "endOfData", "endOfData"]
  ] as const)("is a refusal for %j at %s", (error, at, stage) => {
    const failure = failureOf(error, at)
    expect(failure).toMatchObject({ _tag: "RelayRefused", reply: { stage, text: "No" } })
    expect(failure.isRetryable).toBe(error.response.startsWith("4"))
  })

  it.each([
    [{ code: "EAUTH", command: "AUTH PLAIN", response: '500 5.5.1 Not allowed: "AUTH PLAIN AHNob3AAc2VjcmV0"' }, 500],
    [{ code: "EAUTH", command: "AUTH LOGIN", response: "535-5.7.8 c2VjcmV0\n535 5.7.8 c2VjcmV0" }, 535],
    [{ code: "ECONNECTION", command: "CONN", response: "421 4.7.0 c2VjcmV0" }, 421]
  ] as const)("is a refusal without the text of the relay for %j at auth", (error, smtpCode) => {
    const enhancedCode = error.response.slice(4, 9)
    const text = "The relay refused the login."
    expect(failureOf(error, "auth")).toMatchObject({ reply: { stage: "auth", smtpCode, enhancedCode, text } })
  })

  it.each([
    [
      { code: "EPROTOCOL", command: "CONN", response: "554 Unasked" },
      "The relay sent an answer that does not follow SMTP."
    ],
    [
      { code: "EENVELOPE", command: "RCPT TO", response: "354 Go" },
      "The relay sent an answer that does not follow SMTP."
    ],
    [{ code: "ESOCKET", originalCode: "EPIPE" }, "The connection to the relay failed (EPIPE)."],
    [{ code: "ESOCKET", originalCode: "<a@b.example>" }, "The connection to the relay failed."],
    [
      { code: "ESOCKET", originalCode: "CERT_HAS_EXPIRED" },
      "The certificate of the relay is not accepted (CERT_HAS_EXPIRED)."
    ],
    [{ code: "EDNS", originalCode: "ENOTFOUND" }, "The name of the relay was not found (ENOTFOUND)."],
    [{ code: "ETIMEDOUT", timeoutType: "CONNECT_TIMEOUT" }, "The relay took too long to connect."],
    [{ code: "ETIMEDOUT", timeoutType: "UPGRADE_TIMEOUT" }, "The relay did not begin the encryption in time."],
    [{ code: "ETIMEDOUT" }, "The relay did not answer in time."],
    [{ code: "ETLS" }, "The relay did not encrypt the connection."],
    [{ code: "ESTREAM" }, "The message could not be read."],
    [
      { code: "ERR_ACCESS_DENIED" },
      "The process may not connect to the relay. With node --permission, add --allow-net."
    ],
    [
      { code: "EDNS", originalCode: "ERR_ACCESS_DENIED" },
      "The process may not connect to the relay. With node --permission, add --allow-net."
    ],
    [{}, "The relay closed the connection."]
  ])("has no answer for %j", (error, reason) => {
    expect(failureOf(error, "endOfData")).toMatchObject({ _tag: "TransportUnavailable", reason })
  })
})

describe("featuresOf", () => {
  it("reads the keywords of the reply to EHLO", () => {
    const reply =
      "250-relay\n250-PIPELINING\n250-size 35882577\n250-AUTH PLAIN  login\n250-8BITMIME\n250-DSN\n250 SMTPUTF8"
    expect(featuresOf(reply)).toEqual({
      authMethods: ["PLAIN", "LOGIN"],
      sizeMax: 35_882_577,
      pipelining: true,
      smtpUtf8: true,
      dsn: true,
      eightBitMime: true
    })
  })

  it.each([
    ["250-relay\n250-AUTH LOGIN PLAIN XOAUTH2\n250-AUTH=LOGIN\n250 DSN", ["LOGIN", "PLAIN", "XOAUTH2"]],
    ["250-relay\n250-AUTH=LOGIN PLAIN\n250 AUTH PLAIN CRAM-MD5", ["LOGIN", "PLAIN", "CRAM-MD5"]],
    ["250-relay\n250-AUTH LOGIN\n250 AUTH", ["LOGIN"]]
  ])("reads the mechanisms of all lines with AUTH from %j", (reply, authMethods) => {
    expect(featuresOf(reply).authMethods).toEqual(authMethods)
  })

  it("reads a reply of 64 KiB with another mechanism in each line in bounded time", () => {
    const lines = Array.from({ length: 5000 }, (_, line) => `250-AUTH ${line}`)
    const begin = performance.now()
    expect(featuresOf(["250-relay", ...lines].join("\n")).authMethods).toHaveLength(lines.length)
    expect(performance.now() - begin).toBeLessThan(300)
  })

  it.each([
    "",
    "250 relay",
    "250-PIPELINING",
    "250-relay\n250-SIZE\n250 SIZE 0",
    "250-relay\n250 SIZE 9999999999999999"
  ])("reads no feature from %j", (reply) => {
    expect(featuresOf(reply)).toEqual({
      authMethods: [],
      sizeMax: null,
      pipelining: false,
      smtpUtf8: false,
      dsn: false,
      eightBitMime: false
    })
  })
})

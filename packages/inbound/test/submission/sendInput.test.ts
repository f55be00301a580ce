/**
 * Tests of the mapping of a submitted message to a send.
 */
import type { HeaderFields } from "@mailkeep/core"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { headerFieldIssues } from "../../../core/src/domain/message/HeaderField.ts"
import { readMessage } from "../../src/submission/messageReader.ts"
import { toSubmission } from "../../src/submission/sendInput.ts"

const submissionOf = async (lines: ReadonlyArray<string>, envelope = ["ada@example.org"]) => {
  const read = await readMessage(Buffer.from([...lines, "", "Hi"].join("\r\n")))
  return Result.flatMap(read, (message) => toSubmission(message, envelope))
}

const succeed = async (lines: ReadonlyArray<string>, envelope?: Array<string>) =>
  Result.getOrThrowWith(await submissionOf(lines, envelope), (fault) => new Error(fault))

const valid = ["From: Shop <shop@example.com>", "To: ada@example.org", "Subject: Hello"]

describe("toSubmission", () => {
  it("maps the fields of the message", async () => {
    const { input, options } = await succeed([...valid, "Reply-To: Help <help@example.com>"])
    expect(input).toEqual({
      from: "shop@example.com",
      fromName: "Shop",
      to: ["ada@example.org"],
      replyTo: "help@example.com",
      subject: "Hello",
      text: "Hi",
      html: undefined,
      attachments: undefined
    })
    expect(options).toEqual({
      idempotencyKey: undefined,
      headers: {},
      shownRecipients: { to: ["ada@example.org"], cc: [] }
    })
  })

  it.each([
    ["Date: Sat, 21 Nov 2026 12:00:00 +0000"],
    ["Message-ID: <1@client.example>"],
    ["MIME-Version: 1.0"],
    ["Content-Transfer-Encoding: 7bit"],
    ["Received: from a by b"],
    ["Return-Path: <a@b.example>"],
    ["Sender: other@example.com"],
    ["Bcc: eve@example.org"],
    ["DKIM-Signature: v=1; d=example.com"],
    ["ARC-Seal: i=1"],
    ["Resent-From: a@b.example"],
    ["Authentication-Results: mail.example; spf=pass"]
  ])("leaves out %s, which Mailkeep or the relay writes", async (line) => {
    expect(await succeed([...valid, line])).toEqual(await succeed(valid))
  })

  it.each([
    ["List-Unsubscribe: <https://example.com/u>", { "List-Unsubscribe": "<https://example.com/u>" }],
    ["In-Reply-To: <1@example.com>", { "In-Reply-To": "<1@example.com>" }],
    ["X-Name: =?utf-8?q?J=C3=BCrgen?=", { "X-Name": "Jürgen" }],
    ["X-Long: one\r\n\ttwo", { "X-Long": "one two" }],
    ["Auto-Submitted: auto-generated", { "Auto-Submitted": "auto-generated" }],
    ["__proto__: x", JSON.parse('{"__proto__":"x"}')]
  ])("passes the header field %s on", async (line, headers) => {
    expect((await succeed([...valid, line])).options.headers).toEqual(headers)
  })

  it.each([["X-Mailer:"], ["In-Reply-To: "], ["References:\r\n "], ["Reply-To:"], ["List-Unsubscribe: "]])(
    "leaves out a field without a value: %j",
    async (line) => {
      expect(await succeed([...valid, line])).toEqual(await succeed(valid))
    }
  )

  it.each([
    ['"ada b"@example.com', '"ada b"@example.com'],
    ['"ada, b"@example.com', '"ada, b"@example.com'],
    ['"ada@b"@example.com', '"ada@b"@example.com'],
    ['"a\\"b"@example.com', '"a\\"b"@example.com'],
    ['"Shop <" <"ada b"@example.com>', '"ada b"@example.com'],
    ['"ada"@example.com', '"ada"@example.com'],
    ['"x" <ada@example.com>', "ada@example.com"],
    ['ada@example.com ("x" y)', "ada@example.com"]
  ])("reads the address in From, Reply-To, To and Cc: %s", async (value, address) => {
    const lines = [
      `From: ${value}`,
      `Reply-To: ${value}`,
      `To: bob@example.org, ${value}`,
      `Cc: ${value}`,
      "Subject: a"
    ]
    const { input, options } = await succeed(lines)
    expect([input.from, input.replyTo]).toEqual([address, address])
    expect(options.shownRecipients).toEqual({ to: ["bob@example.org", address], cc: [address] })
  })

  it("refuses a message whose field From has no value", async () => {
    expect(await submissionOf(["From: ", ...valid.slice(1)])).toEqual(Result.fail("must have one field From"))
  })

  const ids = (count: number, length: number) =>
    Array.from({ length: count }, (_, index) => `<${String(index).padStart(length - 2, "a")}>`)

  it.each<[string, ReadonlyArray<string>, ReadonlyArray<string>]>([
    ["keeps all ids that fit", ids(24, 40), ids(24, 40)],
    ["keeps the first id and the last ones of too many", ids(60, 40), [ids(60, 40)[0]!, ...ids(60, 40).slice(-23)]],
    ["fills the field to its limit", ids(38, 26), [ids(38, 26)[0]!, ...ids(38, 26).slice(-36)]],
    ["keeps only the first id when the last one is too long", [...ids(2, 40), `<${"b".repeat(997)}>`], ids(2, 40)],
    [
      "leaves out an id that is not ASCII",
      ["<1@x.example>", "<grüße@x.example>", "<2@x.example>"],
      ["<1@x.example>", "<2@x.example>"]
    ]
  ])("%s in References", async (_, given, kept) => {
    const { options } = await succeed([...valid, `References: ${given.join("\r\n ")}`])
    expect(options.headers).toEqual({ References: kept.join(" ") })
    expect(headerFieldIssues(options.headers as HeaderFields)).toEqual([])
  })

  it("leaves out In-Reply-To when none of its ids can be sent", async () => {
    expect((await succeed([...valid, "In-Reply-To: <grüße@x.example>"])).options.headers).toEqual({})
  })

  it.each([["Idempotency-Key"], ["X-Mailkeep-Idempotency-Key"]])("takes the idempotency key from %s", async (name) => {
    expect((await succeed([...valid, `${name}: order-1`])).options).toMatchObject({
      idempotencyKey: "order-1",
      headers: {}
    })
  })

  it.each([
    ["two idempotency keys", ["Idempotency-Key: a", "X-Mailkeep-Idempotency-Key: b"], "has two idempotency keys"],
    ["two subjects", ["Subject: a"], "must have one field Subject"],
    [
      "two addresses for replies",
      ["Reply-To: a@b.example, c@d.example"],
      "must have one address in the field Reply-To"
    ],
    [
      "a text after the comment of an address for replies",
      ["Reply-To: ada@shop.example(x)other.example"],
      "must have one address in the field Reply-To"
    ],
    ["a header field twice", ["X-Tag: a", "X-TAG: b"], "has the header field X-TAG twice"]
  ])("refuses a message with %s", async (_, lines, fault) => {
    expect(await submissionOf([...valid, ...lines])).toEqual(Result.fail(fault))
  })

  it.each(["ada@shop.example (Ada)", "ada(x)@shop.example", "ada@(x)shop.example", '"Ada (x)" <ada@shop.example>'])(
    "takes the address for replies out of %s",
    async (field) => {
      expect((await succeed([...valid, `Reply-To: ${field}`])).input.replyTo).toBe("ada@shop.example")
    }
  )

  it("uses the addresses of the envelope, whatever To says", async () => {
    const { input } = await succeed(valid, ["bob@example.org", "ada@example.org"])
    expect(input).toMatchObject({ to: ["ada@example.org"], bcc: ["bob@example.org"] })
  })

  it.each([
    ["ada@shop.example(x)other.example, bob@example.org", ["bob@example.org"]],
    ["eve(x)ada@shop.example, bob@example.org", ["bob@example.org"]],
    ["Team: ada@shop.example(x)other.example, bob@example.org;", ["bob@example.org"]],
    ["ada@shop.example (Ada), bob(x)@example.org", ["ada@shop.example", "bob@example.org"]],
    ["Ada (x) <ada@shop.example>, (y) bob@example.org", ["ada@shop.example", "bob@example.org"]],
    ['"a b"@shop.example (x), bob@example.org', ['"a b"@shop.example', "bob@example.org"]]
  ])("shows no address that the field To does not have: %s", async (to, shown) => {
    const from = ["From: shop@example.com", "Subject: Hello"]
    const { options } = await succeed([...from, `To: ${to}`, `Cc: ${to}`], ["bob@example.org"])
    expect(options.shownRecipients).toEqual({ to: shown, cc: shown })
  })

  it("gives the files of the message to the send", async () => {
    const { input } = await succeed([...valid, "Content-Type: application/pdf; name=a.pdf"])
    expect(input).toMatchObject({
      text: "",
      attachments: [
        {
          filename: "a.pdf",
          contentType: "application/pdf",
          disposition: "attachment",
          content: new Uint8Array(Buffer.from("Hi"))
        }
      ]
    })
  })
})

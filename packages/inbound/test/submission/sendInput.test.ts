/**
 * Tests of the mapping of a submitted message to a send.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
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
  ])("passes %s on", async (line, headers) => {
    expect((await succeed([...valid, line])).options.headers).toEqual(headers)
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
    ["an empty Reply-To", ["Reply-To:"], "must have one address in the field Reply-To"],
    ["a header field twice", ["X-Tag: a", "X-TAG: b"], "has a header field twice"]
  ])("refuses a message with %s", async (_, lines, fault) => {
    expect(await submissionOf([...valid, ...lines])).toEqual(Result.fail(fault))
  })

  it("uses the addresses of the envelope, whatever To says", async () => {
    const { input } = await succeed(valid, ["bob@example.org", "ada@example.org"])
    expect(input).toMatchObject({ to: ["ada@example.org"], bcc: ["bob@example.org"] })
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

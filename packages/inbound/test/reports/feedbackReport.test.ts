import { describe, expect, it } from "vitest"
import { readReports } from "../../src/reports/readReports.ts"
import { mail } from "./sampleMail.ts"

const complaint = (fields: ReadonlyArray<string>, returned: ReadonlyArray<string>) =>
  readReports(
    mail(
      "From: fbl@provider.example",
      "To: b+del_1.abc@shop.example",
      "Subject: report",
      "Content-Type: multipart/report; report-type=feedback-report; boundary=b",
      "",
      "--b",
      "",
      "This is a report about a message.",
      "--b",
      "Content-Type: message/feedback-report",
      "",
      ...fields,
      "--b",
      "Content-Type: message/rfc822",
      "",
      ...returned,
      "--b--"
    )
  )

const returned = [
  "Return-Path: <b+del_1.abc@shop.example>",
  "To: Ada <ada@example.org>",
  "Message-ID: <1@shop.example>",
  "",
  "Hi"
]

describe("readReports, for a complaint", () => {
  it("reads the fields of RFC 5965", () => {
    const fields = [
      "Feedback-Type: abuse",
      "User-Agent: Provider/1.0",
      "Version: 1",
      "Original-Mail-From: <b+del_1.abc@shop.example>",
      "Original-Rcpt-To: <ada@example.org>",
      "Original-Rcpt-To: bob@example.org",
      "Original-Envelope-Id: del_1"
    ]
    const read = complaint(fields, returned)
    expect(read.kind).toBe("complaint")
    expect(read.reports).toEqual([
      {
        _tag: "Complaint",
        feedbackType: "abuse",
        recipients: ["ada@example.org", "bob@example.org"],
        originalMailFrom: "b+del_1.abc@shop.example",
        standard: true
      }
    ])
    expect(read.correlation).toEqual({
      returnPaths: ["b+del_1.abc@shop.example"],
      envelopeId: "del_1",
      messageIds: ["<1@shop.example>"]
    })
  })

  it.each([
    ["abuse", "abuse"],
    ["Fraud", "fraud"],
    ["virus", "virus"],
    ["not-spam", "not-spam"],
    ["(by a button) not-spam", "not-spam"],
    ["not-spam (by a button)", "not-spam"],
    ["auth-failure", "auth-failure"],
    ["opt-out", "opt-out"],
    ["other", "other"],
    ["something-new", "other"],
    ["", "other"]
  ])("reads the feedback type %j", (text, feedbackType) => {
    expect(complaint([`Feedback-Type: ${text}`], returned).reports).toMatchObject([{ feedbackType }])
  })

  it("takes the recipient from the returned message if the report hides it", () => {
    expect(complaint(["Feedback-Type: abuse"], returned).reports).toMatchObject([{ recipients: ["ada@example.org"] }])
  })

  it.each([
    ["To: undisclosed recipients:;"],
    ["To: ada@example.org, bob@example.org"],
    ["To: ada@example.org\r\nCc: bob@example.org"]
  ])("names no recipient if the returned message does not show a single one: %j", (to) => {
    expect(complaint(["Feedback-Type: abuse", "Original-Rcpt-To: redacted"], [to, "", "Hi"]).reports).toMatchObject([
      { recipients: [] }
    ])
  })

  it("looks for the recipient in 64 Ki characters of the returned message", () => {
    const long = Array.from({ length: 5 }, () => `To: ${"x".repeat(16_000)}`)
    const recipientsIn = (fields: ReadonlyArray<string>) =>
      complaint(["Feedback-Type: abuse"], [...fields, "", "Hi"]).reports
    expect(recipientsIn([...long.slice(0, 3), "Cc: ada@example.org"])).toMatchObject([
      { recipients: ["ada@example.org"] }
    ])
    expect(recipientsIn([...long, "Cc: ada@example.org"])).toMatchObject([{ recipients: [] }])
  })

  it("reads the complaint of Outlook.com, which has no fields", () => {
    const raw = (subject: string) =>
      mail(
        "From: staff@provider.example",
        `Subject: ${subject}`,
        "Content-Type: multipart/mixed; boundary=b",
        "",
        "--b",
        "Content-Type: message/rfc822",
        "",
        "X-HmXmrOriginalRecipient: <ada@example.org>",
        ...returned,
        "--b--"
      )
    const read = readReports(raw("complaint about message from 192.0.2.1"))
    expect(read.kind).toBe("complaint")
    expect(read.reports).toEqual([
      {
        _tag: "Complaint",
        feedbackType: "abuse",
        recipients: ["ada@example.org"],
        originalMailFrom: "b+del_1.abc@shop.example",
        standard: false
      }
    ])
    expect(readReports(raw("Fwd: your order")).kind).toBe("other")
  })
})

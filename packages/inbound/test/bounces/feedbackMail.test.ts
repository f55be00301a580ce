/**
 * Tests of the mapping of reports in mail to reports of the core.
 */
import { describe, expect, it } from "vitest"
import { toCoreReport } from "../../src/bounces/feedbackMail.ts"
import type { ComplaintReport, DeliveryStatusReport } from "../../src/reports/MailReport.ts"

const status = (change: Partial<DeliveryStatusReport>): DeliveryStatusReport => ({
  _tag: "DeliveryStatus",
  recipient: "ada@example.org",
  originalRecipient: null,
  action: "failed",
  status: "5.1.1",
  code: 550,
  command: "rcpt",
  diagnostic: "No such user",
  cause: "mailbox-unknown",
  standard: true,
  ...change
})

const complaint = (feedbackType: ComplaintReport["feedbackType"]): ComplaintReport => ({
  _tag: "Complaint",
  feedbackType,
  recipients: [],
  originalMailFrom: null,
  standard: true
})

const details = { smtpCode: 550, enhancedCode: "5.1.1", text: "No such user" }

describe("toCoreReport", () => {
  it.each([
    ["an unknown mailbox", status({}), { kind: "bounced", cause: "mailbox_unknown", ...details }],
    [
      "an unknown domain",
      status({ cause: "domain-unknown" }),
      { kind: "bounced", cause: "mailbox_unknown", ...details }
    ],
    ["another refusal", status({ cause: "refused" }), { kind: "bounced", cause: "refused", ...details }],
    [
      "temporary failures until the end",
      status({ cause: "expired" }),
      { kind: "bounced", cause: "expired", ...details }
    ],
    [
      "a failure without usable codes",
      status({ status: "5.x", code: 42 }),
      { kind: "bounced", cause: "mailbox_unknown", ...details, smtpCode: null, enhancedCode: null }
    ],
    ["a delivery", status({ action: "delivered", cause: null }), { kind: "delivered", ...details }],
    ["a delay", status({ action: "delayed", cause: null }), null],
    ["a relayed message", status({ action: "relayed", cause: null }), null],
    ["an expanded list", status({ action: "expanded", cause: null }), null],
    ["abuse", complaint("abuse"), { kind: "complained" }],
    ["a virus", complaint("virus"), { kind: "complained" }],
    ["an opt-out", complaint("opt-out"), { kind: "complained" }],
    ["the opposite of a complaint", complaint("not-spam"), null],
    ["a failed authentication", complaint("auth-failure"), null]
  ])("maps %s", (_, report, expected) => {
    expect(toCoreReport(report)).toEqual(expected)
  })
})

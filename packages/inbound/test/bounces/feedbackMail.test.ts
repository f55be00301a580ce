/**
 * Tests of the mapping of reports in mail to reports of the core.
 */
import { Feedback } from "@mailkeep/core"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { feedbackMail, toCoreReport, toCoreReports } from "../../src/bounces/feedbackMail.ts"
import type { ComplaintReport, DeliveryStatusReport } from "../../src/reports/MailReport.ts"
import { readReports } from "../../src/reports/readReports.ts"
import { notification } from "../reports/sampleMail.ts"

const status = (change: Partial<DeliveryStatusReport>): DeliveryStatusReport => ({
  _tag: "DeliveryStatus",
  recipient: "ada@example.org",
  originalRecipient: null,
  action: "failed",
  enhancedCode: "5.1.1",
  smtpCode: 550,
  command: "rcpt",
  diagnostic: "No such user",
  cause: "mailbox_unknown",
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
      status({ cause: "domain_unknown" }),
      { kind: "bounced", cause: "domain_unknown", ...details }
    ],
    ["another refusal", status({ cause: "refused" }), { kind: "bounced", cause: "refused", ...details }],
    [
      "temporary failures until the end",
      status({ cause: "expired" }),
      { kind: "bounced", cause: "expired", ...details }
    ],
    [
      "a failure without usable codes",
      status({ enhancedCode: "5.x", smtpCode: 42 }),
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

describe("toCoreReports", () => {
  it("returns the first report of each kind and cause, in their order", () => {
    const reports = [
      status({ diagnostic: "first" }),
      complaint("not-spam"),
      status({ diagnostic: "second", enhancedCode: "5.1.10" }),
      status({ cause: "refused" }),
      status({ action: "delivered", cause: null }),
      complaint("abuse"),
      complaint("fraud")
    ]
    expect(toCoreReports(reports)).toEqual([
      { kind: "bounced", cause: "mailbox_unknown", ...details, text: "first" },
      { kind: "bounced", cause: "refused", ...details },
      { kind: "delivered", ...details },
      { kind: "complained" }
    ])
  })
})

type Received = Effect.Success<ReturnType<Feedback["Service"]["receive"]>>

const recorded: Received = { projectId: "prj_1", deliveryId: "del_1", outcome: "recorded", status: "bounced" }
const unmatched: Received = { outcome: "unmatched" }

/** Receives one message with a report for each given answer of the core. */
const receiveReports = (answers: ReadonlyArray<Received>) => {
  const left = [...answers]
  const raw = notification({
    recipients: answers.map((_, index) => ({
      "Final-Recipient": `rfc822; r${index}@example.org`,
      Action: "failed",
      Status: ["5.1.1", "5.1.2"][index]!
    }))
  })
  return Effect.flatMap(feedbackMail, (mail) =>
    mail.receive({
      envelopeSender: "",
      envelopeRecipient: "b+x@example.org",
      raw,
      reports: () => readReports(raw, { envelopeSender: "" })
    })
  ).pipe(
    Effect.provideService(Feedback, {
      report: () => Effect.die("not used"),
      receive: () => Effect.succeed(left.shift() ?? unmatched),
      isReturnPath: () => Effect.succeed(true)
    })
  )
}

describe("feedbackMail", () => {
  it.each<[string, ReadonlyArray<Received>, string]>([
    ["the first report", [recorded, unmatched], "recorded"],
    ["the last report", [unmatched, recorded], "recorded"],
    ["no report", [unmatched, unmatched], "unmatched"]
  ])("returns the strongest outcome of a message when the core records %s", async (_, answers, outcome) => {
    expect(await Effect.runPromise(receiveReports(answers))).toBe(outcome)
  })
})

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
  ])("gives the core the report of %s", (_, report, expected) => {
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
      complaint("abuse"),
      complaint("fraud")
    ]
    expect(toCoreReports(reports)).toEqual([
      { kind: "bounced", cause: "mailbox_unknown", ...details, text: "first" },
      { kind: "bounced", cause: "refused", ...details },
      { kind: "complained" }
    ])
  })
})

describe("toCoreReport, in a message with several reports", () => {
  const gone = status({ recipient: "gone@other.example", originalRecipient: "ada@example.org" })
  const alive = status({ ...gone, recipient: "alive@other.example", action: "delivered", cause: null })

  it.each<[string, ReadonlyArray<DeliveryStatusReport>, string]>([
    ["another recipient got the message", [gone, alive], "refused"],
    ["the message was delivered to a recipient without a name", [gone, { ...alive, recipient: null }], "refused"],
    ["several recipients failed", [gone, status({ ...gone, recipient: "also@other.example" })], "refused"],
    ["a list was expanded", [gone, { ...alive, recipient: "ada@example.org", action: "expanded" }], "refused"],
    ["the same recipient got the message", [gone, { ...alive, recipient: "GONE@other.example" }], "refused"],
    [
      "the same recipient was delayed before",
      [gone, { ...alive, recipient: gone.recipient, action: "delayed" }],
      "mailbox_unknown"
    ],
    ["there is no other report", [gone], "mailbox_unknown"]
  ])("decides the cause when %s", (_, all, cause) => {
    expect(toCoreReport(gone, all)).toMatchObject({ kind: "bounced", cause })
  })

  it("doubts that an address is unreachable when only one member was", () => {
    const expired = status({ ...gone, cause: "expired", enhancedCode: "4.4.7" })
    expect(toCoreReport(expired, [expired, alive])).toMatchObject({ cause: "refused", enhancedCode: "4.4.7" })
  })
})

type Received = Effect.Success<ReturnType<Feedback["Service"]["receive"]>>

const recorded: Received = { projectId: "prj_1", deliveryId: "del_1", outcome: "recorded", status: "bounced" }
const unmatched: Received = { outcome: "unmatched" }

/** Receives one message with a report for each given answer of the core. `given` gets the reports that the core receives. */
const receiveReports = (answers: ReadonlyArray<Received>, given: Array<unknown> = []) => {
  const left = [...answers]
  const raw = notification({
    recipients: answers.map((_, index) => ({
      "Final-Recipient": `rfc822; r${index}@example.org`,
      Action: ["failed", "delivered"][index]!,
      Status: ["5.1.1", "2.0.0"][index]!
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
      receive: (_, report) => Effect.sync(() => (given.push(report), left.shift() ?? unmatched)),
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

  it("doubts every failure of a message that reports several recipients", async () => {
    const given: Array<unknown> = []
    await Effect.runPromise(receiveReports([recorded, recorded], given))
    expect(given).toMatchObject([{ kind: "bounced", cause: "refused" }, { kind: "delivered" }])
  })

  it("doubts the failure of an alias of which Exim reports two members", () => {
    const member = { Action: "failed", "Final-Recipient": "rfc822;team@example.org", Status: "5.0.0" }
    const raw = notification({
      header: ["X-Failed-Recipients: ada@other.example,", "  bob@other.example"],
      explanation: [
        "  ada@other.example",
        "    550 5.1.1 No such user",
        "  bob@other.example",
        "    550 5.1.1 No such user"
      ],
      recipients: [1, 2].map(() => ({ ...member, "Diagnostic-Code": "smtp; 550 5.1.1 No such user" }))
    })
    expect(toCoreReports(readReports(raw).reports)).toMatchObject([{ kind: "bounced", cause: "refused" }])
  })
})

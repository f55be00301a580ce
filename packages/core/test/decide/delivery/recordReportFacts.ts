/**
 * Reports with what each one changes, and the facts in which they arrive.
 */
import { Result } from "effect"
import type { RecordReportFacts } from "../../../src/decide/delivery/recordReport.ts"
import { recordReport } from "../../../src/decide/delivery/recordReport.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { DeliveryReport, ValidDeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import { parseDeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import type { DeliveryStatus } from "../../../src/domain/delivery/DeliveryStatus.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { attempt, delivery, keyedAddress, now } from "../fixtures.ts"

const valid = (report: DeliveryReport): ValidDeliveryReport => Result.getOrThrow(parseDeliveryReport(report))

export const facts = (
  state: Partial<Delivery> = {},
  suppression: SuppressionRecord | null = null,
  at: number = now
): RecordReportFacts => ({
  now: at,
  eventId: "evt_1",
  delivery: delivery({ status: "accepted", attemptCount: 1, acceptedAt: now, ...state }),
  attempt: attempt({ phase: "ended", outcome: "accepted" }),
  keyedAddress,
  suppression
})

/** The delivery and the suppression after the commit of a decision. */
const applied = (changes: ReadonlyArray<Change>, before: RecordReportFacts): RecordReportFacts => {
  let after = before
  for (const change of inCommitOrder(changes)) {
    if (change._tag === "TransitionDelivery") after = { ...after, delivery: { ...after.delivery, ...change.next } }
    if (change._tag === "PutSuppression") after = { ...after, suppression: change.suppression }
  }
  return after
}

export const recorded = (report: DeliveryReport, from: RecordReportFacts = facts()) => {
  const decision = recordReport(valid(report), from)
  return { ...decision, after: applied(decision.changes, from) }
}

type Row = readonly [
  name: string,
  report: DeliveryReport,
  status: DeliveryStatus,
  reason: string | null,
  bounceType: string | null,
  suppressed: ReadonlyArray<string>
]

export const rows: ReadonlyArray<Row> = [
  ["a delivery", { kind: "delivered" }, "delivered", null, null, []],
  ["a complaint", { kind: "complained" }, "complained", "complaint", null, ["complaint"]],
  ["a bounce without codes", { kind: "bounced" }, "bounced", "hard_bounce", "hard", ["hard_bounce"]],
  [
    "an unknown mailbox",
    { kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  [
    "an unknown host by its enhanced code alone",
    { kind: "bounced", enhancedCode: "5.1.2" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  [
    "an unknown user by the text of a bare 550",
    { kind: "bounced", smtpCode: 550, text: "No such user here" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  [
    "an unknown mailbox by its enhanced code, which is more exact than a temporary code",
    { kind: "bounced", smtpCode: 450, enhancedCode: "5.1.1" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  ["a bare 550 without an explanation", { kind: "bounced", smtpCode: 550 }, "bounced", "recipient_blocked", "hard", []],
  [
    "a full mailbox",
    { kind: "bounced", smtpCode: 552, enhancedCode: "5.2.2" },
    "bounced",
    "recipient_blocked",
    "soft",
    []
  ],
  [
    "a full mailbox until the relay gave up",
    { kind: "bounced", cause: "expired", smtpCode: 452, enhancedCode: "4.2.2" },
    "bounced",
    "recipient_blocked",
    "soft",
    []
  ],
  [
    "a full mailbox of which only the text speaks, until the relay gave up",
    { kind: "bounced", cause: "expired", enhancedCode: "5.0.0", text: "mailbox is full: retry timeout exceeded" },
    "bounced",
    "recipient_blocked",
    "soft",
    []
  ],
  ["a policy", { kind: "bounced", smtpCode: 550, enhancedCode: "5.7.1" }, "bounced", "message_blocked", "hard", []],
  [
    "a policy by its enhanced code alone",
    { kind: "bounced", enhancedCode: "5.7.1" },
    "bounced",
    "message_blocked",
    "hard",
    []
  ],
  [
    "the end of the relay's retries",
    { kind: "bounced", smtpCode: 451, enhancedCode: "4.4.1" },
    "bounced",
    "temporary_failure",
    "soft",
    ["temporary_failure"]
  ],
  [
    "the end of the retries of Exchange Online",
    { kind: "bounced", smtpCode: 550, enhancedCode: "5.4.312", text: "Message expired, DNS query failed" },
    "bounced",
    "temporary_failure",
    "soft",
    ["temporary_failure"]
  ],
  [
    "the end of the relay's retries with a permanent code",
    { kind: "bounced", smtpCode: 554, enhancedCode: "5.4.7" },
    "bounced",
    "temporary_failure",
    "soft",
    ["temporary_failure"]
  ],
  [
    "a mailbox that its source does not know, whatever the code",
    { kind: "bounced", cause: "mailbox_unknown", enhancedCode: "5.7.1" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  [
    "a domain that its source does not know, whatever the code",
    { kind: "bounced", cause: "domain_unknown", enhancedCode: "5.7.1" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  [
    "a refusal that its source doubts, whatever the code",
    { kind: "bounced", cause: "refused", enhancedCode: "5.1.1" },
    "bounced",
    "recipient_blocked",
    "hard",
    []
  ],
  [
    "a refusal with 5.0.0, which says no more than that it is permanent",
    { kind: "bounced", cause: "refused", enhancedCode: "5.0.0" },
    "bounced",
    "recipient_blocked",
    "hard",
    []
  ],
  ["5.0.0 alone", { kind: "bounced", enhancedCode: "5.0.0" }, "bounced", "recipient_blocked", "hard", []],
  [
    "a bare 550 with 5.0.0",
    { kind: "bounced", cause: "refused", smtpCode: 550, enhancedCode: "5.0.0" },
    "bounced",
    "recipient_blocked",
    "hard",
    []
  ],
  [
    "a bare 554 with 5.0.0",
    { kind: "bounced", cause: "refused", smtpCode: 554, enhancedCode: "5.0.0" },
    "bounced",
    "message_blocked",
    "hard",
    []
  ],
  [
    "an unknown user by the text of a bare 550 with 5.0.0",
    { kind: "bounced", smtpCode: 550, enhancedCode: "5.0.0", text: "No such user here" },
    "bounced",
    "hard_bounce",
    "hard",
    ["hard_bounce"]
  ],
  ["a refusal without a code", { kind: "bounced", cause: "refused" }, "bounced", "recipient_blocked", "hard", []],
  [
    "a bounce that its source calls soft",
    { kind: "bounced", cause: "expired", enhancedCode: "5.1.1" },
    "bounced",
    "temporary_failure",
    "soft",
    ["temporary_failure"]
  ]
]

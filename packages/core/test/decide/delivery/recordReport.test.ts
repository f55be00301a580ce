import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { RecordReportFacts } from "../../../src/decide/delivery/recordReport.ts"
import { recordReport } from "../../../src/decide/delivery/recordReport.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import type { Delivery } from "../../../src/domain/delivery/Delivery.ts"
import type { DeliveryReport, ValidDeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import { parseDeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import type { DeliveryReason, DeliveryStatus } from "../../../src/domain/delivery/DeliveryStatus.ts"
import { deliveryStatuses } from "../../../src/domain/delivery/DeliveryStatus.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { attempt, delivery, keyedAddress, now } from "../fixtures.ts"

const valid = (report: DeliveryReport): ValidDeliveryReport => Result.getOrThrow(parseDeliveryReport(report))

const facts = (
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

const recorded = (report: DeliveryReport, from: RecordReportFacts = facts()) => {
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

const rows: ReadonlyArray<Row> = [
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
  ["a policy", { kind: "bounced", smtpCode: 550, enhancedCode: "5.7.1" }, "bounced", "message_blocked", "hard", []],
  [
    "the end of the relay's retries",
    { kind: "bounced", smtpCode: 451, enhancedCode: "4.4.1" },
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
    { kind: "bounced", cause: "mailbox_unknown", enhancedCode: "5.4.4" },
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

describe("recordReport", () => {
  it.each(rows)(
    "records %s with its status, reason and kind of bounce, and with the suppression that follows",
    (_, report, status, reason, bounceType, suppressed) => {
      const { after, answer, changes } = recorded({ text: "words", ...report })
      expect(answer).toEqual({ outcome: "recorded", status })
      expect(after.delivery).toMatchObject({ status, reason, bounceType })
      expect(Object.keys(after.suppression?.reasons ?? {})).toEqual(suppressed)
      expect(changes.filter(({ _tag }) => _tag === "AppendEvent")).toHaveLength(1)
    }
  )

  it("keeps the codes and the text of the report in the event", () => {
    const { changes } = recorded({ kind: "bounced", smtpCode: 550, enhancedCode: "5.1.1", text: "User\r\nunknown" })
    const event = changes.find((change) => change._tag === "AppendEvent")!
    expect(event._tag === "AppendEvent" && event.event.data).toMatchObject({
      smtpCode: 550,
      enhancedCode: "5.1.1",
      message: "User unknown"
    })
  })

  it("does not keep the positive reply of the relay as the message of a bounce", () => {
    const accepted = facts({ statusMessage: "Ok: queued as 12" })
    expect(recorded({ kind: "bounced", text: "Unknown" }, accepted).after.delivery.statusMessage).toBe("Unknown")
    expect(recorded({ kind: "bounced", enhancedCode: "5.1.1" }, accepted).after.delivery.statusMessage).toBeNull()
    for (const kind of ["delivered", "complained"] as const)
      expect(recorded({ kind }, accepted).after.delivery.statusMessage).toBe("Ok: queued as 12")
  })

  it("changes nothing for a delivery that was never handed over", () => {
    const never = ["scheduled", "canceled", "suppressed"] as const
    const report: DeliveryReport = { kind: "complained" }
    for (const status of never) expect(recorded(report, facts({ status })).changes).toEqual([])
    for (const attemptCount of [0, 1])
      expect(recorded(report, facts({ status: "queued", attemptCount, reachedRelay: false })).changes).toEqual([])
    const started = { ...facts({ status: "sending", worker: "w" }), attempt: attempt() }
    expect(recorded(report, started).changes).toEqual([])
    const failed = facts({ status: "failed", reason: "message_blocked" })
    expect(recorded(report, failed)).toMatchObject({ changes: [], answer: { outcome: "unchanged", status: "failed" } })
  })

  it.each<[DeliveryStatus, DeliveryReason]>([
    ["failed", "message_blocked"],
    ["failed", "temporary_failure"],
    ["suppressed", "manual"]
  ])("suppresses after an ambiguous attempt, and keeps the status %s with %s", (status, reason) => {
    const ended = facts({ status, reason, ambiguousAttempts: 1 })
    for (const [report, suppressed] of [
      [{ kind: "complained" }, ["complaint"]],
      [{ kind: "bounced", enhancedCode: "5.1.1" }, ["hard_bounce"]]
    ] as const) {
      const { after, answer } = recorded(report, ended)
      expect(answer).toEqual({ outcome: "recorded", status })
      expect(after.delivery).toEqual(ended.delivery)
      expect(Object.keys(after.suppression!.reasons)).toEqual(suppressed)
    }
    expect(recorded({ kind: "delivered" }, ended)).toMatchObject({ changes: [], answer: { outcome: "unchanged" } })
  })

  it("records a report about a queued delivery that has reached the relay", () => {
    const { after } = recorded({ kind: "delivered" }, facts({ status: "queued", reachedRelay: true }))
    expect(after.delivery.status).toBe("delivered")
  })

  it("records a report about a delivery that an earlier attempt brought to the relay, and stops the attempt that has sent nothing yet", () => {
    for (const state of [{ reachedRelay: true }, { ambiguousAttempts: 1 }]) {
      const again = { ...facts({ status: "sending", worker: "w", ...state }), attempt: attempt({ number: 2 }) }
      const { after, changes } = recorded({ kind: "delivered" }, again)
      expect(after.delivery.status).toBe("delivered")
      expect(changes).toContainEqual(
        expect.objectContaining({
          _tag: "TransitionAttempt",
          from: "started",
          next: expect.objectContaining({ phase: "ended", outcome: "stopped" })
        })
      )
    }
  })

  it("settles an uncertain delivery", () => {
    const uncertain = facts({ status: "failed", reason: "delivery_uncertain" })
    expect(recorded({ kind: "delivered" }, uncertain).after.delivery.status).toBe("delivered")
    expect(recorded({ kind: "bounced" }, uncertain).after.delivery.status).toBe("bounced")
  })

  it("ends the attempt that is under way", () => {
    const sending = { ...facts({ status: "sending", worker: "w" }), attempt: attempt({ phase: "finalizing" }) }
    const { changes } = recorded({ kind: "delivered" }, sending)
    expect(changes).toContainEqual(
      expect.objectContaining({
        _tag: "TransitionAttempt",
        from: "finalizing",
        next: expect.objectContaining({ phase: "ended", outcome: "delivered" })
      })
    )
  })

  it("suppresses the address of a hard bounce after a complaint, and keeps the status", () => {
    const complained = recorded({ kind: "complained" }).after
    const { after, answer } = recorded({ kind: "bounced", enhancedCode: "5.1.1" }, complained)
    expect(answer).toEqual({ outcome: "recorded", status: "complained" })
    expect(Object.keys(after.suppression!.reasons)).toEqual(["complaint", "hard_bounce"])
  })

  it("does not extend the suppression of a soft bounce when the report is repeated", () => {
    const report: DeliveryReport = { kind: "bounced", enhancedCode: "4.4.1" }
    const first = recorded(report).after
    expect(recorded(report, { ...first, now: now + 29 * dayMillis }).changes).toEqual([])
  })
})

const reports = fc.constantFrom<DeliveryReport>(...rows.map(([, report]) => report))

describe("recordReport, for every sequence of reports", () => {
  it("ends in the same status for every order and repetition", () => {
    const orders = fc
      .array(reports, { minLength: 1, maxLength: 6 })
      .chain((all) => fc.tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.constant(all)))
    const statusAfter = (all: ReadonlyArray<DeliveryReport>) =>
      all.reduce((at, report) => recorded(report, at).after, facts()).delivery.status
    fc.assert(
      fc.property(orders, fc.nat(5), ([shuffled, all], again) => {
        expect(statusAfter([...shuffled, shuffled[again % shuffled.length]!])).toBe(statusAfter(all))
      })
    )
  })

  it("changes nothing when the last report is repeated", () => {
    fc.assert(
      fc.property(fc.constantFrom(...deliveryStatuses), reports, (status, report) => {
        const { after } = recorded(report, facts({ status }))
        expect(recorded(report, after).changes).toEqual([])
      })
    )
  })

  it("writes changes that one commit can hold", () => {
    fc.assert(
      fc.property(fc.constantFrom(...deliveryStatuses), reports, (status, report) => {
        expect(() => inCommitOrder(recorded(report, facts({ status })).changes)).not.toThrow()
      })
    )
  })
})

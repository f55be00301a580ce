import { describe, expect, it } from "vitest"
import type { DeliveryReport } from "../../../src/domain/delivery/DeliveryReport.ts"
import type { DeliveryReason, DeliveryStatus } from "../../../src/domain/delivery/DeliveryStatus.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { attempt, now } from "../fixtures.ts"
import { facts, recorded, rows } from "./recordReportFacts.ts"

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
    for (const reachedRelay of [false, true])
      expect(recorded(report, facts({ status: "failed", reason: "message_blocked", reachedRelay }))).toMatchObject({
        changes: [],
        answer: { outcome: "unchanged", status: "failed" }
      })
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

  it.each([
    ["delivered", "delivered"],
    ["bounced", "accepted"],
    ["complained", "accepted"]
  ] as const)("ends the attempt that is under way when the mail is reported as %s", (kind, outcome) => {
    const sending = { ...facts({ status: "sending", worker: "w" }), attempt: attempt({ phase: "finalizing" }) }
    const { changes } = recorded({ kind }, sending)
    expect(changes).toContainEqual(
      expect.objectContaining({
        _tag: "TransitionAttempt",
        from: "finalizing",
        next: expect.objectContaining({ phase: "ended", outcome })
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

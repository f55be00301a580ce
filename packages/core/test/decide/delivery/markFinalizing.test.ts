import { describe, expect, it } from "vitest"
import { isSuppressionChange, markFinalizing } from "../../../src/decide/delivery/markFinalizing.ts"
import type { Change } from "../../../src/domain/store/Change.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { attempt, delivery, now, suppression } from "../fixtures.ts"

describe("markFinalizing", () => {
  const begun = { delivery: delivery({ status: "sending", worker: "w" }), attempt: attempt() }
  const mark = (existing: ReturnType<typeof suppression> | null) =>
    markFinalizing({
      now,
      eventId: "evt_1",
      ...begun,
      addressKey: "key-of-ada",
      suppression: existing,
      leaseUntil: now + 30_000
    })

  it("permits finalizing only while the suppression is unchanged since it was read", () => {
    expect(mark(null)).toMatchObject({
      answer: true,
      changes: [
        { _tag: "Expect", revision: null },
        { _tag: "TransitionAttempt", from: "started", next: { phase: "finalizing" } },
        { _tag: "RenewLease", worker: "w", leaseUntil: now + 30_000 }
      ]
    })
    const lapsed = { ...suppression("temporary_failure"), reasons: { temporary_failure: 0 } }
    expect(mark(lapsed)).toMatchObject({ answer: true, changes: [{ _tag: "Expect", revision: 3 }, {}, {}] })
  })

  it("refuses finalizing for a suppressed recipient, ends the attempt and refunds the charge", () => {
    const { answer, changes } = mark(suppression("unsubscribed"))
    expect(answer).toBe(false)
    expect(changes.find(({ _tag }) => _tag === "TransitionDelivery")).toMatchObject({
      next: { status: "suppressed", reason: "unsubscribed", chargedAt: null }
    })
    expect(changes.find(({ _tag }) => _tag === "TransitionAttempt")).toMatchObject({
      from: "started",
      next: { phase: "ended", outcome: "suppressed" }
    })
  })

  it.each<[Change["_tag"], boolean]>([
    ["Expect", true],
    ["TransitionAttempt", false]
  ])("decides by the change %s whether the suppression or the claim has changed", (change, isSuppression) =>
    expect(isSuppressionChange(new Conflict({ at: 0, change, reason: "Stale" }))).toBe(isSuppression)
  )

  it("leaves a lease alone that was set a short time ago", () => {
    const { answer, changes } = markFinalizing({
      now,
      eventId: "evt_1",
      ...begun,
      addressKey: "key-of-ada",
      suppression: null,
      leaseUntil: null
    })
    expect(answer).toBe(true)
    expect(changes.map(({ _tag }) => _tag)).toEqual(["Expect", "TransitionAttempt"])
  })

  it("renews no lease for a delivery without a worker", () => {
    const { changes } = markFinalizing({
      now,
      eventId: "evt_1",
      delivery: delivery({ status: "sending", worker: null }),
      attempt: attempt(),
      addressKey: "key-of-ada",
      suppression: null,
      leaseUntil: now + 30_000
    })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["Expect", "TransitionAttempt"])
  })
})

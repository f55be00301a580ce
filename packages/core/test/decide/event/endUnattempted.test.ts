import { describe, expect, it } from "vitest"
import { endUnattempted } from "../../../src/decide/event/endUnattempted.ts"
import { eventDelivery, now } from "../fixtures.ts"

describe("endUnattempted", () => {
  it("fails each event delivery with `event_deleted`, and counts no attempt", () => {
    const claimed = [eventDelivery({ id: "evd_1" }), eventDelivery({ id: "evd_2", subscriber: "sub_1" })]
    const { answer, changes } = endUnattempted(claimed, now)
    const ended = {
      status: "failed",
      dueAt: null,
      worker: null,
      attemptCount: 0,
      endedAt: now,
      latestAttempts: [{ at: now, status: null, error: "event_deleted", durationMillis: 0 }]
    }
    expect(answer).toMatchObject([
      { id: "evd_1", ...ended },
      { id: "evd_2", ...ended }
    ])
    expect(changes).toMatchObject(
      claimed.map(({ id, fencingToken }) => ({
        _tag: "TransitionEventDelivery",
        id,
        from: "pending",
        fencingToken,
        next: { ...ended, fencingToken: fencingToken + 1 }
      }))
    )
  })

  it("changes nothing without event deliveries", () => {
    expect(endUnattempted([], now)).toEqual({ answer: [], changes: [] })
  })
})

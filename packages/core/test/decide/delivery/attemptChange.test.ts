import { describe, expect, it } from "vitest"
import { attemptChange, endedAttemptChange } from "../../../src/decide/delivery/attemptChange.ts"
import { freshAttempt } from "../../../src/domain/delivery/Delivery.ts"
import { attempt, delivery, now } from "../fixtures.ts"

const sending = delivery({ status: "sending", fencingToken: 9 })
const started = attempt({ number: 2, startedAt: now - 30 })

describe("endedAttemptChange", () => {
  it("stores the codes and the text of the reply, and how long the attempt took", () => {
    const reply = { stage: "rcpt", smtpCode: 550, enhancedCode: "5.1.1", text: "No such user" } as const
    expect(endedAttemptChange(started, sending, { outcome: "rejected", reply, statusMessage: "ignored" }, now)).toEqual(
      {
        _tag: "TransitionAttempt",
        projectId: "prj_test",
        deliveryId: started.deliveryId,
        number: 2,
        fencingToken: 9,
        from: "started",
        next: {
          phase: "ended",
          outcome: "rejected",
          smtpCode: 550,
          enhancedCode: "5.1.1",
          statusMessage: expect.stringContaining("No such user"),
          durationMillis: 30
        }
      }
    )
  })

  it("stores the explanation when there is no reply, and no negative duration", () => {
    const end = { outcome: "no_reply", statusMessage: "The connection was lost." } as const
    expect(endedAttemptChange(started, sending, end, now - 60)).toMatchObject({
      next: { smtpCode: null, enhancedCode: null, statusMessage: "The connection was lost.", durationMillis: 0 }
    })
  })
})

describe("attemptChange", () => {
  it("guards the phase that the attempt had", () => {
    const finalizing = attempt({ ...started, phase: "finalizing" })
    expect(attemptChange(finalizing, sending, { ...freshAttempt, phase: "ended" })).toMatchObject({
      from: "finalizing",
      next: { phase: "ended" }
    })
  })
})

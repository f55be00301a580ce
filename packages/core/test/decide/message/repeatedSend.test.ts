/**
 * How `acceptSend` answers a send with a used idempotency key.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { acceptSend } from "../../../src/decide/message/acceptSend.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { acceptSendFacts as facts } from "./acceptSendFacts.ts"
import { now } from "../fixtures.ts"
import { command, earlier } from "./sendCommand.ts"

describe("acceptSend, for a repeated send", () => {
  it("returns the earlier result without a change, also when the time, the domain or the plan would refuse it", () => {
    const known = facts({ idempotencyRecord: earlier, domain: null, plan: { ...noLimits, dailySends: 0 } })
    expect(acceptSend(command({ scheduledAt: now - 1 }), known)).toEqual(
      Result.succeed({ changes: [], answer: { ...earlier.result, replayed: true } })
    )
  })

  it("accepts the send again when the record has expired", () => {
    const { answer } = Result.getOrThrow(
      acceptSend(command(), facts({ idempotencyRecord: { ...earlier, expiresAt: now } }))
    )
    expect(answer.replayed).toBe(false)
    expect(answer.messageId).not.toBe("msg_0")
  })
})

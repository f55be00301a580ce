import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AcceptSend, AcceptSendFacts } from "../../../src/decide/message/acceptSend.ts"
import { acceptSend } from "../../../src/decide/message/acceptSend.ts"
import type { EarlierSend } from "../../../src/decide/message/plannedSend.ts"
import { plannedSend } from "../../../src/decide/message/plannedSend.ts"
import { Principal } from "../../../src/domain/access/ApiKey.ts"
import { parseSendOptions } from "../../../src/domain/message/SendOptions.ts"
import type { SendInput } from "../../../src/domain/message/SendInput.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import { acceptSendFacts } from "./acceptSendFacts.ts"
import { delivery, ids, message, now, project, suppression, validSend } from "../fixtures.ts"

const command = (input: Partial<SendInput> = {}): AcceptSend => ({
  principal: Principal.embedded(project),
  send: validSend(input),
  options: Result.getOrThrow(parseSendOptions({})),
  idempotency: { key: "k", fingerprint: "fingerprint" },
  attachments: []
})

const facts = (change: Partial<AcceptSendFacts> = {}): AcceptSendFacts =>
  acceptSendFacts({ ids, usage: { daily: 10, allowance: 20, scheduledRecipients: 30 }, ...change })

const planOf = (sent: AcceptSend, known: AcceptSendFacts, earlier: EarlierSend | null = null) =>
  plannedSend(sent, { ...known, earlier }, acceptSend(sent, known))

const three = { to: ["Ada@example.org", "bob@example.org", "ada@EXAMPLE.org", "eve@example.org"] }

const usage = (daily: number, allowance: number, scheduledRecipients: number, limit: number | null = null) => ({
  dailySends: { before: 10, after: daily, limit },
  sendingAllowance: { before: 20, after: allowance, limit: null },
  scheduledRecipients: { before: 30, after: scheduledRecipients, limit: null }
})

describe("plannedSend", () => {
  it("shows for an immediate send who is queued, who is suppressed and why, and what it would count", () => {
    const planned = planOf(command(three), facts({ suppressions: [null, suppression("complaint"), null] }))
    expect(planned).toMatchObject({
      outcome: "accepted",
      refusal: null,
      messageId: null,
      scheduledAt: null,
      recipients: [
        { recipient: "Ada@example.org", kind: "to", outcome: "queued", reason: null, deliveryId: null },
        { recipient: "bob@example.org", kind: "to", outcome: "suppressed", reason: "complaint" },
        { recipient: "eve@example.org", kind: "to", outcome: "queued", reason: null }
      ],
      content: { from: "hello@example.com", subject: "Hello", text: "Hi", html: null },
      usage: usage(12, 22, 30)
    })
  })

  it("shows for a scheduled send who is suppressed now, and counts every recipient as scheduled", () => {
    const known = facts({ suppressions: [null, suppression("manual"), null] })
    const planned = planOf(command({ ...three, scheduledAt: now + dayMillis }), known)
    expect(planned).toMatchObject({ outcome: "accepted", scheduledAt: now + dayMillis, usage: usage(13, 20, 33) })
    expect(planned.recipients.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["scheduled", null],
      ["scheduled", "manual"],
      ["scheduled", null]
    ])
  })

  it("shows a refusal for all recipients, with the content and the usage as it is", () => {
    const planned = planOf(command(three), facts({ plan: { ...noLimits, dailySends: 12 } }))
    expect(planned).toMatchObject({
      outcome: "refused",
      refusal: { _tag: "PlanLimitReached", code: "daily_sending_limit_exceeded" },
      content: { subject: "Hello" },
      usage: usage(10, 20, 30, 12)
    })
    expect(planned.recipients.map(({ outcome }) => outcome)).toEqual(["refused", "refused", "refused"])
  })

  it("shows no content when the content is the cause of the refusal", () => {
    const planned = planOf(command({ templateId: "none" }), facts())
    expect(planned).toMatchObject({ outcome: "refused", refusal: { _tag: "InvalidArgument" }, content: null })
  })

  it("shows the earlier message and its deliveries when the idempotency key was used for the same send", () => {
    const result = { messageId: "msg_0", deliveryIds: ["del_0"], totalQueued: 1, scheduledAt: null } as const
    const idempotencyRecord = { projectId: project, key: "k", fingerprint: "fingerprint", result, expiresAt: now + 1 }
    const known = facts({ idempotencyRecord, plan: { ...noLimits, dailySends: 0 } })
    const deliveries = [delivery({ id: "del_0", status: "bounced", reason: "hard_bounce" })]
    expect(planOf(command(), known, { message: message({ subject: "Earlier" }), deliveries })).toMatchObject({
      outcome: "already_sent",
      messageId: "msg_0",
      recipients: [{ outcome: "already_sent", deliveryId: "del_0", status: "bounced", reason: "hard_bounce" }],
      content: { subject: "Earlier" },
      usage: usage(10, 20, 30, 0)
    })
    expect(planOf(command(), known)).toMatchObject({ outcome: "already_sent", recipients: [], content: null })
  })

  it("agrees with the decision for any recipients, suppressions and limits", () => {
    const limit = fc.option(fc.integer({ min: 5, max: 40 }), { nil: null })
    const names = fc.uniqueArray(fc.integer({ min: 0, max: 99 }), { minLength: 1, maxLength: 9 })
    fc.assert(
      fc.property(
        names,
        fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
        fc.option(fc.integer({ min: 1, max: 30 }), { nil: null }),
        fc.record({ dailySends: limit, sendingAllowance: limit, scheduledRecipients: limit }),
        (numbers, areSuppressed, days, limits) => {
          const scheduledAt = days === null ? undefined : now + days * dayMillis
          const sent = command({ to: numbers.map((n) => `r${n}@example.org`), scheduledAt })
          const suppressions = areSuppressed.map((is) => (is ? suppression("manual") : null))
          const known = facts({ suppressions, plan: { ...noLimits, ...limits } })
          const decided = acceptSend(sent, known)
          const planned = plannedSend(sent, { ...known, earlier: null }, decided)
          expect(planned.outcome === "accepted").toBe(Result.isSuccess(decided))
          expect(planned.recipients).toHaveLength(numbers.length)
          const sending = planned.recipients.filter(({ outcome }) => outcome === "queued" || outcome === "scheduled")
          expect(sending.length).toBe(Result.isSuccess(decided) ? decided.success.answer.totalQueued : 0)
          for (const { before, after, limit } of Object.values(planned.usage)) {
            expect(after).toBeGreaterThanOrEqual(before)
            if (after > before && limit !== null) expect(after).toBeLessThanOrEqual(limit)
          }
        }
      )
    )
  })
})

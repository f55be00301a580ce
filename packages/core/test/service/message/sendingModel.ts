/**
 * A small model of sending: its messages, its suppressions and what a plan allows.
 */
import type { DeliveryReason, DeliveryStatus } from "../../../src/index.ts"
import { minuteMillis, utcDayOf } from "../../../src/domain/value/Instant.ts"
import { start } from "@mailkeep/test-support"

export const plan = { dailySends: 8, sendingAllowance: 16, scheduledRecipients: 6 }

/** The relay rejects `dead`, which is then suppressed. */
export const people = ["ann", "bob", "cid", "dead"] as const
export type Person = (typeof people)[number]
export const addressOf = (person: Person) => `${person}@example.org`

export interface ModelDelivery {
  readonly person: Person
  status: DeliveryStatus
  reason: DeliveryReason | null
  dueAt: number
  day: string
  readonly byKey: boolean
}

interface ModelMessage {
  readonly key: string
  readonly input: string
  readonly deliveries: ReadonlyArray<ModelDelivery>
}

export class Model {
  now = start
  keyRevoked = false
  allowance = 0
  emitted = 0
  readonly suppressed = new Map<Person, DeliveryReason>()
  readonly messages: Array<ModelMessage> = []

  get all() {
    return this.messages.flatMap(({ deliveries }) => deliveries)
  }

  /** Deliveries that count for the day. A delivery that ended without a hand-off does not count. */
  daily(day: string) {
    return this.all.filter(
      (d) => d.day === day && d.status !== "canceled" && d.status !== "suppressed" && !this.ended(d)
    ).length
  }

  waiting() {
    return this.all.filter(({ status }) => status === "scheduled").length
  }

  ended({ status, reason }: ModelDelivery) {
    return status === "failed" && (reason === "quota_exceeded" || reason === "api_key_revoked")
  }

  /** When several hand-offs to `dead` run at once, the first rejection may suppress the others or be too late. */
  tick(outcomes: (one: ModelDelivery) => DeliveryStatus) {
    const due = this.all.filter(({ status, dueAt }) => status === "scheduled" && dueAt <= this.now)
    for (const one of due.toSorted((a, b) => a.dueAt - b.dueAt)) {
      const suppressed = this.suppressed.get(one.person)
      if (suppressed !== undefined) this.end(one, "suppressed", suppressed)
      else if (one.byKey && this.keyRevoked) this.end(one, "failed", "api_key_revoked")
      else if (this.allowance >= plan.sendingAllowance) this.end(one, "failed", "quota_exceeded")
      else {
        this.allowance++
        one.status = "queued"
      }
    }
    for (const one of this.all.filter(({ status }) => status === "queued")) {
      const suppressed = this.suppressed.get(one.person)
      if (suppressed !== undefined) this.suppressQueued(one, suppressed)
      else if (one.person !== "dead") this.end(one, "delivered", null)
      else if (outcomes(one) === "suppressed") this.suppressQueued(one, "hard_bounce")
      else this.end(one, "bounced", "hard_bounce")
    }
    if (this.all.some(({ status }) => status === "bounced")) this.suppress("dead", "hard_bounce")
  }

  suppressQueued(one: ModelDelivery, reason: DeliveryReason) {
    this.allowance--
    this.end(one, "suppressed", reason)
  }

  end(one: ModelDelivery, status: DeliveryStatus, reason: DeliveryReason | null) {
    one.status = status
    one.reason = reason
    this.emitted++
  }

  suppress(person: Person, reason: "manual" | "hard_bounce") {
    if (reason === "hard_bounce" || !this.suppressed.has(person)) this.suppressed.set(person, reason)
  }
}

export interface Send {
  readonly to: ReadonlyArray<Person>
  readonly aheadMinutes: number | null
  readonly byKey: boolean
  readonly key: string
}

/** The expected result of a send: the code of a refusal, or the message. */
export const expectedResult = (model: Model, send: Send, input: string): string | ModelMessage => {
  if (send.byKey && model.keyRevoked) return "unauthorized"
  const existingMessage = model.messages.find(({ key }) => key === send.key)
  if (existingMessage !== undefined) return existingMessage.input === input ? existingMessage : "idempotency_key_reused"
  const scheduledAt = send.aheadMinutes === null ? null : model.now + send.aheadMinutes * minuteMillis
  const day = utcDayOf(scheduledAt ?? model.now)
  const deliveries = send.to.map((person): ModelDelivery => {
    const suppressed = scheduledAt === null ? model.suppressed.get(person) : undefined
    return {
      person,
      status: suppressed !== undefined ? "suppressed" : scheduledAt === null ? "queued" : "scheduled",
      reason: suppressed ?? null,
      dueAt: scheduledAt ?? model.now,
      day,
      byKey: send.byKey
    }
  })
  const counted = deliveries.filter(({ status }) => status !== "suppressed").length
  if (counted > 0) {
    if (scheduledAt !== null && model.waiting() + counted > plan.scheduledRecipients)
      return "scheduled_recipient_limit_exceeded"
    if (model.daily(day) + counted > plan.dailySends) return "daily_sending_limit_exceeded"
    if (scheduledAt === null && model.allowance + counted > plan.sendingAllowance) return "sending_allowance_exceeded"
    if (scheduledAt === null) model.allowance += counted
  }
  return { key: send.key, input, deliveries }
}

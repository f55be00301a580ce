/**
 * Shows from the records of a delivery what happened to it: one entry for each fact, with a sentence. Source: decision 0049.
 */
import type { ApiKeyRecord } from "../../domain/access/ApiKey.ts"
import type { ProjectRecord } from "../../domain/access/Project.ts"
import type { SuppressionReason, SuppressionRecord } from "../../domain/contact/Suppression.ts"
import type { Attempt, Delivery } from "../../domain/delivery/Delivery.ts"
import type { DeliveryReason } from "../../domain/delivery/DeliveryStatus.ts"
import type { DeliveryEntry, DeliveryEntryFields } from "../../domain/delivery/DeliveryStory.ts"
import type { Message } from "../../domain/message/Message.ts"
import { idempotencyKeyOf } from "../../domain/message/Message.ts"
import type { Lease } from "../../domain/store/Lease.ts"
import type { EventWithDeliveries } from "../../domain/store/QueryAnswer.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { formatInstant } from "../../domain/value/Instant.ts"
import { attemptText, reasonTexts, replyText } from "../../domain/delivery/deliverySentences.ts"
import { reportedBeforeReply } from "./recordReport.ts"

/** The records from which a delivery is explained. */
export interface ExplainDeliveryFacts {
  readonly delivery: Delivery
  readonly message: Message
  /** Ordered by number. */
  readonly attempts: ReadonlyArray<Attempt>
  /** The suppression of the recipient now. */
  readonly suppression: SuppressionRecord | null
  /** The API key that sent the message; `null` for the embedding product. */
  readonly apiKey: ApiKeyRecord | null
  readonly project: ProjectRecord | null
  /** The leases of all workers. */
  readonly leases: ReadonlyArray<Lease>
  readonly events: ReadonlyArray<EventWithDeliveries>
  /** The names of the subscriptions, by id. */
  readonly subscriptionNames: ReadonlyMap<string, string>
}

const endOf = ({ startedAt, durationMillis }: Attempt): Instant => startedAt + (durationMillis ?? 0)

/** Whether an attempt with one of the outcomes ended by itself, and not by a report. */
const endedBy = ({ outcome, statusMessage }: Attempt, ...outcomes: ReadonlyArray<Attempt["outcome"]>): boolean =>
  outcomes.includes(outcome) && statusMessage !== reportedBeforeReply

const accepted = ({ delivery, message, apiKey }: ExplainDeliveryFacts): DeliveryEntry => {
  const { source, createdAt, scheduledAt } = delivery
  const { expiresAt } = message
  const sender =
    message.apiKeyId === null
      ? "the embedding product"
      : `the API key ${apiKey === null || apiKey.name === "" ? message.apiKeyId : `"${apiKey.name}"`}`
  return {
    kind: "accepted",
    at: createdAt,
    text: `The message was accepted from ${sender}${scheduledAt === null ? "" : ` and scheduled for ${formatInstant(scheduledAt)}`}.`,
    source,
    apiKey: message.apiKeyId === null ? null : { id: message.apiKeyId, name: apiKey?.name ?? "" },
    idempotencyKey: idempotencyKeyOf(message),
    scheduledAt,
    expiresAt
  }
}

const queued = ({ delivery: { queuedAt, chargedAt } }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> =>
  queuedAt === null
    ? []
    : [
        {
          kind: "queued",
          at: queuedAt,
          text: `The delivery was queued. It is ${chargedAt === null ? "not " : ""}charged to the sending allowance.`,
          charged: chargedAt !== null
        }
      ]

/**
 * When a delivery without `suppressedAt` was suppressed: a program before this field wrote it, or still writes it to the same database. The instant
 * is that of the event, or of the attempt that the suppression ended, or of the acceptance.
 */
const derivedSuppressedAt = ({
  delivery: { createdAt, queuedAt, scheduledAt },
  attempts,
  events
}: ExplainDeliveryFacts): Instant | null => {
  const event = events.find(({ event }) => event.kind === "email.suppressed")?.event
  if (event !== undefined) return event.occurredAt
  const last = attempts.at(-1)
  if (last?.outcome === "suppressed") return endOf(last)
  return queuedAt === null && scheduledAt === null ? createdAt : null
}

const suppressed = (facts: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> => {
  const {
    delivery: { status, reason, suppressedAt },
    suppression
  } = facts
  if (status !== "suppressed") return []
  const since = suppression?.reasons[reason as SuppressionReason] ?? null
  return [
    {
      kind: "suppressed",
      at: suppressedAt ?? derivedSuppressedAt(facts),
      text: `The recipient gets no mail: ${reasonText(reason)}${since === null ? "" : ` This applies since ${formatInstant(since)}.`}`,
      reason,
      since
    }
  ]
}

const reasonText = (reason: DeliveryReason | null): string =>
  reason === null ? "the reason is not recorded." : reasonTexts[reason]

/** The present claim. Earlier claims leave no record. */
const claimed = ({ delivery: { worker }, leases }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> => {
  if (worker === null) return []
  const leaseUntil = leases.find((lease) => lease.worker === worker)?.leaseUntil ?? null
  const text = `A worker has claimed the delivery${leaseUntil === null ? "" : ` until ${formatInstant(leaseUntil)}`}.`
  return [{ kind: "claimed", at: null, text, worker, leaseUntil }]
}

/** The policy for ambiguous attempts that applies to the message. */
const policyOf = ({
  message,
  project
}: ExplainDeliveryFacts): NonNullable<DeliveryEntryFields["attempt_ended"]["onAmbiguous"]> =>
  message.onAmbiguous !== null
    ? { policy: message.onAmbiguous, from: "send" }
    : project !== null
      ? { policy: project.onAmbiguous, from: "project" }
      : { policy: "retry", from: "default" }

const policyTexts = {
  send: "the send has the policy",
  project: "the project has the policy",
  default: "the default policy is"
} as const

const attemptEntries = (facts: ExplainDeliveryFacts, attempt: Attempt): ReadonlyArray<DeliveryEntry> => {
  const { number, startedAt, phase, outcome, smtpCode, enhancedCode, statusMessage } = attempt
  const started: DeliveryEntry = {
    kind: "attempt_started",
    at: startedAt,
    text: `Attempt ${number} began.`,
    attempt: number,
    phase
  }
  if (outcome === null) return [started]
  const onAmbiguous = outcome === "ambiguous" ? policyOf(facts) : null
  const policy =
    onAmbiguous === null ? "" : ` For an ambiguous attempt, ${policyTexts[onAmbiguous.from]} "${onAmbiguous.policy}".`
  const ended: DeliveryEntry = {
    kind: "attempt_ended",
    at: endOf(attempt),
    text: `Attempt ${number}: ${attemptText(outcome, facts.delivery, facts.attempts)}${replyText(attempt)}.${policy}`,
    attempt: number,
    outcome,
    smtpCode,
    enhancedCode,
    statusMessage,
    durationMillis: attempt.durationMillis ?? 0,
    onAmbiguous
  }
  return [started, ended, ...retryAfter(facts, attempt)]
}

/** The attempt that followed, or the time of the next one. */
const retryAfter = ({ delivery, attempts }: ExplainDeliveryFacts, attempt: Attempt): ReadonlyArray<DeliveryEntry> => {
  const next = attempts.find(({ number }) => number === attempt.number + 1)
  const dueAt =
    next?.startedAt ??
    (delivery.status === "queued" && attempt.number === delivery.attemptCount ? delivery.dueAt : null)
  if (dueAt === null) return []
  const number = attempt.number + 1
  const text =
    next === undefined
      ? `Attempt ${number} is due at ${formatInstant(dueAt)}.`
      : `The delivery returned to the queue. Attempt ${number} followed at ${formatInstant(dueAt)}.`
  return [{ kind: "retry", at: endOf(attempt), text, attempt: number, dueAt }]
}

const statusChanged = (
  at: Instant,
  status: DeliveryEntryFields["status_changed"]["status"],
  reason: DeliveryReason | null,
  text: string
): DeliveryEntry => ({ kind: "status_changed", at, text, status, reason })

const reportReceived = (
  at: Instant,
  report: DeliveryEntryFields["report_received"]["report"],
  bounceType: Delivery["bounceType"],
  text: string
): DeliveryEntry => ({ kind: "report_received", at, text, report, bounceType })

const acceptances = ({ delivery, attempts }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> => {
  const { acceptedAt, deliveredAt } = delivery
  const found: Array<DeliveryEntry> = []
  if (attempts.some((one) => endedBy(one, "accepted")) && acceptedAt !== null)
    found.push(statusChanged(acceptedAt, "accepted", null, "The relay is now responsible for the message."))
  else if (acceptedAt !== null && acceptedAt !== deliveredAt)
    found.push({
      kind: "late_acceptance",
      at: acceptedAt,
      text: "The relay had accepted the message. Its answer arrived after the attempt was recorded as ambiguous."
    })
  if (deliveredAt === null) return found
  found.push(
    attempts.some((one) => endedBy(one, "delivered"))
      ? statusChanged(deliveredAt, "delivered", null, "The message is delivered.")
      : reportReceived(deliveredAt, "delivered", null, "A report said that the message is delivered.")
  )
  return found
}

/** Complaints outrank bounces, so the reason of a bounce is known only while it is the reason of the delivery. */
const bounces = ({ delivery, attempts }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> => {
  const { status, bouncedAt, bounceType, complainedAt } = delivery
  const reason = status === "bounced" ? delivery.reason : null
  const why = reason === null ? "" : ` ${reasonTexts[reason]}`
  const last = attempts.at(-1)
  const byAttempt =
    attempts.some((one) => endedBy(one, "rejected")) ||
    (last !== undefined && endedBy(last, "deferred", "no_reply") && endOf(last) === bouncedAt)
  const kindOfBounce = bounceType === null ? "" : ` (${bounceType})`
  return [
    ...(bouncedAt === null
      ? []
      : [
          byAttempt
            ? statusChanged(bouncedAt, "bounced", reason, `The delivery bounced${kindOfBounce}.${why}`)
            : reportReceived(
                bouncedAt,
                "bounced",
                bounceType,
                `A report said that the delivery bounced${kindOfBounce}.${why}`
              )
        ]),
    ...(complainedAt === null
      ? []
      : [
          reportReceived(
            complainedAt,
            "complained",
            null,
            "A report said that the recipient complained about the mail."
          )
        ])
  ]
}

const endings = ({ delivery }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> => {
  const { status, failedAt, canceledAt } = delivery
  const reason = status === "failed" ? delivery.reason : null
  const why = reason === null ? "" : ` ${reasonTexts[reason]}`
  return [
    ...(canceledAt === null
      ? []
      : [{ kind: "canceled", at: canceledAt, text: "The message was canceled before its scheduled time." } as const]),
    ...(failedAt === null ? [] : [statusChanged(failedAt, "failed", reason, `The delivery failed.${why}`)])
  ]
}

const eventEntries = ({ events, subscriptionNames }: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> =>
  events.map(({ event, eventDeliveries }) => {
    const pending = eventDeliveries.filter(({ status }) => status === "pending").length
    const count = eventDeliveries.length
    const subscribers =
      count === 0
        ? "no subscriber"
        : `${count} subscriber${count === 1 ? "" : "s"}${pending === 0 ? "" : `, ${pending} of them still waiting`}`
    return {
      kind: "event",
      at: event.occurredAt,
      text: `The event ${event.kind} was appended, with ${subscribers}.`,
      eventId: event.id,
      eventKind: event.kind,
      eventDeliveries: eventDeliveries.map(({ id, subscriber, status, attemptCount, dueAt }) => ({
        id,
        subscriber,
        name: subscriptionNames.get(subscriber) ?? null,
        status,
        attemptCount,
        nextAttemptAt: dueAt
      }))
    }
  })

/** Returns the entries, oldest first. Entries of the same instant keep the order of cause and effect. */
export const deliveryEntries = (facts: ExplainDeliveryFacts): ReadonlyArray<DeliveryEntry> =>
  [
    accepted(facts),
    ...queued(facts),
    ...facts.attempts.flatMap((attempt) => attemptEntries(facts, attempt)),
    ...suppressed(facts),
    ...acceptances(facts),
    ...bounces(facts),
    ...endings(facts),
    ...eventEntries(facts),
    ...claimed(facts)
    // Two entries without an instant are equal: Infinity - Infinity is NaN.
  ].toSorted((a, b) => (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY) || 0)

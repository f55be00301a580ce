/**
 * Explains a delivery from its records: what happened, and what it waits for. Decides nothing and writes nothing. Source: decision 0049.
 */
import { suppressedFor } from "../../domain/contact/Suppression.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { DeliveryStatus } from "../../domain/delivery/DeliveryStatus.ts"
import type { DeliveryNow, DeliveryStory } from "../../domain/delivery/DeliveryStory.ts"
import { isDue } from "../../domain/store/Claim.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { formatInstant } from "../../domain/value/Instant.ts"
import type { ExplainDeliveryFacts } from "./deliveryEntries.ts"
import { deliveryEntries } from "./deliveryEntries.ts"

type WaitingStatus = Extract<DeliveryStatus, "scheduled" | "queued" | "sending">

/** What the delivery waits for after the dispatcher has no more work for it. */
const endedNow: Readonly<Record<Exclude<DeliveryStatus, WaitingStatus>, DeliveryNow>> = {
  accepted: {
    waitsFor: "report",
    until: null,
    text: "The relay has the message. A report of the relay can still change the status."
  },
  delivered: {
    waitsFor: "report",
    until: null,
    text: "The message is delivered. A late bounce or a complaint can still change the status."
  },
  bounced: { waitsFor: null, until: null, text: "The delivery has bounced. There is no further attempt." },
  complained: { waitsFor: null, until: null, text: "The recipient has complained. There is no further attempt." },
  failed: { waitsFor: null, until: null, text: "The delivery has failed. There is no further attempt." },
  suppressed: { waitsFor: null, until: null, text: "The recipient is suppressed. There is no attempt." },
  canceled: { waitsFor: null, until: null, text: "The message is canceled. There is no attempt." }
}

/** The end of the lease of the worker that has claimed the delivery, if the lease is live. */
const liveLeaseOf = ({ delivery: { worker }, leases }: ExplainDeliveryFacts, now: Instant): Instant | undefined =>
  leases.find((lease) => lease.worker === worker && lease.leaseUntil > now)?.leaseUntil

/** A scheduled or queued recipient that is suppressed now gets no mail, unless that changes before the delivery is due. */
const suppressionText = ({ suppression }: ExplainDeliveryFacts, now: Instant): string => {
  const reason = suppressedFor(suppression, now)
  return reason === null ? "" : ` The recipient is suppressed now (${reason}), so the delivery will end without mail.`
}

const waitOf = (delivery: Delivery, dueAt: Instant): DeliveryNow =>
  delivery.status === "scheduled"
    ? {
        waitsFor: "scheduled_time",
        until: dueAt,
        text: `The delivery waits for its scheduled time, ${formatInstant(dueAt)}.`
      }
    : { waitsFor: "retry", until: dueAt, text: `The delivery waits for its next attempt at ${formatInstant(dueAt)}.` }

const nowOf = (facts: ExplainDeliveryFacts, now: Instant): DeliveryNow => {
  const { delivery } = facts
  const { status, dueAt, worker } = delivery
  if (status !== "scheduled" && status !== "queued" && status !== "sending") return endedNow[status]
  const leaseUntil = liveLeaseOf(facts, now)
  if (status === "sending")
    return leaseUntil === undefined
      ? {
          waitsFor: "recovery",
          until: null,
          text: "The worker that handed the message over has stopped. A running dispatcher will take over."
        }
      : {
          waitsFor: "hand_off",
          until: leaseUntil,
          text: `A worker hands the message over. Its claim holds until ${formatInstant(leaseUntil)}, and the worker extends it.`
        }
  const also = suppressionText(facts, now)
  if (worker !== null && leaseUntil !== undefined)
    return {
      waitsFor: "hand_off",
      until: leaseUntil,
      text: `A worker has claimed the delivery until ${formatInstant(leaseUntil)}.${also}`
    }
  if (dueAt !== null && !isDue(delivery, now)) {
    const wait = waitOf(delivery, dueAt)
    return { ...wait, text: wait.text + also }
  }
  const claim = worker === null ? "no worker has claimed it" : "the claim of its worker has ended"
  return {
    waitsFor: "dispatcher",
    until: null,
    text: `The delivery is due, and ${claim}. It waits for a running dispatcher.${also}`
  }
}

/** Explains the delivery as it is at `now`. */
export const explainDelivery = (facts: ExplainDeliveryFacts, now: Instant): DeliveryStory => {
  const { id, messageId, recipient, kind, status, reason } = facts.delivery
  return {
    deliveryId: id,
    messageId,
    recipient,
    recipientKind: kind,
    status,
    reason,
    entries: deliveryEntries(facts),
    now: nowOf(facts, now)
  }
}

/**
 * Checks the state of the store and of the relay at the end of a simulation, after all faults have stopped.
 */
import type { Attempt, Delivery, MailStoreShape } from "@mailkeep/core/adapter"
import { noLogFilters } from "@mailkeep/core/adapter"
import type { AttemptedSend, Conversation } from "./callers.ts"
import { projects } from "./callers.ts"
import { readNow, suppressionOf } from "./history.ts"
import type { RelayCopy } from "./flakyRelay.ts"
import { checkReportedEvents } from "./reportsVerdict.ts"

/** An ambiguous hand-off is retried twice. */
const copiesMax = 3

const finalStatuses = new Set(["delivered", "accepted", "bounced", "complained", "failed", "suppressed", "canceled"])
/** A report without a copy at the relay can end an attempt that is finalizing: nobody can know that it is wrong. */
const endedByReport = "A report about the delivery arrived before the relay answered."
/** The relay confirmed that it has the message. */
const successful = new Set(["delivered", "accepted"])
/** The relay may have received the message. */
const mayHaveReachedRelay = new Set(["delivered", "accepted", "ambiguous"])

const checkAnswers = ({ key, answers }: AttemptedSend): ReadonlyArray<string> =>
  new Set(answers.map((answer) => JSON.stringify(answer))).size > 1 ? [`${key} got two different answers`] : []

const checkRecord = (raw: MailStoreShape, { projectId, key, answers }: AttemptedSend): ReadonlyArray<string> => {
  const [record] = readNow(raw, [{ _tag: "Idempotency", projectId, key }])
  const answer = answers[0]
  if (answer !== undefined && JSON.stringify(record?.result) !== JSON.stringify(answer))
    return [`the idempotency record of ${key} differs from the answer`]
  if (record === null) return []
  const { messageId, deliveryIds } = record.result
  const [message, deliveries] = readNow(raw, [
    { _tag: "Message", projectId, id: messageId },
    { _tag: "DeliveriesOfMessage", projectId, messageId }
  ])
  return message === null || String(deliveries.map(({ id }) => id)) !== String(deliveryIds)
    ? [`${key} has an idempotency record, but its message or a delivery is missing`]
    : []
}

const charged = new Set(["queued", "sending", "accepted", "delivered", "bounced", "complained"])

const checkCharge = ({ id, status, chargedAt, countedDay, reachedRelay }: Delivery): ReadonlyArray<string> => {
  if (charged.has(status))
    return chargedAt !== null && countedDay !== null ? [] : [`${id} is ${status}, but was not charged`]
  return chargedAt !== null && !reachedRelay ? [`${id} is ${status} and never reached the relay, but is charged`] : []
}

/** The causes that occurred in the simulation. */
export interface Causes {
  /** Addresses that were ever suppressed, as `project/address`. */
  readonly suppressed: ReadonlySet<string>
  /** Addresses that had a hard bounce, as `project/address`. */
  readonly hardBounced: ReadonlySet<string>
  readonly hasAllowance: boolean
}

/** Checks that the reason of a final status has its cause: a suppression, an allowance or a hard bounce. */
const checkReason = (
  { id, address, projectId, status, reason }: Delivery,
  { suppressed, hardBounced, hasAllowance }: Causes
): ReadonlyArray<string> => {
  const projectAddress = `${projectId}/${address}`
  if (status === "suppressed" && !suppressed.has(projectAddress))
    return [`${id} is suppressed, but its address never was`]
  if (reason === "quota_exceeded" && !hasAllowance) return [`${id} exceeded an allowance, but the plan has none`]
  return reason === "hard_bounce" && status === "bounced" && !hardBounced.has(projectAddress)
    ? [`${id} had a hard bounce, but its address is not suppressed`]
    : []
}

/**
 * Whether each copy has an attempt that may have sent it, and each attempt but the last of them is ambiguous. The copy of an earlier attempt can arrive last,
 * when another process took the worker for dead and tried again.
 */
export const areExplained = (
  copies: ReadonlyArray<Pick<RelayCopy, "attempt">>,
  attempts: ReadonlyArray<Pick<Attempt, "number" | "outcome">>
): boolean =>
  copies
    .toSorted((a, b) => a.attempt - b.attempt)
    .every(({ attempt }, index) => {
      const outcome = attempts.find(({ number }) => number === attempt)?.outcome ?? ""
      return index === copies.length - 1 ? mayHaveReachedRelay.has(outcome) : outcome === "ambiguous"
    })

const checkDelivery = (
  delivery: Delivery,
  attempts: ReadonlyArray<Attempt>,
  copies: ReadonlyArray<RelayCopy>,
  atMostOnce: boolean,
  canceled: boolean
): ReadonlyArray<string> => {
  const { id, status, attemptCount: count } = delivery
  return [
    ...(finalStatuses.has(status) ? [] : [`${id} is still ${status}`]),
    ...(attempts.length === count && attempts.every(({ number, phase }, n) => number === n + 1 && phase === "ended")
      ? []
      : [`${id} has ${attempts.length} attempts but counts ${count}, or an attempt never ended`]),
    ...(areExplained(copies, attempts) ? [] : [`${id} has a copy at the relay that no attempt explains`]),
    ...(copies.length > (atMostOnce ? 1 : copiesMax) ? [`${id} was handed off ${copies.length} times`] : []),
    ...(new Set(copies.map(({ messageIdHeader }) => messageIdHeader)).size > 1
      ? [`${id} has copies with different Message-IDs`]
      : []),
    ...attempts
      .filter(
        ({ number, outcome, statusMessage }) =>
          successful.has(outcome ?? "") &&
          statusMessage !== endedByReport &&
          !copies.some(({ attempt }) => attempt === number)
      )
      .map(({ number, outcome }) => `${id}: attempt ${number} is ${outcome}, but the relay has no copy`),
    ...checkCharge(delivery),
    ...(canceled && copies.length > 0 ? [`${id} was canceled, but the relay has a copy`] : [])
  ]
}

const checkCounters = (raw: MailStoreShape, projectId: string): ReadonlyArray<string> => {
  const [{ counters, scheduledRecipients, charged, counted, contacts, unsubscribed }] = readNow(raw, [
    { _tag: "UsageAudit", projectId }
  ])
  const existing = new Map(counters.map(({ name, value }) => [name as string, value]))
  const expected = new Map<string, number>([
    ["scheduledRecipients", scheduledRecipients],
    ["allowance", charged],
    ["contacts", contacts],
    ["unsubscribed", unsubscribed],
    ...counted.map(({ day, deliveries }) => [`daily:${day}`, deliveries] as const)
  ])
  return [...new Set([...existing.keys(), ...expected.keys()])].flatMap((name) =>
    (existing.get(name) ?? 0) === (expected.get(name) ?? 0)
      ? []
      : [`${projectId} counts ${existing.get(name) ?? 0} for ${name}, but has ${expected.get(name) ?? 0}`]
  )
}

const checkContacts = (raw: MailStoreShape, projectId: string): ReadonlyArray<string> => {
  const [items] = readNow(raw, [
    { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 100 }
  ])
  return items.flatMap(({ address, emailStatus }) => {
    const unsubscribed = suppressionOf(raw, projectId, address, 0)?.reasons.unsubscribed !== undefined
    return (emailStatus === "unsubscribed") === unsubscribed
      ? []
      : [`contact ${address} is ${emailStatus}, but the suppression of its address differs`]
  })
}

/** All deliveries of a project. */
export const deliveriesOf = (raw: MailStoreShape, projectId: string): ReadonlyArray<Delivery> => {
  const [{ items }] = readNow(raw, [
    { _tag: "LogPage", projectId, filters: noLogFilters, after: null, limit: 10_000, scanLimit: 10_000 }
  ])
  return items.map(({ id }) => readNow(raw, [{ _tag: "Delivery", projectId, id }])[0]!)
}

/** Returns a message for each problem. */
export const verdict = (
  raw: MailStoreShape,
  conversation: Conversation,
  copies: ReadonlyArray<RelayCopy>,
  causes: Causes
): ReadonlyArray<string> => {
  const byDelivery = Map.groupBy(copies, ({ deliveryId }) => deliveryId)
  return [
    ...conversation.sends.flatMap((send) => [...checkAnswers(send), ...checkRecord(raw, send)]),
    ...projects.flatMap((projectId) => [
      ...checkCounters(raw, projectId),
      ...checkContacts(raw, projectId),
      ...deliveriesOf(raw, projectId).flatMap((delivery) => {
        const [attempts, message, events] = readNow(raw, [
          { _tag: "Attempts", projectId, deliveryId: delivery.id },
          { _tag: "Message", projectId, id: delivery.messageId },
          { _tag: "Events", projectId, after: null, limit: 10_000 }
        ])
        const own = events.filter(({ data }) => "deliveryId" in data && data.deliveryId === delivery.id)
        const sequences = own.flatMap(({ data }) => ("sequence" in data ? [data.sequence] : []))
        const expected = Array.from({ length: delivery.sequence }, (_, n) => n + 1)
        return [
          ...checkDelivery(
            delivery,
            attempts,
            byDelivery.get(delivery.id) ?? [],
            message?.onAmbiguous === "fail",
            conversation.canceled.has(delivery.messageId)
          ),
          ...checkReason(delivery, causes),
          ...checkReportedEvents(
            delivery,
            own.map(({ kind }) => kind)
          ),
          ...(message === null ? [`${delivery.id} has no message in its project`] : []),
          ...(String(sequences.toSorted((a, b) => a - b)) === String(expected)
            ? []
            : [`${delivery.id} has the events ${String(sequences)}, but counts ${delivery.sequence}`])
        ]
      })
    ])
  ]
}

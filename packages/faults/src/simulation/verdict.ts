/**
 * What must be true once everything has calmed down.
 */
import type { Attempt, Delivery, MailStoreShape } from "@mailkeep/core"
import { noLogFilters } from "@mailkeep/core"
import type { Asked, Conversation } from "./callers.ts"
import { projects } from "./callers.ts"
import { readNow, suppressionOf } from "./history.ts"
import type { RelayCopy } from "./moodyRelay.ts"

/** An ambiguous hand-off is tried again twice. */
const copiesMax = 3

const settled = new Set(["delivered", "accepted", "bounced", "failed", "suppressed", "canceled"])
/** The relay said that it has the message. */
const wentWell = new Set(["delivered", "accepted"])
/** The attempt may have gone out. */
const wentOut = new Set(["delivered", "accepted", "ambiguous"])

const answersAgree = ({ key, answers }: Asked): ReadonlyArray<string> =>
  new Set(answers.map((answer) => JSON.stringify(answer))).size > 1 ? [`${key} was answered in two ways`] : []

const stands = (raw: MailStoreShape, { projectId, key, answers }: Asked): ReadonlyArray<string> => {
  const [record] = readNow(raw, [{ _tag: "Idempotency", projectId, key }])
  const answer = answers[0]
  if (answer !== undefined && JSON.stringify(record?.result) !== JSON.stringify(answer))
    return [`${key} is not remembered as answered`]
  if (record === null) return []
  const { messageId, deliveryIds } = record.result
  const [message, deliveries] = readNow(raw, [
    { _tag: "Message", projectId, id: messageId },
    { _tag: "DeliveriesOfMessage", projectId, messageId }
  ])
  return message === null || String(deliveries.map(({ id }) => id)) !== String(deliveryIds)
    ? [`${key} is remembered, but its message is not whole`]
    : []
}

const charged = new Set(["queued", "sending", "accepted", "delivered", "bounced"])

const judgedCharge = ({ id, status, chargedAt, countedDay, reachedRelay }: Delivery): ReadonlyArray<string> => {
  if (charged.has(status))
    return chargedAt !== null && countedDay !== null ? [] : [`${id} is ${status} and was not charged`]
  return chargedAt !== null && !reachedRelay ? [`${id} is ${status}, never reached the relay, and is charged`] : []
}

export interface Causes {
  /** Addresses that were ever suppressed, and those with a hard bounce, as `project/address`. */
  readonly suppressed: ReadonlySet<string>
  readonly dead: ReadonlySet<string>
  readonly hasAllowance: boolean
}

/** Nothing ends without its reason: a suppression, an allowance, a mailbox that is known to be dead. */
const judgedReason = (
  { id, address, projectId, status, reason }: Delivery,
  { suppressed, dead, hasAllowance }: Causes
): ReadonlyArray<string> => {
  const at = `${projectId}/${address}`
  if (status === "suppressed" && !suppressed.has(at)) return [`${id} is suppressed, and its address never was`]
  if (reason === "quota_exceeded" && !hasAllowance) return [`${id} is over an allowance that there is not`]
  return reason === "hard_bounce" && status === "bounced" && !dead.has(at)
    ? [`${id} bounced hard, and its address is not suppressed`]
    : []
}

const judgedDelivery = (
  delivery: Delivery,
  attempts: ReadonlyArray<Attempt>,
  copies: ReadonlyArray<RelayCopy>,
  atMostOnce: boolean,
  canceled: boolean
): ReadonlyArray<string> => {
  const { id, status, attempts: count } = delivery
  const explained = copies.every(({ attempt }, place) => {
    const outcome = attempts.find(({ number }) => number === attempt)?.outcome ?? ""
    return place === copies.length - 1 ? wentOut.has(outcome) : outcome === "ambiguous"
  })
  return [
    ...(settled.has(status) ? [] : [`${id} is left ${status}`]),
    ...(attempts.length === count && attempts.every(({ number, phase }, n) => number === n + 1 && phase === "ended")
      ? []
      : [`${id} has ${attempts.length} attempts of ${count}, or one that never ended`]),
    ...(explained ? [] : [`${id} has a copy that no attempt explains`]),
    ...(copies.length > (atMostOnce ? 1 : copiesMax) ? [`${id} was handed over ${copies.length} times`] : []),
    ...(new Set(copies.map(({ messageId }) => messageId)).size > 1 ? [`${id} went out under two Message-IDs`] : []),
    ...attempts
      .filter(({ number, outcome }) => wentWell.has(outcome ?? "") && !copies.some(({ attempt }) => attempt === number))
      .map(({ number, outcome }) => `${id}: attempt ${number} says ${outcome}, and the relay has nothing`),
    ...judgedCharge(delivery),
    ...(canceled && copies.length > 0 ? [`${id} was canceled, and the relay has it`] : [])
  ]
}

const balanced = (raw: MailStoreShape, projectId: string): ReadonlyArray<string> => {
  const [{ counters, waiting, charged, counted, contacts, unsubscribed }] = readNow(raw, [
    { _tag: "Ledger", projectId }
  ])
  const standing = new Map(counters.map(({ name, value }) => [name as string, value]))
  const expected = new Map<string, number>([
    ["waiting", waiting],
    ["allowance", charged],
    ["contacts", contacts],
    ["unsubscribed", unsubscribed],
    ...counted.map(({ day, deliveries }) => [`daily:${day}`, deliveries] as const)
  ])
  return [...new Set([...standing.keys(), ...expected.keys()])].flatMap((name) =>
    (standing.get(name) ?? 0) === (expected.get(name) ?? 0)
      ? []
      : [`${projectId} counts ${standing.get(name) ?? 0} for ${name}, and has ${expected.get(name) ?? 0}`]
  )
}

const mirrored = (raw: MailStoreShape, projectId: string): ReadonlyArray<string> => {
  const [items] = readNow(raw, [
    { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 100 }
  ])
  return items.flatMap(({ address, emailStatus }) => {
    const unsubscribed = suppressionOf(raw, projectId, address, 0)?.reasons.unsubscribed !== undefined
    return (emailStatus === "unsubscribed") === unsubscribed ? [] : [`${address} is ${emailStatus}, its address is not`]
  })
}

const deliveriesOf = (raw: MailStoreShape, projectId: string): ReadonlyArray<Delivery> => {
  const [{ items }] = readNow(raw, [
    { _tag: "LogPage", projectId, filters: noLogFilters, after: null, limit: 10_000, examine: 10_000 }
  ])
  return items.map(({ id }) => readNow(raw, [{ _tag: "Delivery", projectId, id }])[0]!)
}

export const verdict = (
  raw: MailStoreShape,
  said: Conversation,
  copies: ReadonlyArray<RelayCopy>,
  causes: Causes
): ReadonlyArray<string> => {
  const byDelivery = Map.groupBy(copies, ({ deliveryId }) => deliveryId)
  return [
    ...said.asked.flatMap((asked) => [...answersAgree(asked), ...stands(raw, asked)]),
    ...projects.flatMap((projectId) => [
      ...balanced(raw, projectId),
      ...mirrored(raw, projectId),
      ...deliveriesOf(raw, projectId).flatMap((delivery) => {
        const [attempts, message, events] = readNow(raw, [
          { _tag: "Attempts", deliveryId: delivery.id },
          { _tag: "Message", projectId, id: delivery.messageId },
          { _tag: "Events", projectId, after: null, limit: 10_000 }
        ])
        const sequences = events.flatMap(({ data }) =>
          "deliveryId" in data && data.deliveryId === delivery.id ? [data.sequence] : []
        )
        const expected = Array.from({ length: delivery.sequence }, (_, n) => n + 1)
        return [
          ...judgedDelivery(
            delivery,
            attempts,
            byDelivery.get(delivery.id) ?? [],
            message?.onAmbiguous === "fail",
            said.canceled.has(delivery.messageId)
          ),
          ...judgedReason(delivery, causes),
          ...(message === null ? [`${delivery.id} has no message in its project`] : []),
          ...(String(sequences.toSorted((a, b) => a - b)) === String(expected)
            ? []
            : [`${delivery.id} has the events ${String(sequences)}, and counts ${delivery.sequence}`])
        ]
      })
    ])
  ]
}

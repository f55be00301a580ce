/**
 * Reference implementations of the longer queries, over records in memory.
 * A store that has all records in memory uses these functions. Every other store must give the same answers.
 */
import type { ContactRecord } from "../contact/Contact.ts"
import { compileContactFilters, noContactFilters } from "../contact/ContactPredicate.ts"
import type { Message } from "../message/Message.ts"
import type { Resource } from "./Resource.ts"
import type { Delivery } from "../delivery/Delivery.ts"
import { summaryOf } from "../delivery/Delivery.ts"
import type { DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import { newestFirst, pageOf } from "./Paging.ts"
import { logBoundsMatch, logFiltersMatch } from "../delivery/LogFilters.ts"
import { containsPart, foldedAddressParts } from "./textSearch.ts"
import type { Position } from "./Paging.ts"
import type { LogFilterMessage } from "../delivery/LogFilters.ts"
import { compareIds } from "../value/Id.ts"
import { compareTexts } from "../value/TextOrder.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { Counter } from "../plan/Plan.ts"
import { withDeletedCounts } from "./messageSweep.ts"
import type { Lease } from "./Lease.ts"
import type { AnswerOf, QueryOf } from "./Query.ts"
import type { Backlog, UsageAudit, WorkHealth } from "./QueryAnswer.ts"
import type { StoredRecord } from "./StoredRecord.ts"
import { compareRecordKeys, projectIdOf, storedRecordKey } from "./StoredRecord.ts"
import type { EventDelivery } from "../event/EventDelivery.ts"
import type { SenderDomainRecord } from "../domain-name/SenderDomain.ts"
import { domainFiltersMatch } from "../domain-name/SenderDomain.ts"
import type { SuppressionRecord } from "../contact/Suppression.ts"
import { byAddress, suppressedFor } from "../contact/Suppression.ts"

const positionOf = ({ createdAt, id }: Position): Position => ({ createdAt, id })

/** Scans the first `scanLimit` items and returns at most `limit` matches. `last` is the item after which the next page continues. */
const scan = <A>(
  items: ReadonlyArray<A>,
  { limit, scanLimit }: { readonly limit: number; readonly scanLimit: number },
  matches: (one: A) => boolean
): { readonly found: ReadonlyArray<A>; readonly last: A | undefined } => {
  const window = items.slice(0, scanLimit)
  const matching = window.filter(matches)
  const found = matching.slice(0, limit)
  return { found, last: matching.length > limit ? found.at(-1) : items.length > scanLimit ? window.at(-1) : undefined }
}

/** `deliveries` contains all deliveries of the project. A message of another project has no effect. */
export const evaluateLogPage = (
  deliveries: ReadonlyArray<Delivery>,
  query: QueryOf<"LogPage">,
  messageOf: (messageId: string) => Message | null | undefined
): AnswerOf<"LogPage"> => {
  const { projectId, filters, after } = query
  const logged = ({ messageId }: Delivery): LogFilterMessage => {
    const message = messageOf(messageId)
    return message?.projectId === projectId ? message : { subject: "", templateId: null }
  }
  const candidates = deliveries
    .filter((one) => logBoundsMatch(filters, one) && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
  const { found, last } = scan(candidates, query, (one) => logFiltersMatch(filters, one, () => logged(one)))
  return {
    items: found.map((one) => summaryOf(one, logged(one).subject)),
    next: last === undefined ? null : positionOf(last)
  }
}

/** `contacts` contains all contacts of the project. */
export const evaluateContactPage = (
  contacts: ReadonlyArray<ContactRecord>,
  { emailStatus, listId, after, skip, limit }: QueryOf<"ContactPage">
): ReadonlyArray<ContactRecord> => {
  const matches = compileContactFilters({ ...noContactFilters, emailStatus, listId })
  return contacts
    .filter((one) => matches(one) && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(skip, skip + limit)
}

/** `contacts` contains all contacts of the project. */
export const evaluateContactScan = (
  contacts: ReadonlyArray<ContactRecord>,
  { filters, after, skip, limit, scanLimit }: QueryOf<"ContactScan">
): AnswerOf<"ContactScan"> => {
  const candidates = contacts.filter((one) => after === null || newestFirst(after, one) < 0).toSorted(newestFirst)
  const part = candidates.slice(0, scanLimit)
  const matching = part.filter(compileContactFilters(filters))
  return {
    items: matching.slice(skip, skip + limit),
    matches: matching.length,
    next: candidates.length > scanLimit ? positionOf(part.at(-1)!) : null
  }
}

/** `domains` contains all domains of the project. */
export const evaluateDomainPage = (
  domains: ReadonlyArray<SenderDomainRecord>,
  { filters, page }: QueryOf<"DomainPage">
): AnswerOf<"DomainPage"> =>
  pageOf(domains.filter((one) => domainFiltersMatch(filters, one)).toSorted(newestFirst), page)

/** `suppressions` contains all suppressions of the project. */
export const evaluateSuppressionPage = (
  suppressions: ReadonlyArray<SuppressionRecord>,
  query: QueryOf<"SuppressionPage">
): AnswerOf<"SuppressionPage"> => {
  const { search, addressPart, now, after } = query
  const candidates = suppressions
    .filter(({ address }) => address !== null && (after === null || compareTexts(address, after) > 0))
    .toSorted(byAddress)
  const { found, last } = scan(
    candidates,
    query,
    (one) =>
      suppressedFor(one, now) !== null &&
      (search === null || containsPart(one.address!, foldedAddressParts(search, addressPart)))
  )
  return { items: found, next: last?.address ?? null }
}

/** `messages` contains all messages. */
export const evaluateMessagesBefore = (
  messages: ReadonlyArray<Message>,
  { before, after, limit }: Omit<QueryOf<"MessagesBefore">, "_tag">
): ReadonlyArray<Message> =>
  messages
    .filter((one) => one.createdAt < before && (after === null || newestFirst(one, after) < 0))
    .toSorted((a, b) => newestFirst(b, a))
    .slice(0, limit)

/** `resources` contains all resources of the project. */
export const evaluateResources = (
  resources: ReadonlyArray<Resource>,
  { kind, parent, after, limit }: QueryOf<"Resources">
): ReadonlyArray<Resource> =>
  resources
    .filter((one) => one.kind === kind && one.parent === parent && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(0, limit)

/** `resources` contains all resources of the project. */
export const evaluateResourcePage = (
  resources: ReadonlyArray<Resource>,
  { kind, parent, page }: QueryOf<"ResourcePage">
): AnswerOf<"ResourcePage"> =>
  pageOf(resources.filter((one) => one.kind === kind && one.parent === parent).toSorted(newestFirst), page)

/** `events` contains all events of the project. */
export const evaluateEvents = (
  events: ReadonlyArray<EventRecord>,
  { after, limit }: Pick<QueryOf<"Events">, "after" | "limit">
): ReadonlyArray<EventRecord> =>
  events
    .filter(({ id }) => after === null || id > after)
    .toSorted(compareIds)
    .slice(0, limit)

/** `events` and `eventDeliveries` contain all events and all event deliveries of the project. */
export const evaluateEventsOfDelivery = (
  events: ReadonlyArray<EventRecord>,
  eventDeliveries: ReadonlyArray<EventDelivery>,
  { deliveryId }: QueryOf<"EventsOfDelivery">
): AnswerOf<"EventsOfDelivery"> =>
  events
    .filter(({ data }) => "deliveryId" in data && data.deliveryId === deliveryId)
    .toSorted(compareIds)
    .map((event) => ({
      event,
      eventDeliveries: eventDeliveries.filter(({ eventId }) => eventId === event.id).toSorted(compareIds)
    }))

/** `eventDeliveries` contains all event deliveries of the project. */
export const evaluateEventDeliveryPage = (
  eventDeliveries: ReadonlyArray<EventDelivery>,
  { subscriber, after, limit }: QueryOf<"EventDeliveryPage">
): ReadonlyArray<EventDelivery> =>
  eventDeliveries
    .filter((one) => one.subscriber === subscriber && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(0, limit)

/** `free` contains the event deliveries that no worker with a live lease has claimed. */
export const evaluatePendingEventDeliveries = (
  free: ReadonlyArray<EventDelivery>
): AnswerOf<"PendingEventDeliveries"> => {
  const first = new Map<string, number>()
  for (const { subscriber, dueAt } of free)
    if (dueAt !== null) first.set(subscriber, Math.min(dueAt, first.get(subscriber) ?? dueAt))
  return [...first]
    .map(([subscriber, dueAt]) => ({ subscriber, dueAt }))
    .toSorted((a, b) => (a.subscriber < b.subscriber ? -1 : 1))
}

const least = (times: ReadonlyArray<number>): number | null =>
  times.reduce<number | null>((first, time) => (first === null || time < first ? time : first), null)

/** `domains` contains the domains of all projects. */
export const evaluateDomainsDue = (
  domains: ReadonlyArray<SenderDomainRecord>,
  { now, limit }: QueryOf<"DomainsDue">
): ReadonlyArray<SenderDomainRecord> =>
  domains
    .filter(({ nextCheckAt }) => nextCheckAt !== null && nextCheckAt <= now)
    .toSorted((a, b) => a.nextCheckAt! - b.nextCheckAt! || compareIds(a, b))
    .slice(0, limit)

/** `deliveries` and `leases` contain all deliveries and all leases of the store. */
export const evaluateNextDue = (
  deliveries: ReadonlyArray<Delivery>,
  leases: ReadonlyArray<Pick<Lease, "worker" | "leaseUntil">>,
  { worker, now }: QueryOf<"NextDue">
): number | null =>
  least([
    ...deliveries.flatMap(({ status, worker: holder, dueAt }) =>
      holder === null && dueAt !== null && status !== "sending" ? [dueAt] : []
    ),
    ...leases.flatMap((lease) => (lease.worker === worker || lease.leaseUntil <= now ? [] : [lease.leaseUntil]))
  ])

/** `leases` contains all leases of the store. */
export const evaluateLeasesSetAfter = (
  leases: ReadonlyArray<Lease>,
  { now }: QueryOf<"LeasesSetAfter">
): ReadonlyArray<Lease> =>
  leases.filter(({ renewedAt }) => renewedAt > now).toSorted((a, b) => (a.worker < b.worker ? -1 : 1))

/** `deliveries` contains all deliveries of the store. */
export const evaluateBacklog = (deliveries: ReadonlyArray<Delivery>, now: number): Backlog => {
  const waiting = deliveries.filter(({ dueAt }) => dueAt !== null)
  const count = (status: DeliveryStatus) => waiting.filter((delivery) => delivery.status === status).length
  const due = waiting.flatMap(({ status, dueAt }) => (status !== "sending" && dueAt! <= now ? [dueAt!] : []))
  return {
    scheduled: count("scheduled"),
    queued: count("queued"),
    sending: count("sending"),
    oldestDueAt: least(due)
  }
}

/** All parameters contain the records of the whole store. */
export const evaluateWorkHealth = (
  deliveries: ReadonlyArray<Delivery>,
  leases: ReadonlyArray<Pick<Lease, "worker" | "leaseUntil">>,
  eventDeliveries: ReadonlyArray<EventDelivery>,
  { dueBefore, leaseEndedBefore }: QueryOf<"WorkHealth">
): WorkHealth => {
  const live = new Set(leases.flatMap(({ worker, leaseUntil }) => (leaseUntil > leaseEndedBefore ? [worker] : [])))
  const waits = ({ status, dueAt }: Delivery) =>
    (status === "scheduled" || status === "queued") && dueAt !== null && dueAt <= dueBefore
  return {
    late: deliveries.filter(waits).length,
    abandoned: deliveries.filter(({ status, worker }) => status === "sending" && (worker === null || !live.has(worker)))
      .length,
    eventDeliveries: eventDeliveries.filter(({ status }) => status === "pending").length
  }
}

/** In the order of `compareRecordKeys`. `records` contains all records of the kind. */
export const evaluateRecords = (
  records: ReadonlyArray<StoredRecord>,
  { projectId, after, limit }: Omit<QueryOf<"Records">, "_tag" | "kind">
): ReadonlyArray<StoredRecord> =>
  records
    .filter((one) => projectId === null || projectIdOf(one) === projectId)
    .map((one) => ({ one, key: storedRecordKey(one) }))
    .filter(({ key }) => after === null || compareRecordKeys(key, after) > 0)
    .toSorted((a, b) => compareRecordKeys(a.key, b.key))
    .slice(0, limit)
    .map(({ one }) => one)

/** `records` contains all records of the kind. */
export const evaluateRecordsByKey = (
  records: ReadonlyArray<StoredRecord>,
  { keys }: Pick<QueryOf<"RecordsByKey">, "keys">
): ReadonlyArray<StoredRecord | null> => {
  const byKey = new Map(records.map((one) => [JSON.stringify(storedRecordKey(one)), one]))
  return keys.map((key) => byKey.get(JSON.stringify(key)) ?? null)
}

const countedOf = (deliveries: ReadonlyArray<Delivery>): UsageAudit["counted"] => {
  const days = [...new Set(deliveries.flatMap(({ countedDay }) => countedDay ?? []))]
  return days.map((day) => ({ day, deliveries: deliveries.filter((one) => one.countedDay === day).length }))
}

/** All parameters contain the records of one project. */
export const evaluateUsageAudit = (
  counters: ReadonlyArray<Counter>,
  deliveries: ReadonlyArray<Delivery>,
  contacts: ReadonlyArray<ContactRecord>
): UsageAudit => ({
  counters: counters.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  scheduledRecipients: deliveries.filter(({ status }) => status === "scheduled").length,
  ...withDeletedCounts(counters, {
    charged: deliveries.filter(({ chargedAt }) => chargedAt !== null).length,
    counted: countedOf(deliveries)
  }),
  contacts: contacts.length,
  unsubscribed: contacts.filter(({ emailStatus }) => emailStatus === "unsubscribed").length
})

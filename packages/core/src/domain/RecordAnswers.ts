/**
 * What the longer queries mean, over records that are at hand: a store that holds everything in memory answers with these, and any other
 * answers the same.
 */
import type { Contact } from "./Contact.ts"
import { compileContactFilters, noContactFilters } from "./ContactPredicate.ts"
import type { Definition } from "./Definition.ts"
import type { Delivery } from "./Delivery.ts"
import { summaryOf } from "./Delivery.ts"
import type { DeliveryStatus } from "./DeliveryTable.ts"
import { folded, logBoundsMatch, logFiltersMatch, newestFirst, pageOf } from "./Paging.ts"
import type { LoggedMessage, Position } from "./Paging.ts"
import { byId } from "./Id.ts"
import type { MailEvent } from "./MailEvent.ts"
import type { Counter } from "./Plan.ts"
import type { AnswerOf, Backlog, Ledger, QueryOf } from "./Query.ts"
import type { EventPush } from "./EventPush.ts"
import type { SenderDomain } from "./SenderDomain.ts"
import { domainFiltersMatch } from "./SenderDomain.ts"
import type { Suppression } from "./Suppression.ts"
import { byAddress, suppressedFor } from "./Suppression.ts"

const positionOf = ({ createdAt, id }: Position): Position => ({ createdAt, id })

/** A bounded walk: the first `limit` that match among the first `examine`, and where to go on. */
const walked = <A>(
  walk: ReadonlyArray<A>,
  { limit, examine }: { readonly limit: number; readonly examine: number },
  matches: (one: A) => boolean
): { readonly found: ReadonlyArray<A>; readonly last: A | undefined } => {
  const window = walk.slice(0, examine)
  const matching = window.filter(matches)
  const found = matching.slice(0, limit)
  return { found, last: matching.length > limit ? found.at(-1) : walk.length > examine ? window.at(-1) : undefined }
}

/** `deliveries` are the project's. */
export const logPageAmong = (
  deliveries: ReadonlyArray<Delivery>,
  query: QueryOf<"LogPage">,
  messageOf: (messageId: string) => LoggedMessage | null | undefined
): AnswerOf<"LogPage"> => {
  const { filters, after } = query
  const logged = ({ messageId }: Delivery) => messageOf(messageId) ?? { subject: "", templateId: null }
  const walk = deliveries
    .filter((one) => logBoundsMatch(filters, one) && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
  const { found, last } = walked(walk, query, (one) => logFiltersMatch(filters, one, () => logged(one)))
  return {
    items: found.map((one) => summaryOf(one, logged(one).subject)),
    next: last === undefined ? null : positionOf(last)
  }
}

/** `contacts` are the project's. */
export const contactPageAmong = (
  contacts: ReadonlyArray<Contact>,
  { emailStatus, listId, after, skip, limit }: QueryOf<"ContactPage">
): ReadonlyArray<Contact> => {
  const matches = compileContactFilters({ ...noContactFilters, emailStatus, listId })
  return contacts
    .filter((one) => matches(one) && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(skip, skip + limit)
}

/** `contacts` are the project's. */
export const contactScanAmong = (
  contacts: ReadonlyArray<Contact>,
  { filters, after, skip, limit, scanLimit }: QueryOf<"ContactScan">
): AnswerOf<"ContactScan"> => {
  const walk = contacts.filter((one) => after === null || newestFirst(after, one) < 0).toSorted(newestFirst)
  const piece = walk.slice(0, scanLimit)
  const matching = piece.filter(compileContactFilters(filters))
  return {
    items: matching.slice(skip, skip + limit),
    matches: matching.length,
    next: walk.length > scanLimit ? positionOf(piece.at(-1)!) : null
  }
}

/** `domains` are the project's. */
export const domainPageAmong = (
  domains: ReadonlyArray<SenderDomain>,
  { filters, page }: QueryOf<"DomainPage">
): AnswerOf<"DomainPage"> =>
  pageOf(domains.filter((one) => domainFiltersMatch(filters, one)).toSorted(newestFirst), page)

/** `suppressions` are the project's. */
export const suppressionPageAmong = (
  suppressions: ReadonlyArray<Suppression>,
  query: QueryOf<"SuppressionPage">
): AnswerOf<"SuppressionPage"> => {
  const { search, now, after } = query
  const walk = suppressions
    .filter(({ address }) => address !== null && (after === null || address > after))
    .toSorted(byAddress)
  const { found, last } = walked(
    walk,
    query,
    (one) => suppressedFor(one, now) !== null && (search === null || one.address!.includes(folded(search)))
  )
  return { items: found, next: last?.address ?? null }
}

/** `definitions` are the project's. */
export const definitionsAmong = (
  definitions: ReadonlyArray<Definition>,
  { kind, parent, after, limit }: QueryOf<"Definitions">
): ReadonlyArray<Definition> =>
  definitions
    .filter((one) => one.kind === kind && one.parent === parent && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(0, limit)

/** `definitions` are the project's. */
export const definitionPageAmong = (
  definitions: ReadonlyArray<Definition>,
  { kind, parent, page }: QueryOf<"DefinitionPage">
): AnswerOf<"DefinitionPage"> =>
  pageOf(definitions.filter((one) => one.kind === kind && one.parent === parent).toSorted(newestFirst), page)

export const eventsAmong = (
  events: ReadonlyArray<MailEvent>,
  { after, limit }: { readonly after: string | null; readonly limit: number }
): ReadonlyArray<MailEvent> =>
  events
    .filter(({ id }) => after === null || id > after)
    .toSorted(byId)
    .slice(0, limit)

/** `pushes` are the project's. */
export const pushPageAmong = (
  pushes: ReadonlyArray<EventPush>,
  { consumer, after, limit }: QueryOf<"PushPage">
): ReadonlyArray<EventPush> =>
  pushes
    .filter((one) => one.consumer === consumer && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
    .slice(0, limit)

/** `free` are the pushes that no worker with a live lease holds. */
export const pendingPushesAmong = (free: ReadonlyArray<EventPush>): AnswerOf<"PendingPushes"> => {
  const first = new Map<string, number>()
  for (const { consumer, dueAt } of free)
    if (dueAt !== null) first.set(consumer, Math.min(dueAt, first.get(consumer) ?? dueAt))
  return [...first]
    .map(([consumer, dueAt]) => ({ consumer, dueAt }))
    .toSorted((a, b) => (a.consumer < b.consumer ? -1 : 1))
}

const least = (times: ReadonlyArray<number>): number | null => (times.length === 0 ? null : Math.min(...times))

/** `domains` are of all projects. */
export const domainsDueAmong = (
  domains: ReadonlyArray<SenderDomain>,
  { now, limit }: QueryOf<"DomainsDue">
): ReadonlyArray<SenderDomain> =>
  domains
    .filter(({ nextCheckAt }) => nextCheckAt !== null && nextCheckAt <= now)
    .toSorted((a, b) => a.nextCheckAt! - b.nextCheckAt! || byId(a, b))
    .slice(0, limit)

/** `leases` are all that stand. */
export const nextDueAmong = (
  deliveries: ReadonlyArray<Delivery>,
  leases: ReadonlyArray<{ readonly worker: string; readonly leaseUntil: number }>,
  { worker, now }: QueryOf<"NextDue">
): number | null =>
  least([
    ...deliveries.flatMap(({ status, worker: holder, dueAt }) =>
      holder === null && dueAt !== null && status !== "sending" ? [dueAt] : []
    ),
    ...leases.flatMap((lease) => (lease.worker === worker || lease.leaseUntil <= now ? [] : [lease.leaseUntil]))
  ])

export const backlogAmong = (deliveries: ReadonlyArray<Delivery>, now: number): Backlog => {
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

/** All of one project. */
export const ledgerAmong = (
  counters: ReadonlyArray<Counter>,
  deliveries: ReadonlyArray<Delivery>,
  contacts: ReadonlyArray<Contact>
): Ledger => {
  const days = [...new Set(deliveries.flatMap(({ countedDay }) => countedDay ?? []))].toSorted()
  return {
    counters: counters.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    waiting: deliveries.filter(({ status }) => status === "scheduled").length,
    charged: deliveries.filter(({ chargedAt }) => chargedAt !== null).length,
    counted: days.map((day) => ({ day, deliveries: deliveries.filter((one) => one.countedDay === day).length })),
    contacts: contacts.length,
    unsubscribed: contacts.filter(({ emailStatus }) => emailStatus === "unsubscribed").length
  }
}

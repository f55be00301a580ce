/**
 * The closed list of queries, each with the type of its answer. A store answers all queries of one call from the same state.
 */
import type { ApiKey } from "./ApiKey.ts"
import type { Contact } from "./Contact.ts"
import type { ContactFilters } from "./ContactPredicate.ts"
import type { Resource, ResourceKind } from "./Resource.ts"
import type { Attempt, Delivery, DeliverySummary } from "./Delivery.ts"
import type { EventDelivery } from "./EventDelivery.ts"
import type { IdempotencyRecord } from "./Idempotency.ts"
import type { Instant, UtcDay } from "./Instant.ts"
import type { MailEvent } from "./MailEvent.ts"
import type { Message } from "./Message.ts"
import type { LogFilters, PageRequest, Position } from "./Paging.ts"
import type { Counter, CounterName } from "./Plan.ts"
import type { Project, ProjectId } from "./Project.ts"
import type { EmailStatus } from "./SubscriptionTable.ts"
import type { DomainFilters, SenderDomain } from "./SenderDomain.ts"
import type { Suppression } from "./Suppression.ts"

/** The fields and the answer of each query. Most queries of a project's records have a `projectId`. */
interface Queries {
  Setting: [{ readonly name: string }, string | null]
  Project: [{ readonly id: ProjectId }, Project | null]
  Projects: [{}, ReadonlyArray<Project>]
  ApiKeyByPublicId: [{ readonly publicId: string }, ApiKey | null]
  /** Has no `projectId`, because a message contains the id of the API key that sent it. */
  ApiKey: [{ readonly id: string }, ApiKey | null]
  /** Oldest first. */
  ApiKeys: [{ readonly projectId: ProjectId }, ReadonlyArray<ApiKey>]
  Domain: [{ readonly projectId: ProjectId; readonly domain: string }, SenderDomain | null]
  DomainOfId: [{ readonly projectId: ProjectId; readonly id: string }, SenderDomain | null]
  /** The domains of all projects whose next check is due, ordered by the time of that check. */
  DomainsDue: [{ readonly now: Instant; readonly limit: number }, ReadonlyArray<SenderDomain>]
  /** The matching domains, newest first. */
  DomainPage: [
    { readonly projectId: ProjectId; readonly filters: DomainFilters; readonly page: PageRequest },
    Found<SenderDomain>
  ]
  Contact: [{ readonly projectId: ProjectId; readonly id: string }, Contact | null]
  /** One answer for each canonical address, in the order of `addresses`. */
  ContactsByAddress: [
    { readonly projectId: ProjectId; readonly addresses: ReadonlyArray<string> },
    ReadonlyArray<Contact | null>
  ]
  /**
   * The contacts after `after`, newest first, without the first `skip`. Optionally only those with one status or on one list.
   * A store answers from an index. At most one of `emailStatus` and `listId` is not `null`.
   */
  ContactPage: [
    {
      readonly projectId: ProjectId
      readonly emailStatus: EmailStatus | null
      readonly listId: string | null
      readonly after: Position | null
      readonly skip: number
      readonly limit: number
    },
    ReadonlyArray<Contact>
  ]
  /** One part of a scan over the contacts after `after`, newest first, with any filters. */
  ContactScan: [
    {
      readonly projectId: ProjectId
      readonly filters: ContactFilters
      readonly after: Position | null
      /** How many matches of this part to omit. */
      readonly skip: number
      readonly limit: number
      /** How many contacts this part examines. A store may examine more if an index finds the matches. */
      readonly scanLimit: number
    },
    ContactScan
  ]
  Resource: [{ readonly projectId: ProjectId; readonly id: string }, Resource | null]
  /** The number of resources of one kind below one parent. */
  ResourceCount: [{ readonly projectId: ProjectId; readonly kind: ResourceKind; readonly parent: string }, number]
  /** Newest first. */
  ResourcePage: [
    {
      readonly projectId: ProjectId
      readonly kind: ResourceKind
      readonly parent: string
      readonly page: PageRequest
    },
    Found<Resource>
  ]
  ResourceNamed: [
    {
      readonly projectId: ProjectId
      readonly kind: ResourceKind
      readonly parent: string
      readonly name: string
    },
    Resource | null
  ]
  /** Newest first, after `after`. */
  Resources: [
    {
      readonly projectId: ProjectId
      readonly kind: ResourceKind
      readonly parent: string
      readonly after: Position | null
      readonly limit: number
    },
    ReadonlyArray<Resource>
  ]
  /** One answer for each address key, in the order of `addressKeys`. */
  Suppressions: [
    { readonly projectId: ProjectId; readonly addressKeys: ReadonlyArray<string> },
    ReadonlyArray<Suppression | null>
  ]
  /**
   * The suppressions with an address that apply at `now`, ordered by address, after the address `after`.
   * `search` is a part of the address. Examines at most `scanLimit` suppressions. `next` is as in `LogPage`.
   */
  SuppressionPage: [
    {
      readonly projectId: ProjectId
      readonly search: string | null
      readonly now: Instant
      readonly after: string | null
      readonly limit: number
      readonly scanLimit: number
    },
    { readonly items: ReadonlyArray<Suppression>; readonly next: string | null }
  ]
  /** One value for each name, in the order of `names`; 0 for a counter that does not exist. */
  Counters: [{ readonly projectId: ProjectId; readonly names: ReadonlyArray<CounterName> }, ReadonlyArray<number>]
  Idempotency: [{ readonly projectId: ProjectId; readonly key: string }, IdempotencyRecord | null]
  Message: [{ readonly projectId: ProjectId; readonly id: string }, Message | null]
  Delivery: [{ readonly projectId: ProjectId; readonly id: string }, Delivery | null]
  /** Ordered by id, which is the order of the recipients. */
  DeliveriesOfMessage: [{ readonly projectId: ProjectId; readonly messageId: string }, ReadonlyArray<Delivery>]
  /** Ordered by number. */
  Attempts: [{ readonly deliveryId: string }, ReadonlyArray<Attempt>]
  /**
   * Newest first, after `after`. Examines at most `scanLimit` deliveries that match the dates, the recipient and the contact.
   * `next` is the position of the last delivery on the page. If `scanLimit` ended the page, it is the last examined delivery.
   * `next` is `null` at the end of the log.
   */
  LogPage: [
    {
      readonly projectId: ProjectId
      readonly filters: LogFilters
      readonly after: Position | null
      readonly limit: number
      readonly scanLimit: number
    },
    { readonly items: ReadonlyArray<DeliverySummary>; readonly next: Position | null }
  ]
  /** Oldest first, after the event with the id `after`. */
  Events: [
    { readonly projectId: ProjectId; readonly after: string | null; readonly limit: number },
    ReadonlyArray<MailEvent>
  ]
  Event: [{ readonly id: string }, MailEvent | null]
  /** The events of all projects that were not distributed yet, ordered by id. */
  UndistributedEvents: [{ readonly limit: number }, ReadonlyArray<MailEvent>]
  EventDelivery: [{ readonly projectId: ProjectId; readonly id: string }, EventDelivery | null]
  /** Newest first, after `after`. */
  EventDeliveryPage: [
    {
      readonly projectId: ProjectId
      readonly subscriber: string
      readonly after: Position | null
      readonly limit: number
    },
    ReadonlyArray<EventDelivery>
  ]
  /** Each subscriber with pending event deliveries that no worker with a live lease has claimed, and the earliest `dueAt`. Ordered by subscriber. */
  PendingEventDeliveries: [
    { readonly now: Instant },
    ReadonlyArray<{ readonly subscriber: string; readonly dueAt: Instant }>
  ]
  /**
   * When the dispatcher has work next; `null` means never. It is the earliest of two times.
   * These are the `dueAt` of an unclaimed delivery that is scheduled or queued, and the end after `now` of another worker's lease.
   */
  NextDue: [{ readonly worker: string; readonly now: Instant }, Instant | null]
  /**
   * The number of deliveries that need the dispatcher, and the earliest `dueAt` of those that are due at `now` and not sending.
   */
  Backlog: [{ readonly now: Instant }, Backlog]
  /** The counters of a project, and the values that its records give. */
  UsageAudit: [{ readonly projectId: ProjectId }, UsageAudit]
}

/** The items of a page, and the total number of matches. */
export interface Found<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** The result of one part of a scan over contacts. */
export interface ContactScan {
  /** The matches `skip` + 1 to `skip` + `limit` of this part. */
  readonly items: ReadonlyArray<Contact>
  /** How many contacts of this part match. */
  readonly matches: number
  /** The position after which the next part starts; `null` at the end of the scan. */
  readonly next: Position | null
}

export interface Backlog {
  readonly scheduled: number
  readonly queued: number
  readonly sending: number
  readonly oldestDueAt: Instant | null
}

export interface UsageAudit {
  readonly counters: ReadonlyArray<Counter>
  /** Deliveries with status `scheduled`. */
  readonly scheduledRecipients: number
  /** Deliveries whose `chargedAt` is set. */
  readonly charged: number
  /** Deliveries by `countedDay`. */
  readonly counted: ReadonlyArray<{ readonly day: UtcDay; readonly deliveries: number }>
  readonly contacts: number
  readonly unsubscribed: number
}

export type QueryTag = keyof Queries
export type QueryOf<T extends QueryTag> = { readonly _tag: T } & Queries[T][0]
export type Query = { [T in QueryTag]: QueryOf<T> }[QueryTag]
export type Answer<Q extends Query> = Queries[Q["_tag"]][1]
export type AnswerOf<T extends QueryTag> = Queries[T][1]

/** The answers to a list of queries, in the same order. */
export type Answers<Qs extends ReadonlyArray<Query>> = { readonly [I in keyof Qs]: Answer<Qs[I]> }

/** One function for each query, which computes the answer from the store's state `S`. */
export type Answering<S> = { readonly [T in QueryTag]: (state: S, query: QueryOf<T>) => AnswerOf<T> }

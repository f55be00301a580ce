/**
 * The closed list of queries, each with the type of its answer. A store answers all queries of one call from the same state.
 */
import type { ApiKeyRecord } from "../access/ApiKey.ts"
import type { ContactRecord } from "../contact/Contact.ts"
import type { ContactFilters } from "../contact/ContactPredicate.ts"
import type { Lease } from "./Lease.ts"
import type { Resource, ResourceKind, ResourceOf } from "./Resource.ts"
import type { Attempt, Delivery, DeliverySummary } from "../delivery/Delivery.ts"
import type { EventDelivery } from "../event/EventDelivery.ts"
import type { IdempotencyRecord } from "../message/Idempotency.ts"
import type { Instant } from "../value/Instant.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { Message } from "../message/Message.ts"
import type { PageRequest, Position } from "./Paging.ts"
import type { Backlog, ContactScan, EventWithDeliveries, Found, UsageAudit, WorkHealth } from "./QueryAnswer.ts"
import type { LogFilters } from "../delivery/LogFilters.ts"
import type { CounterName } from "../plan/Plan.ts"
import type { ProjectRecord, ProjectId } from "../access/Project.ts"
import type { EmailStatus } from "../contact/EmailStatusTable.ts"
import type { DomainFilters, SenderDomainRecord } from "../domain-name/SenderDomain.ts"
import type { SuppressionRecord } from "../contact/Suppression.ts"
import type { RecordKind, StoredRecord, StoredRecordKey } from "./StoredRecord.ts"

/**
 * The fields and the answer of each query. A query with a `projectId` finds only records of that project. The others read all projects, and each has
 * the reason.
 */
interface Queries {
  Setting: [{ readonly name: string }, string | null]
  Project: [{ readonly id: ProjectId }, ProjectRecord | null]
  Projects: [{}, ReadonlyArray<ProjectRecord>]
  /** Has no `projectId`, because a request proves its project by this id. If several projects have the public id, any of the API keys. */
  ApiKeyByPublicId: [{ readonly publicId: string }, ApiKeyRecord | null]
  ApiKey: [{ readonly projectId: ProjectId; readonly id: string }, ApiKeyRecord | null]
  /** Oldest first. */
  ApiKeys: [{ readonly projectId: ProjectId }, ReadonlyArray<ApiKeyRecord>]
  Domain: [{ readonly projectId: ProjectId; readonly domain: string }, SenderDomainRecord | null]
  DomainById: [{ readonly projectId: ProjectId; readonly id: string }, SenderDomainRecord | null]
  /** The domains of all projects whose next check is due, ordered by the time of that check. */
  DomainsDue: [{ readonly now: Instant; readonly limit: number }, ReadonlyArray<SenderDomainRecord>]
  /** The matching domains, newest first. */
  DomainPage: [
    { readonly projectId: ProjectId; readonly filters: DomainFilters; readonly page: PageRequest },
    Found<SenderDomainRecord>
  ]
  Contact: [{ readonly projectId: ProjectId; readonly id: string }, ContactRecord | null]
  /** One answer for each canonical address, in the order of `addresses`. */
  ContactsByAddress: [
    { readonly projectId: ProjectId; readonly addresses: ReadonlyArray<string> },
    ReadonlyArray<ContactRecord | null>
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
    ReadonlyArray<ContactRecord>
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
    ReadonlyArray<SuppressionRecord | null>
  ]
  /**
   * The suppressions with an address that apply at `now`, ordered by the UTF-8 bytes of the address, after the address `after`.
   * `search` is a part of the address. With `addressPart`, also addresses with this part: it is the search with its domain in A-labels. Examines at
   * most `scanLimit` suppressions. `next` is as in `LogPage`.
   */
  SuppressionPage: [
    {
      readonly projectId: ProjectId
      readonly search: string | null
      readonly addressPart: string | null
      readonly now: Instant
      readonly after: string | null
      readonly limit: number
      readonly scanLimit: number
    },
    { readonly items: ReadonlyArray<SuppressionRecord>; readonly next: string | null }
  ]
  /** One value for each name, in the order of `names`; 0 for a counter that does not exist. */
  Counters: [{ readonly projectId: ProjectId; readonly names: ReadonlyArray<CounterName> }, ReadonlyArray<number>]
  Idempotency: [{ readonly projectId: ProjectId; readonly key: string }, IdempotencyRecord | null]
  Message: [{ readonly projectId: ProjectId; readonly id: string }, Message | null]
  /** The messages of all projects that were created before `before`, after `after`, ordered by `createdAt`, then by id. */
  MessagesBefore: [
    { readonly before: Instant; readonly after: Position | null; readonly limit: number },
    ReadonlyArray<Message>
  ]
  /** One chunk of the content of a file, from 0; `null` if the project has no such chunk. The bytes must not be changed. */
  ContentChunk: [{ readonly projectId: ProjectId; readonly hash: string; readonly chunk: number }, Uint8Array | null]
  Delivery: [{ readonly projectId: ProjectId; readonly id: string }, Delivery | null]
  /**
   * Has no `projectId`, because a return path and an unsubscribe link name only the delivery. If several projects have the id, any of the deliveries.
   */
  DeliveryById: [{ readonly id: string }, Delivery | null]
  /** Ordered by id, which is the order of the recipients. */
  DeliveriesOfMessage: [{ readonly projectId: ProjectId; readonly messageId: string }, ReadonlyArray<Delivery>]
  /** Ordered by number. */
  Attempts: [{ readonly projectId: ProjectId; readonly deliveryId: string }, ReadonlyArray<Attempt>]
  /**
   * Newest first, after `after`. Examines at most `scanLimit` deliveries that match the dates, the recipient and the contact. They also have the
   * status of `indexedStatusOf`, unless it is `null`.
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
    ReadonlyArray<EventRecord>
  ]
  Event: [{ readonly projectId: ProjectId; readonly id: string }, EventRecord | null]
  /** The events about a delivery, ordered by id, each with its event deliveries, ordered by id. */
  EventsOfDelivery: [{ readonly projectId: ProjectId; readonly deliveryId: string }, ReadonlyArray<EventWithDeliveries>]
  /** The events of all projects that were not distributed yet, ordered by id. The order of equal ids of two projects is open. */
  UndistributedEvents: [{ readonly limit: number }, ReadonlyArray<EventRecord>]
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
  /** The leases whose `renewedAt` is after `now`: the clock was set back since. Ordered by worker. */
  LeasesSetAfter: [{ readonly now: Instant }, ReadonlyArray<Lease>]
  /**
   * The number of deliveries that need the dispatcher, and the earliest `dueAt` of those that are due at `now` and not sending.
   */
  Backlog: [{ readonly now: Instant }, Backlog]
  /**
   * Counts the deliveries that should have moved, and the pending event deliveries. Late are those with the status `scheduled` or `queued` that
   * were due at or before `dueBefore`. Abandoned are those with the status `sending` without a worker whose lease ends after `leaseEndedBefore`.
   */
  WorkHealth: [{ readonly dueBefore: Instant; readonly leaseEndedBefore: Instant }, WorkHealth]
  /**
   * The records of one kind after the key `after`: of one project, or of all projects if `projectId` is `null`. The order of the keys is fixed, but
   * each store has its own. The record with the key `after` need not exist any more.
   */
  Records: [
    {
      readonly kind: RecordKind
      readonly projectId: ProjectId | null
      readonly after: StoredRecordKey | null
      readonly limit: number
    },
    ReadonlyArray<StoredRecord>
  ]
  /** One answer for each key of one kind, in the order of `keys`. The key of a project's record contains the project. */
  RecordsByKey: [
    { readonly kind: RecordKind; readonly keys: ReadonlyArray<StoredRecordKey> },
    ReadonlyArray<StoredRecord | null>
  ]
  /** The counters of a project, and the values that its records give. */
  UsageAudit: [{ readonly projectId: ProjectId }, UsageAudit]
}

/** The name of a kind of query. */
export type QueryTag = keyof Queries
/** The query of one kind. */
export type QueryOf<T extends QueryTag> = { readonly _tag: T } & Queries[T][0]
/** One question to a store. The list is closed. */
export type Query = { [T in QueryTag]: QueryOf<T> }[QueryTag]
/** The answer to a query. A list of resources has the content of their kind. */
export type Answer<Q extends Query> =
  Q extends QueryOf<"Resources"> ? ReadonlyArray<ResourceOf<Q["kind"]>> : Queries[Q["_tag"]][1]
/** The answer to the query of one kind. */
export type AnswerOf<T extends QueryTag> = Queries[T][1]

/** The answers to a list of queries, in the same order. */
export type Answers<Qs extends ReadonlyArray<Query>> = { readonly [I in keyof Qs]: Answer<Qs[I]> }

/** One function for each query, which computes the answer from the store's state `S`. */
export type Answering<S> = { readonly [T in QueryTag]: (state: S, query: QueryOf<T>) => AnswerOf<T> }

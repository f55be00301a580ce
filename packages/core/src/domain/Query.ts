/**
 * The closed language of reads: each query names its answer. All queries of one call are answered from one state of the store.
 */
import type { ApiKey } from "./ApiKey.ts"
import type { Contact } from "./Contact.ts"
import type { ContactFilters } from "./ContactPredicate.ts"
import type { Definition, DefinitionKind } from "./Definition.ts"
import type { Attempt, Delivery, DeliverySummary } from "./Delivery.ts"
import type { EventPush } from "./EventPush.ts"
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

/** Each query's fields and answer. A `projectId` is part of every question about a tenant's records. */
interface Queries {
  Setting: [{ readonly name: string }, string | null]
  Project: [{ readonly id: ProjectId }, Project | null]
  Projects: [{}, ReadonlyArray<Project>]
  ApiKeyByPublicId: [{ readonly publicId: string }, ApiKey | null]
  /** By id alone: a message names the key that sent it. */
  ApiKey: [{ readonly id: string }, ApiKey | null]
  /** Oldest first. */
  ApiKeys: [{ readonly projectId: ProjectId }, ReadonlyArray<ApiKey>]
  Domain: [{ readonly projectId: ProjectId; readonly domain: string }, SenderDomain | null]
  DomainOfId: [{ readonly projectId: ProjectId; readonly id: string }, SenderDomain | null]
  /** Of whatever project: those whose next check is due, the longest due first. */
  DomainsDue: [{ readonly now: Instant; readonly limit: number }, ReadonlyArray<SenderDomain>]
  /** Newest first, of those that match. */
  DomainPage: [
    { readonly projectId: ProjectId; readonly filters: DomainFilters; readonly page: PageRequest },
    Found<SenderDomain>
  ]
  Contact: [{ readonly projectId: ProjectId; readonly id: string }, Contact | null]
  /** One answer for each canonical address, in the order asked. */
  ContactsByAddress: [
    { readonly projectId: ProjectId; readonly addresses: ReadonlyArray<string> },
    ReadonlyArray<Contact | null>
  ]
  /**
   * Newest first: the contacts after `after`, of one status or on one list when that is named, without the first `skip` of them.
   * A store answers from an index. No more than one of `emailStatus` and `listId` is named.
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
  /** One piece of a walk over the contacts that any filters match, newest first after `after`. */
  ContactScan: [
    {
      readonly projectId: ProjectId
      readonly filters: ContactFilters
      readonly after: Position | null
      /** How many matches of this piece come before the first that is wanted. */
      readonly skip: number
      readonly limit: number
      /** How many contacts the piece looks at. A store may look at more where an index finds the matches. */
      readonly scanLimit: number
    },
    ContactScan
  ]
  Definition: [{ readonly projectId: ProjectId; readonly id: string }, Definition | null]
  /** How many there are of one kind below one parent. */
  DefinitionCount: [{ readonly projectId: ProjectId; readonly kind: DefinitionKind; readonly parent: string }, number]
  /** Newest first. */
  DefinitionPage: [
    {
      readonly projectId: ProjectId
      readonly kind: DefinitionKind
      readonly parent: string
      readonly page: PageRequest
    },
    Found<Definition>
  ]
  DefinitionNamed: [
    {
      readonly projectId: ProjectId
      readonly kind: DefinitionKind
      readonly parent: string
      readonly name: string
    },
    Definition | null
  ]
  /** Newest first, after `after`. */
  Definitions: [
    {
      readonly projectId: ProjectId
      readonly kind: DefinitionKind
      readonly parent: string
      readonly after: Position | null
      readonly limit: number
    },
    ReadonlyArray<Definition>
  ]
  /** One answer for each address, by its key, in the order asked. */
  Suppressions: [
    { readonly projectId: ProjectId; readonly addressKeys: ReadonlyArray<string> },
    ReadonlyArray<Suppression | null>
  ]
  /**
   * Those that name an address and hold it from mail at `now`, by address, after the address `after`; `search` is a part of it. Looks at no
   * more than `examine`. `next` as in `LogPage`.
   */
  SuppressionPage: [
    {
      readonly projectId: ProjectId
      readonly search: string | null
      readonly now: Instant
      readonly after: string | null
      readonly limit: number
      readonly examine: number
    },
    { readonly items: ReadonlyArray<Suppression>; readonly next: string | null }
  ]
  /** One value for each name, in the order asked; 0 for a counter nobody has spent. */
  Counters: [{ readonly projectId: ProjectId; readonly names: ReadonlyArray<CounterName> }, ReadonlyArray<number>]
  Idempotency: [{ readonly projectId: ProjectId; readonly key: string }, IdempotencyRecord | null]
  Message: [{ readonly projectId: ProjectId; readonly id: string }, Message | null]
  Delivery: [{ readonly projectId: ProjectId; readonly id: string }, Delivery | null]
  /** In the order of their ids, which is the order of the recipients. */
  DeliveriesOfMessage: [{ readonly projectId: ProjectId; readonly messageId: string }, ReadonlyArray<Delivery>]
  /** In the order of their numbers. */
  Attempts: [{ readonly deliveryId: string }, ReadonlyArray<Attempt>]
  /**
   * Newest first, after `after`. Looks at no more than `examine` deliveries of the project (or of the one recipient or contact
   * that the filters name) within the dates. `next` is where the walk goes on: the last one shown, or the last one looked
   * at when the bound ended the page; `null` when nothing is left.
   */
  LogPage: [
    {
      readonly projectId: ProjectId
      readonly filters: LogFilters
      readonly after: Position | null
      readonly limit: number
      readonly examine: number
    },
    { readonly items: ReadonlyArray<DeliverySummary>; readonly next: Position | null }
  ]
  /** Oldest first, after the event with the id `after`. */
  Events: [
    { readonly projectId: ProjectId; readonly after: string | null; readonly limit: number },
    ReadonlyArray<MailEvent>
  ]
  Event: [{ readonly id: string }, MailEvent | null]
  /** By id, of whatever project: those that were not distributed yet. */
  UndistributedEvents: [{ readonly limit: number }, ReadonlyArray<MailEvent>]
  Push: [{ readonly projectId: ProjectId; readonly id: string }, EventPush | null]
  /** Newest first, after `after`. */
  PushPage: [
    {
      readonly projectId: ProjectId
      readonly consumer: string
      readonly after: Position | null
      readonly limit: number
    },
    ReadonlyArray<EventPush>
  ]
  /** Each consumer with pending pushes that no worker with a live lease holds, and when the first of them is due; by consumer. */
  PendingPushes: [{ readonly now: Instant }, ReadonlyArray<{ readonly consumer: string; readonly dueAt: Instant }>]
  /**
   * When the dispatcher has work next: the earliest `dueAt` of an unclaimed delivery that is scheduled or queued, or the
   * earliest end after `now` of another worker's lease. `null`: never.
   */
  NextDue: [{ readonly worker: string; readonly now: Instant }, Instant | null]
  /**
   * How many deliveries the dispatcher has to do with, and since when the oldest one scheduled or queued has been due at `now`.
   */
  Backlog: [{ readonly now: Instant }, Backlog]
  /** What the counters of a project say beside what its records add up to. */
  Ledger: [{ readonly projectId: ProjectId }, Ledger]
}

/** The items of a page, and how many match in all. */
export interface Found<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** What one piece of a walk over contacts found. */
export interface ContactScan {
  /** The matches number `skip` + 1 to `skip` + `limit` of this piece. */
  readonly items: ReadonlyArray<Contact>
  /** How many contacts of this piece match. */
  readonly matches: number
  /** Where the next piece starts; `null` at the end of the walk. */
  readonly next: Position | null
}

export interface Backlog {
  readonly scheduled: number
  readonly queued: number
  readonly sending: number
  readonly oldestDueAt: Instant | null
}

export interface Ledger {
  readonly counters: ReadonlyArray<Counter>
  /** Deliveries with status `scheduled`. */
  readonly waiting: number
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

/** The answers to a list of queries, place by place. */
export type Answers<Qs extends ReadonlyArray<Query>> = { readonly [I in keyof Qs]: Answer<Qs[I]> }

/** How a store answers: one total function for each query, over whatever it keeps (`S`). */
export type Answering<S> = { readonly [T in QueryTag]: (state: S, query: QueryOf<T>) => AnswerOf<T> }

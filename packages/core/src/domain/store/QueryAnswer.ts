/**
 * The answers of queries that are neither a record nor a list of records.
 */
import type { ContactRecord } from "../contact/Contact.ts"
import type { EventDelivery } from "../event/EventDelivery.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { Counter } from "../plan/Plan.ts"
import type { Instant, UtcDay } from "../value/Instant.ts"
import type { Position } from "./Paging.ts"

/** An event and its event deliveries: those that exist, one for each subscriber. */
export interface EventWithDeliveries {
  readonly event: EventRecord
  readonly eventDeliveries: ReadonlyArray<EventDelivery>
}

/** The items of a page, and the total number of matches. */
export interface Found<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

/** The result of one part of a scan over contacts. */
export interface ContactScan {
  /** The matches `skip` + 1 to `skip` + `limit` of this part. */
  readonly items: ReadonlyArray<ContactRecord>
  /** How many contacts of this part match. */
  readonly matches: number
  /** The position after which the next part starts; `null` at the end of the scan. */
  readonly next: Position | null
}

/** The deliveries that need the dispatcher, by status. */
export interface Backlog {
  readonly scheduled: number
  readonly queued: number
  readonly sending: number
  readonly oldestDueAt: Instant | null
}

/** The work that waits although it should not, and the event deliveries that wait. */
export interface WorkHealth {
  /** Scheduled and queued deliveries that have been due for too long. */
  readonly late: number
  /** Sending deliveries whose worker died, and that no other worker has recovered. */
  readonly abandoned: number
  /** Event deliveries that are pending, claimed or not. */
  readonly eventDeliveries: number
}

/** The counters of a project, and the same numbers counted from its records. Source: decision 0015. */
export interface UsageAudit {
  readonly counters: ReadonlyArray<Counter>
  /** Deliveries with status `scheduled`. */
  readonly scheduledRecipients: number
  /** Deliveries whose `chargedAt` is set, and the counter `deletedCharged`. */
  readonly charged: number
  /** Deliveries by `countedDay`, and the counters `deletedDaily:` of the same day. Ordered by day. */
  readonly counted: ReadonlyArray<{ readonly day: UtcDay; readonly deliveries: number }>
  readonly contacts: number
  readonly unsubscribed: number
}

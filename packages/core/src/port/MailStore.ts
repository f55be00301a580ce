/**
 * The storage port: commits of changes, claims, and reads. An adapter only stores and reads. It makes no decision, reads no clock, makes
 * no id and converts no value.
 */
import type { Effect, Stream } from "effect"
import { Context, Data } from "effect"
import type { Change, Conflict } from "../domain/Change.ts"
import type { Claim, EventDeliveryClaim, Sweep } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventDelivery } from "../domain/EventDelivery.ts"
import type { Answers, Query } from "../domain/Query.ts"

/**
 * The store could not be reached or could not do the work now. Retryable.
 * After a failed commit, the changes may have been applied: read again before the next commit.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly reason: "overloaded" | "locked" | "full" | "read_only" | "closed" | "contended" | "unreachable"
  readonly cause?: unknown
}> {
  readonly kind = "unavailable"
  override get message() {
    return `The store is unavailable: ${this.reason}.`
  }
}

/** The store could not be opened. Nothing was changed. */
export class StoreNotOpened extends Data.TaggedError("StoreNotOpened")<{
  readonly reason:
    | "not_a_database"
    | "newer_schema"
    | "not_durable"
    | "read_only"
    | "full"
    | "locked"
    | "not_private"
    | "unreachable"
    | "unsupported_runtime"
  readonly where: string
  /** A sentence with details, without a full stop. */
  readonly detail?: string
  readonly cause?: unknown
}> {
  override get message() {
    return `${this.detail ?? storeNotOpenedMessages[this.reason]}: ${this.where}`
  }
}

const storeNotOpenedMessages: Readonly<Record<StoreNotOpened["reason"], string>> = {
  not_a_database: "This file is not an SQLite database",
  newer_schema: "This store was written by a newer Mailkeep",
  not_durable: "The store does not sync every commit to the disk, and would lose mail",
  read_only: "The store is read-only",
  full: "The disk has no space left for the store",
  locked: "Another process has locked the store",
  not_private: "The path belongs to another user or is a link, so other users could read the store",
  unreachable: "The store cannot be opened",
  unsupported_runtime: "The store does not support this runtime"
}

export interface StoreCapabilities {
  /** An acknowledged commit survives a crash of the process and a power failure. */
  readonly durable: boolean
  /** Several processes may share the store. */
  readonly multiProcess: boolean
}

/**
 * A store returns plain objects and arrays with the values that were committed. After its scope has closed, every call fails with
 * `StoreUnavailable` and changes nothing.
 */
export interface MailStoreShape {
  readonly capabilities: StoreCapabilities
  /**
   * Applies all changes or none, also when it is interrupted. The changes are in the order of `inCommitOrder`, and no two change the same
   * record. A store must accept at least 200 commits at once before it may fail with `overloaded`.
   */
  readonly commit: (changes: ReadonlyArray<Change>) => Effect.Effect<void, Conflict | StoreUnavailable>
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
  readonly claimEventDeliveries: (
    claim: EventDeliveryClaim
  ) => Effect.Effect<ReadonlyArray<EventDelivery>, StoreUnavailable>
  /** Answers all queries from one consistent state. */
  readonly read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => Effect.Effect<Answers<Qs>, StoreUnavailable>
  /**
   * Deletes up to `limit` records of one kind, oldest first, and returns their number. Deletes events that happened before `before`.
   * Deletes idempotency records that expired before `before`. Deletes event deliveries that ended before `before`. Deletes leases that ended
   * before `before`, of workers without a claimed delivery or event delivery.
   */
  readonly sweep: (sweep: Sweep) => Effect.Effect<number, StoreUnavailable>
  /** Emits after each commit of another process. Never emits for a store that only one process can open. */
  readonly changes: Stream.Stream<void>
}

export class MailStore extends Context.Service<MailStore, MailStoreShape>()("@mailkeep/core/port/MailStore") {}

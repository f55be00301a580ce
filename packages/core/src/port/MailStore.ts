/**
 * The storage port: commits of changes, claims, and reads. An adapter records; it never decides, never reads a clock, never
 * makes an id and never converts a value.
 */
import type { Effect, Stream } from "effect"
import { Context, Data } from "effect"
import type { Change, Conflict } from "../domain/Change.ts"
import type { Claim, PushClaim, Sweep } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { Answers, Query } from "../domain/Query.ts"

/**
 * The store could not be reached, or could not take the work now. Retryable.
 * After a commit it means *unknown*, not *absent*: what stands is on the disk.
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

/** The store could not be opened; nothing was changed. */
export class StoreNotOpened extends Data.TaggedError("StoreNotOpened")<{
  readonly reason:
    | "foreign_file"
    | "newer_schema"
    | "not_durable"
    | "read_only"
    | "full"
    | "locked"
    | "not_private"
    | "unreachable"
    | "unsupported_runtime"
  readonly where: string
  /** A sentence that says more, without a full stop. */
  readonly detail?: string
  readonly cause?: unknown
}> {
  override get message() {
    return `${this.detail ?? storeNotOpenedWords[this.reason]}: ${this.where}`
  }
}

const storeNotOpenedWords: Readonly<Record<StoreNotOpened["reason"], string>> = {
  foreign_file: "This is a database, but not one of Mailkeep's",
  newer_schema: "This store was written by a newer Mailkeep",
  not_durable: "The store does not sync every commit to the disk, and would lose mail",
  read_only: "The store cannot be written",
  full: "There is no room on the disk for the store",
  locked: "Another process keeps the store locked",
  not_private: "This belongs to another user, or is a link to elsewhere, so others could read the store",
  unreachable: "The store cannot be opened",
  unsupported_runtime: "The store does not run on this runtime"
}

export interface StoreCapabilities {
  /** An acknowledged commit outlives the process and the power. */
  readonly durable: boolean
  /** Several processes may share the store. */
  readonly multiProcess: boolean
}

/**
 * What a store gives is plain objects and arrays, as it was given them. Once its scope has closed every call fails with
 * `StoreUnavailable`, and nothing of it is kept.
 */
export interface MailStoreShape {
  readonly capabilities: StoreCapabilities
  /**
   * Applies all changes or none, however it is interrupted. They come in the order of `inCommitOrder`; no two touch one record. A store
   * takes at least 200 commits at once before it may say that it is overloaded.
   */
  readonly commit: (changes: ReadonlyArray<Change>) => Effect.Effect<void, Conflict | StoreUnavailable>
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
  readonly claimPushes: (claim: PushClaim) => Effect.Effect<ReadonlyArray<EventPush>, StoreUnavailable>
  /** Answers every query from one state. */
  readonly read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => Effect.Effect<Answers<Qs>, StoreUnavailable>
  /**
   * Deletes up to `limit` of what has outlived its use, oldest first, and says how many went: events that happened before
   * `before`; idempotency records that expired before it; leases that ended before it of workers that hold no delivery and no push;
   * pushes that were settled before it.
   */
  readonly sweep: (sweep: Sweep) => Effect.Effect<number, StoreUnavailable>
  /** One element whenever somebody else, such as another process, has written; silent for a store of one process. */
  readonly changes: Stream.Stream<void>
}

export class MailStore extends Context.Service<MailStore, MailStoreShape>()("@mailkeep/core/port/MailStore") {}

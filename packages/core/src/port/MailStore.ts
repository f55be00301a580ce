/**
 * The storage port: commits of changes, claims, and reads. An adapter only stores and reads. It makes no decision, reads no clock, makes
 * no id and converts no value.
 */
import type { Effect, Stream } from "effect"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import type { Change } from "../domain/store/Change.ts"
import type { Conflict, StoreUnavailableReason } from "../domain/store/Conflict.ts"
import type { Claim, EventDeliveryClaim, MessageSweep, Sweep, SweptMessages } from "../domain/store/Claim.ts"
import type { Delivery } from "../domain/delivery/Delivery.ts"
import type { EventDelivery } from "../domain/event/EventDelivery.ts"
import type { Answers, Query } from "../domain/store/Query.ts"

const storeUnavailableMessages: Readonly<Record<StoreUnavailableReason, string>> = {
  overloaded: "The store has too much work now. Try again later.",
  locked: "The store is locked by another transaction or program. Try again later.",
  full: "The disk has no space left for the store. Make space, and try again.",
  read_only: "The store is read-only here. Use a file or a server that this process may write.",
  closed: "The store is closed. Open it again, or close it after the last call.",
  contended: "The call lost against other calls each time. Try again later.",
  unreachable: "The store cannot be reached now. Look at the cause of this failure, and try again later.",
  moving: "The records are being moved to another store. Try again after the move.",
  moved: "The records were moved to another store. Open that store.",
  deleting: "The project is being deleted. Finish the deletion, and try again.",
  newer_schema: "The tables were changed by a newer Mailkeep. Update this program."
}

/**
 * The store could not be reached or could not do the work now. `isRetryable` says whether the same call can succeed later. It cannot when `reason`
 * is `closed`, `moved` or `newer_schema`. The reason `read_only` can end by itself, such as after a failover. The reason `moving` means that the
 * records are being moved to another store, and `moved` that they were. The reason `deleting` means that the project of the call is being deleted. The
 * reason `newer_schema` means that a newer Mailkeep has changed the tables, and that this one cannot use them. After a failed commit, the changes may
 * have been applied: read again before the next commit.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{
  readonly reason: StoreUnavailableReason
  /** A sentence that says what to do, when the store knows it. */
  readonly detail?: string
  readonly cause?: unknown
}> {
  readonly kind = "unavailable"
  override get message() {
    return this.detail ?? storeUnavailableMessages[this.reason]
  }
  /** Retryable, unless the store is closed or moved, or needs a newer Mailkeep. Use the same idempotency key for a send. */
  get isRetryable() {
    return !["closed", "moved", "newer_schema"].includes(this.reason)
  }
}

/** The store could not be opened. Nothing was changed. */
export class StoreNotOpened extends Data.TaggedError("StoreNotOpened")<{
  readonly reason:
    | "not_a_database"
    | "newer_schema"
    | "older_schema"
    | "not_durable"
    | "not_granted"
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
  /** Retryable when another process has locked the store, or when its server may not run yet. Otherwise correct the cause first. */
  get isRetryable() {
    return this.reason === "locked" || this.reason === "unreachable"
  }
}

const storeNotOpenedMessages: Readonly<Record<StoreNotOpened["reason"], string>> = {
  not_a_database: "This file is not an SQLite database",
  newer_schema: "This store was written by a newer Mailkeep",
  older_schema: "The tables of this store are those of an older Mailkeep",
  not_durable: "The store does not sync every commit to the disk, and would lose mail",
  not_granted: "The role may not use this store",
  read_only: "The store is read-only",
  full: "The disk has no space left for the store",
  locked: "Another process has locked the store",
  not_private: "The path belongs to another user or is a link, so other users could read the store",
  unreachable: "The store cannot be opened",
  unsupported_runtime: "The store does not support this runtime"
}

const transactionRefusedMessages = {
  not_supported: "This store cannot take part in a transaction of the product. Use the outbox.",
  not_a_connection: "Give the connection of the product that has the open transaction.",
  no_transaction: "The connection has no open transaction.",
  other_file: "The connection belongs to another file than the store.",
  not_durable: "The connection does not sync every commit to the disk, and would lose mail.",
  other_schema: "The tables of Mailkeep in this file have another version.",
  stale_snapshot: "The transaction has read an old state of the file and can no longer write.",
  connection_busy: "A statement of the connection is still running. Read all of its rows first.",
  asynchronous: "The call would have to wait inside the transaction.",
  not_open: "The mail is not open yet. Open it before the transaction."
} as const

/** Mailkeep cannot take part in the transaction of the product. Nothing was changed, and the transaction is still open. */
export class TransactionRefused extends Data.TaggedError("TransactionRefused")<{
  readonly reason: keyof typeof transactionRefusedMessages
  /** A sentence that says what to do, when the store knows it. */
  readonly detail?: string
}> {
  override get message() {
    return this.detail ?? transactionRefusedMessages[this.reason]
  }
  /** Not retryable: begin another transaction, as `message` says. */
  get isRetryable() {
    return false
  }
}

/** One call within the open transaction of a caller. */
export interface JoinedTransaction {
  /** Reads and writes in the transaction, without waiting unless `isAsynchronous`. */
  readonly store: MailStoreShape
  /** Whether the store waits for the server of the connection. Default: no, so that a call runs in one step of the thread. */
  readonly isAsynchronous?: boolean
  /** Ends the call. With `false`, undoes what the call wrote. The transaction stays open. */
  readonly end: (keep: boolean) => Effect.Effect<void, StoreUnavailable>
  /**
   * Waits until the transaction has ended, also by the loss of its connection. Run after `end`, it misses no end. It does not keep the process running.
   */
  readonly transactionEnded: Effect.Effect<void>
}

/** What the store guarantees. */
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
  /** What this store guarantees. Constant. */
  readonly capabilities: StoreCapabilities
  /**
   * Applies all changes or none, also when it is interrupted. The changes are in the order of `inCommitOrder`, and no two change the same
   * record. A store must take at least 200 commits at once before it may fail with `overloaded`.
   */
  readonly commit: (changes: ReadonlyArray<Change>) => Effect.Effect<void, Conflict | StoreUnavailable>
  /** Marks due deliveries for one worker and returns them; see `Claim`. Two workers never get the same delivery. */
  readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<Delivery>, StoreUnavailable>
  /** Marks due event deliveries of one subscriber for one worker and returns them; see `EventDeliveryClaim`. */
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
  /**
   * Deletes messages by `evaluateMessageSweep`: of those that it examines, the messages whose deliveries have all ended, with nothing that happened
   * to one of them at or after `before`. The same write deletes their deliveries and attempts, and each content to which no other message of the
   * project refers. It adds the `sweptCounts` of the deleted deliveries to the counters.
   */
  readonly sweepMessages: (sweep: MessageSweep) => Effect.Effect<SweptMessages, StoreUnavailable>
  /**
   * Emits after commits of other processes, also after those since the store was opened and before the stream is read. It may emit without such a
   * commit. Never emits for a store that only one process can open.
   */
  readonly commitsOfOtherProcesses: Stream.Stream<void>
  /**
   * Joins the open transaction of the connection of a caller for one call. What the call writes commits or rolls back with the transaction. Fails
   * with `TransactionRefused` when the transaction cannot carry mail. Absent: the store has no such connections.
   */
  readonly joinTransaction?: (
    connection: unknown
  ) => Effect.Effect<JoinedTransaction, TransactionRefused | StoreUnavailable>
}

/**
 * Keeps the records. `@mailkeep/memory`, `@mailkeep/sqlite` and `@mailkeep/postgres` have stores; `docs/adapters/write-a-store.md` says how to write
 * one.
 *
 * @example
 * ```ts
 * import { MailStore } from "@mailkeep/core"
 * import { MemoryMailStore } from "@mailkeep/memory"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const store = yield* MailStore
 *   yield* store.commit([{ _tag: "PutSetting", name: "color", value: "blue" }])
 *   const [color] = yield* store.read([{ _tag: "Setting", name: "color" }])
 *   return color
 * })
 * console.log(Effect.runSync(Effect.provide(program, MemoryMailStore.layer))) // blue
 * ```
 */
export class MailStore extends Context.Service<MailStore, MailStoreShape>()("@mailkeep/core/port/MailStore") {}

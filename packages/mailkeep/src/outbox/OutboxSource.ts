/**
 * The outbox table of a product in its own database: how Mailkeep reads it, and what a drain reports. Source: decision 0056.
 */

/** A row of the outbox, for one `INSERT` in the product's transaction. */
export interface OutboxRow {
  /** A UUID of version 7, so that the order of the ids is the order of their times. It is the idempotency key of a send without one. */
  readonly id: string
  /** The send as JSON text. */
  readonly payload: string
}

/** A row of the outbox as the database returns it. A column of the type JSON may return `payload` as an object. */
export interface StoredOutboxRow {
  readonly id: string
  readonly payload: unknown
}

/**
 * How Mailkeep reads the outbox table: three functions over the product's own client. `outboxSql` has their statements. Several processes may drain
 * the same table.
 *
 * The functions must not run in an open transaction of the product: `take` would return rows that may be rolled back. A client with one
 * connection, such as better-sqlite3, needs a second one for them.
 */
export interface OutboxSource {
  /** Returns at most `limit` rows whose id is greater than `after`, by id, without the refused rows. */
  readonly take: (
    after: string,
    limit: number
  ) => PromiseLike<ReadonlyArray<StoredOutboxRow>> | ReadonlyArray<StoredOutboxRow>
  /** Deletes the rows whose sends were accepted. */
  readonly remove: (ids: ReadonlyArray<string>) => unknown
  /** Marks a row whose send was refused, so that `take` no longer returns it. `reason` contains nothing of the message. */
  readonly refuse: (id: string, reason: string) => unknown
}

/** What a drain did. */
export interface OutboxReport {
  /** Rows whose send was accepted, and that were removed. */
  readonly accepted: number
  /** Rows whose send was refused, and that were marked with the reason. */
  readonly refused: number
  /** Rows whose send can succeed later, such as one over the daily limit. They stay in the table. */
  readonly left: number
}

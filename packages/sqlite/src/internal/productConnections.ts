/**
 * The connections of the product to the file of the store. While one of them has an open transaction, the store must not wait for its lock: the
 * product would wait for the store.
 */

import SqliteDatabase from "better-sqlite3"
import type { Database } from "better-sqlite3"

/**
 * Whether a value is a connection of the driver that the store uses itself. Two copies of SQLite in one process do not see each other's locks, because
 * POSIX gives a lock to the process. Both would write at once, lose commits and damage the file. Source: decision 0056.
 */
export const isProductConnection = (value: unknown): value is Database => value instanceof SqliteDatabase

/** Whether a value is a connection of SQLite in another copy or of another driver. */
export const isForeignConnection = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  !isProductConnection(value) &&
  "prepare" in value &&
  typeof value.prepare === "function"

/** What to do about a connection of another copy of SQLite. Without a full stop. */
export const foreignConnectionSentence =
  "The connection is of another copy of SQLite than the one of Mailkeep, so that neither sees the locks of the other. Install one version of better-sqlite3, and open the connection with it"

/** What to do when the product waits for the store inside its own transaction. */
export const ownTransactionSentence =
  "A transaction of this process has locked the file of the store. Send inside it with mail.within(db), or commit it before you wait for the store."

/** What to do when the product opens the store inside its own transaction. Without a full stop. */
export const openedInTransactionSentence =
  "A transaction of this process has locked the file of the store. Open the store before it, or commit it first"

/** How long the store waits for a lock before it looks for an open transaction of this process, in milliseconds. */
export const ownTransactionMillis = 50

/** The connections that the product has named. */
export interface ProductConnections {
  readonly add: (connection: Database) => void
  /** Whether the product has named a connection. */
  readonly isKnown: () => boolean
  /** Whether one of the connections has an open transaction. */
  readonly hasTransaction: () => boolean
}

/** Keeps no connection alive. */
export const makeProductConnections = (): ProductConnections => {
  const known = new WeakSet<Database>()
  let connections: ReadonlyArray<WeakRef<Database>> = []
  const alive = () => connections.filter((connection) => connection.deref() !== undefined)
  return {
    add: (connection) => {
      if (known.has(connection)) return
      known.add(connection)
      connections = [...alive(), new WeakRef(connection)]
    },
    isKnown: () => connections.length > 0,
    hasTransaction: () => connections.some((connection) => connection.deref()?.inTransaction === true)
  }
}

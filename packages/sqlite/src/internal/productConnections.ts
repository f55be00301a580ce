/**
 * The connections of the product to the file of the store. While one of them has an open transaction, the store must not wait for its lock: the
 * product would wait for the store.
 */

/** The part of a connection of better-sqlite3 that the store uses. Any copy and version of the driver has it. */
export interface ProductConnection {
  readonly inTransaction: boolean
  readonly prepare: (sql: string) => unknown
  readonly pragma: (sql: string, options?: { readonly simple: boolean }) => unknown
}

/** Whether a value is a connection of better-sqlite3. Its class is not compared, because a product can have another copy of the driver. */
export const isProductConnection = (value: unknown): value is ProductConnection =>
  typeof value === "object" &&
  value !== null &&
  "prepare" in value &&
  typeof value.prepare === "function" &&
  "pragma" in value &&
  typeof value.pragma === "function" &&
  "inTransaction" in value &&
  typeof value.inTransaction === "boolean"

/** What to do when the product waits for the store inside its own transaction. */
export const ownTransactionSentence =
  "A transaction of this process has locked the file of the store. Send inside it with mail.within(db), or commit it before you wait for the store."

/** How long the store waits for a lock before it looks for an open transaction of this process, in milliseconds. */
export const ownTransactionMillis = 50

/** The connections that the product has named. */
export interface ProductConnections {
  readonly add: (connection: ProductConnection) => void
  /** Whether the product has named a connection. */
  readonly isKnown: () => boolean
  /** Whether one of the connections has an open transaction. */
  readonly hasTransaction: () => boolean
}

/** Keeps no connection alive. */
export const makeProductConnections = (): ProductConnections => {
  const known = new WeakSet<ProductConnection>()
  let connections: ReadonlyArray<WeakRef<ProductConnection>> = []
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

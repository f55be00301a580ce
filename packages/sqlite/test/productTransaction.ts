/**
 * A transaction of a product, for the laws of stores that join one.
 */
import Database from "better-sqlite3"
import { Effect } from "effect"

/** Begins a transaction on a connection of its own to the file. */
export const beginTransaction = (filename: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Database(filename)),
      (database) => Effect.sync(() => database.close())
    ),
    (connection) => {
      connection.pragma("synchronous = FULL")
      connection.exec("BEGIN IMMEDIATE")
      return {
        connection,
        commit: Effect.sync(() => connection.exec("COMMIT")),
        rollback: Effect.sync(() => connection.exec("ROLLBACK"))
      }
    }
  )

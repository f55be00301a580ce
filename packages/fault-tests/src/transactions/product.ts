/**
 * The database of the product that sends in its own transactions: its tables, and its outbox.
 */
import { join } from "node:path"
import Database from "better-sqlite3"
import type { OutboxSource, StoredOutboxRow } from "mailkeep"
import { outboxSql } from "mailkeep"
import { filesIn } from "../embeddedMail.ts"

/** How the product sends: in the file of the store, or through an outbox in a file of its own. */
export const transactionWays = ["within", "outbox"] as const
export type TransactionWay = (typeof transactionWays)[number]

/** Opens the database of the product, and creates its tables. */
export const openProduct = (folder: string, way: TransactionWay) => {
  const filename = way === "within" ? filesIn(folder).store : join(folder, "shop.db")
  const db = new Database(filename)
  db.pragma("journal_mode = WAL")
  db.pragma("synchronous = FULL")
  db.exec("CREATE TABLE IF NOT EXISTS orders (recipient TEXT PRIMARY KEY)")
  if (way === "outbox") db.exec(outboxSql.sqlite.createTable.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS"))
  return { db, filename }
}

/** The outbox of the product, on a connection that never sees the open transactions of the product, and never waits for them. */
export const openOutbox = (filename: string): OutboxSource & { readonly close: () => void } => {
  const db = new Database(filename, { timeout: 0 })
  return {
    take: (after, limit) => db.prepare<[string, number], StoredOutboxRow>(outboxSql.sqlite.take).all(after, limit),
    remove: (ids) => db.prepare(outboxSql.sqlite.remove).run(JSON.stringify(ids)),
    refuse: (id, reason) => db.prepare(outboxSql.sqlite.refuse).run(reason, id),
    close: () => void db.close()
  }
}

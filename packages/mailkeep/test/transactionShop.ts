/**
 * A product with its own connection to the file of the store, and a mail over it.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Database from "better-sqlite3"
import { expect } from "vitest"
import type { Mail, MailOptions, StubAdapter } from "../src/index.ts"
import { openMail, sqlite, stub, TransactionRefused } from "../src/index.ts"

/** A send of the product. */
export const message = { to: "ada@example.org", subject: "Your order", text: "Thank you." }

/** A connection of the product, which syncs every commit. */
export const connectionTo = (path: string): Database.Database => {
  const connection = new Database(path)
  connection.pragma("journal_mode = WAL")
  connection.pragma("synchronous = FULL")
  return connection
}

/** A product that sends mail. */
export interface Shop {
  readonly folder: string
  readonly filename: string
  readonly db: Database.Database
  readonly transport: StubAdapter
  mail: Mail
  /** Opens another mail over the file. */
  readonly openWith: (options?: Partial<MailOptions>) => Promise<Mail>
  /** Closes the mail and opens it again with other options. */
  readonly reopen: (options: Partial<MailOptions>) => Promise<void>
  readonly begin: () => void
  readonly commit: () => void
  readonly rollback: () => void
  /** The statuses of the deliveries that other readers of the store see. */
  readonly visible: () => Promise<ReadonlyArray<string>>
  readonly close: () => Promise<void>
}

export const openShop = async (): Promise<Shop> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-within-"))
  const filename = join(folder, "shop.db")
  const transport = stub()
  const openWith: Shop["openWith"] = (options = {}) =>
    openMail({
      store: sqlite(filename),
      transport,
      domains: ["acme.example"],
      from: "shop@acme.example",
      background: false,
      onLog: () => {},
      ...options
    })
  const mail = await openWith()
  const db = connectionTo(filename)
  db.exec("CREATE TABLE orders (id INTEGER PRIMARY KEY, email TEXT NOT NULL)")
  const shop: Shop = {
    folder,
    filename,
    db,
    transport,
    mail,
    openWith,
    reopen: async (options) => {
      await shop.mail.close()
      shop.mail = await openWith(options)
    },
    begin: () => db.exec("BEGIN IMMEDIATE"),
    commit: () => db.exec("COMMIT"),
    rollback: () => db.exec("ROLLBACK"),
    visible: async () => (await shop.mail.deliveries.list()).items.map(({ status }) => status),
    close: async () => {
      if (db.inTransaction) db.exec("ROLLBACK")
      db.close()
      await shop.mail.close()
      rmSync(folder, { recursive: true })
    }
  }
  return shop
}

/** What a function throws. */
export const thrown = (call: () => unknown): unknown => {
  try {
    call()
  } catch (cause) {
    return cause
  }
  throw new Error("Nothing was thrown.")
}

/** The refusal that a function throws. */
export const refusal = (call: () => unknown): TransactionRefused => {
  const failure = thrown(call)
  expect(failure).toBeInstanceOf(TransactionRefused)
  return failure as TransactionRefused
}

/**
 * Every transaction that a send refuses. Nothing is written, and the transaction stays open.
 */
import { join } from "node:path"
import Database from "better-sqlite3"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { lazyMail, memory, sqlite, StoreUnavailable } from "../src/index.ts"
import type { Shop } from "./transactionShop.ts"
import { connectionTo, message, openShop, refusal, thrown } from "./transactionShop.ts"

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => shop.close())

describe("refusals of within", () => {
  it("refuses a connection without an open transaction", () => {
    expect(refusal(() => shop.mail.within(shop.db).send(message))).toMatchObject({
      reason: "no_transaction",
      isRetryable: false
    })
  })

  it("says that a connection is closed", () => {
    const closed = connectionTo(shop.filename)
    closed.close()
    expect(refusal(() => shop.mail.within(closed).send(message))).toMatchObject({
      reason: "no_transaction",
      message: "The connection is closed. Open it, and begin a transaction."
    })
  })

  it("refuses a value that is no connection", () => {
    for (const value of [null, {}, "db", { inTransaction: true }])
      expect(refusal(() => shop.mail.within(value as never).send(message)).reason).toBe("not_a_connection")
  })

  it("refuses a connection to another file, and accepts another path of the same file", async () => {
    const other = connectionTo(join(shop.folder, "other.db"))
    other.exec("BEGIN IMMEDIATE")
    expect(refusal(() => shop.mail.within(other).send(message)).reason).toBe("other_file")
    other.exec("ROLLBACK")
    other.close()
    const samePath = connectionTo(join(shop.folder, ".", "..", shop.folder.split("/").at(-1)!, "shop.db"))
    samePath.exec("BEGIN IMMEDIATE")
    shop.mail.within(samePath).send(message)
    samePath.exec("COMMIT")
    samePath.close()
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("refuses a database in memory, and the file of the store when it is only attached", () => {
    const inMemory = new Database(":memory:")
    inMemory.prepare("ATTACH ? AS mail").run(shop.filename)
    inMemory.exec("BEGIN IMMEDIATE")
    expect(refusal(() => shop.mail.within(inMemory).send(message))).toMatchObject({
      reason: "not_durable",
      message: expect.stringContaining("in memory")
    })
    inMemory.exec("ROLLBACK")
    inMemory.close()
  })

  it.each(["OFF", "NORMAL", undefined])("refuses a connection with synchronous = %s, and says what to set", (value) => {
    // `undefined` is a connection that the product opened without any pragma: better-sqlite3 then syncs only at a checkpoint.
    const weak = new Database(shop.filename)
    if (value !== undefined) weak.pragma(`synchronous = ${value}`)
    weak.exec("BEGIN IMMEDIATE")
    expect(refusal(() => shop.mail.within(weak).send(message))).toMatchObject({
      reason: "not_durable",
      message: expect.stringContaining('db.pragma("synchronous = FULL")')
    })
    expect(weak.inTransaction).toBe(true)
    weak.exec("ROLLBACK")
    weak.close()
  })

  it("accepts a connection with synchronous = EXTRA", async () => {
    shop.db.pragma("synchronous = EXTRA")
    shop.begin()
    shop.mail.within(shop.db).send(message)
    shop.commit()
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("refuses a file whose tables have another version", () => {
    shop.db.exec("UPDATE mailkeep_schema SET version = version + 1")
    shop.begin()
    expect(refusal(() => shop.mail.within(shop.db).send(message)).reason).toBe("other_schema")
    shop.rollback()
    shop.db.exec("UPDATE mailkeep_schema SET version = version - 1")
  })

  it("refuses a deferred transaction with an old snapshot, and says how to begin", async () => {
    shop.db.exec("BEGIN")
    shop.db.prepare("SELECT count(*) FROM orders").get()
    await shop.mail.send(message)
    const failure = refusal(() => shop.mail.within(shop.db).send(message))
    expect(failure.reason).toBe("stale_snapshot")
    expect(failure.message).toContain("BEGIN IMMEDIATE")
    shop.rollback()
  })

  it("accepts a deferred transaction that can still write", async () => {
    shop.db.exec("BEGIN")
    shop.db.prepare("SELECT count(*) FROM orders").get()
    shop.mail.within(shop.db).send(message)
    shop.commit()
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("refuses a send while a statement of the connection still returns rows", () => {
    shop.db.exec("INSERT INTO orders (email) VALUES ('a'), ('b')")
    shop.begin()
    for (const _row of shop.db.prepare("SELECT * FROM orders").iterate()) {
      expect(refusal(() => shop.mail.within(shop.db).send(message)).reason).toBe("connection_busy")
      break
    }
    shop.rollback()
  })

  it("refuses a plan that is a promise, and writes nothing later", async () => {
    await shop.reopen({ plan: async () => ({}) })
    shop.begin()
    const failure = refusal(() => shop.mail.within(shop.db).send(message))
    expect(failure.reason).toBe("asynchronous")
    expect(failure.message).toContain("plan")
    await new Promise((resolve) => setImmediate(resolve))
    shop.commit()
    expect(await shop.visible()).toEqual([])
  })

  it("refuses a file that is given by its path", async () => {
    await shop.reopen({ attachmentFolder: shop.folder })
    shop.begin()
    const attachments = [{ path: "shop.db" }]
    expect(refusal(() => shop.mail.within(shop.db).send({ ...message, attachments })).reason).toBe("asynchronous")
    shop.rollback()
  })

  it("refuses a store that is not SQLite", async () => {
    const other = await shop.openWith({ store: memory() })
    shop.begin()
    expect(refusal(() => other.within(shop.db).send(message)).reason).toBe("not_supported")
    await other.close()
  })

  it("refuses before the mail is open, and after it is closed", async () => {
    const lazy = lazyMail({ store: sqlite(shop.filename), transport: shop.transport, from: "shop@acme.example" })
    shop.begin()
    expect(refusal(() => lazy.within(shop.db).send(message)).reason).toBe("not_open")
    await lazy.close()
    expect(thrown(() => lazy.within(shop.db).send(message))).toBeInstanceOf(StoreUnavailable)
  })

  it("throws StoreUnavailable for a connection that may not write", () => {
    shop.begin()
    shop.db.pragma("query_only = ON")
    expect(thrown(() => shop.mail.within(shop.db).send(message))).toMatchObject({ reason: "read_only" })
    shop.db.pragma("query_only = OFF")
  })
})

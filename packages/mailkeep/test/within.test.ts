/**
 * Sends in the product's own transaction: what commits, what rolls back, and when the hand-off begins.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { MailStore } from "@mailkeep/core"
import Database from "better-sqlite3"
import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { openMail, sqlite, stub } from "../src/index.ts"
import type { Shop } from "./transactionShop.ts"
import { message, openShop, refusal, thrown } from "./transactionShop.ts"

let shop: Shop

beforeEach(async () => {
  shop = await openShop()
})

afterEach(() => shop.close())

describe("within", () => {
  it("sends when the transaction of the product commits", async () => {
    shop.begin()
    shop.db.prepare("INSERT INTO orders (email) VALUES (?)").run(message.to)
    expect(shop.mail.within(shop.db).send(message)).toMatchObject({ totalQueued: 1, replayed: false })
    expect(await shop.visible()).toEqual([])
    shop.commit()
    expect(await shop.visible()).toEqual(["queued"])
    await shop.mail.tick()
    expect(shop.transport.captured().map((one) => one.message.subject)).toEqual(["Your order"])
    expect(shop.db.prepare("SELECT count(*) FROM orders").pluck().get()).toBe(1)
  })

  it("keeps nothing of a transaction that rolls back", async () => {
    const before = await shop.mail.usageAudit()
    shop.begin()
    shop.mail.within(shop.db).send({ ...message, idempotencyKey: "order-1" })
    shop.rollback()
    await shop.mail.tick()
    expect(shop.transport.captured()).toEqual([])
    expect(await shop.mail.usageAudit()).toEqual(before)
    // The idempotency key is free again.
    expect((await shop.mail.send({ ...message, idempotencyKey: "order-1" })).replayed).toBe(false)
  })

  it("works in the function of shop.db.transaction, and rolls back when it throws", async () => {
    const order = shop.db.transaction((fails: boolean) => {
      shop.mail.within(shop.db).send(message)
      if (fails) throw new Error("no stock")
    })
    expect(() => order.immediate(true)).toThrow("no stock")
    expect(await shop.visible()).toEqual([])
    order.immediate(false)
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("returns the earlier result for an idempotency key of the same transaction and of an earlier one", async () => {
    shop.begin()
    const first = shop.mail.within(shop.db).send({ ...message, idempotencyKey: "order-2" })
    const second = shop.mail.within(shop.db).send({ ...message, idempotencyKey: "order-2" })
    shop.commit()
    shop.begin()
    const third = shop.mail.within(shop.db).send({ ...message, idempotencyKey: "order-2" })
    shop.commit()
    expect([second.replayed, third.replayed]).toEqual([true, true])
    expect(new Set([first, second, third].map(({ messageId }) => messageId)).size).toBe(1)
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("throws the refusal of a send, writes nothing and leaves the transaction open", async () => {
    shop.begin()
    const failure = thrown(() => shop.mail.within(shop.db).send({ ...message, from: "hi@other.example" }))
    expect(failure).toMatchObject({ _tag: "SenderDomainNotVerified" })
    expect(String((failure as Error).stack)).toContain("within.test.ts")
    expect(shop.db.inTransaction).toBe(true)
    shop.mail.within(shop.db).send(message)
    shop.commit()
    expect(await shop.visible()).toEqual(["queued"])
  })

  it("holds the limits of the plan across the sends of one transaction", async () => {
    await shop.reopen({ plan: { dailySends: 2 } })
    shop.begin()
    shop.mail.within(shop.db).send(message)
    shop.mail.within(shop.db).send(message)
    expect(thrown(() => shop.mail.within(shop.db).send(message))).toMatchObject({
      code: "daily_sending_limit_exceeded"
    })
    shop.commit()
    expect(await shop.visible()).toEqual(["queued", "queued"])
  })

  it("takes a plan function that returns at once", async () => {
    await shop.reopen({ plan: () => ({ dailySends: 1 }) })
    shop.begin()
    expect(shop.mail.within(shop.db).send(message).totalQueued).toBe(1)
    shop.commit()
  })

  it("sends a batch with files, cancels and reschedules in one transaction", async () => {
    const later = { ...message, scheduledAt: new Date(Date.now() + 3_600_000) }
    const first = await shop.mail.send(later)
    const second = await shop.mail.send(later)
    shop.begin()
    const tx = shop.mail.within(shop.db)
    const file = { filename: "a.bin", content: new Uint8Array(300_000).fill(7) }
    const results = tx.sendBatch({
      messages: Array.from({ length: 100 }, () => ({ ...message, attachments: [file] })).map((one, n) =>
        n === 3 ? { ...one, to: "nobody" } : one
      )
    })
    expect(results.map(({ status }) => status).filter((status) => status === "fulfilled").length).toBe(99)
    expect(results[3]).toMatchObject({ status: "rejected", reason: { _tag: "InvalidArgument" } })
    tx.cancel(first.messageId)
    tx.reschedule(second.messageId, new Date(Date.now() + 7_200_000))
    shop.rollback()
    expect((await shop.visible()).toSorted()).toEqual(["scheduled", "scheduled"])
    shop.begin()
    shop.mail.within(shop.db).cancel(first.messageId)
    shop.commit()
    expect((await shop.visible()).toSorted()).toEqual(["canceled", "scheduled"])
  })

  it("sends in the project of its handle", async () => {
    const tenant = shop.mail.project("prj_b", { from: "hi@b.example" })
    await tenant.domains.ensure({ domain: "b.example", verified: true })
    shop.begin()
    tenant.within(shop.db).send(message)
    shop.commit()
    expect((await tenant.deliveries.list()).items.length).toBe(1)
    expect(await shop.visible()).toEqual([])
  })

  it("reads numbers as numbers when the product has chosen BigInt for its statements", async () => {
    shop.db.defaultSafeIntegers(true)
    shop.begin()
    shop.mail.within(shop.db).send(message)
    shop.mail.within(shop.db).send({ ...message, idempotencyKey: "k" })
    expect(shop.mail.within(shop.db).send({ ...message, idempotencyKey: "k" }).replayed).toBe(true)
    shop.commit()
    expect(await shop.visible()).toEqual(["queued", "queued"])
  })

  it("refuses a connection of another copy of SQLite, which does not see the locks of the store", async () => {
    const copied = mkdtempSync(join(tmpdir(), "mailkeep-driver-"))
    onTestFinished(() => rmSync(copied, { recursive: true }))
    const installed = dirname(createRequire(import.meta.url).resolve("better-sqlite3/package.json"))
    for (const part of ["package.json", "lib", "prebuilds"])
      cpSync(join(installed, part), join(copied, "better-sqlite3", part), { recursive: true })
    const OtherDriver = createRequire(join(copied, "product.js"))("./better-sqlite3") as typeof Database
    const ofOtherCopy = new OtherDriver(shop.filename)
    const ofNode = new DatabaseSync(shop.filename)
    for (const foreign of [ofOtherCopy, ofNode as unknown as Database.Database]) {
      foreign.exec("PRAGMA synchronous = FULL; BEGIN IMMEDIATE")
      const { reason, message: sentence } = refusal(() => shop.mail.within(foreign).send(message))
      expect([reason, sentence]).toEqual(["not_durable", expect.stringContaining("another copy of SQLite")])
      foreign.exec("ROLLBACK")
      await expect(
        openMail({ store: sqlite({ filename: shop.filename, connection: foreign }), transport: stub() })
      ).rejects.toMatchObject({ _tag: "StoreNotOpened", reason: "not_durable" })
      foreign.close()
    }
    expect(await shop.visible()).toEqual([])
  })

  it("says that SQLite has rolled back the whole transaction when the disk is full", async () => {
    shop.db.pragma(`max_page_count = ${shop.db.pragma("page_count", { simple: true }) as number}`)
    shop.begin()
    shop.db.prepare("INSERT INTO orders (email) VALUES (?)").run(message.to)
    const send = () => shop.mail.within(shop.db).send({ ...message, text: "x".repeat(1_000_000) })
    expect(thrown(send)).toMatchObject({
      _tag: "StoreUnavailable",
      reason: "full",
      message: expect.stringContaining("rolled back the whole transaction")
    })
    expect(shop.db.inTransaction).toBe(false)
    expect(shop.db.prepare("SELECT count(*) FROM orders").pluck().get()).toBe(0)
  })

  it("finds an old state of the file before it decides", async () => {
    const other = new Database(shop.filename, { timeout: 0 })
    onTestFinished(() => void other.close())
    other.pragma("synchronous = FULL")
    other.exec("BEGIN")
    other.prepare("SELECT count(*) FROM mailkeep_deliveries").get()
    await shop.mail.send(message)
    expect(refusal(() => shop.mail.within(other).send(message)).reason).toBe("stale_snapshot")
  })

  it("lets the commits of other callers wait for the transaction", async () => {
    shop.begin()
    shop.mail.within(shop.db).send(message)
    const other = shop.mail.send({ ...message, subject: "Other" })
    // The commit of the other send waits for the lock for a short time. Nothing is thrown before the product commits.
    shop.commit()
    await other
    expect(await shop.visible()).toEqual(["queued", "queued"])
  })
})

describe("waiting for the store in an open transaction", () => {
  const told = async (wait: () => Promise<unknown>) => {
    const startedAt = performance.now()
    const failure = await wait().then(
      () => undefined,
      (cause: unknown) => cause
    )
    return { failure, millis: performance.now() - startedAt }
  }

  it("is refused at once, with the way to send, for a connection that within has used", async () => {
    shop.begin()
    shop.mail.within(shop.db).send(message)
    const { failure, millis } = await told(() => shop.mail.send(message))
    expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "locked", isRetryable: true })
    expect((failure as Error).message).toContain("mail.within(db)")
    expect(millis).toBeLessThan(2000)
    shop.commit()
    await shop.mail.send(message)
    expect(await shop.visible()).toEqual(["queued", "queued"])
  })

  it("is refused at once for the connection that sqlite was given", async () => {
    await shop.reopen({ store: sqlite({ filename: shop.filename, connection: shop.db }) })
    shop.begin()
    const { failure, millis } = await told(() => shop.mail.send(message))
    expect((failure as Error).message).toContain("mail.within(db)")
    expect(millis).toBeLessThan(2000)
    shop.rollback()
  })
})

describe("the hand-off after a transaction", () => {
  it("begins soon after the commit, without a poll of the store", async () => {
    let captured = () => {}
    await shop.reopen({ background: true, transport: stub({ onCaptured: () => captured() }) })
    const handOffMillis = async (subject: string) => {
      const arrived = new Promise<void>((resolve) => (captured = resolve))
      shop.begin()
      shop.mail.within(shop.db).send({ ...message, subject })
      shop.commit()
      const startedAt = performance.now()
      await arrived
      return performance.now() - startedAt
    }
    // The last search for work was just before, so each hand-off would wait a whole second for the next poll. A busy machine can delay one.
    const millis = []
    for (const subject of ["First", "Second", "Third"]) millis.push(await handOffMillis(subject))
    expect(Math.min(...millis)).toBeLessThan(900)
  })

  it("begins after the commit of a transaction that stays open over several turns", async () => {
    let captured = () => {}
    const arrived = new Promise<void>((resolve) => (captured = resolve))
    const transport = stub({ onCaptured: () => captured() })
    await shop.reopen({ background: true, transport })
    shop.begin()
    shop.mail.within(shop.db).send(message)
    await new Promise((resolve) => setImmediate(resolve))
    expect(transport.captured()).toEqual([])
    shop.commit()
    await arrived
    expect(transport.captured().length).toBe(1)
  })
})

describe("the service of the store", () => {
  it("has joinTransaction, for a program that uses Effect", async () => {
    shop.begin()
    const joined = await shop.mail.runtime.runPromise(
      MailStore.use((store) =>
        Effect.gen(function* () {
          const transaction = yield* store.joinTransaction!(shop.db)
          yield* transaction.store.commit([{ _tag: "PutSetting", name: "color", value: "blue" }])
          yield* transaction.end(false)
          return yield* transaction.store.read([{ _tag: "Setting", name: "color" }])
        })
      )
    )
    shop.rollback()
    expect(joined).toEqual([null])
  })
})

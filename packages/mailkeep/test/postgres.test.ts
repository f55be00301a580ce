/**
 * `openMail` over PostgreSQL: sends in transactions of the product, and what several processes share.
 */
import { MailStore } from "@mailkeep/core"
import { wholeRotation } from "@mailkeep/core/adapter"
import { PostgresMailStore, sharedServices } from "@mailkeep/postgres"
import type { PostgresServer } from "@mailkeep/test-support/postgres"
import { hasPostgres, sharedPostgres } from "@mailkeep/test-support/postgres"
import { drizzle } from "drizzle-orm/node-postgres"
import { sql } from "drizzle-orm"
import { Clock, Effect, Layer } from "effect"
import type { PoolClient } from "pg"
import { Pool } from "pg"
import { afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from "vitest"
import type { Mail, MailOptions, TransactionClient } from "../src/index.ts"
import { openMail, stub, TransactionRefused } from "../src/index.ts"
import { migratePostgres, postgres } from "../src/postgres.ts"

const message = { to: "ada@example.org", subject: "Your order", text: "Thank you." }

describe("postgres", () => {
  it("throws a TypeError without a pool and without a URL", () => {
    expect(() => postgres(undefined as never)).toThrow(TypeError)
    expect(() => postgres("")).toThrow("postgres needs a pool of pg or a URL")
  })
})

describe("migratePostgres", () => {
  it("rejects with StoreNotOpened when the server cannot be reached", async () => {
    await expect(migratePostgres("postgres://mail@127.0.0.1:9/shop")).rejects.toMatchObject({
      _tag: "StoreNotOpened",
      reason: "unreachable"
    })
    await expect(migratePostgres("")).rejects.toThrow(TypeError)
  })
})

describe.skipIf(!hasPostgres())("openMail over PostgreSQL", () => {
  let server: PostgresServer
  let name: string
  let pool: Pool
  const opened: Array<Mail> = []

  beforeAll(async () => {
    server = await sharedPostgres()
  }, 60_000)
  beforeEach(async () => {
    name = await server.createDatabase()
    pool = new Pool({ connectionString: server.urlOf(name), pipeline: true })
    // The server ends connections that are still closing when it drops the database.
    pool.on("error", () => {})
    await pool.query("CREATE TABLE orders (email text NOT NULL)")
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((mail) => mail.close()))
    await pool.end()
    await server.dropDatabase(name)
  })

  const open = async (options: Partial<MailOptions> = {}): Promise<Mail> => {
    const mail = await openMail({
      store: postgres(pool),
      transport: stub(),
      domains: ["acme.example"],
      from: "shop@acme.example",
      background: false,
      onLog: () => {},
      ...options
    })
    opened.push(mail)
    return mail
  }

  /** Runs the statements of the product in a transaction, and ends it as `end` says. */
  const inTransaction = async <A>(run: (client: PoolClient) => Promise<A>, end = "COMMIT"): Promise<A> => {
    const client = await pool.connect()
    try {
      await client.query("BEGIN")
      const result = await run(client)
      await client.query(end)
      return result
    } finally {
      client.release()
    }
  }

  const deliveries = async (mail: Mail) => (await mail.deliveries.list()).items.length
  const orders = async () => (await pool.query("SELECT email FROM orders")).rows.length

  it("opens with a URL, sends and hands over", async () => {
    const mail = await open({ store: postgres(server.urlOf(name)) })
    expect((await mail.send(message)).totalQueued).toBe(1)
    expect((await mail.tick()).deliveries.handedOver).toBe(1)
  })

  it("leaves the pool of the product open when the mail closes", async () => {
    const mail = await open()
    await mail.close()
    expect(await orders()).toBe(0)
  })

  it("commits a send together with the rows of the product", async () => {
    const mail = await open()
    await inTransaction(async (client) => {
      await client.query("INSERT INTO orders (email) VALUES ($1)", [message.to])
      const { totalQueued } = await mail.within(client).send(message)
      expect(totalQueued).toBe(1)
      expect(await deliveries(mail)).toBe(0)
    })
    expect([await orders(), await deliveries(mail)]).toEqual([1, 1])
  })

  it("keeps nothing of a transaction that rolls back", async () => {
    const mail = await open()
    await inTransaction(async (client) => {
      await client.query("INSERT INTO orders (email) VALUES ($1)", [message.to])
      await mail.within(client).send({ ...message, idempotencyKey: "order-1" })
    }, "ROLLBACK")
    expect([await orders(), await deliveries(mail)]).toEqual([0, 0])
    expect((await mail.send({ ...message, idempotencyKey: "order-1" })).totalQueued).toBe(1)
  })

  it("undoes only the call that failed, and commits the rest of the transaction", async () => {
    const mail = await open({ plan: { dailySends: 1 } })
    await inTransaction(async (client) => {
      await mail.within(client).send(message)
      await expect(mail.within(client).send(message)).rejects.toMatchObject({ name: "PlanLimitReached" })
      await client.query("INSERT INTO orders (email) VALUES ($1)", [message.to])
    })
    expect([await orders(), await deliveries(mail)]).toEqual([1, 1])
  })

  it("runs several calls on one client one after the other", async () => {
    const mail = await open()
    const results = await inTransaction((client) =>
      Promise.allSettled([
        mail.within(client).send(message),
        mail.within(client).send({ ...message, to: "nobody" }),
        mail.within(client).sendBatch({ messages: [message, message] })
      ])
    )
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"])
    expect(await deliveries(mail)).toBe(3)
  })

  it("joins transactions on all clients of its pool at the same time", async () => {
    const mail = await open()
    const count = pool.options.max
    const all = Promise.withResolvers<void>()
    let begun = 0
    const send = () =>
      inTransaction(async (client) => {
        if (++begun === count) all.resolve()
        await all.promise
        await mail.within(client).send(message)
      })
    await Promise.all(Array.from({ length: count }, send))
    expect(await deliveries(mail)).toBe(count)
  })

  it("refuses a client without a transaction, a pool, another isolation level and a commit that is not synced", async () => {
    const mail = await open()
    const refusal = async (client: PoolClient) => {
      const failure: unknown = await mail
        .within(client)
        .send(message)
        .catch((cause: unknown) => cause)
      expect(failure).toBeInstanceOf(TransactionRefused)
      return (failure as TransactionRefused).reason
    }
    expectTypeOf<Pool>().not.toExtend<TransactionClient>()
    expect(await refusal(pool as never)).toBe("not_a_connection")
    const client = await pool.connect()
    try {
      expect(await refusal(client)).toBe("no_transaction")
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
      expect(await refusal(client)).toBe("stale_snapshot")
      await client.query("INSERT INTO orders (email) VALUES ('still open')")
      await client.query("COMMIT")
      await client.query("BEGIN; SET LOCAL synchronous_commit = off")
      expect(await refusal(client)).toBe("not_durable")
      await client.query("ROLLBACK; BEGIN")
      await client.query("SELECT 1/0").catch(() => {})
      expect(await refusal(client)).toBe("no_transaction")
      await client.query("ROLLBACK")
    } finally {
      client.release()
    }
    expect(await orders()).toBe(1)
  })

  it("refuses a client of another database", async () => {
    const mail = await open()
    const other = new Pool({ connectionString: server.urlOf("postgres") })
    const client = await other.connect()
    await client.query("BEGIN")
    await expect(mail.within(client).send(message)).rejects.toMatchObject({ reason: "other_file" })
    await client.query("ROLLBACK")
    client.release()
    await other.end()
  })

  it("hands over in another process soon after the transaction has ended", async () => {
    const transport = stub()
    const sender = await open()
    await open({ store: postgres(server.urlOf(name)), transport, background: true })
    await inTransaction((client) => sender.within(client).send(message))
    await expect.poll(() => transport.captured().length, { timeout: 10_000 }).toBe(1)
  })

  it("joins the transaction of Drizzle on a client of the pool", async () => {
    const mail = await open()
    const client = await pool.connect()
    try {
      await drizzle(client).transaction(async (tx) => {
        await tx.execute(sql`INSERT INTO orders (email) VALUES (${message.to})`)
        await mail.within(client).send(message)
      })
    } finally {
      client.release()
    }
    expect([await orders(), await deliveries(mail)]).toEqual([1, 1])
  })

  it("claims no delivery of another process whose clock differs by two minutes", async () => {
    const skewed = (millis: number) =>
      Layer.effect(
        Clock.Clock,
        Effect.map(Clock.Clock, (base): Clock.Clock => {
          const now = () => base.currentTimeMillisUnsafe() + millis
          const nanos = () => BigInt(now()) * 1_000_000n
          return {
            currentTimeMillisUnsafe: now,
            currentTimeMillis: Effect.sync(now),
            currentTimeNanosUnsafe: nanos,
            currentTimeNanos: Effect.sync(nanos),
            monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
            monotonicTimeNanos: base.monotonicTimeNanos,
            sleep: (duration) => base.sleep(duration)
          }
        })
      )
    const minuteMillis = 60_000
    const hanging = stub({ script: [{ acts: [{ act: "hang" }] }] })
    const storeWith = (millis: number) => Layer.provide(sharedServices.layer({ pool }), skewed(millis))
    const early = await open({ store: storeWith(-minuteMillis), transport: hanging, graceMillis: 0 })
    const late = await open({ store: storeWith(minuteMillis) })
    const ownClock = Layer.merge(PostgresMailStore.layer({ pool }), skewed(minuteMillis))
    const wrong = await open({ store: ownClock })
    await early.send(message)
    early.tick().catch(() => {})
    await expect.poll(async () => (await late.deliveries.list()).items[0]?.status).toBe("sending")
    /** What a worker of the mail claims of workers that have died. */
    const abandoned = (mail: Mail) =>
      mail.runtime.runPromise(
        Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const store = yield* MailStore
          const lease = { worker: "other", now, leaseUntil: now + minuteMillis, limit: 1 }
          return (yield* store.claim({ kind: "abandonedSending", rotation: wholeRotation, ...lease })).length
        })
      )
    expect(await abandoned(late)).toBe(0)
    // With its own clock, the other process takes the lease for ended.
    expect(await abandoned(wrong)).toBe(1)
  })
})

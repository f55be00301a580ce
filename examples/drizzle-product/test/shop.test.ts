/**
 * Tests orders and their mail on a real server.
 */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict"
import { after, before, beforeEach, describe, it } from "node:test"
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { hasPostgres, openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { drizzle } from "drizzle-orm/node-postgres"
import type { Mail } from "mailkeep"
import { stub } from "mailkeep"
import { Pool } from "pg"
import { openShopMail } from "../src/mail.ts"
import { placeOrder, SoldOut } from "../src/shop.ts"
import { articles, createTablesSql, orders } from "../src/tables.ts"

const skip = hasPostgres() ? false : "PostgreSQL is not installed"

describe("an order", { skip }, () => {
  const watched = openWatched({ isInMemory: true })
  const transport = stub()
  let url = ""
  let pool: Pool
  let mail: Mail

  before(async () => {
    const server = await startPostgres(watched)
    url = server.urlOf(await server.createDatabase())
    pool = new Pool({ connectionString: url, pipeline: true })
    await pool.query(createTablesSql)
    mail = await openShopMail(pool, { transport, background: false })
  })
  beforeEach(async () => {
    await pool.query("TRUNCATE articles, orders")
    await drizzle({ client: pool }).insert(articles).values({ name: "tea", stock: 1 })
  })
  after(async () => {
    await mail.close()
    await pool.end()
    await watched.close()
  })

  const rows = async () => {
    const db = drizzle({ client: pool })
    return { orders: (await db.select().from(orders)).length, stock: (await db.select().from(articles))[0]?.stock }
  }
  const recipients = async () => (await mail.deliveries.list()).items.map(({ recipient }) => recipient)

  it("is committed together with its mail, which leaves afterwards", async () => {
    const id = await placeOrder(pool, mail, "ada@example.org", "tea")
    deepStrictEqual(await rows(), { orders: 1, stock: 0 })
    deepStrictEqual(await recipients(), ["ada@example.org"])
    strictEqual(transport.captured().length, 0)
    await mail.tick()
    deepStrictEqual(
      transport.captured().map(({ message }) => message.subject),
      [`Your order ${id}`]
    )
  })

  it("leaves no order and no mail when it fails after the mail was written", async () => {
    await pool.query("UPDATE articles SET stock = 0")
    const before = await recipients()
    await rejects(placeOrder(pool, mail, "bob@example.org", "tea"), SoldOut)
    deepStrictEqual(await rows(), { orders: 0, stock: 0 })
    deepStrictEqual(await recipients(), before)
  })

  it("leaves no order when its mail is refused", async () => {
    await rejects(placeOrder(pool, mail, "nobody", "tea"), { name: "InvalidArgument" })
    deepStrictEqual(await rows(), { orders: 0, stock: 1 })
  })

  it("is placed by the program", { timeout: 60_000 }, async () => {
    const program = fileURLToPath(new URL("../src/main.ts", import.meta.url))
    const env = { ...process.env, DATABASE_URL: url }
    const { stdout } = await promisify(execFile)(process.execPath, [program, "zoe@example.org"], { env })
    const [order] = await drizzle({ client: pool }).select().from(orders)
    strictEqual(stdout, `order ${order!.id}\n`)
    const { items } = await mail.deliveries.list()
    const sent = items.find(({ recipient }) => recipient === "zoe@example.org")
    strictEqual(sent?.status, "delivered")
  })
})

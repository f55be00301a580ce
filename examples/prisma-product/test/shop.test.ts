/**
 * Tests orders and their mail on the server at `DATABASE_URL`. Its tables `articles` and `orders` are emptied.
 */
import { deepStrictEqual, rejects, strictEqual } from "node:assert/strict"
import { execFile } from "node:child_process"
import { after, before, beforeEach, describe, it } from "node:test"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Mail } from "mailkeep"
import { stub } from "mailkeep"
import type { Database } from "../src/database.ts"
import { createTables, openDatabase } from "../src/database.ts"
import { openShopMail } from "../src/mail.ts"
import { placeOrder, SoldOut } from "../src/shop.ts"
import { inTransaction } from "../src/transaction.ts"

const url = process.env["DATABASE_URL"] ?? ""
// Without a URL, pg would connect to the server of this machine, and its tables would be emptied.
if (url === "") throw new Error("Use: DATABASE_URL=postgres://… npm test")
const stock = 4

describe("an order", () => {
  const transport = stub()
  let database: Database
  let mail: Mail

  before(async () => {
    database = openDatabase(url)
    await createTables(database)
    mail = await openShopMail(database.pool, { transport, background: false })
  })
  beforeEach(async () => {
    await database.pool.query("TRUNCATE articles, orders")
    await database.prisma.article.create({ data: { name: "tea", stock } })
  })
  after(async () => {
    await mail.close()
    await database.prisma.$disconnect()
    await database.pool.end()
  })

  const order = (email: string) => placeOrder(database.prisma, mail, email, "tea")
  const rows = async () => {
    const { prisma } = database
    const article = await prisma.article.findUniqueOrThrow({ where: { name: "tea" } })
    return { orders: await prisma.order.count(), stock: article.stock }
  }
  const recipients = async () => (await mail.deliveries.list()).items.map(({ recipient }) => recipient)

  it("is committed together with its mail, which leaves afterwards", async () => {
    const id = await order("ada@example.org")
    deepStrictEqual(await rows(), { orders: 1, stock: stock - 1 })
    deepStrictEqual(await recipients(), ["ada@example.org"])
    strictEqual(transport.captured().length, 0)
    await mail.tick()
    deepStrictEqual(
      transport.captured().map(({ message }) => message.subject),
      [`Your order ${id}`]
    )
  })

  it("leaves no order and no mail when it fails after the mail was written", async () => {
    await database.prisma.article.updateMany({ data: { stock: 0 } })
    const before = await recipients()
    await rejects(order("bob@example.org"), SoldOut)
    deepStrictEqual(await rows(), { orders: 0, stock: 0 })
    deepStrictEqual(await recipients(), before)
  })

  it("leaves no order when its mail is refused", async () => {
    await rejects(order("nobody"), { name: "InvalidArgument" })
    deepStrictEqual(await rows(), { orders: 0, stock })
  })

  it("has a client of its own, also among others at the same time and around another transaction", async () => {
    const { prisma } = database
    const emails = Array.from({ length: stock }, (_, n) => `${n}@example.org`)
    // Every second one fails.
    const orders = await Promise.allSettled(
      emails.map((email, n) =>
        inTransaction(prisma, async (tx, client) => {
          await tx.order.create({ data: { email, article: "tea" } })
          const isShared = await inTransaction(prisma, (_, other) => Promise.resolve(other === client))
          await mail.within(client).send({ to: email, subject: "Your order", text: "Thank you." })
          if (n % 2 === 1 || isShared) throw new SoldOut("There is no tea left.")
        })
      )
    )
    const kept = emails.filter((_, n) => orders[n]!.status === "fulfilled")
    const stored = (await prisma.order.findMany()).map(({ email }) => email)
    deepStrictEqual(stored.toSorted(), kept)
    deepStrictEqual((await recipients()).filter((one) => emails.includes(one)).toSorted(), kept)
    strictEqual(kept.length, stock / 2)
  })

  it("is placed by the program", { timeout: 60_000 }, async () => {
    const program = fileURLToPath(new URL("../src/main.ts", import.meta.url))
    const env = { ...process.env, DATABASE_URL: url }
    const { stdout } = await promisify(execFile)(process.execPath, [program, "zoe@example.org"], { env })
    const found = await database.prisma.order.findFirstOrThrow({ where: { email: "zoe@example.org" } })
    strictEqual(stdout, `order ${found.id}\n`)
    const { items } = await mail.deliveries.list()
    strictEqual(items.find(({ recipient }) => recipient === "zoe@example.org")?.status, "delivered")
  })
})

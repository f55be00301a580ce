/**
 * Places an order: `DATABASE_URL=postgres://… node src/main.ts EMAIL`.
 */
import { createTables, openDatabase } from "./database.ts"
import { openShopMail } from "./mail.ts"
import { placeOrder } from "./shop.ts"

const connectionString = process.env["DATABASE_URL"]
const email = process.argv[2]
if (connectionString === undefined || email === undefined)
  throw new Error("Use: DATABASE_URL=postgres://… node src/main.ts EMAIL")

const database = openDatabase(connectionString)
const { pool, prisma } = database
await createTables(database)
await prisma.article.upsert({ where: { name: "tea" }, update: {}, create: { name: "tea", stock: 3 } })
const mail = await openShopMail(pool)
const id = await placeOrder(prisma, mail, email, "tea")
process.stdout.write(`order ${id}\n`)
// Hands over what is due before the program ends.
await mail.tick()
await mail.close()
await prisma.$disconnect()
await pool.end()

/**
 * Places an order: `DATABASE_URL=postgres://… node src/main.ts EMAIL`.
 */
import { Pool } from "pg"
import { openShopMail } from "./mail.ts"
import { placeOrder } from "./shop.ts"
import { createTablesSql } from "./tables.ts"

const connectionString = process.env["DATABASE_URL"]
const email = process.argv[2]
if (connectionString === undefined || email === undefined)
  throw new Error("Use: DATABASE_URL=postgres://… node src/main.ts EMAIL")

const pool = new Pool({ connectionString, pipeline: true })
await pool.query(createTablesSql)
await pool.query("INSERT INTO articles VALUES ('tea', 3) ON CONFLICT DO NOTHING")
const mail = await openShopMail(pool)
const id = await placeOrder(pool, mail, email, "tea")
process.stdout.write(`order ${id}\n`)
// Hands over what is due before the program ends.
await mail.tick()
await mail.close()
await pool.end()

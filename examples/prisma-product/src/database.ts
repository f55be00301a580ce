/**
 * The database of the product: one pool for Prisma and for the mail.
 */
import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "./generated/client.ts"
import { ShopPool } from "./transaction.ts"

export interface Database {
  readonly pool: ShopPool
  readonly prisma: PrismaClient
}

export const openDatabase = (connectionString: string): Database => {
  const pool = new ShopPool({ connectionString, pipeline: true })
  return { pool, prisma: new PrismaClient({ adapter: new PrismaPg(pool) }) }
}

/** Creates the tables. A real product lets Prisma Migrate do it. */
export const createTables = ({ pool }: Database): Promise<unknown> =>
  pool.query(`
    CREATE TABLE IF NOT EXISTS articles (name text PRIMARY KEY, stock integer NOT NULL);
    CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, email text NOT NULL, article text NOT NULL);
  `)

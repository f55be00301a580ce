/**
 * A pool and a client of a product, whose transaction a store joins.
 */
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { PoolClient } from "pg"
import pg from "pg"
import { onTestFinished } from "vitest"

export const newPool = (connectionString: string, pipeline = false) => {
  const pool = new pg.Pool({ connectionString, max: 3, pipeline })
  // A client that was released with an error ends while the pool is not used.
  pool.on("error", () => {})
  onTestFinished(() => pool.end())
  return pool
}

export const query = (client: PoolClient, sql: string) => Effect.promise(() => client.query(sql))

export const join = (store: MailStoreShape, client: PoolClient) => store.joinTransaction!(client)

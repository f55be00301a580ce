/**
 * A transaction of Drizzle on a client of the pool, so that the mail can join it.
 */
import type { NodePgDatabase } from "drizzle-orm/node-postgres"
import { drizzle } from "drizzle-orm/node-postgres"
import type { Pool, PoolClient } from "pg"

/** Runs `run` in one transaction, and gives it the transaction of Drizzle and the client. Rolls back when `run` throws. */
export const inTransaction = async <A>(
  pool: Pool,
  run: (tx: Pick<NodePgDatabase, "insert" | "select" | "update">, client: PoolClient) => Promise<A>
): Promise<A> => {
  const client = await pool.connect()
  try {
    return await drizzle({ client }).transaction((tx) => run(tx, client))
  } finally {
    client.release()
  }
}

/**
 * Makes the server plan its statements again when a table has grown. For an empty table, all indexes that begin with the project cost the same, and the
 * server may choose one that has every record of the project. It keeps that plan until it has statistics of the table. Source: decision 0102.
 */
import { performance } from "node:perf_hooks"
import type { PoolClient } from "pg"
import type { makeSilenceLimit } from "./silentServer.ts"
import { isRefusedStatement } from "./sqlStates.ts"

/** A plan for so many rows finds a record by the index of its key. */
const manyRows = 1000
/** A server with work counts its rows about once in a second. */
const everyMillisDefault = 1000

/** The tables that have got many rows. The counts of the server need no lock of a table. */
const grownTablesSql = `SELECT oid::text AS id FROM pg_catalog.pg_class
WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND pg_stat_get_tuples_inserted(oid) >= ${manyRows}`

/** Every answer of the server passes it. */
type SilenceLimit = ReturnType<typeof makeSilenceLimit>

export interface OldPlans {
  /** Call before each use of a connection whose statements the server keeps. */
  readonly discard: (client: PoolClient, limited: SilenceLimit) => Promise<void>
}

/** `schema` is quoted. `everyMillis` is how often the tables are looked at. */
export const makeOldPlans = (schema: string, everyMillis = everyMillisDefault): OldPlans => {
  /** Only grows: the counts of the server begin again after it has crashed. */
  const grownTables = new Set<string>()
  const grownWhenPlanned = new WeakMap<PoolClient, number>()
  let lookedAt = Number.NEGATIVE_INFINITY
  let isRefused = false

  /** A role may lack the right to read the counts. The plans then stay until the server has statistics. */
  const look = async (client: PoolClient, limited: SilenceLimit): Promise<void> => {
    try {
      const { rows } = await limited(client.query<{ readonly id: string }>(grownTablesSql, [schema]))
      for (const { id } of rows) grownTables.add(id)
    } catch (cause) {
      if (!isRefusedStatement(cause)) throw cause
      isRefused = true
    }
  }

  return {
    discard: async (client, limited) => {
      if (!isRefused && performance.now() - lookedAt >= everyMillis) {
        lookedAt = performance.now()
        await look(client, limited)
      }
      const planned = grownWhenPlanned.get(client) ?? grownTables.size
      if (planned < grownTables.size) await limited(client.query("DISCARD PLANS"))
      grownWhenPlanned.set(client, grownTables.size)
    }
  }
}

/**
 * Makes the server plan its statements again when a table has grown. For an empty table, all indexes that begin with the project cost the same, and the
 * server may choose one that has every record of the project. It keeps that plan until it has statistics of the table. Source: decision 0102.
 */
import { performance } from "node:perf_hooks"
import type { PoolClient } from "pg"

/** A plan for so many rows finds a record by the index of its key. */
const manyRows = 1000
/** The server itself counts its rows about once in a second. */
const everyMillisDefault = 1000

/** The number of tables that have got many rows. The counts of the server need no lock of a table. */
const grownTablesSql = `SELECT count(*) AS count FROM pg_catalog.pg_class
WHERE relnamespace = to_regnamespace($1) AND relkind = 'r' AND pg_stat_get_tuples_inserted(oid) >= ${manyRows}`

/** Waits for an answer of the server. */
type Await = <A>(answer: Promise<A>) => Promise<A>

export interface OldPlans {
  /** Call before each use of a connection whose statements the server keeps. */
  readonly discard: (client: PoolClient, limited: Await) => Promise<void>
}

/** `schema` is quoted. `everyMillis` is how often the tables are looked at. */
export const makeOldPlans = (schema: string, everyMillis = everyMillisDefault): OldPlans => {
  /** The most grown tables so far, because the counts of the server begin again after it has crashed. */
  let grownTables = 0
  let lookedAt = Number.NEGATIVE_INFINITY
  const grownWhenPlanned = new WeakMap<PoolClient, number>()

  return {
    discard: async (client, limited) => {
      if (performance.now() - lookedAt >= everyMillis) {
        lookedAt = performance.now()
        const { rows } = await limited(client.query<{ readonly count: unknown }>(grownTablesSql, [schema]))
        // The product can have a parser of its own for numbers.
        grownTables = Math.max(grownTables, Number(rows[0]!.count))
      }
      const planned = grownWhenPlanned.get(client) ?? grownTables
      if (planned < grownTables) await limited(client.query("DISCARD PLANS"))
      grownWhenPlanned.set(client, grownTables)
    }
  }
}

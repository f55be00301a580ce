/**
 * Divides the large tables into partitions by the hash of the project. Every key of these tables contains the project, so no other statement changes. The
 * catalog of the server records the number of partitions. Source: decision 0090.
 */
import type { Connection } from "./database.ts"

/** Tables of a project that do not grow with its mail and its contacts. Every table without a project stays whole too. */
const wholeTables: ReadonlySet<string> = new Set(["api_keys", "domains", "resources"])

/** The name, the columns and the storage options of a table, after `CREATE TABLE` and its schema. */
const definition = /^(\w+) \(\n {2}project_id (.*?)\n\)( WITH \([^)]*\))?;/s

/** The statements of a step, with partitions for each large table that they create. The partitions get the storage options. */
export const withPartitions = (sql: string, schema: string, partitions: number): string => {
  const create = `CREATE TABLE ${schema}.`
  const [before, ...tables] = sql.split(create)
  const divided = tables.map((text) =>
    text.replace(definition, (whole: string, name: string, columns: string, storage: string | undefined) => {
      if (wholeTables.has(name)) return whole
      const parts = Array.from(
        { length: partitions },
        (_, n) =>
          `\n${create}${name}_p${n} PARTITION OF ${schema}.${name} FOR VALUES WITH (MODULUS ${partitions}, REMAINDER ${n})${storage ?? ""};`
      )
      return `${name} (\n  project_id ${columns}\n) PARTITION BY HASH (project_id);${parts.join("")}`
    })
  )
  return [before, ...divided].join(create)
}

/** The number of partitions of the existing tables, or `undefined` if they are whole. */
export const partitionsOf = async (connection: Connection, schema: string): Promise<number | undefined> => {
  const [row] = await connection.query<{ readonly partitions: number }>(
    "SELECT count(*) AS partitions FROM pg_catalog.pg_inherits WHERE inhparent = to_regclass($1)",
    [`${schema}.deliveries`]
  )
  return row!.partitions === 0 ? undefined : row!.partitions
}

const partitionsMin = 2
/** A server with default settings can create so many partitions: one transaction locks all tables, their partitions and their indexes. */
const partitionsMax = 64

/** Throws for a number that the option does not allow. */
export const checkPartitions = (partitions: number | undefined): void => {
  if (partitions === undefined) return
  if (!Number.isInteger(partitions) || partitions < partitionsMin || partitions > partitionsMax)
    throw new RangeError(`partitions must be an integer from ${partitionsMin} to ${partitionsMax}.`)
}

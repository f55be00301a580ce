/**
 * Fills a store with millions of deliveries: the store writes the first ones, and the database copies them with other ids, times and recipients. A commit
 * for each would take an hour for ten million.
 */
import SqliteDatabase from "better-sqlite3"
import { Client } from "pg"
import { numbers } from "./workload.ts"

/** So many deliveries are written by the store. Each later one is a copy of the one whose number has the same last two digits. */
export const copiedCount = 100

/** Rows of one statement. */
const copiesAtOnce = 250_000

/** What differs between the two databases. */
interface Dialect {
  readonly tableOf: (name: string) => string
  /** A number as the text of an id. */
  readonly padded: (number: string) => string
  /** A table `s` with the numbers `n` of a range. */
  readonly range: (first: number, last: number) => string
  readonly columnsOf: (table: string) => Promise<ReadonlyArray<string>>
  readonly run: (sql: string) => Promise<unknown>
}

/** The copies of one table. */
interface Copies {
  readonly table: string
  readonly prefix: string
  /** The columns of a copy that have another value, as SQL of the number `n`. The time of a row becomes the time of the copy. */
  readonly values: Readonly<Record<string, string>>
  readonly times: ReadonlyArray<string>
}

const copiesOf = ({ padded }: Dialect, count: number): ReadonlyArray<Copies> => {
  const address = `'r' || CAST(n % ${count / 10} AS text) || '@example.org'`
  return [
    {
      table: "messages",
      prefix: "msg_",
      values: { subject: `'Your receipt ' || CAST(n AS text)`, idempotency_key: padded("n") },
      times: ["created_at"]
    },
    {
      table: "deliveries",
      prefix: "del_",
      values: { message_id: `'msg_' || ${padded("n")}`, recipient: address, address },
      times: ["created_at", "due_at", "due_set_at", "queued_at", "delivered_at", "bounced_at"]
    }
  ]
}

const copyAll = async (dialect: Dialect, count: number, timeOf: (number: string) => string): Promise<void> => {
  const { tableOf, padded, range, columnsOf, run } = dialect
  for (const { table, prefix, values, times } of copiesOf(dialect, count)) {
    const valueOf = (column: string): string => {
      if (column === "id") return `'${prefix}' || ${padded("n")}`
      if (times.includes(column)) return `CASE WHEN t.${column} IS NOT NULL THEN ${timeOf("n")} END`
      return values[column] ?? `t."${column}"`
    }
    const columns = await columnsOf(table)
    const insert = `INSERT INTO ${tableOf(table)} (${columns.map((column) => `"${column}"`).join(", ")}) SELECT ${columns.map(valueOf).join(", ")}`
    for (const part of numbers(Math.ceil((count - copiedCount) / copiesAtOnce))) {
      const first = copiedCount + part * copiesAtOnce
      const last = Math.min(first + copiesAtOnce, count) - 1
      const template = `t.id = '${prefix}' || ${padded(`(n % ${copiedCount})`)}`
      await run(`${insert} FROM ${range(first, last)} JOIN ${tableOf(table)} AS t ON ${template}`)
    }
  }
}

/** Copies the first deliveries of a file until it has `count`. `timeOf` is the time of a delivery as SQL of its number. */
export const copyInSqlite = async (
  filename: string,
  count: number,
  timeOf: (number: string) => string
): Promise<void> => {
  const database = new SqliteDatabase(filename)
  database.pragma("synchronous = OFF")
  database.pragma("cache_size = -262144")
  const dialect: Dialect = {
    tableOf: (name) => `mailkeep_${name}`,
    padded: (number) => `printf('%026d', ${number})`,
    range: (first, last) =>
      `(WITH RECURSIVE s (n) AS (SELECT ${first} UNION ALL SELECT n + 1 FROM s WHERE n < ${last}) SELECT n FROM s) AS s`,
    columnsOf: async (table) =>
      (database.pragma(`table_info(mailkeep_${table})`) as ReadonlyArray<{ readonly name: string }>).map(
        ({ name }) => name
      ),
    run: async (sql) => database.exec(sql)
  }
  await copyAll(dialect, count, timeOf)
  database.pragma("wal_checkpoint(TRUNCATE)")
  database.close()
}

/** The same in a database of PostgreSQL. */
export const copyInPostgres = async (url: string, count: number, timeOf: (number: string) => string): Promise<void> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  const columnsSql =
    "SELECT column_name FROM information_schema.columns WHERE table_schema = 'mailkeep' AND table_name = $1 ORDER BY ordinal_position"
  const dialect: Dialect = {
    tableOf: (name) => `mailkeep.${name}`,
    padded: (number) => `lpad(CAST(${number} AS text), 26, '0')`,
    range: (first, last) => `generate_series(${first}::bigint, ${last}::bigint) AS s (n)`,
    columnsOf: async (table) => {
      const { rows } = await client.query<{ readonly column_name: string }>(columnsSql, [table])
      return rows.map(({ column_name }) => column_name)
    },
    run: (sql) => client.query(sql)
  }
  await copyAll(dialect, count, timeOf)
  // The server does this by itself a minute after the deliveries were inserted.
  await client.query("VACUUM ANALYZE")
  await client.end()
}

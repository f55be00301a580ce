/**
 * The numbered steps from a database without Mailkeep tables to the newest schema. A released step never changes; a test compares its checksum.
 * The steps repeat lists such as statuses on purpose, and a test compares these with the lists of the domain.
 */
import { Effect, Schedule } from "effect"
import type { Connection, Database } from "./database.ts"
import { inMigrationTransaction } from "./transactions.ts"
import { partitionsOf, withPartitions } from "./partitions.ts"
import { sql as access } from "./schema/access.ts"
import { sql as contacts } from "./schema/contacts.ts"
import { sql as events } from "./schema/events.ts"
import { sql as mail } from "./schema/mail.ts"
import { sql as resources } from "./schema/resources.ts"
import { sql as store } from "./schema/store.ts"
import { sql as suppressedAt } from "./schema/suppressedAt.ts"
import { isRepeatable } from "./sqlStates.ts"
import { hasSchema, versionOf } from "./tableVersion.ts"

/**
 * One step. Programs of older versions work with the tables after an additive step: a new table, a new index, or a new column that may be null or
 * has a default. Every other step is breaking, also one that adds a value to a `CHECK` list. Source: decision 0081.
 */
export interface Migration {
  /** The SQL for a quoted schema name. */
  readonly sql: (schema: string) => string
  /** Programs of older versions can no longer use the tables. */
  readonly isBreaking: boolean
}

export const migrations: ReadonlyArray<Migration> = [
  {
    sql: (schema) => [store, access, mail, events, resources, contacts].map((sql) => sql(schema)).join(""),
    isBreaking: true
  },
  { sql: suppressedAt, isBreaking: false }
]

/** The version that this program needs. */
export const schemaVersion = migrations.length

/** The steps, and the partitions of the large tables if the first step creates them. */
export interface MigrationOptions {
  /** Default: the steps of this program. */
  readonly steps?: ReadonlyArray<Migration>
  readonly partitions?: number | undefined
}

const isUnidentifiedSql = `SELECT FROM pg_catalog.pg_publication_tables AS p
JOIN pg_catalog.pg_namespace AS n ON n.nspname = p.schemaname
JOIN pg_catalog.pg_class AS c ON c.relnamespace = n.oid AND c.relname = p.tablename
WHERE n.nspname = (parse_ident($1))[1] AND c.relname = 'schema_version' AND c.relreplident = 'd' LIMIT 1`

/**
 * The database can publish all of its tables for logical replication. The server then refuses to change a row of a table without a key, as that of the
 * version is, so the whole row becomes its identity. Not in other databases, because this waits for every transaction that has checked the version.
 */
const identifyPublished = async (connection: Connection, schema: string): Promise<void> => {
  if ((await connection.query(isUnidentifiedSql, [schema])).length > 0)
    await connection.query(`ALTER TABLE ${schema}.schema_version REPLICA IDENTITY FULL`)
}

/** Applies the next step, and returns the version after it. */
const applyNext = (
  database: Database,
  schema: string,
  { steps, partitions }: MigrationOptions & { readonly steps: ReadonlyArray<Migration> }
): Promise<number> =>
  inMigrationTransaction(database, async (connection) => {
    await connection.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`mailkeep migration ${schema}`])
    const { version, compatibleFrom } = await versionOf(connection, schema)
    const step = steps[version]
    if (step === undefined) return { value: version, isKept: true }
    // Without `IF NOT EXISTS`, because the owner of an existing schema may not be allowed to create one.
    if (!(await hasSchema(connection, schema))) await connection.query(`CREATE SCHEMA ${schema}`)
    // Waits for every transaction that has checked the version.
    if (version > 0 && step.isBreaking)
      await connection.query(`LOCK TABLE ${schema}.schema_version IN ACCESS EXCLUSIVE MODE`)
    const parts = version === 0 ? partitions : await partitionsOf(connection, schema)
    const sql = step.sql(schema)
    await connection.query(parts === undefined ? sql : withPartitions(sql, schema, parts))
    const next = version + 1
    await identifyPublished(connection, schema)
    await connection.query(
      `UPDATE ${schema}.schema_version SET version = ${next}, compatible_from = ${step.isBreaking ? next : compatibleFrom}`
    )
    return { value: next, isKept: true }
  })

/** A step waits only half a second for a lock, because others wait behind it. Then it tries again, for a minute. */
const lockedSchedule = Schedule.spaced("250 millis").pipe(Schedule.jittered, Schedule.upTo({ duration: "1 minute" }))

/**
 * Migrates to the version of the last step, one step in each transaction. Several processes may migrate at once: each step waits for a lock, and
 * reads the version again. Tables of a newer version stay as they are.
 */
export const migrateSchema = (
  database: Database,
  schema: string,
  { steps = migrations, partitions }: MigrationOptions = {}
): Effect.Effect<void, unknown> =>
  Effect.gen(function* () {
    const next = Effect.tryPromise({
      try: () => applyNext(database, schema, { steps, partitions }),
      catch: (cause) => cause
    }).pipe(Effect.retry({ schedule: lockedSchedule, while: isRepeatable }))
    let version = yield* next
    while (version < steps.length) version = yield* next
  })

/**
 * The numbered steps from a database without Mailkeep tables to the newest schema. A released step never changes; a test compares its checksum.
 * The steps repeat lists such as statuses on purpose, and a test compares these with the lists of the domain.
 */
import { Effect, Schedule } from "effect"
import type { Database } from "./database.ts"
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

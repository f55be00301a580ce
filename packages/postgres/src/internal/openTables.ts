/**
 * Opens the tables of the store: checks the server, migrates the tables if it may, and checks the rights of the role.
 */
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Pool } from "pg"
import pg from "pg"
import type { Connection, Database } from "./database.ts"
import { makeDatabase } from "./database.ts"
import { hiddenTables, missingRights } from "./missingRights.ts"
import type { MigrationOptions } from "./migrations.ts"
import { migrateSchema, migrations } from "./migrations.ts"
import { makeOldPlans } from "./oldPlans.ts"
import { migrateSentence, NotOpened, notOpened } from "./openingFailure.ts"
import { whereOf } from "./openPool.ts"
import type { DurabilityOptions } from "./serverSettings.ts"
import { checkServer, serverRefusalOf, unusableOf } from "./serverSettings.ts"
import { noSilenceLimit, silentMillisDefault } from "./silentServer.ts"
import { isRefusedStatement } from "./sqlStates.ts"
import type { VersionCheck } from "./tableVersion.ts"
import { makeVersionCheck, versionOf } from "./tableVersion.ts"

export interface OpeningOptions extends MigrationOptions, DurabilityOptions {
  readonly schema: string
  readonly migrate: boolean
}

type CompleteOptions = OpeningOptions & Required<Pick<OpeningOptions, "steps">>

/** Refuses tables that this program cannot use before anything is written. Returns whether they must be migrated first. */
const isBehind = async (connection: Connection, options: CompleteOptions): Promise<boolean> => {
  const { schema, migrate, steps } = options
  const existing = await versionOf(connection, schema)
  makeVersionCheck(schema, steps.length).check(existing)
  if (existing.version >= steps.length) return false
  if (migrate) return true
  if (existing.version === 0)
    throw new NotOpened({ reason: "not_a_database", detail: `The tables do not exist. ${migrateSentence}` })
  throw new NotOpened({
    reason: "older_schema",
    detail: `The tables have version ${existing.version}, and this program needs version ${steps.length}. ${migrateSentence}`
  })
}

/** Without this check, a store whose version is hidden would look as if it had no tables. */
const checkHidden = async (connection: Connection, schema: string): Promise<void> => {
  const hidden = await hiddenTables(connection, schema)
  if (hidden !== undefined) throw new NotOpened({ reason: "not_granted", detail: hidden })
}

const checkRights = async (connection: Connection, schema: string): Promise<void> => {
  const missing = await missingRights(connection, schema)
  if (missing !== undefined) throw new NotOpened({ reason: "not_granted", detail: missing })
}

/** After a breaking step, the tables refuse statements of this program. Then the failure says so. */
const explainingRefusals = (database: Database, versionCheck: VersionCheck): Database => ({
  use: (run) =>
    database.use(run).catch(async (cause: unknown) => {
      if (isRefusedStatement(cause)) await database.use(versionCheck.run)
      throw cause
    })
})

const attemptOpening = <A>(run: () => Promise<A>) => Effect.tryPromise({ try: run, catch: (cause) => cause })

const openDatabase = (pool: Pool, options: CompleteOptions): Effect.Effect<Database, unknown> =>
  Effect.gen(function* () {
    const { schema, steps } = options
    const database = makeDatabase(pool, silentMillisDefault, makeOldPlans(schema))
    const mustMigrate = yield* attemptOpening(() =>
      database.use(async (connection) => {
        await checkServer(connection, (settings) => serverRefusalOf(settings, options))
        await checkHidden(connection, schema)
        return isBehind(connection, options)
      })
    )
    if (mustMigrate) yield* migrateSchema(makeDatabase(pool, noSilenceLimit), schema, options)
    yield* attemptOpening(() => database.use((connection) => checkRights(connection, schema)))
    return explainingRefusals(database, makeVersionCheck(schema, steps.length))
  })

/** Checks the server and migrates the tables. */
export const openTables = (pool: Pool, options: OpeningOptions): Effect.Effect<Database, StoreNotOpened> =>
  Effect.mapError(openDatabase(pool, { steps: migrations, ...options }), (cause) =>
    notOpened(cause, whereOf(pool, options.schema))
  )

/** Migrates the tables, however long a step takes. Refuses a server on which the store could not open. */
export const migrateTables = (
  pool: Pool,
  schema: string,
  options: Pick<MigrationOptions, "partitions">
): Effect.Effect<void, StoreNotOpened> => {
  const database = makeDatabase(pool, noSilenceLimit)
  return attemptOpening(() => database.use((connection) => checkServer(connection, unusableOf))).pipe(
    Effect.andThen(migrateSchema(database, schema, options)),
    Effect.mapError((cause) => notOpened(cause, whereOf(pool, schema)))
  )
}

/** The server cuts a longer name off. The store would then make a schema with another name, and not find it again. */
const schemaBytesMax = 63

/** Quotes the name of a schema. Throws for a name that the server does not keep. */
export const quotedSchema = (name: string): string => {
  const bytes = Buffer.byteLength(name)
  if (bytes === 0 || bytes > schemaBytesMax)
    throw new RangeError(`schema must have 1 to ${schemaBytesMax} bytes, and this name has ${bytes}.`)
  return pg.escapeIdentifier(name)
}

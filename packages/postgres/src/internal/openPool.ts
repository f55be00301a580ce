/**
 * Opens the connections of the store, and checks the server before the first use: its version, its tables, and whether it keeps every commit.
 */
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ClientConfig, Pool } from "pg"
import pg from "pg"
import type { Connection, Database } from "./database.ts"
import { makeDatabase } from "./database.ts"
import { failCallersOf } from "./failingInConnect.ts"
import { hiddenTables, missingRights } from "./missingRights.ts"
import type { MigrationOptions } from "./migrations.ts"
import { migrateSchema, migrations } from "./migrations.ts"
import type { Refusal } from "./openingFailure.ts"
import { migrateSentence, NotOpened, notOpened } from "./openingFailure.ts"
import { makeOldPlans } from "./oldPlans.ts"
import { isRefusedStatement } from "./sqlStates.ts"
import { makeOwnPool } from "./ownPool.ts"
import { noSilenceLimit, silentMillisDefault } from "./silentServer.ts"
import type { VersionCheck } from "./tableVersion.ts"
import { makeVersionCheck, versionOf } from "./tableVersion.ts"

/** How the store reaches the server: by the pool of the product, or by a pool of its own. */
export type PoolSource =
  | { readonly pool: Pool }
  | {
      readonly connectionString: string
      /** The most connections of the pool. Default: 10. */
      readonly connectionsMax?: number | undefined
    }

/** What the operator says about the durability of the server. */
export interface DurabilityOptions {
  readonly allowAsynchronousCommit: boolean
  readonly storageKeepsCommits: boolean
}

export interface OpeningOptions extends MigrationOptions, DurabilityOptions {
  readonly schema: string
  readonly migrate: boolean
}

type CompleteOptions = OpeningOptions & Required<Pick<OpeningOptions, "steps">>

/** Throws for a number that the option does not allow. The driver takes its default for 0, and waits forever with a negative number. */
const checkConnectionsMax = (max: number): void => {
  if (!Number.isInteger(max) || max < 1) throw new RangeError("connectionsMax must be an integer of at least 1.")
}

const ignoreLoss = () => {}

/**
 * The pool replaces a connection that the server has closed while it was idle. Without a listener, the loss would end the process.
 */
const ignoreLosses = (pool: Pool): Effect.Effect<Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => pool.on("error", ignoreLoss)),
    () => Effect.sync(() => pool.removeListener("error", ignoreLoss))
  )

/** Opens the pool, unless the product gives one. The scope closes only a pool of the store. Throws for a wrong number of connections. */
export const openPool = (source: PoolSource): Effect.Effect<Pool, never, Scope.Scope> => {
  if ("pool" in source) {
    failCallersOf(source.pool)
    return ignoreLosses(source.pool)
  }
  const { connectionString, connectionsMax = 10 } = source
  checkConnectionsMax(connectionsMax)
  return Effect.acquireRelease(
    Effect.sync(() => makeOwnPool(connectionString, connectionsMax)),
    ({ end }) => end
  ).pipe(Effect.map(({ pool }) => pool.on("error", ignoreLoss)))
}

/** The options of a pool for a connection of its own. The password is not enumerable, so a copy of the options would not have it. */
export const clientConfigOf = ({ options }: Pool): ClientConfig => ({ ...options, password: options.password })

/** Names the server without the user and the password. */
export const whereOf = (pool: Pool, schema: string): string => {
  try {
    const { host, port, database } = new pg.Client(clientConfigOf(pool))
    // The URL has a password that is not encoded, and a part of it is read as the host or the database.
    if (database?.includes("@") === true) return `schema ${schema}`
    return `schema ${schema} of database ${database ?? ""} at ${host}:${port}`
  } catch {
    // The URL names a file of a certificate that does not exist.
    return `schema ${schema}`
  }
}

const versionMin = 140_000

/** The settings of a server. */
export interface ServerSettings {
  readonly version: number
  readonly encoding: string
  readonly recovering: boolean
  readonly readOnly: string
  readonly synchronous: string
  readonly fsync: string
  readonly pages: string
}

const settingsSql = `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
pg_is_in_recovery() AS recovering, current_setting('transaction_read_only') AS "readOnly",
current_setting('synchronous_commit') AS synchronous, current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages`

/** With these, the server acknowledges a commit before it is on the disk. */
const asynchronous: ReadonlySet<string> = new Set(["off", "local"])

/** Says why a server with these settings cannot have the tables. Returns `undefined` when it can. */
const unusableOf = ({ version, encoding, recovering, readOnly }: ServerSettings): Refusal | undefined => {
  if (version < versionMin) return { reason: "unsupported_runtime", detail: "Mailkeep needs PostgreSQL 14 or newer" }
  if (encoding !== "UTF8")
    return { reason: "unsupported_runtime", detail: `The encoding of the database is ${encoding}. Create it with UTF8` }
  if (recovering) return { reason: "read_only", detail: "The server is a standby. Connect to the primary" }
  if (readOnly === "on")
    return {
      reason: "read_only",
      detail:
        "Transactions of this role are read-only. Turn `default_transaction_read_only` off for the role, the database and the server"
    }
  return undefined
}

/** Says why the store does not open on a server with these settings. Returns `undefined` when it does. */
export const refusalOf = (
  settings: ServerSettings,
  { allowAsynchronousCommit, storageKeepsCommits }: DurabilityOptions
): Refusal | undefined => {
  const { synchronous, fsync, pages } = settings
  const unusable = unusableOf(settings)
  if (unusable !== undefined) return unusable
  if ((fsync !== "on" || pages !== "on") && !storageKeepsCommits)
    return {
      reason: "not_durable",
      detail:
        "The server can lose commits in a power failure: fsync or full_page_writes is off. Set both to on. If the storage of a managed service keeps commits without them, set `storageKeepsCommits`"
    }
  if (asynchronous.has(synchronous) && !allowAsynchronousCommit)
    return {
      reason: "not_durable",
      detail: `The server acknowledges commits before they are on the disk of each server (synchronous_commit is ${synchronous}). Set it to on for the role of Mailkeep`
    }
  return undefined
}

/** Throws if the settings of the server are refused. */
const checkServer = async (
  connection: Connection,
  refusalFor: (settings: ServerSettings) => Refusal | undefined
): Promise<void> => {
  const [settings] = await connection.query<ServerSettings>(settingsSql)
  const refusal = refusalFor(settings!)
  if (refusal !== undefined) throw new NotOpened(refusal)
}

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
        await checkServer(connection, (settings) => refusalOf(settings, options))
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

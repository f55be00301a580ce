/**
 * Opens the connections of the store, and checks the server before the first use: its version, its tables, and whether it keeps every commit.
 */
import { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ClientConfig, Pool } from "pg"
import pg from "pg"
import type { Connection, Database } from "./database.ts"
import { makeDatabase } from "./database.ts"
import { BinaryValues } from "./driverClient.ts"
import { missingRights } from "./missingRights.ts"
import type { MigrationOptions } from "./migrations.ts"
import { migrateSchema, migrations } from "./migrations.ts"
import { PostgresError } from "./postgresFailure.ts"
import { codeOf, isOfDriver, isRefusedStatement, noFreeConnection, poolEnded, reasonOf } from "./sqlStates.ts"
import { noSilenceLimit, reachableOptions } from "./silentServer.ts"
import type { VersionCheck } from "./tableVersion.ts"
import { makeVersionCheck, NewerTables, versionOf } from "./tableVersion.ts"

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

type Refusal = Pick<StoreNotOpened, "reason"> & { readonly detail: string }

/** Says why the store is not opened. */
class NotOpened extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.detail)
    this.refusal = refusal
  }
}

const ownPool = (connectionString: string, max: number) =>
  new pg.Pool({
    connectionString,
    max,
    pipeline: true,
    application_name: "mailkeep",
    ...reachableOptions
  })

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
  if ("pool" in source) return ignoreLosses(source.pool)
  const { connectionString, connectionsMax = 10 } = source
  checkConnectionsMax(connectionsMax)
  return Effect.acquireRelease(
    Effect.sync(() => ownPool(connectionString, connectionsMax).on("error", ignoreLoss)),
    (pool) => Effect.promise(() => pool.end())
  )
}

/** The options of a pool for a connection of its own. The password is not enumerable, so a copy of the options would not have it. */
export const clientConfigOf = ({ options }: Pool): ClientConfig => ({ ...options, password: options.password })

/** Names the server without the user and the password. */
export const whereOf = (pool: Pool, schema: string): string => {
  try {
    const { host, port, database } = new pg.Client(clientConfigOf(pool))
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

/** Says why the store does not open on a server with these settings. Returns `undefined` when it does. */
export const refusalOf = (
  settings: ServerSettings,
  { allowAsynchronousCommit, storageKeepsCommits }: DurabilityOptions
): Refusal | undefined => {
  const { version, encoding, recovering, readOnly, synchronous, fsync, pages } = settings
  if (version < versionMin) return { reason: "unsupported_runtime", detail: "Mailkeep needs PostgreSQL 14 or newer" }
  if (encoding !== "UTF8")
    return { reason: "unsupported_runtime", detail: `The encoding of the database is ${encoding}. Create it with UTF8` }
  if (recovering || readOnly === "on")
    return { reason: "read_only", detail: "The server is a standby, or the role may only read. Connect to the primary" }
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

const checkServer = async (connection: Connection, options: DurabilityOptions): Promise<void> => {
  const [settings] = await connection.query<ServerSettings>(settingsSql)
  const refusal = refusalOf(settings!, options)
  if (refusal !== undefined) throw new NotOpened(refusal)
}

/** What an operator does when the role may not migrate. */
const migrateSentence =
  "Migrate the tables with the role that owns the schema, by any command, `migratePostgres` or `PostgresMailStore.migrate`"

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
    const database = makeDatabase(pool)
    const { schema, steps } = options
    const mustMigrate = yield* attemptOpening(() =>
      database.use(async (connection) => {
        await checkServer(connection, options)
        return isBehind(connection, options)
      })
    )
    if (mustMigrate) yield* migrateSchema(makeDatabase(pool, noSilenceLimit), schema, options)
    yield* attemptOpening(() => database.use((connection) => checkRights(connection, schema)))
    return explainingRefusals(database, makeVersionCheck(schema, steps.length))
  })

/** Sentences for failures that an operator can correct. */
const details: Readonly<Record<string, string>> = {
  "28P01": "PostgreSQL refused the user or the password",
  "28000": "PostgreSQL refused the user, or a connection of this kind: it may need TLS (`sslmode`)",
  "3D000": "The database does not exist",
  "53300": "PostgreSQL has no connection left. Increase `max_connections`, or use smaller pools",
  ECONNREFUSED: "Nothing accepts connections at this address",
  ENOTFOUND: "The name of the host is unknown",
  ENOENT: "A file that the URL names does not exist, such as that of `sslrootcert`",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate of the server is for another host name than the one in the URL",
  ...Object.fromEntries(
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      "SELF_SIGNED_CERT_IN_CHAIN",
      "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
      "UNABLE_TO_VERIFY_LEAF_SIGNATURE"
    ].map((code) => [code, "The certificate of the server is not trusted. Name its authority with `sslrootcert`"])
  ),
  "53200":
    "PostgreSQL has no memory left, probably for the locks of all tables. Increase `max_locks_per_transaction`, or use fewer partitions",
  "42501": `The role may not do this. ${migrateSentence}, and grant the rights of the guide`
}

/** Failures of the driver and of the store that have no code, by their messages. */
const detailsOfMessages: Readonly<Record<string, string>> = {
  "The server does not support SSL connections":
    "The server offers no TLS. Turn on `ssl` at the server, or remove `sslmode` from the URL",
  [poolEnded]: "The pool was ended before the store was opened",
  [noFreeConnection]: "No connection of the pool became free in time"
}

/** A sentence for the failure, or at least its code, which says for example what is wrong with a certificate. */
const detailOf = (cause: unknown): string | undefined => {
  const code = codeOf(cause)
  if (code !== undefined) return details[code] ?? `The connection failed with ${code}`
  return isOfDriver(cause) ? detailsOfMessages[cause.message] : undefined
}

const refusedRole: ReadonlySet<string | undefined> = new Set(["28P01", "28000", "42501"])

const openingReasonOf = (cause: unknown): StoreNotOpened["reason"] => {
  if (refusedRole.has(codeOf(cause))) return "not_granted"
  const reason = reasonOf(cause)
  if (reason === "contended") return "locked"
  return reason === "read_only" || reason === "full" ? reason : "unreachable"
}

/** The failure of opening. Never quotes values, users or passwords. */
export const notOpened = (cause: unknown, where: string): StoreNotOpened => {
  if (cause instanceof NotOpened) return new StoreNotOpened({ ...cause.refusal, where })
  if (cause instanceof NewerTables) return new StoreNotOpened({ reason: "newer_schema", detail: cause.message, where })
  if (cause instanceof BinaryValues)
    return new StoreNotOpened({ reason: "unsupported_runtime", detail: cause.message, where })
  const reason = openingReasonOf(cause)
  const detail = reason === "locked" ? "Another process has locked the tables" : detailOf(cause)
  return new StoreNotOpened({
    reason,
    where,
    ...(detail === undefined ? {} : { detail }),
    cause: new PostgresError(cause)
  })
}

/** Checks the server and migrates the tables. */
export const openTables = (pool: Pool, options: OpeningOptions): Effect.Effect<Database, StoreNotOpened> =>
  Effect.mapError(openDatabase(pool, { steps: migrations, ...options }), (cause) =>
    notOpened(cause, whereOf(pool, options.schema))
  )

/** The server cuts a longer name off. The store would then make a schema with another name, and not find it again. */
const schemaOctetsMax = 63

/** Quotes the name of a schema. Throws for a name that the server does not keep. */
export const quotedSchema = (name: string): string => {
  const octets = Buffer.byteLength(name)
  if (octets === 0 || octets > schemaOctetsMax)
    throw new RangeError(`schema must have 1 to ${schemaOctetsMax} octets, and this name has ${octets}.`)
  return pg.escapeIdentifier(name)
}

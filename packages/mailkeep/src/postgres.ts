/**
 * A database of PostgreSQL as the store of `openMail`, for products with several processes or machines. Needs the package `@mailkeep/postgres`.
 *
 * @example
 * ```ts no-run It needs a server.
 * import { openMail, stub } from "mailkeep"
 * import { postgres } from "mailkeep/postgres"
 * import { Pool } from "pg"
 *
 * const pool = new Pool({ connectionString: process.env["DATABASE_URL"], pipeline: true })
 * const mail = await openMail({ store: postgres(pool), transport: stub(), domains: ["acme.example"] })
 * await mail.close()
 * await pool.end()
 * ```
 */
import type { OptionRule, OptionRules } from "@mailkeep/core/options"
import {
  assertOptions,
  flagOption,
  mustBe,
  optionsOf,
  severalHostsProblem,
  unencodedPasswordProblem
} from "@mailkeep/core/options"
import type { PostgresMailStore } from "@mailkeep/postgres"
import { Effect, Layer } from "effect"
import type { StoreAdapter } from "./adapters.ts"
import { scheduler } from "./scheduler.ts"

/** Where the tables are, and how the store reaches them. */
export type PostgresStoreOptions = PostgresMailStore.PostgresOptions

/** A pool of the product. */
export type PostgresPool = Extract<PostgresStoreOptions, { readonly pool: unknown }>["pool"]

type OptionName<O = PostgresStoreOptions> = O extends unknown ? keyof O : never

/** Refuses a text that `pg` would read as another host. Never shows the text, because it can contain a password. */
const urlRule: OptionRule = (value, path) => {
  const problem =
    typeof value === "string" ? (unencodedPasswordProblem(value) ?? severalHostsProblem(value)) : undefined
  if (problem !== undefined) return `${path} ${problem}.`
  // `pg` also takes a URL with a user and without a host, for a socket of the machine.
  const isUrl =
    typeof value === "string" && /^postgres(ql)?:\/\//i.test(value) && URL.canParse(value.replace("@/", "@localhost/"))
  if (!isUrl) return `${path} must have the form postgres://user:password@host/database or postgresql://….`
  const ofCommand = /[?&](mailkeep_\w+)/.exec(value)?.[1]
  return ofCommand === undefined
    ? undefined
    : `${path} has the parameter ${ofCommand}, which only the command reads. Give the option instead.`
}

/** A client of `pg` has one connection and the parameters of it. One from a pool has `release`, too. */
const isClient = (connection: object): boolean => "connectionParameters" in connection || "release" in connection

const poolRule: OptionRule = (value, path) => {
  if (typeof value !== "object" || value === null || !("connect" in value)) return `${path} must be a pool of pg.`
  return isClient(value) ? `${path} must be a pool of pg and not a client.` : undefined
}

/** The store checks the number when it opens. */
const laterChecked: OptionRule = () => undefined

/** Every option. The compiler refuses this table when the store has another option. */
const rules: OptionRules<Readonly<Record<OptionName, unknown>>> = {
  pool: poolRule,
  connectionString: urlRule,
  connectionsMax: laterChecked,
  schema: mustBe("the name of a schema", (value) => typeof value === "string"),
  migrate: flagOption,
  partitions: laterChecked,
  allowAsynchronousCommit: flagOption,
  storageKeepsCommits: flagOption,
  listen: (value, path) => (typeof value === "boolean" ? undefined : urlRule(value, path))
}

/** Options of the pool that the store opens, which the pool of the product would not follow. */
const ofOwnPool: ReadonlySet<string> = new Set(["connectionString", "connectionsMax"])

const checkedOptions = (connection: string | PostgresPool | PostgresStoreOptions): PostgresStoreOptions => {
  if (typeof connection === "string" && connection !== "") {
    assertOptions(urlRule, connection, "The URL")
    return { connectionString: connection }
  }
  // A program without types, or an environment variable that is not set.
  if (typeof connection !== "object" || connection === null)
    throw new TypeError('postgres needs a pool of pg or a URL, such as postgres("postgres://db.example/shop").')
  const options = "connect" in connection || isClient(connection) ? { pool: connection as PostgresPool } : connection
  const required = ["pool" in options ? "pool" : "connectionString"] as const
  assertOptions(optionsOf(rules, { owner: "postgres", required }), options)
  if ("pool" in options)
    for (const [name, value] of Object.entries(options))
      if (ofOwnPool.has(name) && value !== undefined)
        throw new TypeError(`${name} is not allowed together with pool, which has its own connections.`)
  return options
}

/** Whether the package itself is missing, and not a file or a package that it needs. */
const isNotInstalled = (cause: unknown): boolean =>
  cause instanceof Error &&
  "code" in cause &&
  cause.code === "ERR_MODULE_NOT_FOUND" &&
  cause.message.includes("'@mailkeep/postgres'")

/** Loads the package, which a product installs only when it uses it. */
const loadPackage = async () => {
  try {
    return await import("@mailkeep/postgres")
  } catch (cause) {
    if (!isNotInstalled(cause)) throw cause
    throw new Error('The package @mailkeep/postgres is not installed. Run "npm install @mailkeep/postgres".', { cause })
  }
}

/**
 * A store in a database of PostgreSQL. Takes the pool of the product, which stays open when the mail closes, or a URL. Creates its tables in the schema `mailkeep` when they do
 * not exist. Each answer comes after the server has synced the commit to its disk.
 *
 * Due times, leases and rate limits follow the clock of the server, and the rate limits hold for all processes together. With `mail.within(client)`, a send joins
 * the transaction of a client of the pool. Throws a `TypeError` without a pool and without a URL, with both, for a client in the place of the pool, and for an unknown option.
 *
 * @example
 * ```ts
 * import { postgres } from "mailkeep/postgres"
 *
 * export const store = postgres({ connectionString: "postgres://mail@db.example/shop", schema: "shop_mail" })
 * ```
 */
export const postgres = (connection: string | PostgresPool | PostgresStoreOptions): StoreAdapter => {
  const options = checkedOptions(connection)
  return {
    layer: Layer.unwrap(Effect.map(Effect.promise(loadPackage), ({ sharedServices }) => sharedServices.layer(options)))
  }
}

/**
 * Creates or migrates the tables, and opens nothing. Use a pool or a URL of the role that owns the schema, before the processes of a new version start. Rejects with `StoreNotOpened`
 * when the server cannot be reached, and when the role may not change the tables. Rejects with a `TypeError` as `postgres` throws it.
 *
 * @example
 * ```ts no-run It needs a server.
 * import { migratePostgres } from "mailkeep/postgres"
 *
 * await migratePostgres(process.env["MAIL_OWNER_URL"] ?? "")
 * ```
 */
export const migratePostgres = async (connection: string | PostgresPool | PostgresStoreOptions): Promise<void> => {
  const options = checkedOptions(connection)
  const { PostgresMailStore } = await loadPackage()
  await Effect.runPromise(PostgresMailStore.migrate(options), { scheduler })
}

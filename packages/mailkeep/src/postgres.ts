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
import type { PostgresMailStore } from "@mailkeep/postgres"
import { Effect, Layer } from "effect"
import type { StoreAdapter } from "./adapters.ts"
import { scheduler } from "./scheduler.ts"

/** Where the tables are, and how the store reaches them. */
export type PostgresStoreOptions = PostgresMailStore.PostgresOptions

/** A pool of the product. */
export type PostgresPool = Extract<PostgresStoreOptions, { readonly pool: unknown }>["pool"]

const optionsOf = (connection: string | PostgresPool | PostgresStoreOptions): PostgresStoreOptions => {
  // A program without types, or an environment variable that is not set.
  if (connection === undefined || connection === null || connection === "")
    throw new TypeError('postgres needs a pool of pg or a URL, such as postgres("postgres://db.example/shop").')
  if (typeof connection === "string") return { connectionString: connection }
  return "connect" in connection ? { pool: connection } : connection
}

/**
 * A store in a database of PostgreSQL. Takes the pool of the product, which stays open when the mail closes, or a URL. Creates its tables in the schema `mailkeep` when they do
 * not exist. Each answer comes after the server has synced the commit to its disk.
 *
 * Due times, leases and rate limits follow the clock of the server, and the rate limits hold for all processes together. With `mail.within(client)`, a send joins
 * the transaction of a client of the pool. Throws a `TypeError` without a pool and without a URL.
 *
 * @example
 * ```ts
 * import { postgres } from "mailkeep/postgres"
 *
 * export const store = postgres({ connectionString: "postgres://mail@db.example/shop", schema: "shop_mail" })
 * ```
 */
export const postgres = (connection: string | PostgresPool | PostgresStoreOptions): StoreAdapter => {
  const options = optionsOf(connection)
  return {
    layer: Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("@mailkeep/postgres")),
        ({ sharedServices }) => sharedServices.layer(options)
      )
    )
  }
}

/**
 * Creates or migrates the tables, and opens nothing. Use a pool or a URL of the role that owns the schema, before the processes of a new version start. Rejects with `StoreNotOpened`
 * when the server cannot be reached, and when the role may not change the tables.
 *
 * @example
 * ```ts no-run It needs a server.
 * import { migratePostgres } from "mailkeep/postgres"
 *
 * await migratePostgres(process.env["MAIL_OWNER_URL"] ?? "")
 * ```
 */
export const migratePostgres = async (connection: string | PostgresPool | PostgresStoreOptions): Promise<void> => {
  const options = optionsOf(connection)
  const { PostgresMailStore } = await import("@mailkeep/postgres")
  await Effect.runPromise(PostgresMailStore.migrate(options), { scheduler })
}

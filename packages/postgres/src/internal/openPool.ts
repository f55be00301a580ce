/**
 * Opens the connections of the store: the pool of the product, or a pool of its own.
 */
import { Effect } from "effect"
import type { Scope } from "effect"
import type { ClientConfig, Pool } from "pg"
import pg from "pg"
import { failCallersOf } from "./failingInConnect.ts"
import { makeOwnPool } from "./ownPool.ts"

/** How the store reaches the server: by the pool of the product, or by a pool of its own. */
export type PoolSource =
  | { readonly pool: Pool }
  | {
      readonly connectionString: string
      /** The most connections of the pool. Default: 10. */
      readonly connectionsMax?: number | undefined
    }

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

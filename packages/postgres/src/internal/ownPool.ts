/**
 * The pool of a store that was opened from a URL, and its end, also when the server is silent.
 */
import { Effect } from "effect"
import type { PoolClient } from "pg"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { reachableOptions } from "./silentServer.ts"

/** How long the end waits for the server to close the connections. */
const endMillisMax = 1000

/** A pool, and what ends it. */
export interface OwnPool {
  readonly pool: pg.Pool
  /**
   * Ends the connections. The driver waits for the other side of each one. A server that is silent would keep the process from ending, so the
   * connections that remain after 1 s are closed without it.
   */
  readonly end: Effect.Effect<void>
}

/** Makes the pool. It connects when it is first used. */
export const makeOwnPool = (connectionString: string, max: number): OwnPool => {
  const pool = new pg.Pool({
    connectionString,
    max,
    pipeline: true,
    application_name: "mailkeep",
    ...reachableOptions
  })
  const connected = new Set<PoolClient>()
  let onEmpty = () => {}
  pool.on("connect", (client) => void connected.add(client))
  pool.on("remove", (client) => {
    connected.delete(client)
    if (connected.size === 0) onEmpty()
  })
  const allEnded = new Promise<void>((resolve) => {
    onEmpty = () => {
      if (pool.ending) resolve()
    }
  })
  const endAll = async () => {
    await pool.end()
    if (connected.size > 0) await allEnded
  }
  const closeRest = Effect.sync(() => {
    for (const client of connected) (client as ProductClient).connection?.stream?.destroy?.()
  })
  const end = Effect.promise(endAll).pipe(
    Effect.interruptible,
    Effect.timeoutOption(endMillisMax),
    Effect.andThen(closeRest)
  )
  return { pool, end }
}

/**
 * The pool of a store that was opened from a URL, and its end, also when the server is silent.
 */
import { Effect } from "effect"
import pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { failingInConnect } from "./failingInConnect.ts"
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
  const clients = new Set<ProductClient>()
  let onEmpty = () => {}
  /** Is known before it has connected: the end closes connections that are still being made too. */
  class OwnClient extends failingInConnect(pg.Client) {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      clients.add(this)
      this.once("end", () => {
        clients.delete(this)
        if (clients.size === 0) onEmpty()
      })
    }
  }
  const pool = new pg.Pool({
    connectionString,
    max,
    pipeline: true,
    application_name: "mailkeep",
    ...reachableOptions,
    Client: OwnClient
  })
  const allEnded = new Promise<void>((resolve) => {
    onEmpty = () => {
      if (pool.ending) resolve()
    }
  })
  const endAll = async () => {
    await pool.end()
    if (clients.size > 0) await allEnded
  }
  const closeRest = Effect.sync(() => {
    for (const { connection } of clients) connection?.stream?.destroy?.()
  })
  const end = Effect.promise(endAll).pipe(
    Effect.interruptible,
    Effect.timeoutOption(endMillisMax),
    Effect.andThen(closeRest)
  )
  return { pool, end }
}

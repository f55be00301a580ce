/**
 * Clients of a pool that cannot be made, because a file of a certificate is missing. The URL of a pool can name such files, and the driver reads them for
 * each connection.
 */
import type { Pool } from "pg"
import type pg from "pg"

type ClientClass = new (config?: string | pg.ClientConfig) => pg.Client

/** Makes clients that fail when they connect, and not when they are made. */
export const failingInConnect = (Client: ClientClass): ClientClass =>
  class extends Client {
    constructor(config?: string | pg.ClientConfig) {
      try {
        super(config)
      } catch (cause) {
        super({})
        const fail = (callback: (failure: unknown) => void) => {
          this.emit("end")
          callback(cause)
        }
        this.connect = ((callback: (failure: unknown) => void) => process.nextTick(fail, callback)) as never
      }
    }
  }

/** The part of a pool that makes its clients. Not every pool has it. */
interface MakesClients {
  Client?: ClientClass
}

const changedPools = new WeakSet<object>()

/**
 * Lets the callers of a pool fail when it cannot make a client. A pool also makes clients in events of its connections, where nobody can catch a failure:
 * the process would end.
 */
export const failCallersOf = (pool: Pool): void => {
  const made: Pool & MakesClients = pool
  if (made.Client === undefined || changedPools.has(pool)) return
  changedPools.add(pool)
  made.Client = failingInConnect(made.Client)
}

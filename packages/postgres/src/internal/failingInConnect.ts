/**
 * Clients of a pool that cannot be made, because a file of a certificate is missing, or that get no password. The URL of a pool can name such files, and the
 * driver reads them for each connection. It also calls the function `password` of a pool for each connection.
 */
import type { Pool } from "pg"
import type pg from "pg"
import type { ProductClient } from "./driverClient.ts"
import { markOfPassword } from "./sqlStates.ts"

type ClientClass = new (config?: string | pg.ClientConfig) => pg.Client

/** What the driver calls when it has connected or failed. Its pool gives such a function. */
type OnConnected = ((failure: Error) => void) | ((failure: null, client: pg.Client) => void)

type PasswordOf = (...args: ReadonlyArray<unknown>) => unknown

/** A client of the driver, which calls a function for its password. */
interface AsksForPassword {
  password?: unknown
}

/** Marks the failure of a function, so that the store can say where it comes from. */
const markingFailures =
  (passwordOf: PasswordOf): PasswordOf =>
  async (...args) => {
    try {
      return await passwordOf(...args)
    } catch (cause) {
      throw markOfPassword(cause)
    }
  }

const markPasswordFailures = (client: AsksForPassword): void => {
  if (typeof client.password === "function") client.password = markingFailures(client.password as PasswordOf)
}

/**
 * Closes the connection of a client that has failed to connect. The driver leaves it open when it gets no password, and the server keeps it until its
 * `authentication_timeout`. Each further try would use one more connection of the server.
 */
const closeConnection = (client: object): void => {
  const { connection } = client as ProductClient
  connection?.stream?.destroy?.()
}

/**
 * Makes clients that fail when they connect, and not when they are made. They close the connection of a failure. Marks the failures of a function for the
 * password.
 */
export const failingInConnect = (Client: ClientClass): ClientClass =>
  class extends Client {
    override connect(): Promise<pg.Client>
    override connect(callback: OnConnected): void
    override connect(callback?: OnConnected): unknown {
      if (callback === undefined)
        return super.connect().catch((cause: unknown) => {
          closeConnection(this)
          throw cause
        })
      return super.connect((failure: Error | null, client?: pg.Client) => {
        if (failure) closeConnection(this)
        const notify = callback as (failure: Error | null, client?: pg.Client) => void
        notify(failure, client)
      })
    }

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
      markPasswordFailures(this as AsksForPassword)
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

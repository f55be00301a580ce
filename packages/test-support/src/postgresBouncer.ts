/**
 * A pgbouncer in transaction mode in front of a test server: each transaction can get another connection of the server.
 */
import { once } from "node:events"
import { mkdtempSync, writeFileSync } from "node:fs"
import { createConnection } from "node:net"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { startOnFreePort } from "./freePort.ts"
import { giveToServerUser, startProgram } from "./postgresPrograms.ts"
import type { PostgresServer, Watched } from "./postgresServer.ts"
import { userName } from "./postgresServer.ts"

/** A running pgbouncer. */
export interface PostgresBouncer {
  /** The address of a database through pgbouncer, for the driver. `user` is one of the users. */
  readonly urlOf: (database: string, user?: string) => string
  /** Ends every connection and stops pgbouncer. */
  readonly stop: () => Promise<void>
}

const accepts = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection(port, "127.0.0.1", () => {
      socket.destroy()
      resolve(true)
    })
    socket.once("error", () => resolve(false))
  })

type Port = Pick<PostgresServer, "port">

const configOf = (server: Port, port: number, folder: string): string => `[databases]
* = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, "users")}
pool_mode = transaction
default_pool_size = 5
max_client_conn = 200
server_round_robin = 1
server_login_retry = 1
logfile = ${join(folder, "log")}
`

/**
 * Starts pgbouncer for some users of the server, or of a proxy in front of it. The watchdog of the server closes it. Its pools are small and used in turn, so that state of a session
 * does not remain.
 */
export const startBouncer = async (
  watched: Watched,
  server: Port,
  users: ReadonlyArray<string> = [userName]
): Promise<PostgresBouncer> => {
  const folder = mkdtempSync(join(watched.folder, "bouncer-"))
  giveToServerUser(folder)
  const config = join(folder, "pgbouncer.ini")
  writeFileSync(join(folder, "users"), users.map((user) => `"${user}" ""\n`).join(""))
  const bouncer = await startOnFreePort(async (port): Promise<PostgresBouncer | undefined> => {
    writeFileSync(config, configOf(server, port, folder))
    const child = startProgram("/usr/sbin/pgbouncer", ["-q", config], folder, "ignore")
    watched.watch(child)
    while (child.exitCode === null && child.signalCode === null) {
      if (await accepts(port))
        return {
          urlOf: (database, user = userName) => `postgres://${user}@127.0.0.1:${port}/${database}`,
          stop: async () => {
            if (child.exitCode !== null || child.signalCode !== null) return
            const ended = once(child, "exit")
            child.kill("SIGTERM")
            await ended
          }
        }
      await pause(10)
    }
    return undefined
  })
  if (bouncer === undefined) throw new Error("pgbouncer did not start.")
  return bouncer
}

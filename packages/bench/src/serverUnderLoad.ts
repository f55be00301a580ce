/**
 * Starts an HTTP server in a process of its own.
 */
import { fork } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Target } from "./httpLoad.ts"

/** The kinds of servers. */
export type ServerKind = "mailkeep" | "mailkeep-dispatching" | "fastify"

const program = fileURLToPath(new URL("peers/serverProcess.ts", import.meta.url))

/** Starts the server, and stops it after `use`. */
export const withServer = async <A>(
  kind: ServerKind,
  folder: string,
  use: (server: {
    readonly target: Target
    /** Waits until no delivery is queued. */
    readonly settled: () => Promise<unknown>
    readonly pid: number
  }) => Promise<A>
): Promise<A> => {
  const server = fork(program, [kind, join(folder, "mail.db")])
  const next = () =>
    new Promise<unknown>((resolve, reject) => {
      server.once("message", resolve)
      server.once("exit", (code) => reject(new Error(`The server ended with ${code}.`)))
    })
  try {
    const target = (await next()) as Target
    return await use({
      target,
      settled: () => {
        const answer = next()
        server.send("settled")
        return answer
      },
      pid: server.pid!
    })
  } finally {
    server.removeAllListeners("exit")
    server.kill("SIGKILL")
  }
}

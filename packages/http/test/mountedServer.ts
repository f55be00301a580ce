/**
 * A fetch handler of a core, mounted below `/mail` of a `node:http` server, over real connections.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Permission } from "@mailkeep/core"
import { ApiKeys } from "@mailkeep/core"
import type { TestMail, TestMailOptions } from "@mailkeep/test-support"
import { openTestMail, project, sendInput, stores } from "@mailkeep/test-support"
import type { Effect } from "effect"
import { Context, Logger, Redacted } from "effect"
import { nodeListener } from "../src/node.ts"
import type { FetchHandlerOptions } from "../src/server/fetchHandler.ts"
import { fetchHandler } from "../src/server/fetchHandler.ts"

export interface MountedServer {
  /** A request to a path below `/mail`. */
  readonly get: (path: string, init?: RequestInit) => Promise<Response>
  /** Sends a message, with some fields changed. */
  readonly send: (headers?: Record<string, string>, change?: Parameters<typeof sendInput>[0]) => Promise<Response>
  readonly run: <A, E>(effect: Effect.Effect<A, E, TestMail>) => Promise<A>
  /** The `Authorization` field of a new API key of the project. */
  readonly authorization: (permissions?: ReadonlyArray<Permission>) => Promise<string>
  /** The lines of the log. */
  readonly logged: ReadonlyArray<unknown>
  readonly close: () => Promise<void>
}

export const openMountedServer = async (
  options: FetchHandlerOptions,
  mailOptions?: TestMailOptions
): Promise<MountedServer> => {
  const mail = await openTestMail(stores[0], mailOptions)
  const logged: Array<unknown> = []
  const logger = Logger.make(({ message }) => void logged.push(message))
  const context = Context.add(await mail.context(), Logger.CurrentLoggers, new Set([logger]))
  const { handler, dispose } = fetchHandler(context, { basePath: "/mail", ...options })
  const server = createServer(nodeListener(handler)).listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const get: MountedServer["get"] = (path, init) => fetch(`${address}/mail${path}`, { redirect: "manual", ...init })
  let sends = 0
  return {
    get,
    send: (headers = {}, change = {}) =>
      get("/api/v1/emails/send", {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": `send-${sends++}`, ...headers },
        body: JSON.stringify(sendInput(change))
      }),
    run: (effect) => mail.runPromise(effect),
    authorization: async (permissions = ["email.send", "email.full_access"]) => {
      const keys = await mail.runPromise(ApiKeys)
      const { secret } = await mail.runPromise(keys.create(project, { permissions }))
      return `Bearer ${Redacted.value(secret)}`
    },
    logged,
    close: async () => {
      server.close()
      server.closeAllConnections()
      await dispose()
      await mail.dispose()
    }
  }
}

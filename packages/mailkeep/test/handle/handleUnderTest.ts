/**
 * The two implementations of `ProjectHandle`: an embedded project, and a client over a real HTTP server of the same core.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { MailServer } from "@mailkeep/http"
import type { ConnectMailOptions } from "@mailkeep/http/client"
import { connectMail } from "@mailkeep/http/client"
import { nodeListener } from "@mailkeep/http/node"
import { onTestFinished } from "vitest"
import type { Mail, MailOptions, Permission, ProjectHandle } from "../../src/index.ts"
import { openQuiet } from "../testMail.ts"

/** An open handle of an empty project with the verified domain `acme.example`. */
interface OpenHandle {
  readonly mail: ProjectHandle
  /** The core behind the handle, for what only an embedded project can do. */
  readonly core: Mail
}

/** An implementation of `ProjectHandle`. */
export interface HandleUnderTest {
  readonly name: string
  readonly open: (options?: Partial<MailOptions>) => Promise<OpenHandle>
}

export const embedded: HandleUnderTest = {
  name: "an embedded project",
  open: async (options) => {
    const core = await openQuiet(options)
    return { mail: core, core }
  }
}

/** Serves a core until the end of the test. Returns the address of the server. */
export const serve = async (core: Mail): Promise<string> => {
  const { handler, dispose } = MailServer.fetchHandler(core)
  const server = createServer(nodeListener(handler)).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await dispose()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const both: ReadonlyArray<Permission> = ["email.send", "email.full_access"]

/** A client of a core over HTTP. */
export const connect = async (
  core: Mail,
  options: Partial<ConnectMailOptions> = {},
  permissions = both
): Promise<ProjectHandle> => {
  const { secret } = await core.apiKeys.create({ permissions })
  return connectMail({ url: await serve(core), apiKey: secret, ...options })
}

/** `onRequest` is called with the method and the path of each request. */
export const remote = (onRequest: (method: string, path: string) => void): HandleUnderTest => ({
  name: "a client over HTTP",
  open: async (options = {}) => {
    const core = await openQuiet(options)
    const mail = await connect(core, {
      from: options.from,
      fetch: (url, init) => {
        onRequest(init.method!, new URL(url).pathname)
        return fetch(url, init)
      }
    })
    return { mail, core }
  }
})

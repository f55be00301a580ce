/**
 * The development mailbox over real HTTP, with a raw client that can send any `Host`.
 */
import { request } from "node:http"
import type { TestMailOptions } from "@mailkeep/test-support"
import { openTestMail, send, stores, tick } from "@mailkeep/test-support"
import type { SendInput, SendOptions } from "@mailkeep/core"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as NodeMailServer from "../../src/node.ts"

interface PageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | Array<string> | undefined>>
  readonly text: string
}

interface PageRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const call = (address: string, { method = "GET", headers = {}, body = "" }: PageRequest = {}): Promise<PageAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = request(address, { method, headers, agent: false }, (response) => {
      const pieces: Array<Buffer> = []
      response.on("data", (piece: Buffer) => pieces.push(piece))
      response.on("error", reject)
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() })
      )
    })
    outgoing.on("error", reject)
    outgoing.end(body)
  })

export interface MailboxServer {
  readonly get: (path: string, more?: PageRequest) => Promise<PageAnswer>
  /** Sends a form with the token of the mailbox. */
  readonly post: (path: string, fields: Readonly<Record<string, string>>, more?: PageRequest) => Promise<PageAnswer>
  /** Sends a mail, hands it over, and returns the id of its first delivery. */
  readonly deliver: (change?: Partial<SendInput>, options?: SendOptions) => Promise<string>
  /** Hands over what is due. */
  readonly tick: () => Promise<unknown>
  readonly token: () => Promise<string>
  readonly close: () => Promise<void>
}

export const openMailboxServer = async (options?: TestMailOptions): Promise<MailboxServer> => {
  const mail = await openTestMail(stores[0], options)
  const services = Layer.succeedContext(await mail.context())
  const server = ManagedRuntime.make(
    NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100, mailbox: true }).pipe(
      Layer.provide(services)
    )
  )
  const url = await server.runPromise(NodeMailServer.url)
  const get: MailboxServer["get"] = (path, more) => call(`${url}/mailbox${path}`, more)
  const token = async () => /name="token" value="([^"]+)"/.exec((await get("")).text)![1]!
  let sends = 0
  return {
    get,
    token,
    post: async (path, fields, more = {}) =>
      get(path, {
        method: "POST",
        body: new URLSearchParams({ token: await token(), ...fields }).toString(),
        ...more,
        headers: { "content-type": "application/x-www-form-urlencoded", ...more.headers }
      }),
    deliver: (change, options) =>
      mail.runPromise(
        Effect.map(Effect.tap(send(`mail-${sends++}`, change, options), tick), ({ deliveryIds }) => deliveryIds[0]!)
      ),
    tick: () => mail.runPromise(tick),
    close: async () => {
      await server.dispose()
      await mail.dispose()
    }
  }
}

/**
 * A running core with the development mailbox, a second server that counts what is loaded from it, and Chromium.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { SendInput } from "@mailkeep/core"
import { Dispatcher, Domains, MailCore, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import * as NodeMailServer from "@mailkeep/http/node"
import { MemoryMailStore } from "@mailkeep/memory"
import { StubTransport } from "@mailkeep/smtp"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Browser } from "playwright-core"
import { chromium } from "playwright-core"
import { findChromium } from "./findChromium.ts"

const project = "prj_acme"

export interface MailboxBrowser {
  /** The address of the mailbox. */
  readonly url: string
  readonly browser: Browser
  /** Sends a mail, hands it over, and returns the id of its delivery. */
  readonly deliver: (input: Partial<SendInput>) => Promise<string>
  /** The address of another host, and the paths that were loaded from it. */
  readonly remote: { readonly url: string; readonly loaded: Array<string> }
  readonly close: () => Promise<void>
}

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64"
)

/** An image of one pixel. */
export const pixelPng: Uint8Array = pixel

const openRemote = async () => {
  const loaded: Array<string> = []
  const server = createServer((request, response) => {
    loaded.push(request.url ?? "")
    response.writeHead(200, { "content-type": "image/png", "access-control-allow-origin": "*" }).end(pixel)
  })
  // A connection without a request counts too, such as one of preconnect.
  server.on("connection", () => loaded.push("connection"))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { url, loaded, close }
}

const core = MailCore.layer.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      MemoryMailStore.layer,
      StubTransport.layer({
        script: [
          { recipient: /@gone\.example$/, acts: [{ act: "refuse", text: "No such user here" }] },
          { recipient: /@slow\.example$/, acts: [{ act: "defer", text: "Greylisted, try again later" }] }
        ]
      }),
      PlanSource.layerFixed({}),
      NodeCrypto.layer
    )
  )
)

/** Opens everything. `close` ends it. */
export const openMailboxBrowser = async (): Promise<MailboxBrowser> => {
  const remote = await openRemote()
  const server = ManagedRuntime.make(
    NodeMailServer.layerNode({ host: "127.0.0.1", port: 0, graceMillis: 100, mailbox: true }).pipe(
      Layer.provideMerge(core)
    )
  )
  await server.runPromise(
    Effect.flatMap(Domains, ({ ensure }) => ensure(project, { domain: "acme.example", verified: true }))
  )
  const url = `${await server.runPromise(NodeMailServer.url)}/mailbox`
  const browser = await chromium.launch({
    executablePath: findChromium() ?? "chromium",
    // The sandbox of the operating system is not available to the root user of a container.
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
  })
  const deliver: MailboxBrowser["deliver"] = (input) =>
    server.runPromise(
      Effect.gen(function* () {
        const message = {
          from: "hello@acme.example",
          fromName: "Acme",
          to: "ada@example.org",
          subject: "Hello",
          ...(input.html === undefined ? { text: "Hello" } : {}),
          ...input
        }
        const { deliveryIds } = yield* (yield* Sending).send(project, message as SendInput)
        yield* (yield* Dispatcher).tick
        return deliveryIds[0]!
      })
    )
  return {
    url,
    browser,
    deliver,
    remote,
    close: async () => {
      await browser.close()
      await server.dispose()
      remote.close()
    }
  }
}

/**
 * Subscribers behind a real HTTP server on this machine. A test chooses their responses.
 */
import type { ServerResponse } from "node:http"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { SubscriberAct, Received, SinkSubject } from "@mailkeep/conformance"
import { Effect } from "effect"
import { WebhookSink } from "../src/index.ts"

const drip = async (response: ServerResponse): Promise<void> => {
  while (!response.destroyed) {
    response.write(".")
    await pause(10)
  }
}

const answer = (act: SubscriberAct, response: ServerResponse): void => {
  switch (act.does) {
    case "accept":
      return void response.writeHead(204).end()
    case "acceptUnfinished": {
      response.writeHead(200).write("{")
      if (act.rest === "breaksOff") return void setImmediate(() => response.destroy())
      if (act.rest === "neverComes") return
      return void drip(response)
    }
    case "refuse": {
      const after = act.retryAfterSeconds === null ? {} : { "retry-after": String(act.retryAfterSeconds) }
      return void response.writeHead(act.wantsNoMoreEvents ? 410 : 503, after).end("no")
    }
    case "hang":
      return
    case "drop":
      return void response.destroy()
  }
}

export const sink: SinkSubject["sink"] = Effect.gen(function* () {
  const acts = new Map<string, SubscriberAct>()
  const received: Array<Received> = []
  let underWay = 0
  const server = createServer((request, response) => {
    underWay++
    response.on("close", () => underWay--)
    const subscriber = request.url!.slice(1)
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const headers = request.headers as Record<string, string>
      const body = new Uint8Array(Buffer.concat(chunks))
      received.push({ subscriber, id: headers["webhook-id"]!, headers, body })
      answer(acts.get(subscriber) ?? { does: "accept" }, response)
    })
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  const { port } = server.address() as AddressInfo
  return {
    layer: WebhookSink.layer({ allowLoopback: true }),
    subscribers: {
      endpoint: (subscriber) => `http://127.0.0.1:${port}/${subscriber}`,
      script: (subscriber, act) => Effect.sync(() => acts.set(subscriber, act)),
      received: Effect.sync(() => received),
      underWay: Effect.sync(() => underWay)
    }
  }
})

/**
 * Webhook receivers that never answer, answer slowly or answer endlessly, and thousands of test events to them.
 */
import { once } from "node:events"
import type { Server, Socket, AddressInfo } from "node:net"
import { createServer } from "node:net"
import { setInterval, clearInterval } from "node:timers"
import type { Attack, AttackContext } from "../Attack.ts"
import { paced, pause } from "../Attack.ts"
import { exchange, json, requestBytes } from "../rawHttp.ts"

const everyMillis = (socket: Socket, millis: number, one: () => void): void => {
  const timer = setInterval(one, millis)
  socket.once("close", () => clearInterval(timer))
}

const block = Buffer.alloc(64 * 1024, "x")

/** The behaviour of a receiver on each connection. */
const behaviours = {
  /** Reads the request and never answers. */
  hangs: () => {},
  /** Answers byte by byte. */
  drips: (socket: Socket) => {
    const answer = Buffer.from(`HTTP/1.1 200 OK\r\nX-Long: ${"x".repeat(10_000)}`)
    let sent = 0
    everyMillis(socket, 100, () => socket.write(answer.subarray(sent, ++sent)))
  },
  /** Answers with an endless body, at most 6 MB per second. */
  "never ends": (socket: Socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
    everyMillis(socket, 10, () => {
      if (!socket.writableNeedDrain) socket.write(block)
    })
  }
} as const

const listening = async (behave: (socket: Socket) => void): Promise<Server> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.on("end", () => socket.destroy())
    socket.once("data", () => behave(socket))
    socket.resume()
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}

const apiKeyOf = ({ prepared }: AttackContext) => prepared.apiKeys.prj_webhooks

/** Creates a webhook with the address of this receiver. Returns its id, or `none` if it is refused. */
const createWebhook = async (
  context: AttackContext,
  server: Server,
  events: ReadonlyArray<string>
): Promise<string> => {
  const { host, port } = context.address
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const response = await fetch(`http://${host}:${port}/api/v1/emails/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${apiKeyOf(context)}`, "content-type": "application/json" },
    body: JSON.stringify({ url, events }),
    signal: context.signal
  }).catch(() => undefined)
  context.count(`webhook ${response?.status ?? "unanswered"}`)
  if (response === undefined) return "none"
  const { data } = (await response.json().catch(() => ({}))) as { data?: { id?: string } }
  return data?.id ?? "none"
}

const removeWebhook = async (context: AttackContext, id: string): Promise<void> => {
  await exchange(
    context.address,
    requestBytes({ method: "DELETE", path: `/emails/webhooks/${id}`, apiKey: apiKeyOf(context) }),
    AbortSignal.timeout(5000)
  )
}

/** Creates contacts, each of which causes an event for the receiver. */
const eventsFor = (behaviour: keyof typeof behaviours): Attack => ({
  name: `receiver ${behaviour}`,
  bound: "2 events per second, 10 requests at once",
  run: async (context) => {
    const server = await listening(behaviours[behaviour])
    const id = await createWebhook(context, server, ["contact.created"])
    await paced({ everyMillis: 500, atOnceMax: 10 }, context, (n) =>
      exchange(
        context.address,
        requestBytes(
          { method: "POST", path: "/emails/contacts", apiKey: apiKeyOf(context) },
          json({ email: `${behaviour.replaceAll(" ", "-")}-${process.pid}-${n}@example.net` })
        ),
        context.signal
      )
    )
    await removeWebhook(context, id)
    server.close()
  }
})

const testsAtOnce = 1000

export const webhookAttacks: ReadonlyArray<Attack> = [
  {
    name: "1,000 test events at once, receiver hangs",
    bound: "1,000 requests in each 30 s",
    run: async (context) => {
      const server = await listening(behaviours.hangs)
      const id = await createWebhook(context, server, ["email.delivered"])
      const request = requestBytes({ method: "POST", path: `/emails/webhooks/${id}/test`, apiKey: apiKeyOf(context) })
      while (!context.signal.aborted) {
        const burst = Array.from({ length: testsAtOnce }, () =>
          exchange(context.address, request, context.signal).then(context.count)
        )
        await Promise.all([...burst, pause(30_000, context.signal)])
      }
      await removeWebhook(context, id)
      server.close()
    }
  },
  ...(Object.keys(behaviours) as ReadonlyArray<keyof typeof behaviours>).map(eventsFor)
]

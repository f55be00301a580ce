/**
 * Clients that keep a server waiting: incomplete bodies, answers that are not read, heads sent byte by byte, idle connections.
 */
import type { Socket } from "node:net"
import { setInterval, clearInterval } from "node:timers"
import type { Attack, AttackContext, Address } from "../Attack.ts"
import { pause } from "../Attack.ts"
import { connectAsAttacker, headBytes, json, requestBytes, statusOf, sendHead } from "../rawHttp.ts"

interface Crowd {
  readonly connectionsMax: number
  /** Number of connections opened per second. */
  readonly perSecond: number
  /** Maximum time that a connection stays open before the client replaces it. */
  readonly openMillisMax: number
  readonly readsAnswer: boolean
}

/** Time in which a write on an unread connection reports a reset by the other end. */
const probeMillis = 100

/** Opens a connection and waits until either end closes it. Returns the last status, `closed`, or `still open` if the server kept it open. */
const openConnection = (
  address: Address,
  { openMillisMax, readsAnswer }: Crowd,
  signal: AbortSignal,
  begin: (socket: Socket) => void
): Promise<string> =>
  new Promise((resolve) => {
    const socket = connectAsAttacker(address)
    let status: string | undefined
    let ending = "closed"
    const timer = new AbortController()
    const giveUp = async () => {
      // A socket that is not read reports a reset only on a write.
      if (!readsAnswer) {
        socket.write("\r\n")
        await pause(probeMillis, timer.signal)
      }
      if (socket.destroyed) return
      ending = "still open"
      socket.destroy()
    }
    const onAbort = () => void giveUp()
    signal.addEventListener("abort", onAbort, { once: true })
    void pause(openMillisMax, timer.signal).then(() => (timer.signal.aborted ? undefined : giveUp()))
    if (readsAnswer) socket.on("data", (chunk: Buffer) => (status = statusOf(chunk) ?? status))
    socket.on("connect", () => begin(socket))
    socket.on("close", () => {
      signal.removeEventListener("abort", onAbort)
      timer.abort()
      resolve(status ?? ending)
    })
  })

/** Keeps the given number of connections open, and replaces each one that ends. */
const crowd = async (bound: Crowd, context: AttackContext, begin: (socket: Socket) => void): Promise<void> => {
  const open = new Set<Promise<void>>()
  while (!context.signal.aborted) {
    if (open.size < bound.connectionsMax) {
      const connection: Promise<void> = openConnection(context.address, bound, context.signal, begin).then((answer) => {
        context.count(answer)
        return void open.delete(connection)
      })
      open.add(connection)
    }
    await pause((1000 * context.slowness) / bound.perSecond, context.signal)
  }
  await Promise.all(open)
}

/** Writes the chunk repeatedly, up to `bytes`, as fast as the other end takes them. */
const writeBytes = (socket: Socket, chunk: Buffer, bytes: number): void => {
  let left = bytes
  const more = () => {
    while (left > 0) {
      const part = left < chunk.length ? chunk.subarray(0, left) : chunk
      left -= part.length
      if (!socket.write(part)) return void socket.once("drain", more)
    }
  }
  more()
}

/** Calls `one` in each interval while the socket is open. */
const whileOpen = (socket: Socket, everyMillis: number, one: () => void): void => {
  const timer = setInterval(one, everyMillis)
  socket.once("close", () => clearInterval(timer))
}

const apiKeyOf = ({ prepared }: AttackContext) => prepared.apiKeys.prj_connections

const declaredBytes = 10 * 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 0x20)
const pipelined = 400

const largeAnswerHead = (context: AttackContext) =>
  headBytes({
    method: "GET",
    path: `/emails/templates/${context.prepared.templates.largeAnswer}`,
    apiKey: apiKeyOf(context),
    keepAlive: true
  })

/** 400 sends, each to one recipient. */
const pipelinedSends = (context: AttackContext): Buffer =>
  Buffer.concat(
    Array.from({ length: pipelined }, (_, n) =>
      requestBytes(
        sendHead(apiKeyOf(context), `pipelined-${n}`, { keepAlive: true }),
        json({ from: "shop@connections.example", to: "pipelined@example.net", subject: "Pipelined", text: "A text" })
      )
    ).flat()
  )

export const slowClientAttacks: ReadonlyArray<Attack> = [
  {
    name: "bodies of 10 MB without the last byte",
    bound: "300 connections of one API key, 10 per second, each 60 s",
    run: (context) => {
      const head = headBytes(sendHead(apiKeyOf(context), "incomplete", { bodyBytes: declaredBytes }))
      const bound = { connectionsMax: 300, perSecond: 10, openMillisMax: 60_000, readsAnswer: true }
      return crowd(bound, context, (socket) => {
        socket.write(head)
        writeBytes(socket, chunk, declaredBytes - 1)
      })
    }
  },
  {
    name: "answers of 4 MB not read",
    bound: "400 connections, 20 per second, each 60 s",
    run: (context) => {
      const head = largeAnswerHead(context)
      const bound = { connectionsMax: 400, perSecond: 20, openMillisMax: 60_000, readsAnswer: false }
      return crowd(bound, context, (socket) => void socket.write(head))
    }
  },
  {
    name: "400 pipelined, answers of 4 MB not read",
    bound: "1 connection of 400 requests, each 60 s",
    run: (context) => {
      const requests = Buffer.concat(Array.from({ length: pipelined }, () => largeAnswerHead(context)))
      const bound = { connectionsMax: 1, perSecond: 1, openMillisMax: 60_000, readsAnswer: false }
      return crowd(bound, context, (socket) => void socket.write(requests))
    }
  },
  {
    name: "400 pipelined sends",
    bound: "1 connection of 400 requests, each 20 s",
    run: (context) => {
      const requests = pipelinedSends(context)
      const bound = { connectionsMax: 1, perSecond: 1, openMillisMax: 20_000, readsAnswer: true }
      return crowd(bound, context, (socket) => void socket.write(requests))
    }
  },
  {
    name: "400 pipelined sends, disconnected early",
    bound: "1 connection of 400 requests per second, each 200 ms",
    run: (context) => {
      const requests = pipelinedSends(context)
      const bound = { connectionsMax: 1, perSecond: 1, openMillisMax: 200, readsAnswer: true }
      return crowd(bound, context, (socket) => void socket.write(requests))
    }
  },
  {
    name: "heads of one byte a second",
    bound: "100 connections, 20 per second, each 120 s",
    run: (context) => {
      const head = headBytes({
        method: "GET",
        path: `/emails/logs?search=${"x".repeat(200)}`,
        apiKey: apiKeyOf(context)
      })
      const bound = { connectionsMax: 100, perSecond: 20, openMillisMax: 120_000, readsAnswer: true }
      return crowd(bound, context, (socket) => {
        let sent = 0
        whileOpen(socket, 1000, () => socket.write(head.subarray(sent, ++sent)))
      })
    }
  },
  {
    name: "bodies without end",
    bound: "20 connections of 256 KB per second, each 120 s",
    run: (context) => {
      const headers = ["Content-Type: application/json", "Transfer-Encoding: chunked"]
      const head = headBytes(sendHead(apiKeyOf(context), "endless", { headers }))
      const piece = Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")])
      const bound = { connectionsMax: 20, perSecond: 5, openMillisMax: 120_000, readsAnswer: true }
      return crowd(bound, context, (socket) => {
        socket.write(head)
        whileOpen(socket, 250, () => {
          if (!socket.writableNeedDrain) socket.write(piece)
        })
      })
    }
  },
  {
    name: "idle connections",
    bound: "1,000 connections, 100 per second, each 120 s",
    run: (context) =>
      crowd({ connectionsMax: 1000, perSecond: 100, openMillisMax: 120_000, readsAnswer: true }, context, () => {})
  }
]

/**
 * Load over HTTP/1.1 with as little work of its own as possible: each connection writes a request and waits for the response.
 */
import { connect } from "node:net"
import { performance } from "node:perf_hooks"
import { message, numbers } from "./workload.ts"

const headEnd = "\r\n\r\n"

/** One connection, which sends one request after the other. */
const openConnection = (url: URL) => {
  const socket = connect(Number(url.port), url.hostname)
  socket.setNoDelay(true)
  let received = ""
  let waiting: { readonly resolve: (status: number) => void; readonly reject: (cause: Error) => void } | undefined
  const fail = (cause: Error) => waiting?.reject(cause)
  socket.on("error", fail)
  socket.on("close", () => fail(new Error("The server closed the connection.")))
  socket.on("data", (bytes) => {
    received += bytes.toString("latin1")
    const end = received.indexOf(headEnd)
    if (end < 0) return
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? Number.NaN)
    if (Number.isNaN(length)) return fail(new Error(`The response has no length: ${received.slice(0, 200)}`))
    if (received.length < end + headEnd.length + length) return
    const status = Number(received.slice(9, 12))
    received = ""
    waiting?.resolve(status)
  })
  return {
    request: (text: string): Promise<number> =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject }
        socket.write(text)
      }),
    close: () => {
      socket.removeAllListeners("close")
      socket.destroy()
    }
  }
}

/** A server that accepts sends. */
export interface Target {
  readonly url: string
  readonly secret: string
  /** The sender of the messages. Default: that of `message`. */
  readonly sender?: string
}

/** The request of one send. */
const sendRequest = ({ url, secret, sender }: Target, n: number): string => {
  const body = JSON.stringify({ ...message(n), ...(sender === undefined ? {} : { from: sender }) })
  return [
    "POST /api/v1/emails/send HTTP/1.1",
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${secret}`,
    `Idempotency-Key: key-${n}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "",
    body
  ].join("\r\n")
}

/** Sends `count` messages, numbered from `first`, and returns the time of each request in milliseconds. Fails unless each is accepted. */
export const loadSends = async (
  target: Target,
  { first, count, connections }: { readonly first: number; readonly count: number; readonly connections: number }
): Promise<ReadonlyArray<number>> => {
  const millis: Array<number> = []
  let next = first
  const one = async () => {
    const connection = openConnection(new URL(target.url))
    while (next < first + count) {
      const request = sendRequest(target, next++)
      const started = performance.now()
      const status = await connection.request(request)
      if (status !== 202) throw new Error(`The server answered ${status}.`)
      millis.push(performance.now() - started)
    }
    connection.close()
  }
  await Promise.all(numbers(connections).map(one))
  return millis
}

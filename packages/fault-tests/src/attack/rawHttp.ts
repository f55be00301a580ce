/**
 * HTTP/1.1 over plain sockets, at low cost for the attacker: it sends prepared buffers and reads only the status of the answer.
 */
import type { Socket } from "node:net"
import { connect } from "node:net"
import type { Address } from "./Attack.ts"

/** The local address of attackers. Honest clients use 127.0.0.1, so the server can distinguish the two. */
const attackerAddress = "127.0.0.2"

export const connectAsAttacker = ({ host, port }: Address): Socket => {
  const socket = connect({ host, port, localAddress: attackerAddress, noDelay: true })
  // The end of a connection is counted on `close`, so errors are ignored here.
  socket.on("error", () => {})
  return socket
}

export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly apiKey?: string
  /** The `Content-Length` of a JSON body. */
  readonly bodyBytes?: number
  readonly headers?: ReadonlyArray<string>
  readonly keepAlive?: boolean
}

/** The head of a send. */
export const sendHead = (apiKey: string, idempotencyKey: string, rest: Partial<RequestHead> = {}): RequestHead => ({
  method: "POST",
  path: "/emails/send",
  apiKey,
  ...rest,
  headers: [...(rest.headers ?? []), `Idempotency-Key: ${idempotencyKey}`]
})

/** The bytes of the head of a request, with the empty line at the end. */
export const headBytes = ({ method, path, apiKey, bodyBytes, headers = [], keepAlive = false }: RequestHead): Buffer =>
  Buffer.from(
    [
      `${method} /api/v1${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      ...(apiKey === undefined ? [] : [`Authorization: Bearer ${apiKey}`]),
      ...(bodyBytes === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${bodyBytes}`]),
      ...(keepAlive ? [] : ["Connection: close"]),
      ...headers,
      "",
      ""
    ].join("\r\n"),
    "latin1"
  )

const statusPattern = /^HTTP\/1\.1 (\d{3}) /

/** Returns the status of an answer from its first bytes, or `undefined` if they contain no status. */
export const statusOf = (bytes: Buffer): string | undefined =>
  statusPattern.exec(bytes.subarray(0, 13).toString("latin1"))?.[1]

const answerMillisMax = 30_000

/**
 * Sends the buffers over a new connection, reads the answer to its end and returns its status. Other results:
 * - `closed`: the server closed the connection without an answer.
 * - `no answer`: there was no answer within 30 s.
 * - `unfinished`: the attack ended first.
 */
export const exchange = (address: Address, parts: ReadonlyArray<Buffer>, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    // A signal that is already aborted emits no event.
    if (signal.aborted) return resolve("unfinished")
    const socket = connectAsAttacker(address)
    let status: string | undefined
    let ending = "closed"
    const end = (why: string) => {
      ending = why
      socket.destroy()
    }
    const onAbort = () => end("unfinished")
    signal.addEventListener("abort", onAbort, { once: true })
    socket.setTimeout(answerMillisMax, () => end("no answer"))
    socket.on("data", (chunk: Buffer) => (status ??= statusOf(chunk)))
    socket.on("close", () => {
      signal.removeEventListener("abort", onAbort)
      resolve(status ?? ending)
    })
    socket.on("connect", () => {
      for (const part of parts) socket.write(part)
    })
  })

/** The bytes of a request, with or without a JSON body. */
export const requestBytes = (head: Omit<RequestHead, "bodyBytes">, body?: Buffer): ReadonlyArray<Buffer> =>
  body === undefined ? [headBytes(head)] : [headBytes({ ...head, bodyBytes: body.length }), body]

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/**
 * HTTP/1.1 over plain sockets, as cheap as an attacker wants it: prepared buffers go out, of the answer only the status is read.
 */
import type { Socket } from "node:net"
import { connect } from "node:net"
import type { Address } from "./Attack.ts"

/** The attackers connect from here and honest clients from 127.0.0.1, so that a server can tell their addresses apart. */
const attackerAddress = "127.0.0.2"

export const connectAsAttacker = ({ host, port }: Address): Socket => {
  const socket = connect({ host, port, localAddress: attackerAddress, noDelay: true })
  // What a connection ends with is counted at its `close`.
  socket.on("error", () => {})
  return socket
}

export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly apiKey?: string
  /** The declared length of a JSON body. */
  readonly bodyOctets?: number
  readonly headers?: ReadonlyArray<string>
  readonly keepAlive?: boolean
}

/** The bytes of a request's head, with the empty line. */
export const headBytes = ({ method, path, apiKey, bodyOctets, headers = [], keepAlive = false }: RequestHead): Buffer =>
  Buffer.from(
    [
      `${method} /api/v1${path} HTTP/1.1`,
      "Host: 127.0.0.1",
      ...(apiKey === undefined ? [] : [`Authorization: Bearer ${apiKey}`]),
      ...(bodyOctets === undefined ? [] : ["Content-Type: application/json", `Content-Length: ${bodyOctets}`]),
      ...(keepAlive ? [] : ["Connection: close"]),
      ...headers,
      "",
      ""
    ].join("\r\n"),
    "latin1"
  )

const statusPattern = /^HTTP\/1\.1 (\d{3}) /

/** The status of an answer by its first bytes; `undefined` when there is none in them. */
export const statusOf = (bytes: Buffer): string | undefined =>
  statusPattern.exec(bytes.subarray(0, 13).toString("latin1"))?.[1]

const answerMillisMax = 30_000

/**
 * Sends the buffers over a connection of their own, reads the answer to its end and gives its status; or `closed` without an answer,
 * `no answer` within 30 s, `unfinished` when the attack ended first.
 */
export const exchange = (address: Address, parts: ReadonlyArray<Buffer>, signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    // An aborted signal raises no event any more.
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

/** A request with a JSON body, or without one. */
export const requestBytes = (head: Omit<RequestHead, "bodyOctets">, body?: Buffer): ReadonlyArray<Buffer> =>
  body === undefined ? [headBytes(head)] : [headBytes({ ...head, bodyOctets: body.length }), body]

export const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

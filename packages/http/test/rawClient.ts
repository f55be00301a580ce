/**
 * A client without HTTP rules: it writes bytes to a socket, and reads only on demand.
 */
import { once } from "node:events"
import type { Socket } from "node:net"
import { connect } from "node:net"

interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export interface RawClient {
  readonly socket: Socket
  readonly send: (bytes: string | Uint8Array) => void
  /** The complete responses so far, read by their `Content-Length`. */
  readonly answers: () => ReadonlyArray<RawAnswer>
  /** Resolves once this many responses have arrived; rejects when the connection closes earlier. */
  readonly answered: (count: number) => Promise<ReadonlyArray<RawAnswer>>
  /** Resolves with all responses when the connection is closed. */
  readonly closed: Promise<ReadonlyArray<RawAnswer>>
}

const parse = (text: string): ReadonlyArray<RawAnswer> => {
  const answers: Array<RawAnswer> = []
  for (let rest = text; ;) {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) return answers
    const head = rest.slice(0, end)
    const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1])
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    const next = end + 4 + (status === 100 ? 0 : length)
    if (rest.length < next) return answers
    if (status !== 100) answers.push({ status, head, body: rest.slice(end + 4, next) })
    rest = rest.slice(next)
  }
}

/** Connects. With `reads: false`, arriving bytes stay in the kernel's buffers. */
export const rawClient = async (url: string, { reads = true } = {}): Promise<RawClient> => {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  let text = ""
  socket.on("error", () => {})
  socket.setEncoding("latin1")
  if (reads) socket.on("data", (chunk) => (text += String(chunk)))
  else socket.pause()
  const closed = new Promise<ReadonlyArray<RawAnswer>>((resolve) => socket.once("close", () => resolve(parse(text))))
  await once(socket, "connect")
  const answers = () => parse(text)
  const answered = (count: number) =>
    new Promise<ReadonlyArray<RawAnswer>>((resolve, reject) => {
      const look = () => {
        if (answers().length >= count) resolve(answers())
      }
      look()
      socket.on("data", look)
      void closed.then((all) => (all.length >= count ? resolve(all) : reject(new Error(`closed after: ${text}`))))
    })
  return { socket, send: (bytes) => void socket.write(bytes), answers, answered, closed }
}

let requests = 0

/** The head of a send, without its end. The caller adds fields, an empty line and the body. */
export const sendHead = (key: string): string =>
  `POST /api/v1/emails/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\nidempotency-key: raw-${requests++}\r\n`

/** A complete send request. */
export const sendRequest = (key: string, body: unknown): string => {
  const text = JSON.stringify(body)
  return `${sendHead(key)}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

export const getRequest = (key: string, path: string, fields = ""): string =>
  `GET /api/v1${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n${fields}\r\n`

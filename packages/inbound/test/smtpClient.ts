/**
 * A client that writes bytes to a socket and reads complete replies.
 */
import { once } from "node:events"
import type { Socket } from "node:net"
import { connect } from "node:net"

export interface SmtpClient {
  readonly socket: Socket
  readonly send: (bytes: string | Uint8Array) => void
  /** The next complete reply, without its last line end. Rejects when the connection closes before. */
  readonly reply: () => Promise<string>
  /** Sends a command and returns its reply. */
  readonly command: (line: string) => Promise<string>
  /** All text that was not yet read as a reply, once the connection is closed. */
  readonly closed: Promise<string>
}

const completeReply = /^(?:\d{3}-[^\r\n]*\r\n)*\d{3} [^\r\n]*\r\n/

/** Reads replies from a socket, such as one inside of TLS. */
export const smtpClientOn = (socket: Socket): SmtpClient => {
  let text = ""
  let isClosed = false
  let wake = () => {}
  socket.on("error", () => {})
  socket.setEncoding("latin1")
  socket.on("data", (chunk) => {
    text += String(chunk)
    wake()
  })
  const closed = new Promise<string>((resolve) =>
    socket.once("close", () => {
      isClosed = true
      wake()
      resolve(text)
    })
  )
  const reply = () =>
    new Promise<string>((resolve, reject) => {
      const look = () => {
        const [found] = completeReply.exec(text) ?? []
        if (found === undefined && !isClosed) return
        wake = () => {}
        if (found === undefined) return reject(new Error(`closed after: ${text}`))
        text = text.slice(found.length)
        resolve(found.slice(0, -2))
      }
      wake = look
      look()
    })
  const send = (bytes: string | Uint8Array) => void socket.write(bytes)
  const command = (line: string) => {
    send(`${line}\r\n`)
    return reply()
  }
  return { socket, send, reply, command, closed }
}

/** Connects, and reads the greeting. */
export const smtpClient = async (port: number): Promise<SmtpClient> => {
  const socket = connect(port, "127.0.0.1")
  const client = smtpClientOn(socket)
  await once(socket, "connect")
  await client.reply()
  return client
}

/** The argument of `AUTH PLAIN`. */
export const plainResponse = (user: string, password: string): string =>
  Buffer.from(`\0${user}\0${password}`).toString("base64")

/**
 * An SMTP client that sends exactly the given bytes, also those that a correct client would not send.
 */
import { once } from "node:events"
import type { Socket } from "node:net"
import { connect } from "node:net"

/** The envelope and the bytes of one message. */
export interface RawMessage {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Sent as it is. It must not contain a line with only a full stop. */
  readonly raw: Uint8Array
  /** A user and a password for `AUTH PLAIN`. */
  readonly auth?: readonly [user: string, password: string]
}

/** Returns the next complete reply, such as `250 2.0.0 Ok`; its last line when it has several. */
const nextReply = async (socket: Socket): Promise<string> => {
  let text = ""
  for (;;) {
    const last = /^(\d{3} [^\r\n]*)\r?\n$/m.exec(text.slice(text.lastIndexOf("\n", text.length - 2) + 1))
    if (last !== null) return last[1]!
    const [piece] = (await once(socket, "data")) as [Buffer]
    text += piece.toString()
  }
}

/** Sends the message. Returns the first reply that is not positive, or the reply to the message. */
export const sendRaw = async (port: number, { from, to, raw, auth }: RawMessage): Promise<string> => {
  const socket = connect(port, "127.0.0.1")
  socket.on("error", () => {})
  try {
    const greeting = await nextReply(socket)
    if (!greeting.startsWith("2")) return greeting
    const login = auth === undefined ? [] : [`AUTH PLAIN ${Buffer.from(`\0${auth.join("\0")}`).toString("base64")}`]
    const recipients = to.map((address) => `RCPT TO:<${address}>`)
    for (const command of ["EHLO client.test", ...login, `MAIL FROM:<${from}>`, ...recipients, "DATA"]) {
      socket.write(`${command}\r\n`)
      const reply = await nextReply(socket)
      if (!/^[23]/.test(reply)) return reply
    }
    socket.write(raw)
    socket.write("\r\n.\r\n")
    return await nextReply(socket)
  } finally {
    socket.destroy()
  }
}

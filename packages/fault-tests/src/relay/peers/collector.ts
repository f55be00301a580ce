/**
 * The last server of the way: takes every message and records the envelope and the exact bytes. It answers after the message is recorded, so the
 * sender never believes in a message that the spool does not have. Only CRLF, a full stop and CRLF end a message (RFC 5321 §4.1.1.4).
 */
import { once } from "node:events"
import type { AddressInfo, Socket } from "node:net"
import { createServer } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import type { Spool, SpooledMail } from "./Spool.ts"
import { makeSpool } from "./Spool.ts"

export interface Collector extends AsyncDisposable {
  readonly port: number
  readonly spool: Spool
  /** Lines of clients that are no command of SMTP. A message that leaves its body would show here. */
  readonly strayCommands: () => ReadonlyArray<string>
  /** Waits until the collector has this many messages. Returns `false` when the time is over before. */
  readonly waitFor: (count: number, millisMax: number) => Promise<boolean>
}

const extensions = ["collector", "PIPELINING", "SIZE 100000000", "8BITMIME", "ENHANCEDSTATUSCODES", "SMTPUTF8"]
const greeting = extensions.map((line, n) => `250${n === extensions.length - 1 ? " " : "-"}${line}\r\n`).join("")

const path = /^(?:MAIL FROM|RCPT TO):\s*<((?:"(?:[^"\\]|\\.)*"|[^">])*)>/i
const lineEnd = Buffer.from("\r\n")
const messageEnd = Buffer.from("\r\n.\r\n")

/** Removes the full stop that the client added to each line that begins with one (RFC 5321 §4.5.2). */
const withoutStuffing = (data: Buffer): Buffer => {
  if (data.indexOf("\r\n.") < 0 && data[0] !== 0x2e) return data
  const text = data.toString("latin1").replace(/^\./, "").replaceAll("\r\n.", "\r\n")
  return Buffer.from(text, "latin1")
}

/** One connection. `pending` are bytes that are not handled yet. */
class Session {
  readonly #socket: Socket
  readonly #spool: Spool
  readonly #stray: Array<string>
  #pending: Buffer = Buffer.alloc(0)
  #pieces: Array<Buffer> = []
  /** The last bytes of the connection, as many as the end of a message has. */
  #tail: Buffer = Buffer.alloc(0)
  #inData = false
  #from = ""
  #to: Array<string> = []

  constructor(socket: Socket, spool: Spool, stray: Array<string>) {
    this.#socket = socket
    this.#spool = spool
    this.#stray = stray
  }

  serve(): void {
    this.#socket.on("data", (piece: Buffer) => this.#take(piece))
    this.#socket.on("error", () => {})
    this.#socket.write("220 collector ESMTP\r\n")
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece)
    const recent = Buffer.concat([this.#tail, piece])
    this.#tail = recent.subarray(-messageEnd.length)
    // The whole of a large message is searched only when its end may be there.
    if (this.#inData && !recent.includes(messageEnd)) return
    this.#pending = Buffer.concat([this.#pending, ...this.#pieces])
    this.#pieces = []
    while (this.#inData ? this.#takeMessage() : this.#takeCommand());
  }

  #takeMessage(): boolean {
    const isEmpty = this.#pending.subarray(0, 3).equals(messageEnd.subarray(2))
    const end = isEmpty ? 0 : this.#pending.indexOf(messageEnd)
    if (end < 0) return false
    const data = isEmpty ? Buffer.alloc(0) : this.#pending.subarray(0, end + lineEnd.length)
    this.#spool.add({ from: this.#from, to: this.#to, at: Date.now() }, withoutStuffing(data))
    this.#pending = this.#pending.subarray(end + (isEmpty ? 3 : messageEnd.length))
    this.#inData = false
    this.#to = []
    this.#socket.write("250 2.0.0 Recorded\r\n")
    return true
  }

  #takeCommand(): boolean {
    const end = this.#pending.indexOf(lineEnd)
    if (end < 0) return false
    const line = this.#pending.subarray(0, end).toString("utf8")
    this.#pending = this.#pending.subarray(end + lineEnd.length)
    this.#socket.write(this.#answer(line))
    if (/^QUIT$/i.test(line)) this.#socket.end()
    return true
  }

  #answer(line: string): string {
    const verb = line.split(/[ :]/, 1)[0]!.toUpperCase()
    switch (verb) {
      case "EHLO":
        return greeting
      case "HELO":
      case "NOOP":
        return "250 2.0.0 Ok\r\n"
      case "QUIT":
        return "221 2.0.0 Bye\r\n"
      case "RSET":
        this.#to = []
        return "250 2.0.0 Ok\r\n"
      case "MAIL":
      case "RCPT": {
        const address = path.exec(line)?.[1]
        if (address === undefined) break
        if (verb === "MAIL") this.#from = address
        else this.#to.push(address)
        return "250 2.1.0 Ok\r\n"
      }
      case "DATA":
        this.#inData = true
        return "354 Go ahead\r\n"
    }
    this.#stray.push(line)
    return "500 5.5.2 This is no command\r\n"
  }
}

/** Starts a collector on a free port of the loopback interface, with its spool in the folder. */
export const startCollector = async (folder: string): Promise<Collector> => {
  const spool = makeSpool(folder)
  const stray: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("close", () => sockets.delete(socket))
    new Session(socket, spool, stray).serve()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    spool,
    strayCommands: () => stray,
    waitFor: async (count, millisMax) => {
      const until = performance.now() + millisMax
      while (spool.mails().length < count && performance.now() < until) await wait(20)
      return spool.mails().length >= count
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
      await once(server, "close")
    }
  }
}

/** The value of the field `Message-ID`, with angle brackets. Empty for a message without one. */
export const messageIdOf = (spool: Spool, mail: SpooledMail): string => {
  const raw = spool.raw(mail)
  const end = raw.indexOf("\r\n\r\n")
  const head = raw.subarray(0, end < 0 ? raw.length : end).toString("latin1")
  return /^message-id:\s*(<[^>]*>)/im.exec(head)?.[1] ?? ""
}

/**
 * The messages by the id of their delivery: that in the return path. A message without one has that in its `Message-ID`, and any other its whole
 * `Message-ID`.
 */
export const byDelivery = (spool: Spool): ReadonlyMap<string, ReadonlyArray<SpooledMail>> =>
  Map.groupBy(spool.mails(), (mail) => {
    const [, ulid] = /^b\+([0-9a-z]{26})\./.exec(mail.from) ?? []
    if (ulid !== undefined) return `del_${ulid}`
    const messageId = messageIdOf(spool, mail)
    return /^<(del_[0-9a-z]+)@/.exec(messageId)?.[1] ?? messageId
  })

/**
 * A relay on this machine whose answers a test chooses, step by step. It speaks SMTP well enough for a client, and as badly as a test wants.
 */
import type { AddressInfo, Server, Socket } from "node:net"
import { createServer } from "node:net"
import { TLSSocket } from "node:tls"
import { testCertificate, testKey } from "./testCertificate.ts"
import type { Step, Act, Session } from "./RelayDialogue.ts"
import { goodReply, goodHello, RelayDialogue } from "./RelayDialogue.ts"

/** A message that the relay took. */
export interface Taken {
  readonly sender: string
  readonly recipient: string
  readonly session: number
  /** The bytes of the message, without the dots that SMTP adds. */
  readonly raw: Buffer
}

export interface RelaySetup {
  /** What the relay does at a step; `undefined` for what a good relay does. */
  readonly act?: (step: Step, session: Session, line: string) => Act | undefined
  /** The keywords after EHLO. */
  readonly keywords?: ReadonlyArray<string>
  /** TLS from the first byte. */
  readonly implicitTls?: boolean
}

export class ScriptedRelay {
  readonly taken: Array<Taken> = []
  readonly sessions: Array<Session> = []
  /** The steps that clients have come to, in order. */
  readonly reached: Array<Step> = []
  /** How many bytes of messages have arrived, with the dots that SMTP adds. */
  bodyBytes = 0
  /** The largest number of connections that were open at the same time. */
  openMax = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #setup: RelaySetup
  #waiting: Array<() => void> = []

  constructor(setup: RelaySetup = {}) {
    this.#setup = setup
    this.#server = createServer((socket) => void this.#serve(socket))
  }

  static async listen(setup: RelaySetup = {}): Promise<ScriptedRelay> {
    const relay = new ScriptedRelay(setup)
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve))
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Closes the listener and every connection. */
  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** Breaks all connections with a reset, as a process does that is killed. */
  die(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  /** Reads from all connections and discards what arrives. */
  discard(): void {
    for (const socket of this.#sockets) socket.removeAllListeners("data").resume()
  }

  /** Writes a line that no command asked for to all connections. */
  say(line: string): void {
    for (const socket of this.#sockets) socket.write(`${line}\r\n`)
  }

  get openSessions(): number {
    return this.sessions.filter(({ isOpen }) => isOpen).length
  }

  /** Waits until the condition holds. Checks it after every event of the relay. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #changed(): void {
    for (const resume of this.#waiting.splice(0)) resume()
  }

  #act(step: Step, session: Session, line = ""): Act {
    this.reached.push(step)
    queueMicrotask(() => this.#changed())
    return this.#setup.act?.(step, session, line) ?? (step === "ehlo" ? goodHello : { reply: goodReply(step, session) })
  }

  async #serve(plain: Socket): Promise<void> {
    const session: Session = {
      number: this.sessions.length,
      commands: [],
      sender: "",
      recipient: "",
      isEncrypted: this.#setup.implicitTls === true,
      isBusy: false,
      isOpen: true
    }
    this.sessions.push(session)
    this.#sockets.add(plain)
    this.openMax = Math.max(this.openMax, this.openSessions)
    plain.on("error", () => {})
    plain.on("close", () => {
      this.#sockets.delete(plain)
      session.isOpen = false
      session.isBusy = false
      this.#changed()
    })
    await new RelayDialogue(session, this.#encrypted(plain, session.isEncrypted), {
      act: (step, line) => this.#act(step, session, line),
      keywords: this.#setup.keywords ?? [],
      encrypt: () => this.#encrypted(plain, true),
      taken: (raw) =>
        this.taken.push({ sender: session.sender, recipient: session.recipient, session: session.number, raw }),
      body: (bytes) => {
        this.bodyBytes += bytes
        this.#changed()
      },
      changed: () => this.#changed()
    }).begin()
    this.#changed()
  }

  #encrypted(socket: Socket, isEncrypted: boolean): Socket {
    if (!isEncrypted) return socket
    const secure = new TLSSocket(socket, { isServer: true, key: testKey, cert: testCertificate })
    secure.on("error", () => socket.destroy())
    return secure
  }
}

/**
 * A relay on this machine whose answers a test chooses, step by step. It speaks SMTP well enough for a client, and as badly as a test wants.
 */
import type { AddressInfo, Server, Socket } from "node:net"
import { createServer } from "node:net"
import { TLSSocket } from "node:tls"
import { testCertificate, testKey } from "./testCertificate.ts"

/** The steps of the dialogue at which a test can choose what the relay does. `body` is the first part of the message. */
export type Step =
  | "greeting"
  | "ehlo"
  | "helo"
  | "starttls"
  | "handshake"
  | "auth"
  | "mail"
  | "rcpt"
  | "data"
  | "body"
  | "endOfData"
  | "rset"
  | "quit"

/** What the relay does at a step. Lines get their CR LF; pieces are written one after the other, in packets of their own. */
export type Act =
  | { readonly reply: string }
  | { readonly pieces: ReadonlyArray<string | Buffer>; readonly thenDrop?: boolean }
  | "drop"
  | "reset"
  /** Answers nothing from now on. */
  | "silence"
  /** Reads nothing more. */
  | "pause"

/** One connection to the relay. */
export interface Session {
  readonly number: number
  /** All lines that the client sent, except the message. */
  readonly commands: Array<string>
  sender: string
  recipient: string
  isEncrypted: boolean
  /** Whether a transaction has begun and not ended. */
  isBusy: boolean
  isOpen: boolean
}

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

const good: Readonly<Record<Step, string>> = {
  greeting: "220 relay.example ESMTP",
  ehlo: "",
  helo: "250 relay.example",
  starttls: "220 2.0.0 Ready",
  handshake: "",
  auth: "235 2.7.0 Authenticated",
  mail: "250 2.1.0 Ok",
  rcpt: "250 2.1.5 Ok",
  data: "354 End with a line with a single dot",
  body: "",
  endOfData: "250 2.0.0 Queued",
  rset: "250 2.0.0 Ok",
  quit: "221 2.0.0 Bye"
}

const goodReply = (step: Step, { isBusy, recipient }: Session): string => {
  if (step === "rcpt" && !isBusy) return "503 5.5.1 No sender"
  return step === "data" && recipient === "" ? "503 5.5.1 No recipient" : good[step]
}

/** The answer to EHLO that lists the keywords. */
const goodHello: Act = { reply: "" }

const verbs: ReadonlyArray<readonly [RegExp, Step]> = [
  [/^EHLO/i, "ehlo"],
  [/^HELO/i, "helo"],
  [/^STARTTLS/i, "starttls"],
  [/^AUTH/i, "auth"],
  [/^MAIL/i, "mail"],
  [/^RCPT/i, "rcpt"],
  [/^DATA/i, "data"],
  [/^RSET/i, "rset"],
  [/^QUIT/i, "quit"]
]

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** The address in angle brackets. */
const addressIn = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ""

export class ScriptedRelay {
  readonly taken: Array<Taken> = []
  readonly sessions: Array<Session> = []
  /** The steps that clients have come to, in order. */
  readonly reached: Array<Step> = []
  /** How many bytes of messages have arrived, with the dots that SMTP adds. */
  bodyOctets = 0
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
    await new Dialogue(session, this.#encrypted(plain, session.isEncrypted), {
      act: (step, line) => this.#act(step, session, line),
      keywords: this.#setup.keywords ?? [],
      encrypt: () => this.#encrypted(plain, true),
      taken: (raw) =>
        this.taken.push({ sender: session.sender, recipient: session.recipient, session: session.number, raw }),
      body: (octets) => {
        this.bodyOctets += octets
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

interface DialogueHooks {
  readonly act: (step: Step, line?: string) => Act
  readonly keywords: ReadonlyArray<string>
  readonly encrypt: () => Socket
  readonly taken: (raw: Buffer) => void
  readonly body: (octets: number) => void
  readonly changed: () => void
}

/** The dialogue of one connection. Handles one line at a time, so that a slow answer delays the next one. */
class Dialogue {
  #socket: Socket
  #input = ""
  #body: Array<string> | undefined
  #isRunning = false
  #isSilent = false
  readonly #session: Session
  readonly #hooks: DialogueHooks

  constructor(session: Session, socket: Socket, hooks: DialogueHooks) {
    this.#session = session
    this.#socket = socket
    this.#hooks = hooks
  }

  async begin(): Promise<void> {
    this.#listen()
    this.#isRunning = true
    await this.#answer("greeting")
    this.#isRunning = false
    await this.#work()
  }

  #listen(): void {
    this.#socket.on("data", (chunk: Buffer) => {
      this.#input += chunk.toString("latin1")
      void this.#work()
    })
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    while ((this.#body === undefined ? await this.#command() : await this.#message()) && !this.#socket.destroyed);
    this.#isRunning = false
    this.#hooks.changed()
  }

  /** Does what the test wants at the step. Returns whether the dialogue continues as after a good answer. */
  #answer(step: Step, line = ""): Promise<boolean> {
    return this.#perform(this.#hooks.act(step, line))
  }

  async #perform(act: Act): Promise<boolean> {
    if (act === "silence") {
      this.#isSilent = true
      return false
    }
    if (act === "pause") return (this.#socket.pause(), false)
    if (act === "drop") return (this.#socket.destroy(), false)
    if (act === "reset") return (this.#socket.resetAndDestroy(), false)
    if ("pieces" in act) {
      for (const piece of act.pieces) {
        this.#socket.write(piece)
        await nextTurn()
      }
      if (act.thenDrop === true) this.#socket.end()
      return /^[23]/.test(act.pieces.join(""))
    }
    if (act.reply !== "") this.#socket.write(`${act.reply.replace(/\n/g, "\r\n")}\r\n`)
    return /^[23]/.test(act.reply)
  }

  async #command(): Promise<boolean> {
    const end = this.#input.indexOf("\n")
    if (end === -1) return false
    const line = this.#input.slice(0, end).replace(/\r$/, "")
    this.#input = this.#input.slice(end + 1)
    this.#session.commands.push(line)
    const step = verbs.find(([form]) => form.test(line))?.[1] ?? "auth"
    await this.#run(step, line)
    return true
  }

  async #run(step: Step, line: string): Promise<void> {
    if (this.#isSilent) return
    const session = this.#session
    if (step === "mail") Object.assign(session, { sender: addressIn(line), recipient: "", isBusy: true })
    if (step === "rcpt" && session.isBusy) session.recipient = addressIn(line)
    const act = this.#hooks.act(step, line)
    if (step === "ehlo" && act === goodHello) return this.#hello()
    const isGood = await this.#perform(act)
    if (step === "mail" && !isGood && act !== "silence") session.isBusy = false
    if (step === "rcpt" && !isGood) session.recipient = ""
    if (step === "rset") session.isBusy = false
    if (step === "data" && isGood) this.#body = []
    if (step === "starttls" && isGood) this.#startTls()
    if (step === "quit") this.#socket.end()
  }

  #hello(): void {
    const lines = [
      "relay.example",
      ...this.#hooks.keywords.filter((word) => word !== "STARTTLS" || !this.#session.isEncrypted)
    ]
    this.#socket.write(lines.map((text, n) => `250${n === lines.length - 1 ? " " : "-"}${text}\r\n`).join(""))
  }

  #startTls(): void {
    if (this.#hooks.act("handshake") === "drop") return void this.#socket.destroy()
    this.#socket.removeAllListeners("data")
    this.#socket = this.#hooks.encrypt()
    this.#session.isEncrypted = true
    this.#input = ""
    this.#listen()
  }

  /** Takes what has arrived of the message. Keeps it in pieces, because a long text is slow to search again and again. */
  async #message(): Promise<boolean> {
    const body = this.#body!
    const piece = this.#input
    this.#input = ""
    if (piece === "") return false
    if (body.length === 0) await this.#answer("body")
    const before = body.length === 0 ? "\r\n" : body.slice(-4).join("").slice(-4)
    const at = `${before}${piece}`.indexOf("\r\n.\r\n")
    const end = at - before.length + 5
    this.#hooks.body(at === -1 ? piece.length : end - 3)
    body.push(piece.slice(0, at === -1 ? undefined : end))
    if (at === -1) return false
    this.#body = undefined
    this.#input = piece.slice(end)
    const raw = Buffer.from(body.join("").slice(0, -3).replace(/^\./gm, ""), "latin1")
    const act = this.#hooks.act("endOfData")
    if (typeof act === "string" || "pieces" in act || act.reply.startsWith("2")) this.#hooks.taken(raw)
    await this.#perform(act)
    if (act !== "silence") this.#session.isBusy = false
    return true
  }
}

/**
 * The dialogue of one connection to a scripted relay. Each answer is what the test chooses at the step.
 */
import type { Socket } from "node:net"

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

export const goodReply = (step: Step, { isBusy, recipient }: Session): string => {
  if (step === "rcpt" && !isBusy) return "503 5.5.1 No sender"
  return step === "data" && recipient === "" ? "503 5.5.1 No recipient" : good[step]
}

/** The answer to EHLO that lists the keywords. */
export const goodHello: Act = { reply: "" }

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

interface RelayDialogueHooks {
  readonly act: (step: Step, line?: string) => Act
  readonly keywords: ReadonlyArray<string>
  readonly encrypt: () => Socket
  readonly taken: (raw: Buffer) => void
  readonly body: (bytes: number) => void
  readonly changed: () => void
}

/** The dialogue of one connection. Handles one line at a time, so that a slow answer delays the next one. */
export class RelayDialogue {
  #socket: Socket
  #input = ""
  #body: Array<string> | undefined
  #isRunning = false
  #isSilent = false
  readonly #session: Session
  readonly #hooks: RelayDialogueHooks

  constructor(session: Session, socket: Socket, hooks: RelayDialogueHooks) {
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

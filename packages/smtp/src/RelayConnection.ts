/**
 * One connection to the relay, on nodemailer's SMTP client. Every wait on it ends when the connection is lost, and an error of the connection
 * never leaves it as an event without a listener, which would end the process.
 */
import type { Socket } from "node:net"
import type { TLSSocket } from "node:tls"
import SMTPConnection from "nodemailer/lib/smtp-connection"
import type { SMTPConnectionOptions } from "nodemailer/lib/smtp-connection"
import type { RelayFeatures } from "./relayFeatures.ts"
import { featuresOf, keywordsOf } from "./relayFeatures.ts"
import type { RelayError } from "./replies.ts"

/** A relay has no reason to send a longer reply. */
const replyBytesMax = 64 * 1024

/** Replies and empty lines that may wait. No more than three commands are sent at once. */
const repliesWaitingMax = 100

/** The parts of nodemailer that are not in its types. */
interface ClientParts {
  _actionEHLO(reply: string): void
  _sendCommand(command: string, shown?: string): void
  _parseEhloExtensions(reply: string): void
  _onData(chunk: Buffer): void
  _actionAUTHComplete(reply: string, isRetry: boolean | AuthDone, callback?: AuthDone): void
  _actionDATA(reply: string, callback: DataDone): void
  _formatError(message: string, type: string, response: string, command: string): RelayError
}

/** Runs when the login has ended. */
type AuthDone = (error: RelayError) => void

/** Runs with the reply to `DATA`. Without an error, nodemailer then sends the message. */
type DataDone = (error: RelayError | null, info?: unknown) => void

const {
  _actionEHLO: actOnEhlo,
  _sendCommand: sendCommand,
  _parseEhloExtensions: parseExtensions,
  _onData: receive,
  _actionAUTHComplete: completeAuth,
  _actionDATA: actOnData,
  _formatError: errorOf
} = SMTPConnection.prototype as unknown as ClientParts

/** The client of nodemailer, which sends a parameter of a command only to a relay that offers it. */
class Client extends SMTPConnection {
  needsSmtpUtf8 = false
  /** The reply to `EHLO` that counts: the one after STARTTLS, or the first one if the connection is not encrypted later. */
  ehloReply = ""
  declare _supportedExtensions: ReadonlyArray<string>
  declare _maxAllowedSize: number
  declare _responseQueue: ReadonlyArray<string>
  declare _onResponseTooLarge: () => void

  /** nodemailer bounds a reply, but skips empty lines one by one: a relay that sends nothing else would block the event loop. */
  _onData(chunk: Buffer): void {
    receive.call(this, chunk)
    if (this._responseQueue.length > repliesWaitingMax) this._onResponseTooLarge()
  }

  /** nodemailer asks for SMTPUTF8 only because of the envelope. A header that is not ASCII needs it too (RFC 6531 §3.4). */
  _sendCommand(command: string, shown?: string): void {
    const asks = this.needsSmtpUtf8 && command.startsWith("MAIL FROM:") && !/ SMTPUTF8(?: |$)/.test(command)
    sendCommand.call(this, asks ? `${command} SMTPUTF8` : command, shown)
  }

  /** nodemailer answers each 334 by an empty line. A relay that sends nothing else would keep it busy without an end. */
  _actionAUTHComplete(reply: string, isRetry: boolean | AuthDone, callback?: AuthDone): void {
    if (isRetry === true && reply.startsWith("334"))
      return callback?.(errorOf.call(this, "Invalid login", "EAUTH", reply, "AUTH"))
    completeAuth.call(this, reply, isRetry, callback)
  }

  /** nodemailer takes 250 for 354. A relay that is not waiting for a message would read its lines as commands (RFC 5321 §4.1.1.4). */
  _actionDATA(reply: string, callback: DataDone): void {
    actOnData.call(this, reply, (error, info) => {
      const isAsked = error !== null || reply.startsWith("3")
      callback(isAsked ? error : errorOf.call(this, "Data command failed", "EENVELOPE", reply, "DATA"), info)
    })
  }

  /** nodemailer finds STARTTLS also within the name of the relay and within another keyword. */
  _actionEHLO(reply: string): void {
    if (this.options.requireTLS !== true && !keywordsOf(reply).has("STARTTLS")) this.options.ignoreTLS = true
    actOnEhlo.call(this, reply)
  }

  /** nodemailer finds a keyword also within the name of the relay and within another keyword. */
  _parseEhloExtensions(reply: string): void {
    this.ehloReply = reply
    parseExtensions.call(this, reply)
    const keywords = keywordsOf(reply)
    this._supportedExtensions = this._supportedExtensions.filter((keyword) => keywords.has(keyword))
    // The transport itself compares the size of a message with the limit of the relay.
    this._maxAllowedSize = 0
  }
}

/** The connection was lost, and nodemailer has no error for it. */
const lost: RelayError = { code: "ECONNECTION" }

/** Whether an error means that the connection was lost before the relay answered. */
export const isLoss = ({ code, response }: RelayError): boolean =>
  response === undefined && (code === "ECONNECTION" || code === "ESOCKET")

export class RelayConnection {
  readonly client: Client
  /** What the relay offers. Known when `connected` has succeeded. */
  features: RelayFeatures = { ...featuresOf(""), tlsVersion: null, authenticated: false }
  /** How many hand-offs this connection has begun. */
  handOffs = 0
  /** Whether the relay has taken a message over this connection. */
  hasTakenMessage = false
  /** Whether the relay has an open mail transaction, which `RSET` aborts (RFC 5321 §4.1.1.5). */
  hasOpenTransaction = false
  #ended: RelayError | undefined
  #isIdle = false
  readonly #waiting = new Set<(error: RelayError) => void>()

  constructor(options: SMTPConnectionOptions) {
    this.client = new Client({ ...options, maxResponseSize: replyBytesMax })
    this.client.on("error", (error: RelayError) => {
      // nodemailer closes the connection after this listener, so that the relay still gets the command (RFC 5321 §4.1.1.10).
      if (this.#isIdle && error.timeoutType === "SOCKET_TIMEOUT") this.client.quit()
      this.#end(error)
    })
    // nodemailer emits this event before it reports the reply that ended the connection.
    this.client.on("end", () => queueMicrotask(() => this.#end(lost)))
  }

  /** Whether the connection is lost or closed. */
  get ended(): boolean {
    return this.#ended !== undefined
  }

  get #socket(): Socket | null {
    return this.client._socket || null
  }

  #end(error: RelayError): void {
    if (this.#ended !== undefined) return
    this.#ended = error
    for (const fail of this.#waiting) fail(error)
    this.#waiting.clear()
  }

  /** Runs when the connection ends. Returns a function that removes the listener. */
  onEnd(listener: (error: RelayError) => void): () => void {
    if (this.#ended === undefined) this.#waiting.add(listener)
    else listener(this.#ended)
    return () => this.#waiting.delete(listener)
  }

  /**
   * Begins a command of the client. `done` runs once: when the command ends, or when the connection is lost. Returns a function that stops the
   * wait.
   */
  run(
    begin: (done: (error?: RelayError | null) => void) => void,
    done: (error: RelayError | null) => void
  ): () => void {
    let isDone = false
    const finish = (error?: RelayError | null) => {
      if (isDone) return
      isDone = true
      stopListening()
      done(error ?? null)
    }
    const stopListening = this.onEnd(finish)
    if (!isDone) begin(finish)
    return () => {
      isDone = true
      stopListening()
    }
  }

  /** Reads what the relay offers. */
  readFeatures(): void {
    const protocol = this.client.secure ? (this.#socket as TLSSocket | null)?.getProtocol?.() : null
    this.features = {
      ...featuresOf(this.client.ehloReply),
      tlsVersion: protocol ?? null,
      authenticated: this.client.authenticated
    }
  }

  /** From now on the connection is lost when it is silent for this time. */
  silenceMax(millis: number): void {
    this.#isIdle = false
    this.#socket?.setTimeout(millis)
  }

  /** Waits for the next hand-off, at most for this time. Then the connection is closed. */
  idleFor(millis: number): void {
    this.#socket?.setTimeout(millis)
    this.#isIdle = true
  }

  /** Runs `done` when the socket has passed all that was written to the system. Never runs it when the connection is lost. */
  whenWritten(done: () => void): void {
    const socket = this.#socket
    if (socket === null || socket.destroyed || !socket.writable) return
    // Streams before the socket may write more in the next turn.
    const inNextTurn = () => setImmediate(() => (socket.writableLength > 0 ? this.whenWritten(done) : done()))
    if (socket.writableLength === 0) inNextTurn()
    // An empty write ends after all earlier ones.
    else socket.write(Buffer.alloc(0), (error) => error ?? inNextTurn())
  }

  /** Ends the connection at once, with all that it still has to write. */
  destroy(): void {
    const socket = this.#socket
    this.client.close()
    socket?.destroy()
    this.#end(lost)
  }

  /** Says goodbye to the relay and closes the connection. It does not keep the process alive meanwhile. */
  quit(): void {
    this.#socket?.unref()
    this.client.quit()
    this.client.close()
    this.#end(lost)
  }
}

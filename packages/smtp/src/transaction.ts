/**
 * One SMTP transaction: MAIL, RCPT, DATA and the message, without its end. The client of nodemailer sends the end of data (`<CRLF>.<CRLF>`, RFC 5321
 * §4.1.1.4) when the stream of the message ends, and this stream ends only when `finish` is called.
 */
import { Readable } from "node:stream"
import type { SMTPEnvelope } from "nodemailer/lib/smtp-connection"
import type { RelayConnection } from "./RelayConnection.ts"
import type { RelayError } from "./replies.ts"

/** How a transaction ended: the positive reply to the message, or an error of nodemailer. */
export type Ended = { readonly reply: string } | { readonly error: RelayError }

/** A transaction that has begun. */
export interface Transaction {
  /** Resolves when the relay has replied 354 to `DATA` and the socket has passed the whole message to the system, except the end of data. */
  readonly written: Promise<"written">
  /** Resolves when the relay has answered, or the connection is lost. Never rejects. */
  readonly ended: Promise<Ended>
  /** Whether the relay has replied 354 to `DATA`. The connection can then be used for nothing else before the end of data. */
  readonly hasBegun: () => boolean
  /** Sends the end of data. */
  readonly finish: () => void
}

/**
 * Passes on the message and withholds its end. Reads the message only when the relay has replied 354 to `DATA`. A buffer of nothing has the effect that a read
 * behind the last piece means: the reader has taken all pieces.
 */
class WithheldEnd extends Readable {
  readonly #open: () => Readable
  readonly #allTaken: () => void
  #source: Readable | undefined
  #isWanted = false

  constructor(open: () => Readable, allTaken: () => void) {
    super({ highWaterMark: 0 })
    this.#open = open
    this.#allTaken = allTaken
  }

  get hasBegun(): boolean {
    return this.#source !== undefined
  }

  override _read(): void {
    this.#isWanted = true
    if (this.#source === undefined) {
      this.#source = this.#open()
      this.#source.on("error", (error) => this.destroy(error))
      this.#source.on("end", () => this.#allTaken())
      this.#source.on("readable", () => this.#forward())
    }
    this.#forward()
  }

  #forward(): void {
    const piece: Buffer | null = this.#isWanted ? this.#source!.read() : null
    if (piece === null) return
    this.#isWanted = false
    this.push(piece)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#source?.destroy()
    done(error)
  }
}

/** What nodemailer 10 records in the envelope. It documents neither field. */
interface RecordedRefusals {
  readonly mailError?: RelayError
  readonly rejectedErrors?: ReadonlyArray<RelayError>
}

/**
 * The refusal of the sender or of the recipient, when the relay then answered nothing more. With PIPELINING, nodemailer reports it only at the
 * reply to `DATA`, which does not come from a relay that closes the connection.
 */
const recordedRefusal = (envelope: SMTPEnvelope, error: RelayError): RelayError | undefined => {
  if (error.response !== undefined) return undefined
  const { mailError, rejectedErrors = [] } = envelope as RecordedRefusals
  return [mailError, ...rejectedErrors].find((refusal) => /^[45]/.test(refusal?.response ?? ""))
}

/** Begins a transaction on a connection that has no other one. */
export const beginTransaction = (
  connection: RelayConnection,
  envelope: SMTPEnvelope,
  open: () => Readable
): Transaction => {
  const written = Promise.withResolvers<"written">()
  const ended = Promise.withResolvers<Ended>()
  const message = new WithheldEnd(open, () => connection.whenWritten(() => written.resolve("written")))
  connection.run(
    (done) =>
      connection.client.send(envelope, message, (error, info) => {
        if (error === null) ended.resolve({ reply: info.response })
        done(error)
      }),
    (error) => {
      if (error !== null) ended.resolve({ error: recordedRefusal(envelope, error) ?? error })
    }
  )
  return {
    written: written.promise,
    ended: ended.promise,
    hasBegun: () => message.hasBegun,
    finish: () => {
      message.push(null)
    }
  }
}

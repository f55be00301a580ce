/**
 * Composes and signs a message before the transport connects. The size of the message, and every error of its content, are known then.
 *
 * A signature is written before the message, but covers all of it. A short message is kept in memory. A long one is composed a second time while
 * it is sent, so that the transport never keeps a whole attachment in memory.
 */
import { Readable, Transform } from "node:stream"
import type { TransformCallback } from "node:stream"
import type { DkimSignature, OutgoingMessage } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Data, Effect } from "effect"
import MessageParser from "nodemailer/lib/dkim/message-parser"
import RelaxedBody from "nodemailer/lib/dkim/relaxed-body"
import type { ComposeOptions } from "./composeMessage.ts"
import { AttachmentUnreadable, composeMessage } from "./composeMessage.ts"
import type { HeaderLine } from "./dkimSigning.ts"
import { signatureField } from "./dkimSigning.ts"

/** The message can never be sent: it cannot be composed, or its DKIM key cannot be used. */
export class MessageUnsendable extends Data.TaggedError("MessageUnsendable")<{ readonly reason: string }> {}

/** A message that is ready to be sent. */
export interface PreparedMessage {
  /** In bytes, without the dots that SMTP adds (RFC 1870 §5). */
  readonly size: number
  /** Begins a new stream of the message. The stream fails if the message does not have its size. */
  readonly open: () => Readable
}

/** Messages up to this size are kept in memory while they are sent. */
const keptBytesMax = 1024 * 1024

interface Composed {
  readonly lines: ReadonlyArray<HeaderLine>
  readonly bodyHash: string
  readonly size: number
  /** The whole message; `null` for a long one. */
  readonly kept: ReadonlyArray<Buffer> | null
}

/** Composes the message once, and keeps what the signature needs. */
const composeOnce = (
  compose: () => Readable,
  { isSigned, signal }: { readonly isSigned: boolean; readonly signal: AbortSignal }
): Promise<Composed> =>
  new Promise((resolve, reject) => {
    const stream = compose()
    let lines: ReadonlyArray<HeaderLine> = []
    let bodyHash = ""
    let size = 0
    let kept: Array<Buffer> | null = []
    const end = () => resolve({ lines, bodyHash, size, kept })
    stream.on("data", (piece: Buffer) => {
      size += piece.length
      if (size > keptBytesMax) kept = null
      else kept?.push(piece)
    })
    stream.on("error", reject)
    signal.addEventListener("abort", () => stream.destroy())
    if (!isSigned) return void stream.on("end", end)
    const parser = new MessageParser()
    const body = new RelaxedBody()
    parser.on("headers", (found: ReadonlyArray<HeaderLine>) => (lines = found))
    parser.on("error", reject)
    body.on("hash", (hash: string) => (bodyHash = hash))
    stream.pipe(parser).pipe(body).on("end", end).resume()
  })

/** Fails at the end of a stream that does not have the size of the first composition. */
class SizeCheck extends Transform {
  #left: number

  constructor(size: number) {
    super()
    this.#left = size
  }

  override _transform(piece: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#left -= piece.length
    if (this.#left < 0) done(new AttachmentUnreadable("The message has another size than before."))
    else done(null, piece)
  }

  override _flush(done: TransformCallback): void {
    done(this.#left === 0 ? null : new AttachmentUnreadable("The message has another size than before."))
  }
}

/** A stream of the field and of the message behind it. */
const streamOf = (field: Buffer, compose: () => Readable, { kept, size }: Composed): Readable => {
  if (kept !== null) return Readable.from(Buffer.concat([field, ...kept]), { objectMode: false })
  const source = compose()
  const checked = new SizeCheck(size)
  source.on("error", (error) => checked.destroy(error))
  checked.once("close", () => source.destroy())
  if (field.length > 0) checked.push(field)
  return source.pipe(checked)
}

const prepared = async (
  { message, dkim }: { readonly message: OutgoingMessage; readonly dkim: DkimSignature | null },
  options: ComposeOptions,
  signal: AbortSignal
): Promise<PreparedMessage> => {
  const compose = composeMessage(message, options)
  const composed = await composeOnce(compose, { isSigned: dkim !== null, signal })
  const field = Buffer.from(
    dkim === null ? "" : await signatureField(composed.lines, composed.bodyHash, dkim),
    "latin1"
  )
  return { size: field.length + composed.size, open: () => streamOf(field, compose, composed) }
}

/**
 * Composes and signs the message. Fails with `TransportUnavailable` when an attachment cannot be read now, and with `MessageUnsendable` when the
 * message can never be sent. No text of an error leaves this function, because the text may contain content or a part of the key.
 */
export const prepareMessage = (
  handOff: { readonly message: OutgoingMessage; readonly dkim: DkimSignature | null },
  options: ComposeOptions
): Effect.Effect<PreparedMessage, TransportUnavailable | MessageUnsendable> =>
  Effect.tryPromise({
    try: (signal) => prepared(handOff, options, signal),
    catch: (error) =>
      error instanceof AttachmentUnreadable
        ? new TransportUnavailable({ reason: "An attachment of the message could not be read.", relayFault: false })
        : new MessageUnsendable({ reason: "The message could not be composed or signed." })
  })

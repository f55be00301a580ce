/**
 * The message of a hand-off as signed MIME, for a transport of a product over an API that takes raw MIME.
 */
import type { Readable } from "node:stream"
import type { DkimSignature, HandOffOutcome, OutgoingMessage } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { MessageUnsendable } from "./prepareMessage.ts"
import { prepareMessage } from "./prepareMessage.ts"
import { refusalBeforeRelay } from "./refusalBeforeRelay.ts"

/** A message of MIME that is ready to be sent. The same delivery has the same bytes in every attempt. */
export interface MimeMessage {
  /** A message that can never be sent has the tag `Refused` instead. */
  readonly _tag: "Composed"
  /** The bytes of the message. Compare them with the limit of the relay. */
  readonly size: number
  /**
   * Begins a new stream of the whole message. The stream fails when a file of a message over 1 MiB, which is read a second time, has changed or cannot be
   * read.
   */
  readonly open: () => Readable
}

/** How `mimeMessage` composes. */
export interface MimeMessageOptions {
  /** Whether a message with html and without a text gets a text. Default: `true`. */
  readonly textAlternative?: boolean | undefined
  /** The signal of the hand-off. */
  readonly signal?: AbortSignal | undefined
}

/** What a transport returns for a message that can never be sent. */
export type MimeRefusal = Extract<HandOffOutcome, { readonly _tag: "Refused" }>

const outcomeOf = (failure: MessageUnsendable | TransportUnavailable) =>
  failure._tag === "MessageUnsendable"
    ? Effect.succeed(refusalBeforeRelay(null, "5.6.0", failure.reason))
    : // The relay has seen nothing yet, so the attempt is not ambiguous.
      Effect.fail(new TransportUnavailable({ reason: failure.reason, relayFault: false, certainlyNotAccepted: true }))

/**
 * Composes the message of a hand-off, and signs it by DKIM if the hand-off has a key. These are the bytes that the SMTP transport sends, without the dots of
 * SMTP. Returns the refusal of the hand-off for a message that can never be sent. Rejects with `TransportUnavailable` when a file cannot be read now, and
 * with the reason of `signal` when the hand-off ends. Each rejection is certain: nothing was given to the relay.
 *
 * @example
 * ```ts
 * import { mimeMessage } from "@mailkeep/smtp"
 * import { text } from "node:stream/consumers"
 *
 * const message = {
 *   messageIdHeader: "<del_1@acme.example>",
 *   date: 0,
 *   from: { name: "Acme", address: "hi@acme.example" },
 *   replyTo: null,
 *   to: ["ada@example.org"],
 *   cc: [],
 *   subject: "Welcome",
 *   html: null,
 *   text: "Hello.",
 *   headers: {},
 *   attachments: []
 * }
 * const mime = await mimeMessage({ message, dkim: null })
 * if (mime._tag === "Composed") console.log((await text(mime.open())).split("\r\n")[0]) // From: Acme <hi@acme.example>
 * ```
 */
export const mimeMessage = (
  handOff: { readonly message: OutgoingMessage; readonly dkim: DkimSignature | null },
  { textAlternative = true, signal }: MimeMessageOptions = {}
): Promise<MimeMessage | MimeRefusal> =>
  Effect.runPromise(
    prepareMessage(handOff, { textAlternative }).pipe(
      Effect.map((prepared): MimeMessage | MimeRefusal => ({ _tag: "Composed", ...prepared })),
      Effect.catch(outcomeOf)
    ),
    { signal }
  ).catch((cause: unknown) => {
    signal?.throwIfAborted()
    throw cause
  })

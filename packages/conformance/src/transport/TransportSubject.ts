/**
 * What the author of a transport supplies: the transport, and a relay whose answers a law chooses.
 */
import type {
  DeliveryId,
  HeaderFields,
  Instant,
  OutgoingAttachment,
  SmtpStage,
  HandOff,
  TransportShape
} from "@mailkeep/core/adapter"
import { Transport } from "@mailkeep/core/adapter"
import type { Layer, Scope } from "effect"
import { Context, Effect } from "effect"
import type { Law, LawBody, LawBook, Stated } from "../Law.ts"
import { makeLaw } from "../Law.ts"
import { openWithPeer } from "../openWithPeer.ts"

/**
 * What the relay does with mail for one recipient. The default is `accept`. A relay in the place of a provider's API answers as the provider does in
 * that case, such as 429 instead of 421. The transport turns the answer into the codes.
 */
export type RelayAct =
  | { readonly does: "accept" }
  /** Refuses the recipient or the message, and does not have the message. The laws refuse with 550, 451 and 421 at `rcpt`, and with 554 and 452 at `endOfData`. */
  | {
      readonly does: "refuse"
      readonly stage: Extract<SmtpStage, "rcpt" | "endOfData">
      readonly smtpCode: number
      readonly enhancedCode: string
      readonly text: string
    }
  /** Never answers: before it has the whole message, or with the message while finalizing. */
  | { readonly does: "hang"; readonly whileFinalizing: boolean }
  /** Closes the connection without an answer: before it has the whole message, or after its end while finalizing. */
  | { readonly does: "drop"; readonly whileFinalizing: boolean }

/** A file of a message, as the relay received it. */
export interface AcceptedAttachment extends Omit<OutgoingAttachment, "size" | "read"> {
  readonly content: Uint8Array
}

/** A message that the relay received completely. */
export interface AcceptedMail {
  /** The sender of the envelope. */
  readonly sender: string
  /** The recipient of the envelope. */
  readonly recipient: string
  /** With angle brackets. */
  readonly messageIdHeader: string
  /** The header field `Date`. The dates of the laws have whole seconds. */
  readonly date: Instant
  readonly from: { readonly name: string | null; readonly address: string }
  readonly replyTo: string | null
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** The headers that the message has besides the standard ones. */
  readonly headers: HeaderFields
  /** The files, in the order of the hand-off. */
  readonly attachments: ReadonlyArray<AcceptedAttachment>
}

/** Converts a hand-off to the message that a relay receives. `attachments` are its files, which `acceptedAttachments` reads. */
export const mailOf = (
  { envelope, message }: Pick<HandOff, "envelope" | "message">,
  attachments: ReadonlyArray<AcceptedAttachment> = []
): AcceptedMail => ({ ...message, attachments, sender: envelope.from, recipient: envelope.to })

const readWhole = async ({ size, read, ...shown }: OutgoingAttachment): Promise<AcceptedAttachment> => {
  const content = new Uint8Array(size)
  let at = 0
  for await (const chunk of read()) {
    // Throws a RangeError if the file is longer than its size.
    content.set(chunk, at)
    at += chunk.length
  }
  if (at < size) throw new RangeError("The file is shorter than its size.")
  return { ...shown, content }
}

/** Reads the files of a message to their ends. Rejects if a file cannot be read, or has another size than the message says. */
export const acceptedAttachments = ({
  attachments
}: Pick<HandOff["message"], "attachments">): Promise<ReadonlyArray<AcceptedAttachment>> =>
  Promise.all(attachments.map(readWhole))

/** The relay of a law: a law sets its answers and reads what it took. */
export interface Relay {
  /** Sets what the relay does from now on. Replaces the previous act. */
  readonly script: (recipient: string, act: RelayAct) => Effect.Effect<void, unknown>
  /** All messages that the relay took, in order. */
  readonly accepted: Effect.Effect<ReadonlyArray<AcceptedMail>, unknown>
  /** The number of hand-offs at the relay that have begun, and that neither side has ended: for HTTP, the requests without an end of their answer. */
  readonly underWay: Effect.Effect<number, unknown>
}

/** A transport and the relay that it hands over to. */
export interface TransportWithRelay {
  readonly layer: Layer.Layer<Transport, unknown>
  readonly relay: Relay
}

/** What the author of a transport supplies to `transportLaws`. */
export interface TransportSubject {
  /** A new transport, and a relay that has accepted nothing. */
  readonly transport: Effect.Effect<TransportWithRelay, unknown, Scope.Scope>
}

/**
 * The relay of the law that is being checked. A law of your own reads it.
 *
 * @example
 * ```ts
 * import { RelayUnderLaw } from "@mailkeep/conformance"
 * import { Effect } from "effect"
 *
 * // The recipients whose mail the relay took.
 * export const recipients = Effect.gen(function* () {
 *   const relay = yield* RelayUnderLaw
 *   return (yield* relay.accepted).map(({ recipient }) => recipient)
 * })
 * ```
 */
export class RelayUnderLaw extends Context.Service<RelayUnderLaw, Relay>()("@mailkeep/conformance/RelayUnderLaw") {}

export type TransportLaw = Law<Transport | RelayUnderLaw>

export const openTransport: LawBook<TransportSubject, Transport | RelayUnderLaw>["open"] = ({ transport }) =>
  Effect.flatMap(transport, ({ layer, relay }) => openWithPeer(Transport, layer, RelayUnderLaw, relay))

const why = "decisions/0006-hand-off.md"

/** Defines a law over the open transport and its relay. */
export const transportLaw = (
  id: TransportLaw["id"],
  stated: Stated<TransportShape["capabilities"]>,
  check: (transport: TransportShape, relay: Relay) => LawBody<never>
): TransportLaw =>
  makeLaw<Transport | RelayUnderLaw>(id, why, stated, function* () {
    yield* check(yield* Transport, yield* RelayUnderLaw)
  })

/** A hand-off to a recipient, of the delivery with that number. */
export const handOffTo = (recipient: string, change: Partial<HandOff> = {}, n = 1): HandOff => ({
  projectId: "prj_test",
  deliveryId: `del_${n}` satisfies DeliveryId,
  attempt: 1,
  envelope: { from: "shop@a.example", to: recipient },
  dkim: null,
  message: {
    messageIdHeader: `<del_${n}@a.example>`,
    date: Date.UTC(2026, 10, 21, 12),
    from: { name: "The shop", address: "shop@a.example" },
    replyTo: null,
    to: [recipient],
    cc: [],
    subject: "Your order",
    html: null,
    text: "Thanks",
    headers: {},
    attachments: []
  },
  beforeFinalize: Effect.void,
  ...change
})

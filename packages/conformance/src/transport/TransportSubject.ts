/**
 * How an author gives a transport to the kit: with a relay whose answers a law can choose.
 */
import type { DeliveryId, HeaderFields, SmtpStage } from "@mailkeep/core/domain"
import type { HandOff, TransportShape } from "@mailkeep/core/port"
import { Transport } from "@mailkeep/core/port"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law, LawBook } from "../Law.ts"

/** What the relay does with mail for one recipient. Unless told otherwise it takes it. */
export type RelayAct =
  | { readonly does: "take" }
  | {
      readonly does: "refuse"
      readonly stage: Extract<SmtpStage, "rcpt" | "dot">
      readonly code: number
      readonly enhancedCode: string
      readonly text: string
    }
  /** Never answers: before it has the message, or once it has it. */
  | { readonly does: "hang"; readonly afterDot: boolean }
  /** Drops the connection without an answer. */
  | { readonly does: "drop"; readonly afterDot: boolean }

/** A message past its final dot, as the relay has it. */
export interface TakenMail {
  /** Of the envelope. */
  readonly sender: string
  /** Of the envelope. */
  readonly recipient: string
  /** With angle brackets. */
  readonly messageId: string
  readonly from: { readonly name: string | null; readonly address: string }
  readonly replyTo: string | null
  readonly to: ReadonlyArray<string>
  readonly cc: ReadonlyArray<string>
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  /** Those that the message was given beyond its own. */
  readonly headers: HeaderFields
}

/** What a relay has of a hand-off that it took whole. */
export const mailOf = ({ envelope, message }: Pick<HandOff, "envelope" | "message">): TakenMail => {
  const { date: _, ...shown } = message
  return { ...shown, sender: envelope.from, recipient: envelope.to }
}

export interface Relay {
  /** From now on; the last word counts. */
  readonly script: (recipient: string, act: RelayAct) => Effect.Effect<void, unknown>
  /** Everything it took, in order. */
  readonly taken: Effect.Effect<ReadonlyArray<TakenMail>, unknown>
  /** How many hand-offs are under way at the relay: begun, and neither answered nor ended by either side. */
  readonly underWay: Effect.Effect<number, unknown>
}

export interface TransportBench {
  readonly layer: Layer.Layer<Transport, unknown>
  readonly relay: Relay
}

export interface TransportSubject {
  /** A new transport and a relay that has taken nothing. */
  readonly bench: Effect.Effect<TransportBench, unknown, Scope.Scope>
}

export class RelayUnderLaw extends Context.Service<RelayUnderLaw, Relay>()("@mailkeep/conformance/RelayUnderLaw") {}

export type TransportLaw = Law<Transport | RelayUnderLaw>

export const openTransport: LawBook<TransportSubject, Transport | RelayUnderLaw>["open"] = ({ bench }) =>
  Effect.gen(function* () {
    const { layer, relay } = yield* bench
    const transport = Context.get(yield* Layer.build(Layer.fresh(layer)), Transport)
    return {
      capabilities: { ...transport.capabilities },
      context: Context.make(Transport, transport).pipe(Context.add(RelayUnderLaw, relay))
    }
  })

interface Stated {
  readonly says: string
  readonly needs?: Readonly<Partial<TransportShape["capabilities"]>>
}

const why = "decisions/0006-hand-off.md"

/** A law over the open transport and its relay. */
export const transportLaw = (
  id: TransportLaw["id"],
  stated: Stated,
  check: (transport: TransportShape, relay: Relay) => Effect.Effect<void, unknown, Scope.Scope>
): TransportLaw => ({
  id,
  why,
  ...stated,
  check: Effect.gen(function* () {
    yield* check(yield* Transport, yield* RelayUnderLaw)
  })
})

/** A hand-off to a recipient, of the delivery with that number. */
export const handOffTo = (recipient: string, change: Partial<HandOff> = {}, n = 1): HandOff => ({
  deliveryId: `del_${n}` satisfies DeliveryId,
  attempt: 1,
  envelope: { from: "shop@a.example", to: recipient },
  message: {
    messageId: `<del_${n}@a.example>`,
    date: Date.UTC(2026, 10, 21, 12),
    from: { name: "The shop", address: "shop@a.example" },
    replyTo: null,
    to: [recipient],
    cc: [],
    subject: "Your order",
    html: null,
    text: "Thanks",
    headers: {}
  },
  beforeFinalDot: Effect.void,
  ...change
})

/**
 * The script of the stub, and its other options.
 */
import type { HandOff, SmtpStage, TransportCapabilities } from "@mailkeep/core/adapter"

/** The behavior of the stub for one hand-off. */
export type StubAct =
  /** Accepts the message like a relay that passes it on: `accepted`. */
  | { readonly act: "accept" }
  /** Accepts the message like the recipient's own server: `delivered`. */
  | { readonly act: "deliver" }
  /** Refuses the message temporarily. */
  | {
      readonly act: "defer"
      readonly smtpCode?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Refuses the message permanently. */
  | {
      readonly act: "refuse"
      readonly smtpCode?: number
      readonly enhancedCode?: string
      readonly text?: string
      readonly stage?: SmtpStage
    }
  /** Never answers. With `whileFinalizing` it accepts the message first. */
  | { readonly act: "hang"; readonly whileFinalizing?: boolean }
  /** Accepts the message and loses the connection before the reply. */
  | { readonly act: "loseReply" }
  /** Loses the connection before the message is sent. */
  | { readonly act: "disconnect" }
  /** Ends the process like a power cut, `before` or `after` finalizing. */
  | { readonly act: "crash"; readonly when: "before" | "after" }

/** A rule of the script: its recipients, and the acts in turn. The last act repeats. */
export interface StubRule {
  /** A recipient's address in any case, or a pattern over the address; default every recipient. */
  readonly recipient?: string | RegExp
  readonly acts: readonly [StubAct, ...Array<StubAct>]
}

/** A message that the stub accepted while finalizing. */
export interface CapturedMessage extends Pick<HandOff, "deliveryId" | "attempt" | "envelope" | "message"> {}

/** The script of the stub, what it declares, and what it does with accepted messages. */
export interface StubOptions {
  /** The first rule that matches a recipient applies. Without a matching rule the message is delivered. */
  readonly script?: ReadonlyArray<StubRule> | undefined
  /**
   * Replaces some of the declared capabilities. By default, the stub confirms delivery, signals finalizing and
   * takes any size.
   */
  readonly capabilities?: Partial<TransportCapabilities> | undefined
  /** How many messages are kept; default 10,000. The oldest are removed first. */
  readonly keep?: number | undefined
  /** How many bytes of bodies and header fields are kept, by an estimate; default 64 MiB. The newest message is always kept. */
  readonly keepBytes?: number | undefined
  /** The effect of `crash`; default it kills the process. */
  readonly crash?: (() => void) | undefined
  /**
   * Called for every accepted message while finalizing, before anything else happens. The stub waits for an async function. When the function throws
   * or rejects, the hand-off ends with this defect.
   */
  readonly onCaptured?: ((captured: CapturedMessage) => void) | undefined
}

/**
 * The outcomes of hand-offs that a test asks for.
 */
import type { StubAct } from "mailkeep"

/** The name of an outcome. */
export type OutcomeName = "delivered" | "accepted" | "deferred" | "refused" | "hang" | "ambiguous" | "disconnected"

/**
 * How one hand-off ends.
 *
 * - `delivered`: The server of the recipient takes the mail. The default of a test mail.
 * - `accepted`: A relay takes the mail and passes it on, as most relays do.
 * - `deferred`: Refused for now, with 451 4.3.0. The core tries again later.
 * - `refused`: Refused for good, with 550 5.1.1. The delivery bounces.
 * - `hang`: The relay never answers. `advance` ends the hand-off at its deadline.
 * - `ambiguous`: The relay takes the mail, and the connection is lost before its answer.
 * - `disconnected`: The connection is lost before the mail is sent.
 */
export type ScriptedOutcome =
  | OutcomeName
  | {
      readonly outcome: "deferred" | "refused"
      /** The enhanced code of the answer, such as `5.2.2` (RFC 3463). */
      readonly enhancedCode?: string
      /** The reply code of the answer, such as 552. Default: 451 or 550. */
      readonly smtpCode?: number
      /** What the answer says. */
      readonly text?: string
    }

const acts: { readonly [Name in OutcomeName]: StubAct } = {
  delivered: { act: "deliver" },
  accepted: { act: "accept" },
  deferred: { act: "defer" },
  refused: { act: "refuse" },
  hang: { act: "hang" },
  ambiguous: { act: "loseReply" },
  disconnected: { act: "disconnect" }
}

const actNamed = (name: string): StubAct => {
  if (Object.hasOwn(acts, name)) return acts[name as OutcomeName]
  throw new TypeError(`There is no outcome "${name}". There are ${Object.keys(acts).join(", ")}.`)
}

/** What the stub transport does for an outcome. Throws a `TypeError` for an unknown one. */
export const toAct = (outcome: ScriptedOutcome): StubAct => {
  if (typeof outcome === "string") return actNamed(outcome)
  const { outcome: name, smtpCode, enhancedCode, text } = outcome
  if (name !== "deferred" && name !== "refused") return actNamed(String(name))
  return {
    act: name === "deferred" ? "defer" : "refuse",
    ...(smtpCode === undefined ? {} : { smtpCode }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    ...(text === undefined ? {} : { text })
  }
}

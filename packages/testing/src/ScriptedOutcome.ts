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
      /** The reply code of the answer, such as 552: 400 to 499 for `deferred`, and 500 to 599 for `refused`. Default: 451 or 550. */
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

const fields: ReadonlySet<string> = new Set(["outcome", "enhancedCode", "smtpCode", "text"])

/** Throws for a field that no outcome has, and for a reply code that means the opposite of the outcome (RFC 5321, section 4.2.1). */
const checkReply = (reply: object, name: "deferred" | "refused", smtpCode: unknown): void => {
  const unknown = Object.keys(reply).find((field) => !fields.has(field))
  if (unknown !== undefined) throw new TypeError(`An outcome has no "${unknown}". It has ${[...fields].join(", ")}.`)
  const first = name === "deferred" ? 400 : 500
  if (
    smtpCode !== undefined &&
    !(Number.isInteger(smtpCode) && Number(smtpCode) >= first && Number(smtpCode) < first + 100)
  )
    throw new TypeError(`smtpCode of the outcome "${name}" must be an integer from ${first} to ${first + 99}.`)
}

/** What the stub transport does for an outcome. Throws a `TypeError` for an unknown one, and for a reply that does not fit. */
export const toAct = (outcome: ScriptedOutcome): StubAct => {
  if (typeof outcome !== "object" || outcome === null) return actNamed(String(outcome))
  const { outcome: name, smtpCode, enhancedCode, text } = outcome
  if (name !== "deferred" && name !== "refused") {
    if (Object.keys(outcome).length > 1)
      throw new TypeError(`Only the outcomes "deferred" and "refused" have a reply. Write "${String(name)}" alone.`)
    return actNamed(String(name))
  }
  checkReply(outcome, name, smtpCode)
  return {
    act: name === "deferred" ? "defer" : "refuse",
    ...(smtpCode === undefined ? {} : { smtpCode }),
    ...(enhancedCode === undefined ? {} : { enhancedCode }),
    ...(text === undefined ? {} : { text })
  }
}

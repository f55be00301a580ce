/**
 * A refusal that a transport makes itself.
 */
import type { HandOffOutcome } from "@mailkeep/core/adapter"

/** A refusal before the relay could make the same one. The relay has not seen the envelope. */
export const refusalBeforeRelay = (
  smtpCode: number | null,
  enhancedCode: string,
  text: string
): Extract<HandOffOutcome, { readonly _tag: "Refused" }> => ({
  _tag: "Refused",
  reply: { stage: "mail", smtpCode, enhancedCode, text },
  reachedRelay: false
})

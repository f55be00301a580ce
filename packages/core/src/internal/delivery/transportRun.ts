/**
 * Runs the transport for one attempt, and turns the end of the run into the result of the hand-off.
 */
import { Cause, Effect, Exit } from "effect"
import type { HandOffResult } from "../../decide/delivery/handOffResult.ts"
import { relaySettings } from "../../domain/delivery/RelaySetting.ts"
import { shownText } from "../../domain/value/shownText.ts"
import type { HandOff, HandOffOutcome } from "../../port/Transport.ts"
import { HandOffRevoked, TransportUnavailable } from "../../port/Transport.ts"
import type { CheckedTransport } from "./checkedTransport.ts"
import { UnsafeHeaderValue } from "./checkedTransport.ts"
import type { Outgoing } from "./outgoing.ts"

const failedSentence = "The transport failed."
const finalizedTwiceSentence = "The transport ran beforeFinalize twice in one hand-off."

/** The reason of a transport that is written without types may be no text. */
const reasonOf = (reason: unknown): string => (typeof reason === "string" ? shownText(reason) : failedSentence)

/** The result of the hand-off after the transport has ended. `undefined`: the deadline of the hand-off expired. */
export const handOffResultOf = (
  exit: Exit.Exit<HandOffOutcome | undefined, TransportUnavailable | HandOffRevoked | UnsafeHeaderValue>
): HandOffResult => {
  if (Exit.isSuccess(exit))
    return exit.value ?? { _tag: "NoReply", why: "The hand-off did not end before its deadline." }
  for (const reason of exit.cause.reasons) {
    if (reason._tag === "Interrupt") return { _tag: "ShutDown" }
    if (reason._tag === "Fail") {
      const { error } = reason
      if (error instanceof HandOffRevoked) return { _tag: "Revoked" }
      if (error instanceof UnsafeHeaderValue) return { _tag: "NotSendable", why: error.message }
      const { reason: why, certainlyNotAccepted = false, relayFault = true, wrongSetting } = error
      const setting = relaySettings.find((one) => one === wrongSetting)
      return {
        _tag: "NoReply",
        why: reasonOf(why),
        certainlyNotAccepted,
        relayFault,
        ...(setting !== undefined && { wrongSetting: setting })
      }
    }
  }
  return { _tag: "NoReply", why: failedSentence }
}

/**
 * The result of a hand-off whose transport was not run. It is certain that the relay does not have the message, whatever the phase of the attempt.
 */
export const withoutTransport = (result: HandOffResult): HandOffResult =>
  result._tag === "ShutDown" || result._tag === "NoReply" ? { _tag: "Revoked" } : result

/**
 * The result of a hand-off whose transport was permitted to send the end of data. A revocation after that does not say whether the relay has the message.
 */
export const afterPermission = (result: HandOffResult): HandOffResult =>
  result._tag === "Revoked" ? { _tag: "NoReply", why: finalizedTwiceSentence, relayFault: false } : result

/** Runs the transport. A transport with `signalsFinalize` runs `finalizing` itself. For another one, `finalizing` runs first. */
export const runTransport = (
  transport: CheckedTransport,
  outgoing: Outgoing,
  finalizing: Effect.Effect<void, HandOffRevoked>
) => {
  const { signalsFinalize } = transport.capabilities
  const handOff: HandOff = { ...outgoing, beforeFinalize: signalsFinalize ? finalizing : Effect.void }
  const handed = Effect.suspend(() => transport.handOff(handOff)).pipe(
    // This catches a transport that interrupts itself. An interruption of the hand-off by the core is not caught here.
    Effect.catchCause((cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.fail(new TransportUnavailable({ reason: "The transport interrupted itself." }))
        : Effect.failCause(cause)
    )
  )
  return signalsFinalize ? handed : Effect.andThen(finalizing, handed)
}

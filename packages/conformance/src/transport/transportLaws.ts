/**
 * The laws of the transport.
 */
import type { Transport } from "@mailkeep/core/adapter"
import type { LawBook } from "../Law.ts"
import { leaksNone } from "../redaction.ts"
import type { RelayAct, RelayUnderLaw, TransportSubject } from "./TransportSubject.ts"
import { handOffTo, openTransport, transportLaw } from "./TransportSubject.ts"
import { attachmentLaws } from "./attachmentLaws.ts"
import { finalizingLaws } from "./finalizingLaws.ts"
import { outcomeLaws, refusals } from "./outcomeLaws.ts"

const contentKept = transportLaw(
  "redaction/content-stays-inside",
  "No failure message, log line or span contains a subject, a text or an address of the message.",
  function* (transport, relay) {
    const secrets = ["canary-subject", "canary-text", "canary-html", "canary-name", "canary-person"]
    const recipient = "canary-person@example.org"
    const { message } = handOffTo(recipient)
    const handOff = handOffTo(recipient, {
      message: {
        ...message,
        subject: "canary-subject",
        text: "canary-text",
        html: "<p>canary-html</p>",
        from: { name: "canary-name", address: message.from.address }
      }
    })
    const acts: ReadonlyArray<RelayAct> = [
      { does: "accept" },
      { does: "drop", whileFinalizing: false },
      { does: "drop", whileFinalizing: true },
      refusals[0]!
    ]
    for (const act of acts) {
      yield* relay.script(recipient, act)
      yield* leaksNone(secrets, transport.handOff(handOff))
    }
  }
)

/** The laws of `Transport`. */
export const transportLaws: LawBook<TransportSubject, Transport | RelayUnderLaw> = {
  port: "transport",
  capabilities: ["confirmsDelivery", "signalsFinalize", "idempotentHandOff", "maxMessageBytes", "smtpUtf8"],
  optionalCapabilities: ["handOffsAtOnceMax"],
  laws: [...outcomeLaws, ...attachmentLaws, ...finalizingLaws, contentKept],
  open: openTransport
}

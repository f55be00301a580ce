/**
 * A relay that takes, refuses, loses, hangs and throws, as the seed has it; and knows what it took.
 */
import type { HandOff, HandOffOutcome, SmtpReply, SmtpStage, TransportShape } from "@mailkeep/core"
import { TransportUnavailable } from "@mailkeep/core"
import { Effect } from "effect"
import { relayCapabilities } from "../RecordingTransport.ts"

export interface RelayCopy {
  readonly deliveryId: string
  readonly attempt: number
  readonly messageId: string
  readonly at: number
}

/** Each act with its weight. */
const acts = {
  deliver: 55,
  accept: 10,
  defer: 8,
  deferRelay: 3,
  rejectMailbox: 3,
  rejectContent: 3,
  refuseAtDot: 2,
  loseBefore: 5,
  loseAfter: 5,
  hangBefore: 2,
  hangAfter: 2,
  mistake: 2
} as const
type Act = keyof typeof acts

const total = Object.values(acts).reduce((sum, weight) => sum + weight, 0)

const drawn = (random: () => number): Act => {
  let rest = random() * total
  for (const [act, weight] of Object.entries(acts)) if ((rest -= weight) < 0) return act as Act
  return "deliver"
}

const reply = (stage: SmtpStage, code: number, enhancedCode: string): SmtpReply => ({
  stage,
  code,
  enhancedCode,
  text: "so the relay says"
})

const refused = (stage: SmtpStage, code: number, enhancedCode: string) =>
  Effect.succeed<HandOffOutcome>({ _tag: "Refused", reply: reply(stage, code, enhancedCode) })

export const moodyRelay = (
  random: () => number,
  isMoody: () => boolean,
  now: () => number,
  copies: Array<RelayCopy>
): TransportShape => {
  const wait = Effect.suspend(() => (random() < 0.5 ? Effect.yieldNow : Effect.sleep(Math.ceil(random() * 5000))))
  const lost = Effect.fail(new TransportUnavailable({ reason: "The connection was lost." }))
  const taken = ({ deliveryId, attempt, message, beforeFinalDot }: HandOff) =>
    Effect.andThen(
      beforeFinalDot,
      // Between the mark and the dot there is a moment.
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => copies.push({ deliveryId, attempt, messageId: message.messageId, at: now() }))
      )
    )
  const play = (handOff: HandOff, act: Act): ReturnType<TransportShape["handOff"]> => {
    switch (act) {
      case "deliver":
        return Effect.as(taken(handOff), { _tag: "Delivered", reply: reply("dot", 250, "2.0.0") } as const)
      case "accept":
        return Effect.as(taken(handOff), { _tag: "Accepted", reply: reply("dot", 250, "2.0.0") } as const)
      case "defer":
        return refused("rcpt", 451, "4.2.0")
      case "deferRelay":
        return refused("greeting", 421, "4.3.2")
      case "rejectMailbox":
        return refused("rcpt", 550, "5.1.1")
      case "rejectContent":
        return refused("rcpt", 554, "5.7.1")
      case "refuseAtDot":
        return Effect.andThen(handOff.beforeFinalDot, refused("dot", 552, "5.6.0"))
      case "loseBefore":
        return lost
      case "loseAfter":
        return Effect.andThen(taken(handOff), lost)
      case "hangBefore":
        return Effect.never
      case "hangAfter":
        return Effect.andThen(taken(handOff), Effect.never)
      case "mistake":
        return Effect.die(new TypeError("a mistake in the transport"))
    }
  }
  return {
    capabilities: relayCapabilities,
    handOff: (handOff) =>
      Effect.suspend(() => (isMoody() ? Effect.andThen(wait, play(handOff, drawn(random))) : play(handOff, "deliver")))
  }
}

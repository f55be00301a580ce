/**
 * A simulated relay that accepts, refuses, loses or delays messages, or throws, at random from the seed. It records the copies it receives.
 * Something can happen before it answers.
 */
import type { HandOff, HandOffOutcome, SmtpReply, SmtpStage, TransportShape } from "@mailkeep/core/adapter"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { relayCapabilities } from "../RecordingTransport.ts"

/** A copy of a message at the relay. */
export interface RelayCopy {
  readonly deliveryId: string
  readonly attempt: number
  readonly messageIdHeader: string
  /** The time of the hand-off, by the clock of the process that made it. */
  readonly at: number
}

/** The possible behaviours, with their weights. */
const behaviours = {
  deliver: 55,
  accept: 10,
  defer: 8,
  deferRelay: 3,
  rejectMailbox: 3,
  rejectContent: 3,
  refuseWhileFinalizing: 2,
  loseBefore: 5,
  loseAfter: 5,
  hangBefore: 2,
  hangAfter: 2,
  defect: 2
} as const
type Behaviour = keyof typeof behaviours

const total = Object.values(behaviours).reduce((sum, weight) => sum + weight, 0)

const drawn = (random: () => number): Behaviour => {
  let rest = random() * total
  for (const [behaviour, weight] of Object.entries(behaviours)) if ((rest -= weight) < 0) return behaviour as Behaviour
  return "deliver"
}

const reply = (stage: SmtpStage, code: number, enhancedCode: string): SmtpReply => ({
  stage,
  smtpCode: code,
  enhancedCode,
  text: "a reply of the relay"
})

const refused = (stage: SmtpStage, code: number, enhancedCode: string) =>
  Effect.succeed<HandOffOutcome>({ _tag: "Refused", reply: reply(stage, code, enhancedCode) })

export const flakyRelay = (
  random: () => number,
  isFlaky: () => boolean,
  now: () => number,
  copies: Array<RelayCopy>,
  signalsFinalize: boolean,
  beforeAnswer: (copy: RelayCopy) => Effect.Effect<void>
): TransportShape => {
  const wait = Effect.suspend(() => (random() < 0.5 ? Effect.yieldNow : Effect.sleep(Math.ceil(random() * 5000))))
  const lost = Effect.fail(new TransportUnavailable({ reason: "The connection was lost." }))
  const receive = ({ deliveryId, attempt, message, beforeFinalize }: HandOff) =>
    Effect.andThen(
      beforeFinalize,
      // The process can be killed between the commit of the phase `finalizing` and the end of data.
      Effect.andThen(
        Effect.yieldNow,
        Effect.suspend(() => {
          const copy = { deliveryId, attempt, messageIdHeader: message.messageIdHeader, at: now() }
          copies.push(copy)
          return beforeAnswer(copy)
        })
      )
    )
  const play = (handOff: HandOff, behaviour: Behaviour): ReturnType<TransportShape["handOff"]> => {
    switch (behaviour) {
      case "deliver":
        return Effect.as(receive(handOff), { _tag: "Delivered", reply: reply("endOfData", 250, "2.0.0") } as const)
      case "accept":
        return Effect.as(receive(handOff), { _tag: "Accepted", reply: reply("endOfData", 250, "2.0.0") } as const)
      case "defer":
        return refused("rcpt", 451, "4.2.0")
      case "deferRelay":
        return refused("greeting", 421, "4.3.2")
      case "rejectMailbox":
        return refused("rcpt", 550, "5.1.1")
      case "rejectContent":
        return refused("rcpt", 554, "5.7.1")
      case "refuseWhileFinalizing":
        return Effect.andThen(handOff.beforeFinalize, refused("endOfData", 552, "5.6.0"))
      case "loseBefore":
        return lost
      case "loseAfter":
        return Effect.andThen(receive(handOff), lost)
      case "hangBefore":
        return Effect.never
      case "hangAfter":
        return Effect.andThen(receive(handOff), Effect.never)
      case "defect":
        return Effect.die(new TypeError("a defect in the transport"))
    }
  }
  return {
    capabilities: { ...relayCapabilities, signalsFinalize },
    handOff: (handOff) =>
      Effect.suspend(() => (isFlaky() ? Effect.andThen(wait, play(handOff, drawn(random))) : play(handOff, "deliver")))
  }
}

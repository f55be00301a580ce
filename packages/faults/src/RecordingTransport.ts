/**
 * A transport that writes down every message it takes the moment it takes it, and now and then is a bad relay.
 */
import type { HandOff, HandOffOutcome, HandOffRevoked, SmtpReply, TransportCapabilities } from "@mailkeep/core"
import { Transport, TransportUnavailable } from "@mailkeep/core"
import { Effect, Layer } from "effect"
import { appender } from "./Lines.ts"

/** A copy that the relay has. */
export interface TakenCopy {
  readonly deliveryId: string
  readonly attempt: number
  readonly messageId: string
  /** By the clock of the process that handed it over. */
  readonly at: number
}

export interface RelayMood {
  /** Of each hundred hand-offs: refused for now, refused for good, lost before the dot, lost after it. */
  readonly deferred: number
  readonly rejected: number
  readonly lostBefore: number
  readonly lostAfter: number
  /** A hand-off takes up to so long on either side of the final dot. */
  readonly delayMillisMax: number
}

export const fairWeather: RelayMood = { deferred: 0, rejected: 0, lostBefore: 0, lostAfter: 0, delayMillisMax: 0 }
export const badWeather: RelayMood = { deferred: 6, rejected: 3, lostBefore: 5, lostAfter: 5, delayMillisMax: 6 }

/** A relay that answers for the recipient's own server, drops no doubles and has no bound. */
export const relayCapabilities: TransportCapabilities = {
  confirmsDelivery: true,
  marksFinalDot: true,
  idempotentHandoff: false,
  maxMessageBytes: null,
  smtpUtf8: true
}

const reply = (stage: SmtpReply["stage"], code: number, enhancedCode: string): SmtpReply => ({
  stage,
  code,
  enhancedCode,
  text: "as the relay says"
})

const refused = (code: number, enhancedCode: string): HandOffOutcome => ({
  _tag: "Refused",
  reply: reply("rcpt", code, enhancedCode)
})

export const recordingTransport = (file: string, mood: RelayMood): Layer.Layer<Transport> => {
  const record = appender(file)
  const wait = Effect.suspend(() =>
    mood.delayMillisMax === 0 ? Effect.void : Effect.sleep(Math.ceil(Math.random() * mood.delayMillisMax))
  )
  const lost = Effect.fail(new TransportUnavailable({ reason: "The connection was lost." }))
  const take = ({ deliveryId, attempt, message }: HandOff) =>
    Effect.clockWith((clock) =>
      Effect.sync(() =>
        record({
          deliveryId,
          attempt,
          messageId: message.messageId,
          at: clock.currentTimeMillisUnsafe()
        } satisfies TakenCopy)
      )
    )
  const handOff = (one: HandOff): Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked> =>
    Effect.gen(function* () {
      const luck = Math.random() * 100
      const { deferred, rejected, lostBefore, lostAfter } = mood
      yield* wait
      if (luck < deferred) return refused(451, "4.3.0")
      if (luck < deferred + rejected) return refused(550, "5.2.2")
      if (luck < deferred + rejected + lostBefore) return yield* lost
      yield* one.beforeFinalDot
      yield* take(one)
      yield* wait
      if (luck < deferred + rejected + lostBefore + lostAfter) return yield* lost
      return { _tag: "Delivered", reply: reply("dot", 250, "2.0.0") }
    })
  return Layer.succeed(Transport, {
    capabilities: relayCapabilities,
    handOff
  })
}

/**
 * A transport that records every message when it receives it. It can also defer, reject or lose hand-offs at given rates.
 */
import type { HandOff, HandOffOutcome, HandOffRevoked, SmtpReply, TransportCapabilities } from "@mailkeep/core/adapter"
import { Transport } from "@mailkeep/core"
import { TransportUnavailable } from "@mailkeep/core/adapter"
import { Effect, Layer } from "effect"
import { appender } from "./Lines.ts"

/** A copy of a message at the relay. */
export interface ReceivedCopy {
  readonly deliveryId: string
  readonly attempt: number
  readonly messageIdHeader: string
  /** The time of the hand-off, by the clock of the process that made it. */
  readonly at: number
}

export interface RelayFaults {
  /** Percentage of hand-offs that get a temporary refusal. */
  readonly deferred: number
  /** Percentage of hand-offs that get a permanent refusal. */
  readonly rejected: number
  /** Percentage of hand-offs whose connection is lost before finalizing. */
  readonly lostBefore: number
  /** Percentage of hand-offs whose connection is lost after the relay received the message. */
  readonly lostAfter: number
  /** Maximum delay before finalizing, and again after it. */
  readonly delayMillisMax: number
}

export const noRelayFaults: RelayFaults = { deferred: 0, rejected: 0, lostBefore: 0, lostAfter: 0, delayMillisMax: 0 }
export const frequentRelayFaults: RelayFaults = {
  deferred: 6,
  rejected: 3,
  lostBefore: 5,
  lostAfter: 5,
  delayMillisMax: 6
}

/** A relay that confirms delivery, does not remove duplicates and has no size limit. */
export const relayCapabilities: TransportCapabilities = {
  confirmsDelivery: true,
  signalsFinalize: true,
  idempotentHandOff: false,
  maxMessageBytes: null,
  smtpUtf8: true
}

const reply = (stage: SmtpReply["stage"], code: number, enhancedCode: string): SmtpReply => ({
  stage,
  smtpCode: code,
  enhancedCode,
  text: "a reply of the relay"
})

const refused = (code: number, enhancedCode: string): HandOffOutcome => ({
  _tag: "Refused",
  reply: reply("rcpt", code, enhancedCode)
})

export const recordingTransport = (file: string, faults: RelayFaults): Layer.Layer<Transport> => {
  const record = appender(file)
  const wait = Effect.suspend(() =>
    faults.delayMillisMax === 0 ? Effect.void : Effect.sleep(Math.ceil(Math.random() * faults.delayMillisMax))
  )
  const lost = Effect.fail(new TransportUnavailable({ reason: "The connection was lost." }))
  const receive = ({ deliveryId, attempt, message }: HandOff) =>
    Effect.clockWith((clock) =>
      Effect.sync(() =>
        record({
          deliveryId,
          attempt,
          messageIdHeader: message.messageIdHeader,
          at: clock.currentTimeMillisUnsafe()
        } satisfies ReceivedCopy)
      )
    )
  const handOff = (one: HandOff): Effect.Effect<HandOffOutcome, TransportUnavailable | HandOffRevoked> =>
    Effect.gen(function* () {
      const chance = Math.random() * 100
      const { deferred, rejected, lostBefore, lostAfter } = faults
      yield* wait
      if (chance < deferred) return refused(451, "4.3.0")
      if (chance < deferred + rejected) return refused(550, "5.2.2")
      if (chance < deferred + rejected + lostBefore) return yield* lost
      yield* one.beforeFinalize
      yield* receive(one)
      yield* wait
      if (chance < deferred + rejected + lostBefore + lostAfter) return yield* lost
      return { _tag: "Delivered", reply: reply("endOfData", 250, "2.0.0") }
    })
  return Layer.succeed(Transport, {
    capabilities: relayCapabilities,
    handOff
  })
}

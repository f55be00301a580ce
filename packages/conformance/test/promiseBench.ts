/**
 * A transport and an event sink written as plain async functions, with the other end in the same process.
 */
import { once } from "node:events"
import type { ConsumerAct, Consumers, Received, Relay, RelayAct, TakenMail } from "../src/index.ts"
import type { PromiseHandOff, Push, PushOutcome } from "@mailkeep/core/port"
import { sinkFromPromises, SinkUnavailable, transportFromPromises, TransportUnavailable } from "@mailkeep/core/port"
import { Effect } from "effect"
import { mailOf } from "../src/index.ts"

/** Until the caller gives up. */
const silence = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, "abort")
  throw new TransportUnavailable({ reason: "given up" })
}

/** Counts the calls that are under way. */
const counted =
  <I, O>(counting: { underWay: number }, call: (one: I, signal: AbortSignal) => Promise<O>) =>
  async (one: I, signal: AbortSignal): Promise<O> => {
    counting.underWay++
    try {
      return await call(one, signal)
    } finally {
      counting.underWay--
    }
  }

export const promiseTransportBench = Effect.sync(() => {
  const acts = new Map<string, RelayAct>()
  const taken: Array<TakenMail> = []
  const counting = { underWay: 0 }
  const relay: Relay = {
    script: (recipient, act) => Effect.sync(() => acts.set(recipient, act)),
    taken: Effect.sync(() => [...taken]),
    underWay: Effect.sync(() => counting.underWay)
  }
  const lost = () => new TransportUnavailable({ reason: "the connection was lost" })
  const layer = transportFromPromises({
    capabilities: {
      confirmsDelivery: false,
      marksFinalDot: true,
      idempotentHandoff: false,
      maxMessageBytes: null,
      smtpUtf8: true
    },
    handOff: counted(counting, async ({ envelope, message, beforeFinalDot }: PromiseHandOff, signal) => {
      const act = acts.get(envelope.to) ?? { does: "take" }
      const refused = act.does === "refuse" ? ({ _tag: "Refused", reply: replyOf(act) } as const) : undefined
      if (refused?.reply.stage === "rcpt") return refused
      if (act.does === "hang" && !act.afterDot) return silence(signal)
      if (act.does === "drop" && !act.afterDot) throw lost()
      await beforeFinalDot()
      if (refused !== undefined) return refused
      taken.push(mailOf({ envelope, message }))
      if (act.does === "hang") return silence(signal)
      if (act.does === "drop") throw lost()
      return { _tag: "Accepted", reply: { stage: "dot", code: 250, enhancedCode: "2.0.0", text: "Ok" } } as const
    })
  })
  return { layer, relay }
})

const replyOf = (act: Extract<RelayAct, { does: "refuse" }>) => {
  const { does: _, ...reply } = act
  return reply
}

export const promiseSinkBench = Effect.sync(() => {
  const acts = new Map<string, ConsumerAct>()
  const received: Array<Received> = []
  const counting = { underWay: 0 }
  const consumers: Consumers = {
    endpoint: (consumer) => `in-process:${consumer}`,
    script: (consumer, act) => Effect.sync(() => acts.set(consumer, act)),
    received: Effect.sync(() => [...received]),
    underWay: Effect.sync(() => counting.underWay)
  }
  const layer = sinkFromPromises({
    capabilities: { carriesHeaders: true },
    push: counted(counting, async ({ id, endpoint, headers, body }: Push, signal): Promise<PushOutcome> => {
      const consumer = endpoint.replace("in-process:", "")
      const act = acts.get(consumer) ?? { does: "take" }
      received.push({ consumer, id, headers, body })
      switch (act.does) {
        case "take":
        case "takeUnfinished":
          return { _tag: "Taken", status: null }
        case "refuse":
          return { _tag: "Refused", status: null, retryAfterSeconds: act.retryAfterSeconds, gone: act.gone }
        case "hang":
          return silence(signal)
        case "drop":
          throw new SinkUnavailable({ reason: "the consumer went away" })
      }
    })
  })
  return { layer, consumers }
})

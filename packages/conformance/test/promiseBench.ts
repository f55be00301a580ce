/**
 * A transport and an event sink written as plain async functions, with the other end in the same process.
 */
import { once } from "node:events"
import type { ConsumerAct, Consumers, Received, Relay, RelayAct, TakenMail } from "../src/index.ts"
import { sinkFromPromises, SinkUnavailable, transportFromPromises, TransportUnavailable } from "@mailkeep/core/port"
import { Effect } from "effect"

/** Until the caller gives up. */
const silence = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, "abort")
  throw new TransportUnavailable({ reason: "given up" })
}

export const promiseTransportBench = Effect.sync(() => {
  const acts = new Map<string, RelayAct>()
  const taken: Array<TakenMail> = []
  const relay: Relay = {
    script: (recipient, act) => Effect.sync(() => acts.set(recipient, act)),
    taken: Effect.sync(() => [...taken])
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
    handOff: async ({ envelope, message, beforeFinalDot }, signal) => {
      const act = acts.get(envelope.to) ?? { does: "take" }
      const refused = act.does === "refuse" ? ({ _tag: "Refused", reply: replyOf(act) } as const) : undefined
      if (refused?.reply.stage === "rcpt") return refused
      if (act.does === "hang" && !act.afterDot) return silence(signal)
      if (act.does === "drop" && !act.afterDot) throw lost()
      await beforeFinalDot()
      if (refused !== undefined) return refused
      const { messageId, subject, text } = message
      taken.push({ recipient: envelope.to, messageId, subject, text: text ?? "" })
      if (act.does === "hang") return silence(signal)
      if (act.does === "drop") throw lost()
      return { _tag: "Accepted", reply: { stage: "dot", code: 250, enhancedCode: "2.0.0", text: "Ok" } }
    }
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
  const consumers: Consumers = {
    endpoint: (consumer) => `in-process:${consumer}`,
    script: (consumer, act) => Effect.sync(() => acts.set(consumer, act)),
    received: Effect.sync(() => [...received])
  }
  const layer = sinkFromPromises({
    capabilities: { carriesHeaders: true },
    push: async ({ id, endpoint, headers, body }, signal) => {
      const consumer = endpoint.replace("in-process:", "")
      const act = acts.get(consumer) ?? { does: "take" }
      received.push({ consumer, id, headers, body })
      switch (act.does) {
        case "take":
          return { _tag: "Taken", status: null }
        case "refuse":
          return { _tag: "Refused", status: null, retryAfterSeconds: act.retryAfterSeconds, gone: act.gone }
        case "hang":
          return silence(signal)
        case "drop":
          throw new SinkUnavailable({ reason: "the consumer went away" })
      }
    }
  })
  return { layer, consumers }
})

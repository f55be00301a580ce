/**
 * A transport, an event sink and a DNS resolver written as plain async functions. Their relay, subscribers and name server are in the same process.
 */
import { once } from "node:events"
import type {
  SubscriberAct,
  Subscribers,
  Received,
  Relay,
  RelayAct,
  AcceptedMail,
  ResolverSubject
} from "../src/index.ts"
import type { PromiseHandOff, SinkRequest, SinkOutcome } from "@mailkeep/core/adapter"
import {
  resolverFromPromises,
  sinkFromPromises,
  SinkUnavailable,
  transportFromPromises,
  TransportUnavailable
} from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { mailOf, acceptedAttachments } from "../src/index.ts"
import { resolverOver, subjectOf } from "./scriptedResolver.ts"

/** Waits until the caller aborts. */
const silence = async (signal: AbortSignal): Promise<never> => {
  if (!signal.aborted) await once(signal, "abort")
  throw new TransportUnavailable({ reason: "given up" })
}

/** Counts the calls that have begun and not ended. */
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

export const promiseTransport = Effect.sync(() => {
  const acts = new Map<string, RelayAct>()
  const accepted: Array<AcceptedMail> = []
  const counting = { underWay: 0 }
  const relay: Relay = {
    script: (recipient, act) => Effect.sync(() => acts.set(recipient, act)),
    accepted: Effect.sync(() => [...accepted]),
    underWay: Effect.sync(() => counting.underWay)
  }
  const lost = () => new TransportUnavailable({ reason: "the connection was lost" })
  const layer = transportFromPromises({
    capabilities: {
      confirmsDelivery: false,
      signalsFinalize: true,
      idempotentHandOff: false,
      maxMessageBytes: null,
      smtpUtf8: true
    },
    handOff: counted(counting, async ({ envelope, message, beforeFinalize }: PromiseHandOff, signal) => {
      const act = acts.get(envelope.to) ?? { does: "accept" }
      const refused = act.does === "refuse" ? ({ _tag: "Refused", reply: replyOf(act) } as const) : undefined
      if (refused?.reply.stage === "rcpt") return refused
      if (act.does === "hang" && !act.whileFinalizing) return silence(signal)
      if (act.does === "drop" && !act.whileFinalizing) throw lost()
      const attachments = await acceptedAttachments(message).catch((cause: unknown) => {
        throw new TransportUnavailable({ reason: "a file cannot be read", cause, relayFault: false })
      })
      await beforeFinalize()
      if (refused !== undefined) return refused
      accepted.push(mailOf({ envelope, message }, attachments))
      if (act.does === "hang") return silence(signal)
      if (act.does === "drop") throw lost()
      return {
        _tag: "Accepted",
        reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Ok" }
      } as const
    })
  })
  return { layer, relay }
})

const replyOf = (act: Extract<RelayAct, { does: "refuse" }>) => {
  const { does: _, ...reply } = act
  return reply
}

export const promiseSink = Effect.sync(() => {
  const acts = new Map<string, SubscriberAct>()
  const received: Array<Received> = []
  const counting = { underWay: 0 }
  const subscribers: Subscribers = {
    endpoint: (subscriber) => `in-process:${subscriber}`,
    script: (subscriber, act) => Effect.sync(() => acts.set(subscriber, act)),
    received: Effect.sync(() => [...received]),
    underWay: Effect.sync(() => counting.underWay)
  }
  const layer = sinkFromPromises({
    capabilities: { carriesHeaders: true },
    send: counted(counting, async ({ id, endpoint, headers, body }: SinkRequest, signal): Promise<SinkOutcome> => {
      const subscriber = endpoint.replace("in-process:", "")
      const act = acts.get(subscriber) ?? { does: "accept" }
      received.push({ subscriber, id, headers, body })
      switch (act.does) {
        case "accept":
        case "acceptUnfinished":
          return { _tag: "Accepted", status: null }
        case "refuse":
          return {
            _tag: "Refused",
            status: null,
            retryAfterSeconds: act.retryAfterSeconds,
            wantsNoMoreEvents: act.wantsNoMoreEvents
          }
        case "hang":
          return silence(signal)
        case "drop":
          throw new SinkUnavailable({ reason: "the subscriber went away" })
      }
    })
  })
  return { layer, subscribers }
})

export const promiseResolver: ResolverSubject = subjectOf((lookup) => {
  const { texts, exchanges } = resolverOver(lookup)
  return resolverFromPromises({
    texts: (name, signal) => Effect.runPromise(texts(name), { signal }),
    exchanges: (name, signal) => Effect.runPromise(exchanges(name), { signal })
  })
})

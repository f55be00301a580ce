/**
 * A mutant of the example transport and event sink for each of their laws.
 */
import type { EventSinkShape, HandOffOutcome, TransportShape } from "@mailkeep/core/adapter"
import { EventSink, SinkUnavailable, Transport, TransportUnavailable } from "@mailkeep/core/adapter"
import { Context, Effect, Layer } from "effect"
import type { SinkSubject, TransportSubject } from "../../src/index.ts"
import { promiseSink, promiseTransport } from "../promiseAdapters.ts"

type HandOver = TransportShape["handOff"]
type Send = EventSinkShape["send"]

const transports: Readonly<Record<string, (handOff: HandOver) => HandOver>> = {
  "outcome/positive-means-accepted": (handOff) => (one) => Effect.andThen(handOff(one), handOff(one)),
  "outcome/message-arrives-unchanged": (handOff) => (one) =>
    handOff({ ...one, message: { ...one.message, text: (one.message.text ?? "").replace("\r\n.\r\n", "\r\n") } }),
  "outcome/files-arrive-unchanged": (handOff) => (one) =>
    handOff({
      ...one,
      message: {
        ...one.message,
        attachments: one.message.attachments.map((file) => ({ ...file, filename: file.filename.replaceAll('"', "'") }))
      }
    }),
  "outcome/no-part-of-a-file": (handOff) => (one) =>
    handOff({ ...one, message: { ...one.message, attachments: one.message.attachments.slice(0, 1) } }),
  "recipients/the-envelopes-alone": (handOff) => (one) =>
    Effect.forEach([one.envelope.to, ...one.message.cc], (to) =>
      handOff({ ...one, envelope: { ...one.envelope, to } })
    ).pipe(Effect.map(([outcome]) => outcome!)),
  "outcome/confirms-only-what-it-declares": (handOff) => (one) =>
    Effect.map(handOff(one), (outcome) =>
      outcome._tag === "Accepted" ? ({ ...outcome, _tag: "Delivered" } as const) : outcome
    ),
  "outcome/refusal-keeps-the-reply": (handOff) => (one) =>
    Effect.map(handOff(one), (outcome) => ({ ...outcome, reply: { ...outcome.reply, enhancedCode: null } })),
  "outcome/silence-is-no-answer": (handOff) => (one) =>
    Effect.catchTag(handOff(one), "TransportUnavailable", () =>
      Effect.succeed({
        _tag: "Refused",
        reply: { stage: "connect", smtpCode: 421, enhancedCode: null, text: "gone" }
      } satisfies HandOffOutcome)
    ),
  "outcome/each-attempt-is-new": (handOff) => {
    const remembered = new Map<string, HandOffOutcome>()
    return (one) => {
      const earlier = remembered.get(one.deliveryId)
      return earlier === undefined
        ? Effect.tap(handOff(one), (outcome) => Effect.sync(() => remembered.set(one.deliveryId, outcome)))
        : Effect.succeed(earlier)
    }
  },
  "recipients/each-its-own-outcome": (handOff) => {
    let first: HandOffOutcome | undefined
    return (one) => Effect.map(handOff(one), (outcome) => (first ??= outcome))
  },
  "finalizing/marked-once-before-the-final-dot": (handOff) => (one) =>
    Effect.tap(handOff({ ...one, beforeFinalize: Effect.void }), () => one.beforeFinalize),
  "finalizing/not-marked-without-a-message": (handOff) => (one) =>
    Effect.andThen(one.beforeFinalize, handOff({ ...one, beforeFinalize: Effect.void })),
  "finalizing/marked-before-a-refusal-of-the-message": (handOff) => (one) =>
    Effect.tap(handOff({ ...one, beforeFinalize: Effect.void }), ({ _tag }) =>
      _tag === "Refused" ? Effect.void : one.beforeFinalize
    ),
  "finalizing/revoked-sends-nothing": (handOff) => (one) =>
    Effect.andThen(
      handOff({ ...one, beforeFinalize: Effect.void }),
      Effect.flatMap(one.beforeFinalize, () => handOff(one))
    ),
  "deadline/interrupted-before-finalizing-sends-nothing": (handOff) => (one) =>
    Effect.onInterrupt(handOff(one), () => Effect.ignore(one.beforeFinalize)),
  "deadline/interruptible-while-finalizing": (handOff) => {
    let broken = false
    return (one) =>
      Effect.suspend(() =>
        broken
          ? Effect.fail(new TransportUnavailable({ reason: "the connection is still in use" }))
          : Effect.onInterrupt(handOff(one), () => Effect.sync(() => (broken = true)))
      )
  },
  "deadline/is-the-callers": (handOff) => (one) =>
    Effect.timeoutOrElse(handOff(one), {
      duration: "5 minutes",
      orElse: () => Effect.fail(new TransportUnavailable({ reason: "too slow" }))
    }),
  "double/is-dropped": (handOff) => (one) => handOff(one),
  "redaction/content-stays-inside": (handOff) => (one) =>
    Effect.andThen(Effect.logDebug("handing over", one.message.subject), handOff(one))
}

/** The capabilities that a transport must declare so that the law applies. */
const declared: Readonly<Record<string, Partial<TransportShape["capabilities"]>>> = {
  "double/is-dropped": { idempotentHandOff: true }
}

export const transportMutants: Readonly<Record<string, TransportSubject>> = Object.fromEntries(
  Object.entries(transports).map(([law, mutate]) => [
    law,
    {
      transport: Effect.gen(function* () {
        const { layer, relay } = yield* promiseTransport
        const { capabilities, handOff } = Context.get(yield* Layer.build(layer), Transport)
        const mutant = { capabilities: { ...capabilities, ...declared[law] }, handOff: mutate(handOff) }
        return { layer: Layer.succeed(Transport, mutant), relay }
      })
    }
  ])
)

const sinks: Readonly<Record<string, (send: Send) => Send>> = {
  "event/accepted-means-received": (send) => (one) => Effect.andThen(send(one), send(one)),
  "event/unfinished-answer-is-an-answer": (send) => (one) => Effect.andThen(send(one), Effect.never),
  "event/bytes-unchanged": (send) => (one) => {
    const reserialised = JSON.stringify(JSON.parse(new TextDecoder().decode(one.body)))
    return send({ ...one, body: new TextEncoder().encode(reserialised) })
  },
  "event/headers-arrive": (send) => (one) => send({ ...one, headers: {} }),
  "event/refusal-is-reported": (send) => (one) =>
    Effect.map(send(one), (outcome) =>
      outcome._tag === "Refused" ? { ...outcome, wantsNoMoreEvents: false } : outcome
    ),
  "event/lost-is-no-answer": (send) => (one) =>
    Effect.catchTag(send(one), "SinkUnavailable", () =>
      Effect.succeed({ _tag: "Refused", status: null, retryAfterSeconds: null, wantsNoMoreEvents: false } as const)
    ),
  "subscribers/each-its-own-outcome": (send) => {
    let first: Effect.Success<ReturnType<Send>> | undefined
    return (one) => Effect.map(send(one), (outcome) => (first ??= outcome))
  },
  "deadline/interruptible": (send) => {
    let broken = false
    return (one) =>
      Effect.suspend(() =>
        broken
          ? Effect.fail(new SinkUnavailable({ reason: "the connection is still in use" }))
          : Effect.onInterrupt(send(one), () => Effect.sync(() => (broken = true)))
      )
  },
  "deadline/is-the-callers": (send) => (one) =>
    Effect.timeoutOrElse(send(one), {
      duration: "5 seconds",
      orElse: () => Effect.fail(new SinkUnavailable({ reason: "too slow" }))
    }),
  "redaction/content-stays-inside": (send) => (one) =>
    Effect.mapError(
      send(one),
      ({ reason }) => new SinkUnavailable({ reason: `${reason}: ${new TextDecoder().decode(one.body)}` })
    )
}

export const sinkMutants: Readonly<Record<string, SinkSubject>> = Object.fromEntries(
  Object.entries(sinks).map(([law, mutate]) => [
    law,
    {
      sink: Effect.gen(function* () {
        const { layer, subscribers } = yield* promiseSink
        const sink = Context.get(yield* Layer.build(layer), EventSink)
        return { layer: Layer.succeed(EventSink, { ...sink, send: mutate(sink.send) }), subscribers }
      })
    }
  ])
)

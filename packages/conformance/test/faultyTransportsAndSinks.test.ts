/**
 * Transports and event sinks with a fault that authors make over the client of a provider. The laws catch each.
 */
import type { HandOffOutcome, TransportCapabilities, TransportShape } from "@mailkeep/core/adapter"
import { EventSink, Transport, TransportUnavailable } from "@mailkeep/core/adapter"
import { Context, Effect, Layer, Semaphore } from "effect"
import { afterAll, describe, expect, it, vi } from "vitest"
import type { SinkSubject, TransportSubject } from "../src/index.ts"
import { runConformance, sinkLaws, transportLaws } from "../src/index.ts"
import { promiseSink, promiseTransport } from "./promiseAdapters.ts"

type HandOver = TransportShape["handOff"]

const transportOf = (
  wrap: (handOff: HandOver) => HandOver,
  declared: Partial<TransportCapabilities> = {}
): TransportSubject["transport"] =>
  Effect.gen(function* () {
    const { layer, relay } = yield* promiseTransport
    const { capabilities, handOff } = Context.get(yield* Layer.build(layer), Transport)
    return {
      layer: Layer.succeed(Transport, { capabilities: { ...capabilities, ...declared }, handOff: wrap(handOff) }),
      relay
    }
  })

const verdictOf = async (id: string, transport: TransportSubject["transport"]) => {
  const options = { only: [id], limitSeconds: 5 }
  const { laws } = await Effect.runPromise(runConformance("faulty", transportLaws, { transport }, options))
  return laws[0]?.verdict
}

/** A client of a provider with a retry of its own does so. */
const triesAgain = (handOff: HandOver): HandOver => {
  const once: HandOver = (one) => handOff({ ...one, beforeFinalize: Effect.void })
  return (one) => Effect.catchTag(once(one), "TransportUnavailable", () => once(one))
}

const isCertain =
  (handOff: HandOver): HandOver =>
  (one) =>
    Effect.mapError(handOff(one), (failure) =>
      failure instanceof TransportUnavailable
        ? new TransportUnavailable({ reason: failure.reason, relayFault: false, certainlyNotAccepted: true })
        : failure
    )

/** The relay knows nothing of the doubles, so one after a lost answer is not dropped. */
const dropsAfterAnAnswer = (handOff: HandOver): HandOver => {
  const known = new Map<string, HandOffOutcome>()
  return (one) => {
    const earlier = known.get(one.deliveryId)
    return earlier === undefined
      ? Effect.tap(handOff(one), (outcome) => Effect.sync(() => known.set(one.deliveryId, outcome)))
      : Effect.succeed(earlier)
  }
}

const oneAtATime = (handOff: HandOver): HandOver => {
  const lock = Semaphore.makeUnsafe(1)
  return (one) => lock.withPermits(1)(handOff(one))
}

const datedNow =
  (handOff: HandOver): HandOver =>
  (one) =>
    handOff({ ...one, message: { ...one.message, date: one.message.date + 60_000 } })

const blamesRelay =
  (handOff: HandOver): HandOver =>
  (one) =>
    Effect.catchTag(handOff(one), "TransportUnavailable", ({ reason }) =>
      Effect.fail(new TransportUnavailable({ reason, certainlyNotAccepted: true }))
    )

const slowDownIsFinal =
  (handOff: HandOver): HandOver =>
  (one) =>
    Effect.map(handOff(one), (outcome) =>
      outcome.reply.smtpCode === 421 ? { ...outcome, reply: { ...outcome.reply, smtpCode: 554 } } : outcome
    )

const writesToTheConsole =
  (handOff: HandOver): HandOver =>
  (one) =>
    Effect.andThen(
      // oxlint-disable-next-line no-console
      Effect.sync(() => console.debug("handing over", { subject: one.message.subject })),
      handOff(one)
    )

const noSignal = { signalsFinalize: false }

const cases: ReadonlyArray<readonly [string, string, TransportSubject["transport"]]> = [
  ["hands over again by itself after a lost answer", "outcome/silence-is-no-answer", transportOf(triesAgain, noSignal)],
  ["calls a lost answer certainly no acceptance", "outcome/silence-is-no-answer", transportOf(isCertain)],
  [
    "drops a double by an answer that it has seen itself",
    "double/is-dropped",
    transportOf(dropsAfterAnAnswer, { idempotentHandOff: true })
  ],
  ["hands over one at a time and does not say so", "recipients/each-its-own-outcome", transportOf(oneAtATime)],
  ["gives each attempt a new date", "outcome/message-arrives-unchanged", transportOf(datedNow)],
  ["blames the relay for a file that cannot be read", "outcome/no-part-of-a-file", transportOf(blamesRelay)],
  [
    "makes an attempt ambiguous because of a file that cannot be read",
    "outcome/no-part-of-a-file",
    transportOf(
      (handOff) => (one) =>
        Effect.catchTag(handOff(one), "TransportUnavailable", ({ reason }) =>
          Effect.fail(new TransportUnavailable({ reason, relayFault: false }))
        ),
      noSignal
    )
  ],
  ["makes a request to slow down final", "outcome/refusal-keeps-the-reply", transportOf(slowDownIsFinal)],
  ["writes a subject to the console", "redaction/content-stays-inside", transportOf(writesToTheConsole)]
]

describe("transportLaws", () => {
  // The law passes on what an adapter writes to the console.
  const written = vi.spyOn(console, "debug").mockImplementation(() => {})
  afterAll(() => written.mockRestore())

  it.each(cases)("catches a transport that %s", async (_, law, transport) => {
    expect(await verdictOf(law, transport)).toBe("broken")
  })

  it("accepts a transport that hands over one at a time and says so", async () => {
    const transport = transportOf(oneAtATime, { handOffsAtOnceMax: 1 })
    expect(await verdictOf("recipients/each-its-own-outcome", transport)).toBe("held")
  })
})

const sendsAgain: SinkSubject["sink"] = Effect.gen(function* () {
  const { layer, subscribers } = yield* promiseSink
  const { capabilities, send } = Context.get(yield* Layer.build(layer), EventSink)
  const twice: typeof send = (one) => Effect.catchTag(send(one), "SinkUnavailable", () => send(one))
  return { layer: Layer.succeed(EventSink, { capabilities, send: twice }), subscribers }
})

describe("sinkLaws", () => {
  it("catches a sink that sends an event again after a lost answer", async () => {
    const only = ["event/lost-is-no-answer"]
    const { laws } = await Effect.runPromise(runConformance("faulty", sinkLaws, { sink: sendsAgain }, { only }))
    expect(laws[0]?.verdict).toBe("broken")
  })
})

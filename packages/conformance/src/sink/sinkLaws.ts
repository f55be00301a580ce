/**
 * The laws of the event sink.
 */
import type { EventSink } from "@mailkeep/core/adapter"
import { secondMillis } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { until, waitsForDeadline } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { LawBook } from "../Law.ts"
import { leaksNone } from "../redaction.ts"
import type { SubscriberAct, Subscribers, SubscribersUnderLaw, SinkSubject } from "./SinkSubject.ts"
import { openSink, sinkLaw } from "./SinkSubject.ts"

const hasNoneUnderWay = ({ underWay }: Subscribers) => Effect.map(underWay, (count) => count === 0)

const acceptedMeansReceived = sinkLaw(
  "event/accepted-means-received",
  "If the sink reports an event as accepted, that subscriber received the event once, under its id.",
  function* (sink, subscribers, to) {
    const outcome = yield* sink.send(to("a"))
    yield* same("the outcome", outcome._tag, "Accepted")
    const received = yield* subscribers.received
    yield* same(
      "the subscriber of each event",
      received.map(({ subscriber, id }) => [subscriber, id]),
      [["a", "evd_1"]]
    )
  }
)

const unfinishedIsAccepted = sinkLaw(
  "event/unfinished-answer-is-an-answer",
  "If a subscriber accepts an event, the sink reports that, even if the rest of the answer is slow, missing or cut off. The sink ends the connection.",
  function* (sink, subscribers, to) {
    for (const rest of ["drips", "neverComes", "breaksOff"] as const) {
      yield* subscribers.script(rest, { does: "acceptUnfinished", rest })
      const outcome = yield* sink.send(to(rest))
      yield* same(`the outcome when the rest ${rest}`, outcome._tag, "Accepted")
      yield* until("no event delivery was under way", hasNoneUnderWay(subscribers))
    }
  }
)

const bytesAsGiven = sinkLaw(
  "event/bytes-unchanged",
  "The subscriber receives the body byte by byte as it was signed.",
  function* (sink, subscribers, to) {
    const texts = [
      '{"a":1}',
      '{ "a" : 1 }\n',
      '{"t":"Grüße 🎉 \\u0000"}',
      "\ufeff{}",
      `{"long":"${"x".repeat(100_000)}"}`
    ]
    const bodies = [...texts.map((text) => new TextEncoder().encode(text)), Uint8Array.of(0xff, 0x00, 0xc3, 0x28)]
    for (const [n, body] of bodies.entries()) yield* sink.send(to("a", { id: `evt_${n}`, body }))
    const received = yield* subscribers.received
    yield* same(
      "the bodies",
      received.map(({ body }) => body),
      bodies
    )
  }
)

const headersArrive = sinkLaw(
  "event/headers-arrive",
  { statement: "The subscriber receives the headers of the request with its body.", needs: { carriesHeaders: true } },
  function* (sink, subscribers, to) {
    const headers = { "webhook-id": "evt_9", "webhook-timestamp": "1", "webhook-signature": "v1,x v1,y" }
    yield* sink.send(to("a", { headers }))
    const [received] = yield* subscribers.received
    const got = Object.fromEntries(Object.keys(headers).map((name) => [name, received?.headers[name]]))
    yield* same("the headers", got, headers)
  }
)

const refusalReported = sinkLaw(
  "event/refusal-is-reported",
  "If a subscriber refuses an event, the sink reports whether the subscriber wants later events, and the time to wait.",
  function* (sink, subscribers, to) {
    for (const answer of [
      { retryAfterSeconds: null, wantsNoMoreEvents: false },
      { retryAfterSeconds: 30, wantsNoMoreEvents: false },
      { retryAfterSeconds: null, wantsNoMoreEvents: true }
    ]) {
      yield* subscribers.script("a", { does: "refuse", ...answer })
      const outcome = yield* sink.send(to("a"))
      yield* same("the outcome", outcome._tag, "Refused")
      if (outcome._tag === "Refused")
        yield* same(
          "the refusal",
          { retryAfterSeconds: outcome.retryAfterSeconds, wantsNoMoreEvents: outcome.wantsNoMoreEvents },
          answer
        )
    }
  }
)

const lostIsNoAnswer = sinkLaw(
  "event/lost-is-no-answer",
  "If a subscriber closes the connection without an answer, the event delivery fails as unavailable. The sink does not send the event again.",
  function* (sink, subscribers, to) {
    yield* subscribers.script("a", { does: "drop" })
    const failure = yield* failureOf("a send to a subscriber that cannot be reached", sink.send(to("a")))
    yield* same("the failure", failure._tag, "SinkUnavailable")
    const { length } = yield* subscribers.received
    yield* holds("the number of events at the subscriber after one send", "at most 1", length <= 1, length)
  }
)

const eachItsOwn = sinkLaw(
  "subscribers/each-its-own-outcome",
  "Of many concurrent event deliveries, each gets the answer of its own subscriber. A subscriber that does not answer delays no other.",
  function* (sink, subscribers, to) {
    yield* subscribers.script("hangs", { does: "hang" })
    yield* subscribers.script("refuses", { does: "refuse", retryAfterSeconds: null, wantsNoMoreEvents: false })
    yield* Effect.forkScoped(Effect.exit(sink.send(to("hangs"))), { startImmediately: true })
    const names = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "takes" : "refuses"))
    const outcomes = yield* Effect.forEach(names, (name) => sink.send(to(name)), { concurrency: "unbounded" })
    yield* same(
      "the outcomes",
      outcomes.map(({ _tag }) => _tag),
      names.map((name) => (name === "takes" ? "Accepted" : "Refused"))
    )
  }
)

const interruptible = sinkLaw(
  "deadline/interruptible",
  "An event delivery to a subscriber that never answers can be interrupted. Its connection ends, and the next event delivery succeeds.",
  function* (sink, subscribers, to) {
    yield* subscribers.script("a", { does: "hang" })
    const under = yield* Effect.forkScoped(sink.send(to("a")), { startImmediately: true })
    yield* until(
      "the subscriber had the event",
      Effect.map(subscribers.received, ({ length }) => length === 1)
    )
    yield* Fiber.interrupt(under)
    yield* until("the interrupted event delivery ended at the subscriber", hasNoneUnderWay(subscribers))
    yield* same("the next event delivery", (yield* sink.send(to("b")))._tag, "Accepted")
  }
)

const callerKeepsDeadline = sinkLaw(
  "deadline/is-the-callers",
  "The sink waits for a silent subscriber exactly until the caller's deadline.",
  function* (sink, subscribers, to) {
    yield* subscribers.script("a", { does: "hang" })
    yield* waitsForDeadline(
      sink.send(to("a")),
      15 * secondMillis,
      Effect.map(subscribers.received, ({ length }) => length === 1)
    )
  }
)

const contentKept = sinkLaw(
  "redaction/content-stays-inside",
  "No failure message, log line or span contains a body or a signature.",
  function* (sink, subscribers, to) {
    const request = to("a", {
      headers: { "webhook-signature": "v1,canary-signature" },
      body: new TextEncoder().encode('{"text":"canary-body"}')
    })
    const acts: ReadonlyArray<SubscriberAct> = [
      { does: "accept" },
      { does: "drop" },
      { does: "refuse", retryAfterSeconds: null, wantsNoMoreEvents: false }
    ]
    for (const act of acts) {
      yield* subscribers.script("a", act)
      yield* leaksNone(["canary-signature", "canary-body"], sink.send(request))
    }
  }
)

/** The laws of `EventSink`. */
export const sinkLaws: LawBook<SinkSubject, EventSink | SubscribersUnderLaw> = {
  port: "event sink",
  capabilities: ["carriesHeaders"],
  laws: [
    acceptedMeansReceived,
    unfinishedIsAccepted,
    bytesAsGiven,
    headersArrive,
    refusalReported,
    lostIsNoAnswer,
    eachItsOwn,
    interruptible,
    callerKeepsDeadline,
    contentKept
  ],
  open: openSink
}

/**
 * The laws of the event sink.
 */
import type { EventSink } from "@mailkeep/core/port"
import { secondMillis } from "@mailkeep/core/domain"
import { Effect, Fiber } from "effect"
import { until, waitedOut } from "../awaiting.ts"
import { same } from "../expectation.ts"
import type { LawBook } from "../Law.ts"
import { keepsToItself } from "../telling.ts"
import type { ConsumerAct, ConsumersUnderLaw, SinkSubject } from "./SinkSubject.ts"
import { openSink, sinkLaw } from "./SinkSubject.ts"

const takenMeansReceived = sinkLaw(
  "push/taken-means-received",
  { says: "An event that is told as taken has reached that consumer, once, under its id." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      const outcome = yield* sink.push(to("a"))
      yield* same("the outcome", outcome._tag, "Taken")
      const received = yield* consumers.received
      yield* same(
        "who got what",
        received.map(({ consumer, id }) => [consumer, id]),
        [["a", "evt_1"]]
      )
    })
)

const unfinishedIsTaken = sinkLaw(
  "push/unfinished-answer-is-an-answer",
  {
    says: "A consumer that says that it takes an event has taken it, although the rest of its answer drips, never comes or breaks off; the connection is ended."
  },
  (sink, consumers, to) =>
    Effect.forEach(
      ["drips", "neverComes", "breaksOff"] as const,
      (rest) =>
        Effect.gen(function* () {
          yield* consumers.script(rest, { does: "takeUnfinished", rest })
          const outcome = yield* sink.push(to(rest))
          yield* same(`the outcome when the rest ${rest}`, outcome._tag, "Taken")
          yield* until(Effect.map(consumers.underWay, (count) => count === 0))
        }),
      { discard: true }
    )
)

const octetsAsGiven = sinkLaw(
  "push/octets-as-given",
  { says: "The body arrives octet by octet as it was signed." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      const texts = [
        '{"a":1}',
        '{ "a" : 1 }\n',
        '{"t":"Grüße 🎉 \\u0000"}',
        "\ufeff{}",
        `{"long":"${"x".repeat(100_000)}"}`
      ]
      const bodies = [...texts.map((text) => new TextEncoder().encode(text)), Uint8Array.of(0xff, 0x00, 0xc3, 0x28)]
      for (const [n, body] of bodies.entries()) yield* sink.push(to("a", { id: `evt_${n}`, body }))
      const received = yield* consumers.received
      yield* same(
        "the bodies",
        received.map(({ body }) => body),
        bodies
      )
    })
)

const headersArrive = sinkLaw(
  "push/headers-arrive",
  { says: "What stands beside the body arrives with it.", needs: { carriesHeaders: true } },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      const headers = { "webhook-id": "evt_9", "webhook-timestamp": "1", "webhook-signature": "v1,x v1,y" }
      yield* sink.push(to("a", { headers }))
      const [received] = yield* consumers.received
      const got = Object.fromEntries(Object.keys(headers).map((name) => [name, received?.headers[name]]))
      yield* same("the headers", got, headers)
    })
)

const refusalTold = sinkLaw(
  "push/refusal-is-told",
  { says: "A consumer that does not take an event is told as such: for now, after how long, or for good." },
  (sink, consumers, to) =>
    Effect.forEach(
      [
        { retryAfterSeconds: null, gone: false },
        { retryAfterSeconds: 30, gone: false },
        { retryAfterSeconds: null, gone: true }
      ],
      (answer) =>
        Effect.gen(function* () {
          yield* consumers.script("a", { does: "refuse", ...answer })
          const outcome = yield* sink.push(to("a"))
          yield* same("the outcome", outcome._tag, "Refused")
          if (outcome._tag === "Refused")
            yield* same("how", { retryAfterSeconds: outcome.retryAfterSeconds, gone: outcome.gone }, answer)
        }),
      { discard: true }
    )
)

const lostIsNoAnswer = sinkLaw(
  "push/lost-is-no-answer",
  { says: "A consumer that goes away without an answer fails as unavailable." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      yield* consumers.script("a", { does: "drop" })
      const failure = yield* Effect.flip(sink.push(to("a")))
      yield* same("the failure", failure._tag, "SinkUnavailable")
    })
)

const eachItsOwn = sinkLaw(
  "consumers/each-its-own-outcome",
  { says: "Of many pushes at once each gets the answer of its own consumer; one that hangs holds up no other." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      yield* consumers.script("hangs", { does: "hang" })
      yield* consumers.script("refuses", { does: "refuse", retryAfterSeconds: null, gone: false })
      yield* Effect.forkScoped(Effect.exit(sink.push(to("hangs"))), { startImmediately: true })
      const names = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? "takes" : "refuses"))
      const outcomes = yield* Effect.forEach(names, (name) => sink.push(to(name)), { concurrency: "unbounded" })
      yield* same(
        "the outcomes",
        outcomes.map(({ _tag }) => _tag),
        names.map((name) => (name === "takes" ? "Taken" : "Refused"))
      )
    })
)

const interruptible = sinkLaw(
  "deadline/interruptible",
  { says: "A consumer that never answers can be given up, its connection ends, and the next push goes well." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      yield* consumers.script("a", { does: "hang" })
      const under = yield* Effect.forkScoped(sink.push(to("a")), { startImmediately: true })
      yield* until(Effect.map(consumers.received, ({ length }) => length === 1))
      yield* Fiber.interrupt(under)
      yield* until(Effect.map(consumers.underWay, (count) => count === 0))
      yield* same("the next one", (yield* sink.push(to("b")))._tag, "Taken")
    })
)

const callerKeepsDeadline = sinkLaw(
  "deadline/is-the-callers",
  { says: "A silent consumer is waited for until the caller's deadline, and not a moment less." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      yield* consumers.script("a", { does: "hang" })
      yield* waitedOut(
        sink.push(to("a")),
        15 * secondMillis,
        Effect.map(consumers.received, ({ length }) => length === 1)
      )
    })
)

const contentKept = sinkLaw(
  "redaction/content-stays-inside",
  { says: "Neither a failure's words nor a log line nor a span tells a body or a signature." },
  (sink, consumers, to) =>
    Effect.gen(function* () {
      const push = to("a", {
        headers: { "webhook-signature": "v1,canary-signature" },
        body: new TextEncoder().encode('{"text":"canary-body"}')
      })
      const acts: ReadonlyArray<ConsumerAct> = [
        { does: "take" },
        { does: "drop" },
        { does: "refuse", retryAfterSeconds: null, gone: false }
      ]
      for (const act of acts) {
        yield* consumers.script("a", act)
        yield* keepsToItself(["canary-signature", "canary-body"], sink.push(push))
      }
    })
)

export const sinkLaws: LawBook<SinkSubject, EventSink | ConsumersUnderLaw> = {
  port: "event sink",
  capabilities: ["carriesHeaders"],
  laws: [
    takenMeansReceived,
    unfinishedIsTaken,
    octetsAsGiven,
    headersArrive,
    refusalTold,
    lostIsNoAnswer,
    eachItsOwn,
    interruptible,
    callerKeepsDeadline,
    contentKept
  ],
  open: openSink
}

/**
 * The laws of the transport.
 */
import type { HandOffOutcome, Transport } from "@mailkeep/core/adapter"
import { HandOffRevoked } from "@mailkeep/core/adapter"
import { minuteMillis } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { yieldSeveralTimes, until, waitsForDeadline } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { LawBook } from "../Law.ts"
import { leaksNone } from "../redaction.ts"
import type { Relay, RelayAct, RelayUnderLaw, TransportSubject } from "./TransportSubject.ts"
import { handOffTo, mailOf, openTransport, transportLaw } from "./TransportSubject.ts"

const ada = "ada@example.org"

const isPositive = ({ _tag }: HandOffOutcome) => _tag === "Accepted" || _tag === "Delivered"

const refusals: ReadonlyArray<Extract<RelayAct, { does: "refuse" }>> = [
  { does: "refuse", stage: "rcpt", code: 550, enhancedCode: "5.1.1", text: "No such user here" },
  { does: "refuse", stage: "rcpt", code: 451, enhancedCode: "4.2.0", text: "Greylisted, try again later" },
  { does: "refuse", stage: "finalizing", code: 554, enhancedCode: "5.6.0", text: "We do not take this content" },
  { does: "refuse", stage: "finalizing", code: 452, enhancedCode: "4.3.1", text: "Insufficient storage" }
]

const positiveMeansTaken = transportLaw(
  "outcome/positive-means-taken",
  { statement: "A positive outcome means that the relay has the message once for that recipient." },
  (transport, relay) =>
    Effect.gen(function* () {
      const outcome = yield* transport.handOff(handOffTo(ada))
      yield* holds("a positive outcome", isPositive(outcome), outcome)
      const { code } = outcome.reply
      yield* holds("a positive reply", code === null || (code >= 200 && code < 300), code)
      const taken = yield* relay.taken
      yield* same(
        "the messages at the relay",
        taken.map(({ recipient }) => recipient),
        [ada]
      )
    })
)

const arrivesAsGiven = transportLaw(
  "outcome/message-arrives-unchanged",
  {
    statement:
      "The relay has the message unchanged: Message-ID, sender, visible recipients, subject, other headers, bodies, and the sender of the envelope."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { message } = handOffTo(ada)
      const texts = ["Plain", "Grüße, İstanbul, 🎉", "a line\r\n.\r\nand another", "long ".repeat(500).trim()]
      const sent = texts.map((text, n) => ({
        ...message,
        messageId: `<m${n}@a.example>`,
        from: { name: n % 2 === 0 ? `Ada Ü, ${n}` : null, address: "ada@a.example" },
        replyTo: n % 2 === 0 ? "reply@a.example" : null,
        subject: `Nº ${n} – ü`,
        html: n % 2 === 0 ? `<p>${n} ü</p>` : null,
        text,
        headers: n % 2 === 0 ? { "List-Unsubscribe": `<https://a.example/${n}>`, "X-Order": `Nº ${n}` } : {}
      }))
      const envelope = { from: "bounce@a.example", to: ada }
      for (const [n, one] of sent.entries()) yield* transport.handOff(handOffTo(ada, { message: one, envelope }, n))
      const taken = yield* relay.taken
      const bodies = ({ html, text }: { readonly html: string | null; readonly text: string | null }) => ({
        html: html?.trimEnd() ?? null,
        text: text?.trimEnd() ?? null
      })
      yield* same(
        "the message at the relay",
        taken.map((mail) => ({ ...mail, ...bodies(mail) })),
        sent.map((message) => ({ ...mailOf({ envelope, message }), ...bodies(message) }))
      )
    })
)

const envelopeAlone = transportLaw(
  "recipients/the-envelopes-alone",
  {
    statement:
      "The message goes only to the recipient of the envelope, whomever its header names, and shows only the recipients that it names."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { message } = handOffTo(ada)
      const shown = { ...message, to: ["one@example.org", "two@example.org"], cc: ["three@example.org"] }
      yield* transport.handOff(handOffTo("hidden@example.org", { message: shown }))
      const taken = yield* relay.taken
      yield* same(
        "the recipient and the names in the header",
        taken.map(({ recipient, to, cc }) => ({ recipient, to, cc })),
        [{ recipient: "hidden@example.org", to: shown.to, cc: shown.cc }]
      )
    })
)

const confirmsNothing = transportLaw(
  "outcome/confirms-only-what-it-declares",
  {
    statement: "A transport that does not confirm delivery never answers that a message is delivered.",
    needs: { confirmsDelivery: false }
  },
  (transport) => Effect.flatMap(transport.handOff(handOffTo(ada)), ({ _tag }) => same("the outcome", _tag, "Accepted"))
)

const refusalKept = transportLaw(
  "outcome/refusal-keeps-the-reply",
  {
    statement:
      "A refusal contains the relay's stage, code, enhanced code and text, and the relay does not have the message."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      for (const [n, act] of refusals.entries()) {
        yield* relay.script(ada, act)
        const outcome = yield* transport.handOff(handOffTo(ada, {}, n))
        const { does: _, text, ...reply } = act
        yield* same("the outcome", outcome._tag, "Refused")
        const { text: words, ...rest } = outcome.reply
        yield* same("the reply", rest, reply)
        yield* holds("the text of the relay", words.includes(text), words)
      }
      yield* same("the messages at the relay", yield* relay.taken, [])
    })
)

const silenceIsNoAnswer = transportLaw(
  "outcome/silence-is-no-answer",
  {
    statement:
      "If the connection is lost before the answer, the hand-off fails as unavailable, before finalizing and while finalizing."
  },
  (transport, relay) =>
    Effect.forEach(
      [false, true],
      (whileFinalizing) =>
        Effect.gen(function* () {
          yield* relay.script(ada, { does: "drop", whileFinalizing })
          const failure = yield* failureOf("the hand-off", transport.handOff(handOffTo(ada)))
          yield* same("the failure", failure._tag, "TransportUnavailable")
        }),
      { discard: true }
    )
)

const eachItsOwn = transportLaw(
  "recipients/each-its-own-outcome",
  {
    statement:
      "Of many concurrent hand-offs, each gets the outcome of its own recipient. A hand-off that does not end delays no other."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const people = Array.from({ length: 12 }, (_, n) => `r${n}@example.org`)
      yield* Effect.forEach([...people.entries()], ([n, recipient]) =>
        n % 3 === 0 ? Effect.void : relay.script(recipient, refusals[n % 2]!)
      )
      yield* relay.script("hangs@example.org", { does: "hang", whileFinalizing: false })
      yield* Effect.forkScoped(Effect.exit(transport.handOff(handOffTo("hangs@example.org", {}, 99))))
      const outcomes = yield* Effect.forEach(
        [...people.entries()],
        ([n, recipient]) => transport.handOff(handOffTo(recipient, {}, n)),
        { concurrency: "unbounded" }
      )
      for (const [n, outcome] of outcomes.entries())
        yield* same(
          `the outcome of ${people[n]}`,
          isPositive(outcome) ? 250 : outcome.reply.code,
          n % 3 === 0 ? 250 : refusals[n % 2]!.code
        )
      const taken = yield* relay.taken
      yield* same(
        "the recipients of the messages at the relay",
        taken.map(({ recipient }) => recipient).toSorted(),
        people.filter((_, n) => n % 3 === 0).toSorted()
      )
    })
)

/** A `beforeFinalize` that records the number of messages at the relay each time it runs. */
const countingBeforeFinalize = (relay: { readonly taken: Effect.Effect<ReadonlyArray<unknown>, unknown> }) => {
  const counts: Array<number> = []
  const beforeFinalize = Effect.orDie(Effect.map(relay.taken, ({ length }) => void counts.push(length)))
  return { counts, beforeFinalize }
}

const finalizesOnce = transportLaw(
  "finalizing/marked-once-before-the-final-dot",
  {
    statement:
      "A transport that signals finalizing calls `beforeFinalize` exactly once, before the relay has the message.",
    needs: { signalsFinalize: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { counts, beforeFinalize } = countingBeforeFinalize(relay)
      yield* transport.handOff(handOffTo(ada, { beforeFinalize: beforeFinalize }))
      yield* same("the number of messages at the relay, at each call of beforeFinalize", counts, [0])
      yield* same("the number of messages at the relay", (yield* relay.taken).length, 1)
    })
)

const finalizesOnlyWhenAllowed = transportLaw(
  "finalizing/not-marked-without-a-message",
  {
    statement:
      "If the relay refuses the recipient or is lost before the message, the transport never calls `beforeFinalize`.",
    needs: { signalsFinalize: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { counts, beforeFinalize } = countingBeforeFinalize(relay)
      for (const act of [refusals[0]!, refusals[1]!, { does: "drop", whileFinalizing: false } as const]) {
        yield* relay.script(ada, act)
        yield* Effect.exit(transport.handOff(handOffTo(ada, { beforeFinalize: beforeFinalize })))
      }
      yield* same("the number of calls of beforeFinalize", counts.length, 0)
    })
)

const finalizesAfterRefusal = transportLaw(
  "finalizing/marked-before-a-refusal-of-the-message",
  {
    statement: "If the relay refuses the message after its final bytes, the transport called `beforeFinalize` before.",
    needs: { signalsFinalize: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { counts, beforeFinalize } = countingBeforeFinalize(relay)
      yield* relay.script(ada, refusals[2]!)
      yield* transport.handOff(handOffTo(ada, { beforeFinalize: beforeFinalize }))
      yield* same("the number of calls of beforeFinalize", counts.length, 1)
    })
)

const revokedSendsNothing = transportLaw(
  "finalizing/revoked-sends-nothing",
  {
    statement:
      "If `beforeFinalize` fails, the relay never has the message, and the hand-off fails with the same failure.",
    needs: { signalsFinalize: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      for (const why of ["lease_lost", "too_late", "suppressed", "not_recorded"] as const) {
        const beforeFinalize = Effect.fail(new HandOffRevoked({ why }))
        const failure = yield* failureOf("the hand-off", transport.handOff(handOffTo(ada, { beforeFinalize })))
        yield* same("the failure", { ...failure }, { ...new HandOffRevoked({ why }) })
      }
      yield* yieldSeveralTimes
      yield* same("the messages at the relay", yield* relay.taken, [])
      const next = yield* transport.handOff(handOffTo(ada))
      yield* holds("the next hand-off", isPositive(next), next)
    })
)

const none = (relay: Relay) => Effect.map(relay.underWay, (count) => count === 0)
const one = (relay: Relay) => Effect.map(relay.underWay, (count) => count === 1)

const interruptedSendsNothing = transportLaw(
  "deadline/interrupted-before-finalizing-sends-nothing",
  {
    statement:
      "If a hand-off is interrupted before its final bytes, it also ends at the relay, which never has the message."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", whileFinalizing: false })
      const { counts, beforeFinalize } = countingBeforeFinalize(relay)
      const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada, { beforeFinalize: beforeFinalize })), {
        startImmediately: true
      })
      yield* until(one(relay))
      yield* Fiber.interrupt(under)
      yield* until(none(relay))
      yield* yieldSeveralTimes
      yield* same("the number of calls of beforeFinalize", counts.length, 0)
      yield* same("the messages at the relay", yield* relay.taken, [])
    })
)

const interruptedWhileFinalizing = transportLaw(
  "deadline/interruptible-while-finalizing",
  {
    statement:
      "A hand-off can be interrupted if the relay has the message and never answers. Its connection ends, and the next hand-off succeeds."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", whileFinalizing: true })
      const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada)), { startImmediately: true })
      yield* until(Effect.map(relay.taken, ({ length }) => length === 1))
      yield* Fiber.interrupt(under)
      yield* until(none(relay))
      const next = yield* transport.handOff(handOffTo("bob@example.org", {}, 2))
      yield* holds("the next hand-off", isPositive(next), next)
    })
)

const callerKeepsDeadline = transportLaw(
  "deadline/is-the-callers",
  {
    statement: "The transport waits for a silent relay exactly until the caller's deadline, which ends the hand-off."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", whileFinalizing: true })
      yield* waitsForDeadline(
        transport.handOff(handOffTo(ada)),
        20 * minuteMillis,
        Effect.map(relay.taken, ({ length }) => length === 1)
      )
    })
)

const doubleDropped = transportLaw(
  "double/is-dropped",
  {
    statement:
      "If the transport declares idempotent hand-offs, a second hand-off of one Message-ID succeeds and the relay has the message once.",
    needs: { idempotentHandOff: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* transport.handOff(handOffTo(ada))
      const second = yield* transport.handOff(handOffTo(ada, { attempt: 2 }))
      yield* holds("the second hand-off", isPositive(second), second)
      yield* same("the number of messages at the relay", (yield* relay.taken).length, 1)
    })
)

const contentKept = transportLaw(
  "redaction/content-stays-inside",
  {
    statement: "No failure message, log line or span contains a subject, a text or an address of the message."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const secrets = ["canary-subject", "canary-text", "canary-html", "canary-name", "canary-person"]
      const recipient = "canary-person@example.org"
      const { message } = handOffTo(recipient)
      const handOff = handOffTo(recipient, {
        message: {
          ...message,
          subject: "canary-subject",
          text: "canary-text",
          html: "<p>canary-html</p>",
          from: { name: "canary-name", address: message.from.address }
        }
      })
      const acts: ReadonlyArray<RelayAct> = [
        { does: "take" },
        { does: "drop", whileFinalizing: false },
        { does: "drop", whileFinalizing: true },
        refusals[0]!
      ]
      for (const act of acts) {
        yield* relay.script(recipient, act)
        yield* leaksNone(secrets, transport.handOff(handOff))
      }
    })
)

/** The laws of `Transport`. */
export const transportLaws: LawBook<TransportSubject, Transport | RelayUnderLaw> = {
  port: "transport",
  capabilities: ["confirmsDelivery", "signalsFinalize", "idempotentHandOff", "maxMessageBytes", "smtpUtf8"],
  laws: [
    positiveMeansTaken,
    arrivesAsGiven,
    envelopeAlone,
    confirmsNothing,
    refusalKept,
    silenceIsNoAnswer,
    eachItsOwn,
    finalizesOnce,
    finalizesOnlyWhenAllowed,
    finalizesAfterRefusal,
    revokedSendsNothing,
    interruptedSendsNothing,
    interruptedWhileFinalizing,
    callerKeepsDeadline,
    doubleDropped,
    contentKept
  ],
  open: openTransport
}

/**
 * The laws of the transport.
 */
import type { HandOffOutcome, Transport } from "@mailkeep/core/port"
import { HandOffRevoked } from "@mailkeep/core/port"
import { minuteMillis } from "@mailkeep/core/domain"
import { Effect, Fiber } from "effect"
import { someTurns, until, waitedOut } from "../awaiting.ts"
import { holds, same } from "../expectation.ts"
import type { LawBook } from "../Law.ts"
import { keepsToItself } from "../telling.ts"
import type { Relay, RelayAct, RelayUnderLaw, TransportSubject } from "./TransportSubject.ts"
import { handOffTo, mailOf, openTransport, transportLaw } from "./TransportSubject.ts"

const ada = "ada@example.org"

const isPositive = ({ _tag }: HandOffOutcome) => _tag === "Accepted" || _tag === "Delivered"

const refusals: ReadonlyArray<Extract<RelayAct, { does: "refuse" }>> = [
  { does: "refuse", stage: "rcpt", code: 550, enhancedCode: "5.1.1", text: "No such user here" },
  { does: "refuse", stage: "rcpt", code: 451, enhancedCode: "4.2.0", text: "Greylisted, come back later" },
  { does: "refuse", stage: "dot", code: 554, enhancedCode: "5.6.0", text: "We do not take this content" },
  { does: "refuse", stage: "dot", code: 452, enhancedCode: "4.3.1", text: "No room" }
]

const positiveMeansTaken = transportLaw(
  "outcome/positive-means-taken",
  { says: "A positive outcome means that the relay has the message, once, for that recipient." },
  (transport, relay) =>
    Effect.gen(function* () {
      const outcome = yield* transport.handOff(handOffTo(ada))
      yield* holds("a positive outcome", isPositive(outcome), outcome)
      const { code } = outcome.reply
      yield* holds("a positive reply", code === null || (code >= 200 && code < 300), code)
      const taken = yield* relay.taken
      yield* same(
        "what the relay took",
        taken.map(({ recipient }) => recipient),
        [ada]
      )
    })
)

const arrivesAsGiven = transportLaw(
  "outcome/message-arrives-as-given",
  {
    says: "What the relay has is the message as it was given: its Message-ID, sender, recipients shown, subject, further fields and bodies, under the envelope's own sender."
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
        "what the relay has",
        taken.map((mail) => ({ ...mail, ...bodies(mail) })),
        sent.map((message) => ({ ...mailOf({ envelope, message }), ...bodies(message) }))
      )
    })
)

const envelopeAlone = transportLaw(
  "recipients/the-envelopes-alone",
  {
    says: "The message goes to the envelope's recipient and to nobody else, whomever its header names, and shows no one that it does not name."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { message } = handOffTo(ada)
      const shown = { ...message, to: ["one@example.org", "two@example.org"], cc: ["three@example.org"] }
      yield* transport.handOff(handOffTo("hidden@example.org", { message: shown }))
      const taken = yield* relay.taken
      yield* same(
        "who got it, and whom it names",
        taken.map(({ recipient, to, cc }) => ({ recipient, to, cc })),
        [{ recipient: "hidden@example.org", to: shown.to, cc: shown.cc }]
      )
    })
)

const confirmsNothing = transportLaw(
  "outcome/confirms-only-what-it-declares",
  {
    says: "A transport that does not confirm delivery never answers that a message is delivered.",
    needs: { confirmsDelivery: false }
  },
  (transport) => Effect.flatMap(transport.handOff(handOffTo(ada)), ({ _tag }) => same("the outcome", _tag, "Accepted"))
)

const refusalKept = transportLaw(
  "outcome/refusal-keeps-the-reply",
  { says: "A refusal comes back with the relay's stage, code, enhanced code and words, and the relay has nothing." },
  (transport, relay) =>
    Effect.gen(function* () {
      for (const [n, act] of refusals.entries()) {
        yield* relay.script(ada, act)
        const outcome = yield* transport.handOff(handOffTo(ada, {}, n))
        const { does: _, text, ...reply } = act
        yield* same("the outcome", outcome._tag, "Refused")
        const { text: words, ...rest } = outcome.reply
        yield* same("the reply", rest, reply)
        yield* holds("the relay's words", words.includes(text), words)
      }
      yield* same("what the relay took", yield* relay.taken, [])
    })
)

const silenceIsNoAnswer = transportLaw(
  "outcome/silence-is-no-answer",
  { says: "A connection that is lost before the answer fails as unavailable, before the final dot and after it." },
  (transport, relay) =>
    Effect.forEach(
      [false, true],
      (afterDot) =>
        Effect.gen(function* () {
          yield* relay.script(ada, { does: "drop", afterDot })
          const failure = yield* Effect.flip(transport.handOff(handOffTo(ada)))
          yield* same("the failure", failure._tag, "TransportUnavailable")
        }),
      { discard: true }
    )
)

const eachItsOwn = transportLaw(
  "recipients/each-its-own-outcome",
  { says: "Of many hand-offs at once each gets the outcome of its own recipient; one that hangs holds up no other." },
  (transport, relay) =>
    Effect.gen(function* () {
      const people = Array.from({ length: 12 }, (_, n) => `r${n}@example.org`)
      yield* Effect.forEach([...people.entries()], ([n, recipient]) =>
        n % 3 === 0 ? Effect.void : relay.script(recipient, refusals[n % 2]!)
      )
      yield* relay.script("hangs@example.org", { does: "hang", afterDot: false })
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
        "whose mail the relay took",
        taken.map(({ recipient }) => recipient).toSorted(),
        people.filter((_, n) => n % 3 === 0).toSorted()
      )
    })
)

/** A `beforeFinalDot` that notes how much the relay had each time it ran. */
const noting = (relay: { readonly taken: Effect.Effect<ReadonlyArray<unknown>, unknown> }) => {
  const seen: Array<number> = []
  const dot = Effect.orDie(Effect.map(relay.taken, ({ length }) => void seen.push(length)))
  return { seen, dot }
}

const dotMarkedOnce = transportLaw(
  "dot/marked-once-before-it-goes",
  {
    says: "A transport that marks the final dot does so exactly once, before the relay has the message.",
    needs: { marksFinalDot: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { seen, dot } = noting(relay)
      yield* transport.handOff(handOffTo(ada, { beforeFinalDot: dot }))
      yield* same("how much the relay had, each time it was marked", seen, [0])
      yield* same("how much it has", (yield* relay.taken).length, 1)
    })
)

const dotOnlyWhenItGoes = transportLaw(
  "dot/not-marked-without-a-message",
  {
    says: "Where the relay refuses the recipient, or is lost before the message, no final dot is marked.",
    needs: { marksFinalDot: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { seen, dot } = noting(relay)
      for (const act of [refusals[0]!, refusals[1]!, { does: "drop", afterDot: false } as const]) {
        yield* relay.script(ada, act)
        yield* Effect.exit(transport.handOff(handOffTo(ada, { beforeFinalDot: dot })))
      }
      yield* same("how often it was marked", seen.length, 0)
    })
)

const dotAfterDotRefusal = transportLaw(
  "dot/marked-before-a-refusal-of-the-message",
  {
    says: "Where the relay refuses the message after its final dot, the dot was marked before.",
    needs: { marksFinalDot: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      const { seen, dot } = noting(relay)
      yield* relay.script(ada, refusals[2]!)
      yield* transport.handOff(handOffTo(ada, { beforeFinalDot: dot }))
      yield* same("how often it was marked", seen.length, 1)
    })
)

const revokedSendsNothing = transportLaw(
  "dot/revoked-sends-nothing",
  {
    says: "When marking the final dot fails, the relay never has the message, and the failure is passed on.",
    needs: { marksFinalDot: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      for (const why of ["lease_lost", "suppressed", "not_recorded"] as const) {
        const beforeFinalDot = Effect.fail(new HandOffRevoked({ why }))
        const failure = yield* Effect.flip(transport.handOff(handOffTo(ada, { beforeFinalDot })))
        yield* same("the failure", { ...failure }, { ...new HandOffRevoked({ why }) })
      }
      yield* someTurns
      yield* same("what the relay took", yield* relay.taken, [])
      const next = yield* transport.handOff(handOffTo(ada))
      yield* holds("the next hand-off goes well", isPositive(next), next)
    })
)

const none = (relay: Relay) => Effect.map(relay.underWay, (count) => count === 0)
const one = (relay: Relay) => Effect.map(relay.underWay, (count) => count === 1)

const interruptedSendsNothing = transportLaw(
  "deadline/interrupted-before-the-dot-sends-nothing",
  {
    says: "A hand-off that is interrupted before the final dot is ended at the relay too, which never has the message."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", afterDot: false })
      const { seen, dot } = noting(relay)
      const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada, { beforeFinalDot: dot })), {
        startImmediately: true
      })
      yield* until(one(relay))
      yield* Fiber.interrupt(under)
      yield* until(none(relay))
      yield* someTurns
      yield* same("how often the dot was marked", seen.length, 0)
      yield* same("what the relay took", yield* relay.taken, [])
    })
)

const interruptedAfterDot = transportLaw(
  "deadline/interruptible-after-the-dot",
  {
    says: "A relay that has the message and never answers can be given up, its connection ends, and the next hand-off goes well."
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", afterDot: true })
      const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada)), { startImmediately: true })
      yield* until(Effect.map(relay.taken, ({ length }) => length === 1))
      yield* Fiber.interrupt(under)
      yield* until(none(relay))
      const next = yield* transport.handOff(handOffTo("bob@example.org", {}, 2))
      yield* holds("the next hand-off goes well", isPositive(next), next)
    })
)

const callerKeepsDeadline = transportLaw(
  "deadline/is-the-callers",
  { says: "A silent relay is waited for until the caller's deadline, which ends the hand-off, and not a moment less." },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* relay.script(ada, { does: "hang", afterDot: true })
      yield* waitedOut(
        transport.handOff(handOffTo(ada)),
        20 * minuteMillis,
        Effect.map(relay.taken, ({ length }) => length === 1)
      )
    })
)

const doubleDropped = transportLaw(
  "double/is-dropped",
  {
    says: "Where doubles are dropped, a second hand-off of one Message-ID goes well and the message is there once.",
    needs: { idempotentHandoff: true }
  },
  (transport, relay) =>
    Effect.gen(function* () {
      yield* transport.handOff(handOffTo(ada))
      const second = yield* transport.handOff(handOffTo(ada, { attempt: 2 }))
      yield* holds("the second hand-off goes well", isPositive(second), second)
      yield* same("how much the relay has", (yield* relay.taken).length, 1)
    })
)

const contentKept = transportLaw(
  "redaction/content-stays-inside",
  { says: "Neither a failure's words nor a log line nor a span tells a subject, a text or an address of the message." },
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
        { does: "drop", afterDot: false },
        { does: "drop", afterDot: true },
        refusals[0]!
      ]
      for (const act of acts) {
        yield* relay.script(recipient, act)
        yield* keepsToItself(secrets, transport.handOff(handOff))
      }
    })
)

export const transportLaws: LawBook<TransportSubject, Transport | RelayUnderLaw> = {
  port: "transport",
  capabilities: ["confirmsDelivery", "marksFinalDot", "idempotentHandoff", "maxMessageBytes", "smtpUtf8"],
  laws: [
    positiveMeansTaken,
    arrivesAsGiven,
    envelopeAlone,
    confirmsNothing,
    refusalKept,
    silenceIsNoAnswer,
    eachItsOwn,
    dotMarkedOnce,
    dotOnlyWhenItGoes,
    dotAfterDotRefusal,
    revokedSendsNothing,
    interruptedSendsNothing,
    interruptedAfterDot,
    callerKeepsDeadline,
    doubleDropped,
    contentKept
  ],
  open: openTransport
}

/**
 * Laws of the outcome of a hand-off: it agrees with what the relay has and answers.
 */
import type { HandOffOutcome } from "@mailkeep/core/adapter"
import { dayMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { until } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { Relay, RelayAct, TransportLaw } from "./TransportSubject.ts"
import { handOffTo, mailOf, transportLaw } from "./TransportSubject.ts"

export const ada = "ada@example.org"

/** Whether as many hand-offs are under way at the relay. */
export const hasUnderWay = (relay: Relay, expected: number) => Effect.map(relay.underWay, (count) => count === expected)

/** What a law expects of an outcome, in words. */
export const positive = "Accepted or Delivered"

export const isPositive = ({ _tag }: HandOffOutcome) => _tag === "Accepted" || _tag === "Delivered"

export const refusals: ReadonlyArray<Extract<RelayAct, { does: "refuse" }>> = [
  { does: "refuse", stage: "rcpt", smtpCode: 550, enhancedCode: "5.1.1", text: "No such user here" },
  { does: "refuse", stage: "rcpt", smtpCode: 451, enhancedCode: "4.2.0", text: "Greylisted, try again later" },
  { does: "refuse", stage: "endOfData", smtpCode: 554, enhancedCode: "5.6.0", text: "We do not take this content" },
  { does: "refuse", stage: "endOfData", smtpCode: 452, enhancedCode: "4.3.1", text: "Insufficient storage" },
  { does: "refuse", stage: "rcpt", smtpCode: 421, enhancedCode: "4.7.0", text: "Too much mail, slow down" }
]

const positiveMeansAccepted = transportLaw(
  "outcome/positive-means-accepted",
  "A positive outcome means that the relay has the message once for that recipient.",
  function* (transport, relay) {
    const outcome = yield* transport.handOff(handOffTo(ada))
    yield* holds("the outcome", positive, isPositive(outcome), outcome)
    const { smtpCode: code } = outcome.reply
    yield* holds(
      "the code of a positive reply",
      "null or 200 to 299",
      code === null || (code >= 200 && code < 300),
      code
    )
    const accepted = yield* relay.accepted
    yield* same(
      "the messages at the relay",
      accepted.map(({ recipient }) => recipient),
      [ada]
    )
  }
)

const arrivesAsGiven = transportLaw(
  "outcome/message-arrives-unchanged",
  "The relay has the message unchanged: Message-ID, date, sender, visible recipients, subject, other headers, bodies, and the sender of the envelope.",
  function* (transport, relay) {
    const { message } = handOffTo(ada)
    const texts = ["Plain", "Grüße, İstanbul, 🎉", "a line\r\n.\r\nand another", "long ".repeat(500).trim()]
    const sent = texts.map((text, n) => ({
      ...message,
      messageIdHeader: `<m${n}@a.example>`,
      date: message.date - n * dayMillis,
      from: { name: n % 2 === 0 ? `Ada Ü, ${n}` : null, address: "ada@a.example" },
      replyTo: n % 2 === 0 ? "reply@a.example" : null,
      subject: `Nº ${n} – ü`,
      html: n % 2 === 0 ? `<p>${n} ü</p>` : null,
      text,
      headers: n % 2 === 0 ? { "List-Unsubscribe": `<https://a.example/${n}>`, "X-Order": `Nº ${n}` } : {}
    }))
    const envelope = { from: "bounce@a.example", to: ada }
    for (const [n, one] of sent.entries()) yield* transport.handOff(handOffTo(ada, { message: one, envelope }, n))
    const accepted = yield* relay.accepted
    const bodies = ({ html, text }: { readonly html: string | null; readonly text: string | null }) => ({
      html: html?.trimEnd() ?? null,
      text: text?.trimEnd() ?? null
    })
    yield* same(
      "the message at the relay",
      accepted.map((mail) => ({ ...mail, ...bodies(mail) })),
      sent.map((message) => ({ ...mailOf({ envelope, message }), ...bodies(message) }))
    )
  }
)

const envelopeAlone = transportLaw(
  "recipients/the-envelopes-alone",
  "The message goes only to the recipient of the envelope, whomever its header names, and shows only the recipients that it names.",
  function* (transport, relay) {
    const { message } = handOffTo(ada)
    const shown = { ...message, to: ["one@example.org", "two@example.org"], cc: ["three@example.org"] }
    yield* transport.handOff(handOffTo("hidden@example.org", { message: shown }))
    const accepted = yield* relay.accepted
    yield* same(
      "the recipient and the names in the header",
      accepted.map(({ recipient, to, cc }) => ({ recipient, to, cc })),
      [{ recipient: "hidden@example.org", to: shown.to, cc: shown.cc }]
    )
  }
)

const confirmsNothing = transportLaw(
  "outcome/confirms-only-what-it-declares",
  {
    statement: "A transport that does not confirm delivery never answers that a message is delivered.",
    needs: { confirmsDelivery: false }
  },
  function* (transport) {
    yield* Effect.flatMap(transport.handOff(handOffTo(ada)), ({ _tag }) => same("the outcome", _tag, "Accepted"))
  }
)

const refusalKept = transportLaw(
  "outcome/refusal-keeps-the-reply",
  "A refusal contains the relay's stage, code, enhanced code and text, and the relay does not have the message.",
  function* (transport, relay) {
    for (const [n, act] of refusals.entries()) {
      yield* relay.script(ada, act)
      const outcome = yield* transport.handOff(handOffTo(ada, {}, n))
      const { does: _, text, ...codes } = act
      yield* same("the outcome", outcome._tag, "Refused")
      const { text: words, ...rest } = outcome.reply
      // A 421 means the same at every stage, and one reply can end several commands (RFC 5321 §3.8).
      const reply = act.smtpCode === 421 ? { ...codes, stage: rest.stage } : codes
      yield* same("the reply", rest, reply)
      yield* holds("the text of the relay", `a text with "${text}"`, words.includes(text), words)
    }
    yield* same("the messages at the relay", yield* relay.accepted, [])
  }
)

const silenceIsNoAnswer = transportLaw(
  "outcome/silence-is-no-answer",
  "If the connection is lost before the answer, the hand-off fails as unavailable, before finalizing and while finalizing. It does not hand over again, or say that the relay certainly has no message that the relay has.",
  function* (transport, relay) {
    for (const whileFinalizing of [false, true]) {
      yield* relay.script(ada, { does: "drop", whileFinalizing })
      const failure = yield* failureOf("the hand-off", transport.handOff(handOffTo(ada)))
      yield* same("the failure", failure._tag, "TransportUnavailable")
      const { length } = yield* relay.accepted
      yield* holds("the number of messages at the relay after one hand-off", "at most 1", length <= 1, length)
      const isDenied = failure._tag === "TransportUnavailable" && failure.certainlyNotAccepted === true
      if (length > 0) yield* same("certainlyNotAccepted of a message that the relay has", isDenied, false)
    }
  }
)

const attemptsAreNew = transportLaw(
  "outcome/each-attempt-is-new",
  "A further hand-off of a delivery that was refused, or whose connection was lost before the message, gives the message to the relay and has its new answer.",
  function* (transport, relay) {
    for (const [n, act] of [...refusals, { does: "drop", whileFinalizing: false } as const].entries()) {
      yield* relay.script(ada, act)
      yield* Effect.exit(transport.handOff(handOffTo(ada, {}, n)))
      yield* relay.script(ada, { does: "accept" })
      const outcome = yield* transport.handOff(handOffTo(ada, { attempt: 2 }, n))
      yield* holds("the outcome of the second attempt", positive, isPositive(outcome), outcome)
      yield* same("the number of messages at the relay", (yield* relay.accepted).length, n + 1)
    }
  }
)

const eachItsOwn = transportLaw(
  "recipients/each-its-own-outcome",
  "Of many concurrent hand-offs, as many as the transport takes at once, each gets the outcome of its own recipient. A hand-off that does not end delays no other.",
  function* (transport, relay) {
    const { handOffsAtOnceMax: atOnceMax } = transport.capabilities
    const people = Array.from({ length: 12 }, (_, n) => `r${n}@example.org`)
    yield* Effect.forEach([...people.entries()], ([n, recipient]) =>
      n % 3 === 0 ? Effect.void : relay.script(recipient, refusals[n % 2]!)
    )
    if (atOnceMax !== 1) {
      yield* relay.script("hangs@example.org", { does: "hang", whileFinalizing: false })
      const hanging = transport.handOff(handOffTo("hangs@example.org", {}, 99))
      yield* Effect.forkScoped(Effect.exit(hanging), { startImmediately: true })
      yield* until("the first hand-off was under way at the relay", hasUnderWay(relay, 1))
    }
    const outcomes = yield* Effect.forEach(
      [...people.entries()],
      ([n, recipient]) => transport.handOff(handOffTo(recipient, {}, n)),
      { concurrency: atOnceMax === undefined ? "unbounded" : Math.max(1, atOnceMax - 1) }
    )
    for (const [n, outcome] of outcomes.entries())
      yield* same(
        `the outcome of ${people[n]}`,
        isPositive(outcome) ? 250 : outcome.reply.smtpCode,
        n % 3 === 0 ? 250 : refusals[n % 2]!.smtpCode
      )
    const accepted = yield* relay.accepted
    yield* same(
      "the recipients of the messages at the relay",
      accepted.map(({ recipient }) => recipient).toSorted(),
      people.filter((_, n) => n % 3 === 0).toSorted()
    )
  }
)

const doubleDropped = transportLaw(
  "double/is-dropped",
  {
    statement:
      "If the transport declares idempotent hand-offs, a second hand-off of one Message-ID to one recipient succeeds and the relay has the message once, also when the first answer was lost. A copy for another recipient is not dropped.",
    needs: { idempotentHandOff: true }
  },
  function* (transport, relay) {
    yield* transport.handOff(handOffTo(ada))
    const second = yield* transport.handOff(handOffTo(ada, { attempt: 2 }))
    yield* holds("the second hand-off", positive, isPositive(second), second)
    yield* same("the number of messages at the relay", (yield* relay.accepted).length, 1)
    const { message } = handOffTo(ada)
    yield* transport.handOff(handOffTo("bob@example.org", { message }, 2))
    yield* same("the number of messages after a copy for another recipient", (yield* relay.accepted).length, 2)
    yield* relay.script(ada, { does: "drop", whileFinalizing: true })
    yield* failureOf("the hand-off whose answer is lost", transport.handOff(handOffTo(ada, {}, 3)))
    yield* relay.script(ada, { does: "accept" })
    const third = yield* transport.handOff(handOffTo(ada, { attempt: 2 }, 3))
    yield* holds("the hand-off after a lost answer", positive, isPositive(third), third)
    yield* same("the number of messages after a lost answer", (yield* relay.accepted).length, 3)
  }
)

export const outcomeLaws: ReadonlyArray<TransportLaw> = [
  positiveMeansAccepted,
  arrivesAsGiven,
  envelopeAlone,
  confirmsNothing,
  refusalKept,
  silenceIsNoAnswer,
  attemptsAreNew,
  eachItsOwn,
  doubleDropped
]

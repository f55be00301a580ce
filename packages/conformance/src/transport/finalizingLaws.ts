/**
 * Laws of the end of data of a hand-off: it is signaled, can be refused, and can be interrupted.
 */
import { HandOffRevoked, minuteMillis } from "@mailkeep/core/adapter"
import { Effect, Fiber } from "effect"
import { until, waitsForDeadline, yieldSeveralTimes } from "../awaiting.ts"
import { failureOf, holds, same } from "../expectation.ts"
import type { Relay, TransportLaw } from "./TransportSubject.ts"
import { handOffTo, transportLaw } from "./TransportSubject.ts"
import { ada, hasUnderWay, isPositive, positive, refusals } from "./outcomeLaws.ts"

/** A `beforeFinalize` that records the number of messages at the relay each time it runs. */
const countingBeforeFinalize = (relay: Relay) => {
  const counts: Array<number> = []
  const beforeFinalize = Effect.orDie(Effect.map(relay.accepted, ({ length }) => void counts.push(length)))
  return { counts, beforeFinalize }
}

const finalizesOnce = transportLaw(
  "finalizing/marked-once-before-the-final-dot",
  {
    statement:
      "A transport that signals finalizing calls `beforeFinalize` exactly once, before the relay has the message.",
    needs: { signalsFinalize: true }
  },
  function* (transport, relay) {
    const { counts, beforeFinalize } = countingBeforeFinalize(relay)
    yield* transport.handOff(handOffTo(ada, { beforeFinalize }))
    yield* same("the number of messages at the relay, at each call of beforeFinalize", counts, [0])
    yield* same("the number of messages at the relay", (yield* relay.accepted).length, 1)
  }
)

const finalizesOnlyWhenAllowed = transportLaw(
  "finalizing/not-marked-without-a-message",
  {
    statement:
      "If the relay refuses the recipient or is lost before the message, the transport never calls `beforeFinalize`.",
    needs: { signalsFinalize: true }
  },
  function* (transport, relay) {
    const { counts, beforeFinalize } = countingBeforeFinalize(relay)
    for (const act of [refusals[0]!, refusals[1]!, { does: "drop", whileFinalizing: false } as const]) {
      yield* relay.script(ada, act)
      yield* Effect.exit(transport.handOff(handOffTo(ada, { beforeFinalize })))
    }
    yield* same("the number of calls of beforeFinalize", counts.length, 0)
  }
)

const finalizesAfterRefusal = transportLaw(
  "finalizing/marked-before-a-refusal-of-the-message",
  {
    statement: "If the relay refuses the message after its end of data, the transport called `beforeFinalize` before.",
    needs: { signalsFinalize: true }
  },
  function* (transport, relay) {
    const { counts, beforeFinalize } = countingBeforeFinalize(relay)
    yield* relay.script(ada, refusals[2]!)
    yield* transport.handOff(handOffTo(ada, { beforeFinalize }))
    yield* same("the number of calls of beforeFinalize", counts.length, 1)
  }
)

const revokedSendsNothing = transportLaw(
  "finalizing/revoked-sends-nothing",
  {
    statement:
      "If `beforeFinalize` fails, the relay never has the message, and the hand-off fails with the same failure.",
    needs: { signalsFinalize: true }
  },
  function* (transport, relay) {
    for (const why of [
      "lease_lost",
      "too_late",
      "suppressed",
      "not_stored",
      "store_unavailable",
      "repeated"
    ] as const) {
      const beforeFinalize = Effect.fail(new HandOffRevoked({ why }))
      const failure = yield* failureOf("the hand-off", transport.handOff(handOffTo(ada, { beforeFinalize })))
      yield* same("the failure", { ...failure }, { ...new HandOffRevoked({ why }) })
    }
    yield* yieldSeveralTimes
    yield* same("the messages at the relay", yield* relay.accepted, [])
    const next = yield* transport.handOff(handOffTo(ada))
    yield* holds("the next hand-off", positive, isPositive(next), next)
  }
)

const endedAtRelay = "the interrupted hand-off ended at the relay (underWay: 0)"

const interruptedSendsNothing = transportLaw(
  "deadline/interrupted-before-finalizing-sends-nothing",
  "If a hand-off is interrupted before its end of data, it also ends at the relay, which never has the message.",
  function* (transport, relay) {
    yield* relay.script(ada, { does: "hang", whileFinalizing: false })
    const { counts, beforeFinalize } = countingBeforeFinalize(relay)
    const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada, { beforeFinalize })), {
      startImmediately: true
    })
    yield* until("the hand-off was under way at the relay", hasUnderWay(relay, 1))
    yield* Fiber.interrupt(under)
    yield* until(endedAtRelay, hasUnderWay(relay, 0))
    yield* yieldSeveralTimes
    yield* same("the number of calls of beforeFinalize", counts.length, 0)
    yield* same("the messages at the relay", yield* relay.accepted, [])
  }
)

const interruptedWhileFinalizing = transportLaw(
  "deadline/interruptible-while-finalizing",
  "A hand-off can be interrupted if the relay has the message and never answers. Its connection ends, and the next hand-off succeeds.",
  function* (transport, relay) {
    yield* relay.script(ada, { does: "hang", whileFinalizing: true })
    const under = yield* Effect.forkScoped(transport.handOff(handOffTo(ada)), { startImmediately: true })
    yield* until(
      "the relay had the message",
      Effect.map(relay.accepted, ({ length }) => length === 1)
    )
    yield* Fiber.interrupt(under)
    yield* until(endedAtRelay, hasUnderWay(relay, 0))
    const next = yield* transport.handOff(handOffTo("bob@example.org", {}, 2))
    yield* holds("the next hand-off", positive, isPositive(next), next)
  }
)

const callerKeepsDeadline = transportLaw(
  "deadline/is-the-callers",
  "The transport waits for a silent relay exactly until the caller's deadline, which ends the hand-off.",
  function* (transport, relay) {
    yield* relay.script(ada, { does: "hang", whileFinalizing: true })
    yield* waitsForDeadline(
      transport.handOff(handOffTo(ada)),
      20 * minuteMillis,
      Effect.map(relay.accepted, ({ length }) => length === 1)
    )
  }
)

export const finalizingLaws: ReadonlyArray<TransportLaw> = [
  finalizesOnce,
  finalizesOnlyWhenAllowed,
  finalizesAfterRefusal,
  revokedSendsNothing,
  interruptedSendsNothing,
  interruptedWhileFinalizing,
  callerKeepsDeadline
]

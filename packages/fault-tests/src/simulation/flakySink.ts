/**
 * A simulated webhook that accepts, refuses, loses or delays events, or throws, at random from the seed. It records what it receives.
 */
import type { EventSinkShape, SinkOutcome } from "@mailkeep/core/adapter"
import { SinkUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"

const outcomeOf = (status: number): SinkOutcome =>
  status < 300
    ? { _tag: "Accepted", status }
    : { _tag: "Refused", status, retryAfterSeconds: status === 503 ? 30 : null, wantsNoMoreEvents: false }

export const flakySink = (random: () => number, isFlaky: () => boolean, received: Set<string>): EventSinkShape => {
  const wait = Effect.suspend(() => (random() < 0.5 ? Effect.yieldNow : Effect.sleep(Math.ceil(random() * 5000))))
  const receive = (id: string) => Effect.sync(() => (received.add(id), outcomeOf(204)))
  const lost = Effect.fail(new SinkUnavailable({ reason: "connection_lost" }))
  const play = (id: string): Effect.Effect<SinkOutcome, SinkUnavailable> => {
    const chance = random() * 100
    if (chance < 60) return receive(id)
    if (chance < 75) return Effect.succeed(outcomeOf(chance < 67 ? 500 : 503))
    if (chance < 83) return Effect.andThen(receive(id), lost)
    if (chance < 92) return lost
    return chance < 97 ? Effect.never : Effect.die(new TypeError("a defect in the sink"))
  }
  return {
    capabilities: { carriesHeaders: true },
    send: ({ id }) => Effect.suspend(() => (isFlaky() ? Effect.andThen(wait, play(id)) : receive(id)))
  }
}

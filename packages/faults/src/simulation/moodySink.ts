/**
 * A webhook that takes, refuses, loses, hangs and throws, as the seed has it; and knows what it took.
 */
import type { EventSinkShape, PushOutcome } from "@mailkeep/core"
import { SinkUnavailable } from "@mailkeep/core"
import { Effect } from "effect"

const outcomeOf = (status: number): PushOutcome =>
  status < 300
    ? { _tag: "Taken", status }
    : { _tag: "Refused", status, retryAfterSeconds: status === 503 ? 30 : null, gone: false }

export const moodySink = (random: () => number, isMoody: () => boolean, taken: Set<string>): EventSinkShape => {
  const wait = Effect.suspend(() => (random() < 0.5 ? Effect.yieldNow : Effect.sleep(Math.ceil(random() * 5000))))
  const take = (id: string) => Effect.sync(() => (taken.add(id), outcomeOf(204)))
  const lost = Effect.fail(new SinkUnavailable({ reason: "connection_lost" }))
  const play = (id: string): Effect.Effect<PushOutcome, SinkUnavailable> => {
    const luck = random() * 100
    if (luck < 60) return take(id)
    if (luck < 75) return Effect.succeed(outcomeOf(luck < 67 ? 500 : 503))
    if (luck < 83) return Effect.andThen(take(id), lost)
    if (luck < 92) return lost
    return luck < 97 ? Effect.never : Effect.die(new TypeError("a mistake in the sink"))
  }
  return {
    capabilities: { carriesHeaders: true },
    push: ({ id }) => Effect.suspend(() => (isMoody() ? Effect.andThen(wait, play(id)) : take(id)))
  }
}

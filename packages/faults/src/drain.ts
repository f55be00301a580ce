/**
 * After a crash: a core that finds the file as it is, and works off everything, with a clock that jumps to whatever is due next.
 */
import type { SendBody, SendResult } from "@mailkeep/core"
import { Dispatcher, Domains, MailStore } from "@mailkeep/core"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { embeddedMail, project, send } from "./embeddedMail.ts"
import { fairWeather } from "./RecordingTransport.ts"

const turnsMax = 2000

/** Ticks and jumps until nothing waits; fails when that does not come. */
const workOff = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  const store = yield* MailStore
  for (let turn = 0; turn < turnsMax; turn++) {
    yield* dispatcher.tick
    const { scheduled, queued, sending } = yield* dispatcher.health
    if (scheduled + queued + sending === 0) return yield* Clock.currentTimeMillis
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: "", now }])
    yield* TestClock.setTime(Math.max(now + 1, next ?? now))
  }
  const stuck = yield* dispatcher.health
  return yield* Effect.fail(new Error(`Stuck after ${turnsMax} turns: ${JSON.stringify(stuck)}`))
})

/**
 * Sends again what nobody was answered about, then works everything off, from `now` on. Gives the clock's reading at the end.
 */
export const drain = (
  folder: string,
  now: number,
  again: ReadonlyArray<{ readonly key: string; readonly body: SendBody }> = [],
  isAsTold: (key: string, result: SendResult) => boolean = () => true
): Promise<number> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    yield* Effect.ignore((yield* Domains).add(project, { domain: "example.com", verified: true }))
    // What was scheduled for a time that has passed meanwhile is refused as such, if it was not accepted.
    for (const { key, body } of again) {
      const answer = yield* Effect.catchTag(send(key, body), "InvalidArgument", () => Effect.succeed(undefined))
      if (answer !== undefined && !isAsTold(key, answer.result))
        return yield* Effect.fail(new Error(`${key} was answered otherwise than before`))
    }
    return yield* workOff
  }).pipe(
    Effect.provide(embeddedMail(folder, fairWeather).pipe(Layer.provideMerge(TestClock.layer()))),
    Effect.scoped,
    Effect.runPromise
  )

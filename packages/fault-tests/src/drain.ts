/**
 * Recovers after a crash: opens the store with a new core and processes every delivery. Its clock jumps to the next due time.
 */
import type { SendInput, SendResult, Transport } from "@mailkeep/core"
import { Dispatcher, Domains, MailStore } from "@mailkeep/core"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { StoreLayer } from "./embeddedMail.ts"
import { embeddedMailOver, fileStore, filesIn, project, send } from "./embeddedMail.ts"
import { noRelayFaults, recordingTransport } from "./RecordingTransport.ts"

const roundsMax = 2000

/** Ticks and moves the clock until no delivery waits. Fails after too many rounds. */
const processAll = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  const store = yield* MailStore
  for (let round = 0; round < roundsMax; round++) {
    yield* dispatcher.tick
    const { scheduled, queued, sending } = yield* dispatcher.health
    if (scheduled + queued + sending === 0) return yield* Clock.currentTimeMillis
    const now = yield* Clock.currentTimeMillis
    const [next] = yield* store.read([{ _tag: "NextDue", worker: "", now }])
    yield* TestClock.setTime(Math.max(now + 1, next ?? now))
  }
  const health = yield* dispatcher.health
  return yield* Effect.fail(new Error(`Deliveries still wait after ${roundsMax} rounds: ${JSON.stringify(health)}`))
})

/**
 * Repeats the given sends, then processes every delivery. The clock starts at `now`. Returns the time at the end.
 * Fails when `isSameAnswer` returns false for the answer to a repeated send.
 */
export const drain = (
  folder: string,
  now: number,
  repeatedSends: ReadonlyArray<{ readonly key: string; readonly body: SendInput }> = [],
  isSameAnswer: (key: string, result: SendResult) => boolean = () => true,
  transport: Layer.Layer<Transport> = recordingTransport(filesIn(folder).received, noRelayFaults),
  store: StoreLayer = fileStore(folder)
): Promise<number> =>
  Effect.gen(function* () {
    yield* TestClock.setTime(now)
    yield* Effect.ignore((yield* Domains).create(project, { domain: "example.com", verified: true }))
    // A send that was never accepted is refused if its scheduled time has passed.
    for (const { key, body } of repeatedSends) {
      const result = yield* Effect.catchTag(send(key, body), "InvalidArgument", () => Effect.succeed(undefined))
      if (result !== undefined && !isSameAnswer(key, result))
        return yield* Effect.fail(new Error(`The answer to ${key} differs from the first answer`))
    }
    return yield* processAll
  }).pipe(
    Effect.provide(embeddedMailOver(folder, transport, {}, store).pipe(Layer.provideMerge(TestClock.layer()))),
    Effect.scoped,
    Effect.runPromise
  )

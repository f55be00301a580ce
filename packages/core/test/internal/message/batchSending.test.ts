/**
 * The order in which messages of batches are sent while many wait. Source: decision 0048.
 */
import { Effect, Fiber, Latch } from "effect"
import { expect, it } from "vitest"
import type { SendResult } from "../../../src/index.ts"
import type { Principal } from "../../../src/domain/access/ApiKey.ts"
import type { ValidSendOptions } from "../../../src/domain/message/SendOptions.ts"
import { makeBatchSending } from "../../../src/internal/message/batchSending.ts"

const options = { idempotencyKey: null, shownRecipients: null } as ValidSendOptions
const small = { text: "Hello" }
const large = { text: "x".repeat(12 * 1024 * 1024) }

/** A core that accepts each message when the test lets it end, and the messages that have started. */
const makeBatches = () => {
  const started: Array<unknown> = []
  const ends: Array<Latch.Latch> = []
  const sendAll = makeBatchSending({
    withFiles: (_, input) => Effect.succeed(input),
    accept: (_, input) => {
      const end = Latch.makeUnsafe(false)
      started.push(input)
      ends.push(end)
      return Effect.as(end.await, {} as SendResult)
    }
  })
  return {
    started,
    end: (index: number) => Effect.andThen(ends[index]!.open, Effect.yieldNow),
    send: (messages: ReadonlyArray<unknown>) =>
      Effect.tap(Effect.forkChild(sendAll({} as Principal, messages, options)), Effect.yieldNow)
  }
}

it("sends a large message of a batch although small ones of other batches keep arriving", () =>
  Effect.gen(function* () {
    const { started, send, end } = makeBatches()
    yield* send(Array.from({ length: 100 }, () => small))
    yield* send([large])
    for (let ended = 0; ended < 300; ended++) {
      yield* send([small])
      yield* end(ended)
    }
    expect(started).toContain(large)
  }).pipe(Effect.runPromise))

it("sends small messages after a large one that waits is interrupted", () =>
  Effect.gen(function* () {
    const { started, send } = makeBatches()
    yield* send(Array.from({ length: 60 }, () => small))
    const waiting = yield* send([large])
    yield* send([small])
    expect(started).toHaveLength(60)
    yield* Fiber.interrupt(waiting)
    yield* Effect.yieldNow
    expect(started).toHaveLength(61)
  }).pipe(Effect.runPromise))

/**
 * A transport that runs `beforeFinalize` twice in one hand-off, as one that tries a second relay after the first one did not answer.
 */
import { StubTransport } from "@mailkeep/smtp"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { delivery, detail, sendOne, stores, tickWith, withTestMail } from "@mailkeep/test-support"
import type { HandOff, HandOffRevoked } from "../../../src/port/Transport.ts"
import { TransportUnavailable } from "../../../src/port/Transport.ts"

/** The first relay gets the message and does not answer. */
const tryingTwoRelays = (copies: Array<string>, revocations: Array<HandOffRevoked["why"]> = []) => ({
  ...StubTransport.make(),
  handOff: ({ beforeFinalize, deliveryId }: HandOff) =>
    beforeFinalize.pipe(
      Effect.andThen(Effect.sync(() => copies.push(deliveryId))),
      Effect.andThen(beforeFinalize),
      Effect.tapError(({ why }) => Effect.sync(() => revocations.push(why))),
      Effect.andThen(Effect.fail(new TransportUnavailable({ reason: "The second relay did not answer." })))
    )
})

describe.each(stores)("a transport that finalizes twice, over $name", (store) => {
  it("counts the attempt as ambiguous, so that each further copy is marked and their number has a bound", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const copies: Array<string> = []
        const id = yield* sendOne
        const transport = tryingTwoRelays(copies)
        yield* tickWith(transport)
        for (let n = 0; n < 10; n++) {
          yield* TestClock.adjust("10 minutes")
          yield* tickWith(transport)
        }
        expect(copies).toHaveLength(3)
        expect(yield* delivery(id)).toMatchObject({ status: "failed", reason: "delivery_uncertain" })
        expect((yield* detail(id)).attempts.map(({ outcome }) => outcome)).toEqual([
          "ambiguous",
          "ambiguous",
          "ambiguous"
        ])
      })
    ))

  it("says to the transport that it has finalized before", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const revocations: Array<HandOffRevoked["why"]> = []
        yield* sendOne
        yield* tickWith(tryingTwoRelays([], revocations))
        expect(revocations).toEqual(["repeated"])
      })
    ))

  it("permits one of two calls at the same time, and the attempt is ambiguous", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const id = yield* sendOne
        yield* tickWith({
          ...StubTransport.make(),
          handOff: ({ beforeFinalize }) =>
            Effect.andThen(
              Effect.all([beforeFinalize, beforeFinalize], { concurrency: "unbounded" }),
              Effect.die("Both calls were permitted.")
            )
        })
        expect(yield* delivery(id)).toMatchObject({ status: "queued", ambiguousAttempts: 1 })
      })
    ))
})

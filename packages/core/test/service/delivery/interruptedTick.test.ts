/**
 * A tick of the dispatcher is interrupted before it has begun an attempt, and later ticks continue: the delivery is handed over after the lease.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { delivery, send, tick, withTestMail } from "@mailkeep/test-support"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { MailStore, StoreUnavailable } from "../../../src/index.ts"

const turn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

/** Each second for twice the lease: a tick that claims another mail. */
const ticksWithOtherMail = Effect.gen(function* () {
  for (let second = 1; second <= 6; second++) {
    yield* TestClock.adjust("1 second")
    yield* send(`k${second}`)
    yield* tick
  }
})

describe("an interrupted tick of the dispatcher", () => {
  it("hands the delivery over after the lease of the tick, while later ticks claim other mail", () => {
    let isFull = true
    let refused = 0
    /** The memory store. While it is full, no attempt can begin. */
    const layer = Layer.effect(
      MailStore,
      Effect.map(MemoryMailStore.make, (memory) => ({
        ...memory,
        commit: (changes) =>
          Effect.suspend(() => {
            if (!isFull || !changes.some(({ _tag }) => _tag === "InsertAttempt")) return memory.commit(changes)
            refused++
            return Effect.fail(new StoreUnavailable({ reason: "full" }))
          })
      }))
    )
    return withTestMail(
      { name: "full", layer },
      { dispatcher: { leaseMillis: 3000 } }
    )(
      Effect.gen(function* () {
        const { deliveryIds } = yield* send("first")
        const ticking = yield* Effect.forkChild(tick)
        while (refused === 0) yield* turn
        yield* Fiber.interrupt(ticking)
        expect((yield* delivery(deliveryIds[0]!)).worker).not.toBeNull()
        isFull = false
        yield* ticksWithOtherMail
        expect((yield* delivery(deliveryIds[0]!)).status).toBe("delivered")
      })
    )
  })
})

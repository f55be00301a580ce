/**
 * A store of another author answers with a due time that is no time.
 */
import { stopped, withTestMail } from "@mailkeep/test-support"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import type { Query } from "../../../src/adapter.ts"
import { Dispatcher, MailStore } from "../../../src/index.ts"

it("logs a bug and pauses a second when the store answers that the next delivery is due at NaN", async () => {
  let reads = 0
  const layer = Layer.effect(
    MailStore,
    Effect.map(MemoryMailStore.make, (store) => ({
      ...store,
      read: ((queries: ReadonlyArray<Query>) => {
        if (!queries.some(({ _tag }) => _tag === "NextDue")) return store.read(queries)
        reads++
        // A loop that does not pause would never let the test end.
        return reads > 100 ? Effect.never : Effect.succeed(queries.map(() => Number.NaN))
      }) as typeof store.read
    }))
  )
  const lines: Array<unknown> = []
  const logger = Logger.make(({ message }) => void lines.push(message))
  await withTestMail({ name: "memory", layer })(
    Effect.gen(function* () {
      const loop = yield* Effect.forkChild((yield* Dispatcher).run)
      yield* TestClock.adjust("5 seconds")
      yield* stopped(loop)
    }).pipe(Effect.provide(Logger.layer([logger])))
  )
  expect(reads).toBe(6)
  expect(lines).toEqual([["The dispatcher failed and continues.", { reason: "StoreContractViolation" }]])
})

import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import { StoreUnavailable } from "../../src/port/MailStore.ts"
import { makeStoreFailureLog } from "../../src/telemetry/storeFailureLog.ts"

it("logs each reason once in ten seconds, with the message and the number of failures, and without the cause", async () => {
  const lines: Array<unknown> = []
  const line = "Requests are refused."
  const log = makeStoreFailureLog(line)
  const full = new StoreUnavailable({ reason: "full", detail: "Free the disk.", cause: new Error("secret") })
  const locked = new StoreUnavailable({ reason: "locked" })
  await Effect.runPromise(
    Effect.gen(function* () {
      for (const failure of [full, full, locked]) yield* log(failure)
      yield* TestClock.adjust("10 seconds")
      yield* log(full)
    }).pipe(
      Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(message))])),
      Effect.provide(TestClock.layer())
    )
  )
  expect(lines).toEqual([
    [line, { reason: "full", detail: "Free the disk." }],
    [line, { reason: "locked", detail: "The store is locked by another transaction or program. Try again later." }],
    [line, { reason: "full", detail: "Free the disk.", failures: 2 }]
  ])
})

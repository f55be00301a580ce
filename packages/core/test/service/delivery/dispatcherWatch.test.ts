/**
 * A warning is logged once when mail is accepted and no dispatcher runs.
 */
import type { TestMail } from "@mailkeep/test-support"
import { withTestMail, runOver, send, start, stopped, stores, tick } from "@mailkeep/test-support"
import type { Scope } from "effect"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Dispatcher, formatInstant, MailStore } from "../../../src/index.ts"
import { hourMillis } from "../../../src/domain/value/Instant.ts"

describe.each(stores)("accepted mail without a dispatcher, over $name", (store) => {
  /** The warnings that the effect logs. */
  const warningsOf = async (test: Effect.Effect<unknown, unknown, TestMail | Scope.Scope>) => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message, logLevel }) => {
      if (logLevel === "Warn")
        lines.push(
          [message]
            .flat()
            .map((part) => JSON.stringify(part))
            .join(" ")
        )
    })
    await withTestMail(store)(Effect.provide(test, Logger.layer([logger])))
    return lines
  }
  const warning = expect.stringMatching(/^"Mail was accepted, but no dispatcher is running: nothing .* \{"queued":2\}$/)

  it("logs one warning half a minute after the first send, and no more", async () => {
    const sends = Effect.gen(function* () {
      yield* send("a", { to: "a@example.org" })
      yield* send("b", { to: "b@example.org" })
      yield* TestClock.adjust("30 seconds")
      // A store on another thread answers the earlier query of the watch first.
      yield* (yield* Dispatcher).health
      yield* Effect.yieldNow
      for (const key of ["c", "d", "e"]) {
        yield* send(key)
        yield* TestClock.adjust("1 hour")
      }
    })
    expect(await warningsOf(sends)).toEqual([warning])
  })

  it("logs no warning before half a minute has passed", async () => {
    const soon = Effect.andThen(send("a"), TestClock.adjust("29 seconds"))
    expect(await warningsOf(soon)).toEqual([])
  })

  it.each([
    ["runs", Effect.flatMap(Dispatcher, ({ run }) => Effect.map(Effect.forkChild(run), stopped))],
    ["takes single steps", Effect.as(tick, Effect.void)]
  ])("logs no warning when a dispatcher of this process %s", async (_, dispatch) => {
    const test = Effect.gen(function* () {
      yield* send("a")
      const stop = yield* dispatch
      yield* TestClock.adjust("1 minute")
      yield* send("b")
      yield* TestClock.adjust("1 minute")
      yield* stop
    })
    expect(await warningsOf(test)).toEqual([])
  })

  it("logs no warning when a dispatcher of another process hands over the mail", async () => {
    const test = Effect.gen(function* () {
      const otherProcess = yield* Effect.forkChild(runOver(yield* MailStore))
      yield* send("a")
      yield* TestClock.adjust("1 minute")
      yield* stopped(otherProcess)
    })
    expect(await warningsOf(test)).toEqual([])
  })

  it("logs no warning while the mail is scheduled", async () => {
    const later = send("a", { scheduledAt: formatInstant(start + hourMillis) })
    expect(await warningsOf(Effect.andThen(later, TestClock.adjust("1 minute")))).toEqual([])
  })
})

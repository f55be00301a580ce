/**
 * How long a client may take. A client that sends a byte now and then would otherwise keep its connection and its memory for ever.
 */
import { Clock, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { ListenerLimits } from "../../src/listener/limits.ts"
import { converse } from "./memoryClientSocket.ts"

const second = 1000
const limits: Partial<ListenerLimits> = {
  commandMillis: 50 * second,
  connectionMillis: 500 * second,
  apiKeyMillis: 500 * second,
  stallMillis: 50 * second,
  dataMillis: 500 * second
}

/** Serves a client that sends a chunk every second. Returns the replies, and the seconds until the end. */
const served = (
  chunks: ReadonlyArray<string>,
  change: Partial<ListenerLimits>,
  behavior: Parameters<typeof converse>[4] = {}
) =>
  Effect.gen(function* () {
    const conversation = converse(
      chunks.map((chunk) => Buffer.from(chunk)),
      {},
      { ...limits, ...change },
      1000,
      { pauseMillis: () => second, ...behavior }
    )
    const serving = yield* Effect.forkChild(Effect.zip(conversation, Clock.currentTimeMillis))
    yield* TestClock.adjust("1 hour")
    const [{ replies, bytesLeft }, endedAt] = yield* Fiber.join(serving)
    return { replies, bytesLeft, seconds: endedAt / second }
  }).pipe(Effect.provide(TestClock.layer()), Effect.runPromise)

const noops = Array.from({ length: 100 }, () => "NOOP\r\n")
const dataStart = "EHLO c\r\nMAIL FROM:<a@x.example>\r\nRCPT TO:<b@x.example>\r\nDATA\r\n"
const lines = [dataStart, ...Array.from({ length: 100 }, () => "x\r\n")]
const timeout = /421 4\.4\.2 [^\r\n]*\r\n$/

describe("the listener", () => {
  it.each<[string, ...Parameters<typeof served>, seconds: number]>([
    ["that is silent", noops, { commandMillis: 2500 }, { pauseMillis: (chunk) => (chunk === 3 ? 9000 : 1000) }, 5.5],
    ["that sends commands without an end", noops, { connectionMillis: 10_500 }, {}, 10.5],
    ["without an API key", noops, { apiKeyMillis: 10_500 }, { needsApiKey: true }, 10.5],
    [
      "whose message stalls",
      lines,
      { stallMillis: 2500 },
      { pauseMillis: (chunk) => (chunk === 3 ? 9000 : 1000) },
      5.5
    ],
    ["whose message drips", lines, { dataMillis: 10_500 }, {}, 11.5]
  ])("closes a connection %s", async (_, chunks, change, behavior, seconds) => {
    const ended = await served(chunks, change, behavior)
    expect(ended.replies).toMatch(timeout)
    expect(ended).toMatchObject({ seconds, bytesLeft: 0 })
  })

  it("leaves a client alone that takes less time", async () => {
    const { replies, seconds } = await served([...noops.slice(0, 20), "QUIT\r\n"], { apiKeyMillis: 10_500 })
    expect(replies).toMatch(/221 2\.0\.0 [^\r\n]*\r\n$/)
    expect(seconds).toBe(21)
  })
})

/**
 * Tests what the log has about a transport or an event sink with a defect.
 */
import { StubTransport } from "@mailkeep/smtp"
import type { TestMail } from "@mailkeep/test-support"
import { project, send, sendEvents, stores, tick, tickWith, withTestMail } from "@mailkeep/test-support"
import { Effect, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { Webhooks } from "../../../src/index.ts"
import { sinkFromPromises } from "../../../src/port/PromiseSink.ts"
import type { EventSinkShape } from "../../../src/port/EventSink.ts"
import { EventSink } from "../../../src/port/EventSink.ts"
import { transportFromPromises } from "../../../src/port/PromiseTransport.ts"
import type { TransportShape } from "../../../src/port/Transport.ts"
import { Transport } from "../../../src/port/Transport.ts"

const [store] = stores

/** A mistake of the author of an adapter, in a function whose name a stack frame has. */
const readsTooFar = async (): Promise<never> => {
  throw new RangeError("ada@example.org")
}

/** Runs the effect in a mail, and returns the errors that it logs. */
const loggedErrors = async <E>(
  effect: Effect.Effect<unknown, E, TestMail>,
  options: { readonly sink?: EventSinkShape } = {}
): Promise<ReadonlyArray<unknown>> => {
  const errors: Array<unknown> = []
  const logger = Logger.make(({ message, logLevel }) => {
    if (logLevel === "Error") errors.push(message)
  })
  await withTestMail(store!, options)(Effect.provide(effect, Logger.layer([logger])))
  return errors
}

const transportOf = (
  handOff: () => Promise<never>
): Effect.Effect<TransportShape, never, StubTransport.StubTransport> =>
  Effect.gen(function* () {
    const { capabilities } = yield* StubTransport.StubTransport
    return yield* Effect.provide(Transport, transportFromPromises({ capabilities, handOff }))
  })

const sinkOf = (send: () => Promise<never>): EventSinkShape =>
  Effect.runSync(Effect.provide(EventSink, sinkFromPromises({ capabilities: { carriesHeaders: true }, send })))

const frame = expect.stringContaining("adapterDefects.test")
const defect = { error: "RangeError", at: expect.arrayContaining([frame]) }

describe("a transport with a defect", () => {
  const handOffsOf = (handOff: () => Promise<never>, keys: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      for (const key of keys) yield* send(key)
      yield* tickWith(yield* transportOf(handOff))
    })

  it("logs the class of the error and where it was thrown, but not its message", async () => {
    const errors = await loggedErrors(handOffsOf(readsTooFar, ["a"]))
    expect(errors).toEqual([["A defect of the transport ended a hand-off.", defect]])
    expect(JSON.stringify(errors)).not.toContain("ada@example.org")
  })

  it("logs one line in 10 s", async () => {
    const errors = await loggedErrors(handOffsOf(readsTooFar, ["a", "b", "c"]))
    expect(errors).toHaveLength(1)
  })
})

describe("an event sink with a defect", () => {
  const events = Effect.gen(function* () {
    const webhooks = yield* Webhooks
    yield* webhooks.create(project, { url: "https://hooks.example.net/a" })
    yield* send("k")
    yield* tick
    yield* sendEvents
  })

  it("logs the class of the error and where it was thrown when an event is sent", async () => {
    const errors = await loggedErrors(events, { sink: sinkOf(readsTooFar) })
    expect(errors).toEqual([["A defect of the event sink ended a request.", defect]])
    expect(JSON.stringify(errors)).not.toContain("ada@example.org")
  })

  it("logs the defect of an event sink when a webhook is tested", async () => {
    const test = Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { webhook } = yield* webhooks.create(project, { url: "https://hooks.example.net/a" })
      expect(yield* webhooks.test(project, webhook.id)).toMatchObject({ delivered: false, error: "sink_failed" })
    })
    expect(await loggedErrors(test, { sink: sinkOf(readsTooFar) })).toHaveLength(1)
  })
})

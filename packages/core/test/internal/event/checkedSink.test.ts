/**
 * The core gets an outcome that every store keeps unchanged, whatever an event sink returns.
 */
import { project, send, sendEvents, stores, tick, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"
import { Webhooks } from "../../../src/index.ts"
import type { EventSinkShape } from "../../../src/port/EventSink.ts"
import { SinkUnavailable } from "../../../src/port/EventSink.ts"

const sinkOf = (send: Effect.Effect<unknown, SinkUnavailable>): EventSinkShape => ({
  capabilities: { carriesHeaders: true },
  send: () => send as Effect.Effect<SinkOutcome, SinkUnavailable>
})

/** The event delivery after one attempt by a sink. */
const attempted = (sending: Effect.Effect<unknown, SinkUnavailable>, store: (typeof stores)[number]) =>
  withTestMail(store, { sink: sinkOf(sending) })(
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const { webhook } = yield* webhooks.create(project, { url: "https://hooks.example.net/a" })
      yield* send("k")
      yield* tick
      yield* sendEvents
      const [eventDelivery] = (yield* webhooks.listEventDeliveries(project, webhook.id)).items
      return { ...eventDelivery!, attempts: eventDelivery!.attempts.map(({ status, error }) => ({ status, error })) }
    })
  )

const refused = { _tag: "Refused", status: 500, retryAfterSeconds: null, wantsNoMoreEvents: false }

describe.each(stores)("an event sink that is written without types, over $name", (store) => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a text", "ok"],
    ["an outcome of another name", { _tag: "Sent", status: 200 }]
  ])("counts an attempt when the sink returns %s, and tries again by the schedule", async (_, outcome) => {
    const { attemptCount, attempts, status, nextAttemptAt, createdAt } = await attempted(Effect.succeed(outcome), store)
    expect({ attemptCount, attempts, status }).toEqual({
      attemptCount: 1,
      attempts: [{ status: null, error: "no_outcome" }],
      status: "pending"
    })
    expect(nextAttemptAt! - createdAt).toBeGreaterThanOrEqual(4000)
  })

  it.each<[string, object, object]>([
    ["has no status", { _tag: "Accepted" }, { status: null, error: null }],
    ["has a status that is no number", { _tag: "Accepted", status: "200" }, { status: null, error: null }],
    ["has a status that is not whole", { ...refused, status: 500.5 }, { status: null, error: null }],
    ["has only a status", { _tag: "Refused", status: 503 }, { status: 503, error: null }],
    ["has a Retry-After that is no number", { ...refused, retryAfterSeconds: "soon" }, { status: 500, error: null }]
  ])("stores an outcome that %s", async (_, outcome, attempt) => {
    const { attemptCount, attempts } = await attempted(Effect.succeed(outcome), store)
    expect({ attemptCount, attempts }).toEqual({ attemptCount: 1, attempts: [attempt] })
  })

  it.each<[string, unknown, string]>([
    ["one line of a reason with control characters and half a surrogate pair", "a\u0000b\r\nc\ud83d", "a b c\ufffd"],
    ["at most 1,000 characters of a reason", "x".repeat(5000), "x".repeat(1000)],
    ["that the sink failed without a reason", undefined, "sink_failed"]
  ])("stores %s", async (_, reason, error) => {
    const { attempts } = await attempted(Effect.fail(new SinkUnavailable({ reason: reason as string })), store)
    expect(attempts).toEqual([{ status: null, error }])
  })
})

/**
 * An event sender whose store has event deliveries of very many subscribers, which wait for their retries.
 */
import { sendEvents, start, stores, withTestMail } from "@mailkeep/test-support"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import type { Answers, Query } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/index.ts"
import { accepted, create, delivered, scripted } from "./scriptedSink.ts"

it("sends an event while very many other subscribers wait", () => {
  const waiting = Array.from({ length: 200_000 }, (_, n) => ({ subscriber: `whk_${n}`, dueAt: start + 1000 }))
  const [memory] = stores
  const crowded = Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) => ({
      ...inner,
      read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
        Effect.map(
          inner.read(queries),
          (answers) =>
            queries.map(({ _tag }, n) =>
              _tag === "PendingEventDeliveries" ? [...(answers[n] as typeof waiting), ...waiting] : answers[n]
            ) as unknown as Answers<Qs>
        )
    }))
  )
  const subscriber = scripted()
  subscriber.answers(() => Effect.succeed(accepted))
  return withTestMail(
    { name: "crowded", layer: Layer.provide(crowded, memory.layer) },
    { sink: subscriber.sink }
  )(
    Effect.gen(function* () {
      yield* create()
      yield* delivered
      expect(yield* sendEvents).toEqual({ distributed: 1, attempted: 1 })
    })
  )
})

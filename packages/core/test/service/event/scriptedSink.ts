/**
 * A sink that records its requests, and short calls that create webhooks and events.
 */
import { project, send, tick } from "@mailkeep/test-support"
import { Effect } from "effect"
import type { SinkOutcome } from "../../../src/domain/event/EventDelivery.ts"
import { Webhooks } from "../../../src/index.ts"
import type { EventSinkShape, SinkRequest, SinkUnavailable } from "../../../src/port/EventSink.ts"

export const accepted: SinkOutcome = { _tag: "Accepted", status: 200 }

export const refused = (change: Partial<SinkOutcome & { _tag: "Refused" }> = {}): SinkOutcome => ({
  _tag: "Refused",
  status: 500,
  retryAfterSeconds: null,
  wantsNoMoreEvents: false,
  ...change
})

/** A sink that records its requests, and answers as the test sets. */
export const scripted = () => {
  const got: Array<SinkRequest> = []
  let answer: (eventDelivery: SinkRequest) => Effect.Effect<SinkOutcome, SinkUnavailable> = () =>
    Effect.succeed(accepted)
  const sink: EventSinkShape = {
    capabilities: { carriesHeaders: true },
    send: (eventDelivery) => Effect.suspend(() => (got.push(eventDelivery), answer(eventDelivery)))
  }
  return {
    sink,
    got,
    to: (url: string) => got.filter(({ endpoint }) => endpoint === url),
    answers: (how: typeof answer) => (answer = how)
  }
}

export const url = "https://hooks.example.net/a"

export const create = (change: object = {}) =>
  Effect.flatMap(Webhooks, (webhooks) => webhooks.create(project, { url, ...change }))

export const eventDeliveriesOf = (id: string) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.map(webhooks.listEventDeliveries(project, id, { limit: 100 }), ({ items }) => items)
  )

export const bodyOf = ({ body }: SinkRequest) => JSON.parse(new TextDecoder().decode(body))

export const delivered = Effect.andThen(send("k", { to: "ada@example.org", metadata: { order: 7 } }), tick)

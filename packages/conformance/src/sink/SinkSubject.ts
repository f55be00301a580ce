/**
 * How an author gives an event sink to the kit: with consumers whose answers a law can choose.
 */
import type { EventSinkShape, Push } from "@mailkeep/core/port"
import { EventSink } from "@mailkeep/core/port"
import type { Scope } from "effect"
import { Context, Effect, Layer } from "effect"
import type { Law, LawBook } from "../Law.ts"

/** What a consumer does with a push. Unless told otherwise it takes it. */
export type ConsumerAct =
  | { readonly does: "take" }
  /** Says that it takes the push, and does not finish its answer. Where an answer has no further part, the same as `take`. */
  | { readonly does: "takeUnfinished"; readonly rest: "drips" | "neverComes" | "breaksOff" }
  | { readonly does: "refuse"; readonly retryAfterSeconds: number | null; readonly gone: boolean }
  /** Never answers. */
  | { readonly does: "hang" }
  /** Goes away without an answer. */
  | { readonly does: "drop" }

export interface Received {
  readonly consumer: string
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface Consumers {
  /** Where a consumer of that name is reached. */
  readonly endpoint: (consumer: string) => string
  /** From now on; the last word counts. */
  readonly script: (consumer: string, act: ConsumerAct) => Effect.Effect<void, unknown>
  /** Everything that any of them got, in order; of those that hang or drop too. */
  readonly received: Effect.Effect<ReadonlyArray<Received>, unknown>
  /** How many pushes are under way: begun, and neither answered nor ended by either side. */
  readonly underWay: Effect.Effect<number, unknown>
}

export interface SinkBench {
  readonly layer: Layer.Layer<EventSink, unknown>
  readonly consumers: Consumers
}

export interface SinkSubject {
  /** A new sink, and consumers that have got nothing. */
  readonly bench: Effect.Effect<SinkBench, unknown, Scope.Scope>
}

export class ConsumersUnderLaw extends Context.Service<ConsumersUnderLaw, Consumers>()(
  "@mailkeep/conformance/ConsumersUnderLaw"
) {}

export type SinkLaw = Law<EventSink | ConsumersUnderLaw>

export const openSink: LawBook<SinkSubject, EventSink | ConsumersUnderLaw>["open"] = ({ bench }) =>
  Effect.gen(function* () {
    const { layer, consumers } = yield* bench
    const sink = Context.get(yield* Layer.build(Layer.fresh(layer)), EventSink)
    return {
      capabilities: { ...sink.capabilities },
      context: Context.make(EventSink, sink).pipe(Context.add(ConsumersUnderLaw, consumers))
    }
  })

interface Stated {
  readonly says: string
  readonly needs?: Readonly<Partial<EventSinkShape["capabilities"]>>
}

const why = "decisions/0016-events.md"

/** A law over the open sink and its consumers; `to` makes a push to one of them. */
export const sinkLaw = (
  id: SinkLaw["id"],
  stated: Stated,
  check: (
    sink: EventSinkShape,
    consumers: Consumers,
    to: (consumer: string, change?: Partial<Push>) => Push
  ) => Effect.Effect<void, unknown, Scope.Scope>
): SinkLaw => ({
  id,
  why,
  ...stated,
  check: Effect.gen(function* () {
    const consumers = yield* ConsumersUnderLaw
    yield* check(yield* EventSink, consumers, (consumer, change) => ({
      id: "evt_1",
      endpoint: consumers.endpoint(consumer),
      headers: { "webhook-id": "evt_1", "webhook-signature": "v1,abc" },
      body: new TextEncoder().encode('{"type":"email.delivered"}'),
      ...change
    }))
  })
})

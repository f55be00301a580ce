/**
 * One attempt of one event delivery: sends the event to a webhook with a signature, or to a handler in this process, and records the result.
 */
import { Clock, Duration, Effect, Exit, Option } from "effect"
import type { EventDeliveryResult } from "../decide/finishEventDelivery.ts"
import { finishEventDelivery } from "../decide/finishEventDelivery.ts"
import type { Conflict } from "../domain/Change.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { EventBody } from "../domain/EventBody.ts"
import { eventBody, messageOfEvent } from "../domain/EventBody.ts"
import type { EventDelivery } from "../domain/EventDelivery.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { ProjectId } from "../domain/Project.ts"
import { eventDeliveryDeadlineMillis } from "../domain/Webhook.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { EventSinkShape } from "../port/EventSink.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { NotStored } from "./commitUntilStored.ts"
import { outcomeKeptMillis, commitUntilStored } from "./commitUntilStored.ts"
import { signedHeaders } from "./webhookSigning.ts"

/** An event as a handler gets it. `id` is the same on every attempt. */
export interface HandledEvent extends EventBody {
  readonly id: EventId
  readonly projectId: ProjectId
}

/**
 * Handles an event with an effect, a promise or a plain function. When the effect fails, the promise rejects or the function throws, the
 * attempt has failed. The handler then gets the event again later.
 */
export type EventHandler = (event: HandledEvent) => Effect.Effect<unknown, unknown> | PromiseLike<unknown> | void

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** Checks the returned value at run time, because a handler may be plain JavaScript without types. */
const runHandler = (handler: EventHandler, event: HandledEvent): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const returned = handler(event)
    if (Effect.isEffect(returned)) return returned
    return isPromise(returned) ? Effect.tryPromise(() => returned) : Effect.void
  })

export interface EventSending {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
  readonly decrypt: (sealed: string) => string | null
  readonly sink: EventSinkShape | null
  /** By the id of the subscription. */
  readonly handlers: ReadonlyMap<string, EventHandler>
}

const loadFacts = (deps: EventSending, { eventId, projectId, subscriber }: EventDelivery) =>
  Effect.gen(function* () {
    const [event, found] = yield* deps.store.read([
      { _tag: "Event", id: eventId },
      { _tag: "Resource", projectId, id: subscriber }
    ])
    const messageId = event === null ? undefined : messageOfEvent(event)
    const [message] =
      messageId === undefined ? [null] : yield* deps.store.read([{ _tag: "Message", projectId, id: messageId }])
    return {
      body: event === null ? null : eventBody(event, message),
      webhook: found?.kind === "webhook" ? found : null
    }
  })

const lost = (error: string): EventDeliveryResult => ({ _tag: "Lost", error })
const notAttempted = (error: string): EventDeliveryResult => ({ _tag: "NotAttempted", error })
const postponed = (error: string): EventDeliveryResult => ({ _tag: "Postponed", error })

/** Sends once. Every failure of the subscriber or the sink becomes a result, so this effect never fails. */
export const sendToWebhook = (
  { sink, crypto, decrypt }: Pick<EventSending, "sink" | "crypto" | "decrypt">,
  { content }: ResourceOf<"webhook">,
  eventDelivery: Pick<EventDelivery, "id">,
  body: EventBody
): Effect.Effect<EventDeliveryResult> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const secrets = content.secrets.flatMap(({ encrypted, until }) =>
      until === null || until > now ? [decrypt(encrypted)] : []
    )
    if (sink === null) return lost("no_sink")
    if (secrets.length === 0 || secrets.includes(null)) return postponed("secret_unreadable")
    const text = JSON.stringify(body)
    const headers = signedHeaders(crypto, secrets as ReadonlyArray<string>, {
      id: eventDelivery.id,
      timestamp: Math.floor(now / secondMillis),
      body: text
    })
    const sending = sink.send({
      id: eventDelivery.id,
      endpoint: content.url,
      headers,
      body: new TextEncoder().encode(text)
    })
    return yield* sending.pipe(
      Effect.catch(({ reason }) => Effect.succeed(lost(reason))),
      Effect.catchDefect(() => Effect.succeed(lost("sink_failed"))),
      Effect.timeoutOption(Duration.millis(eventDeliveryDeadlineMillis)),
      Effect.map(Option.getOrElse(() => lost("timeout")))
    )
  })

const sendToHandler = (
  handler: EventHandler,
  eventDelivery: EventDelivery,
  body: EventBody
): Effect.Effect<EventDeliveryResult> =>
  Effect.map(
    Effect.exit(runHandler(handler, { id: eventDelivery.eventId, projectId: eventDelivery.projectId, ...body })),
    (exit): EventDeliveryResult => (Exit.isSuccess(exit) ? { _tag: "Accepted", status: null } : lost("handler_failed"))
  )

const attempt = (
  deps: EventSending,
  eventDelivery: EventDelivery
): Effect.Effect<EventDeliveryResult, StoreUnavailable> =>
  Effect.gen(function* () {
    const { body, webhook } = yield* loadFacts(deps, eventDelivery)
    if (body === null) return notAttempted("event_gone")
    const handler = deps.handlers.get(eventDelivery.subscriber)
    if (handler !== undefined) return yield* sendToHandler(handler, eventDelivery, body)
    if (webhook === null) return notAttempted("webhook_gone")
    if (webhook.content.status === "disabled") return notAttempted("webhook_disabled")
    return yield* sendToWebhook(deps, webhook, eventDelivery, body)
  })

/** Attempts a claimed event delivery once. Calls `onResult` with the result before the commit of the result. */
export const attemptEventDelivery = (
  deps: EventSending,
  eventDelivery: EventDelivery,
  onResult: (result: EventDeliveryResult, now: Instant) => void
): Effect.Effect<void, NotStored> => {
  const { store } = deps
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const result = yield* Effect.catch(attempt(deps, eventDelivery), ({ reason }) =>
      Effect.succeed(lost(`store_${reason}`))
    )
    onResult(result, yield* Clock.currentTimeMillis)
    yield* commitUntilStored(
      Effect.gen(function* (): Effect.gen.Return<void, Conflict | StoreUnavailable> {
        const { projectId, subscriber, id } = eventDelivery
        const [current, found] = yield* store.read([
          { _tag: "EventDelivery", projectId, id },
          { _tag: "Resource", projectId, id: subscriber }
        ])
        // Another worker has claimed the event delivery since. That worker records the result.
        if (current?.fencingToken !== eventDelivery.fencingToken || current.status !== "pending") return
        const now = yield* Clock.currentTimeMillis
        const webhook = found?.kind === "webhook" ? found : null
        yield* store.commit(finishEventDelivery(result, { now, startedAt, eventDelivery: current, webhook }).changes)
      }),
      outcomeKeptMillis
    )
  })
}

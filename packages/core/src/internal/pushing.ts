/**
 * One try of one push: what it tells, to a webhook under its signature or to a handler in this process, and what came of it.
 */
import { Clock, Duration, Effect, Exit, Option } from "effect"
import type { PushEnding } from "../decide/settlePush.ts"
import { settlePush } from "../decide/settlePush.ts"
import type { Conflict } from "../domain/Change.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventBody } from "../domain/EventBody.ts"
import { eventBody, messageOfEvent } from "../domain/EventBody.ts"
import type { EventPush } from "../domain/EventPush.ts"
import type { EventId } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { secondMillis } from "../domain/Instant.ts"
import type { ProjectId } from "../domain/Project.ts"
import { pushDeadlineMillis } from "../domain/Webhook.ts"
import type { Crypto } from "../port/Crypto.ts"
import type { EventSinkShape } from "../port/EventSink.ts"
import type { MailStoreShape, StoreUnavailable } from "../port/MailStore.ts"
import type { NotStored } from "./persisting.ts"
import { outcomeKeptMillis, persisting } from "./persisting.ts"
import { signedHeaders } from "./webhookSigning.ts"

/** An event as a handler gets it. `id` is the same on every try. */
export interface ToldEvent extends EventBody {
  readonly id: EventId
  readonly projectId: ProjectId
}

/**
 * Takes an event: as an effect, as a promise, or at once. When the effect fails, the promise rejects or the function throws, the attempt has
 * failed and the event comes again later.
 */
export type EventHandler = (event: ToldEvent) => Effect.Effect<unknown, unknown> | PromiseLike<unknown> | void

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"

/** A handler may be plain JavaScript: what it returns is looked at, whatever its type says. */
const handled = (handler: EventHandler, event: ToldEvent): Effect.Effect<unknown, unknown> =>
  Effect.suspend(() => {
    const returned = handler(event)
    if (Effect.isEffect(returned)) return returned
    return isPromise(returned) ? Effect.tryPromise(() => returned) : Effect.void
  })

export interface Pushing {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
  readonly decrypt: (sealed: string) => string | null
  readonly sink: EventSinkShape | null
  /** By the subscription's id. */
  readonly handlers: ReadonlyMap<string, EventHandler>
}

const standing = (on: Pushing, { eventId, projectId, consumer }: EventPush) =>
  Effect.gen(function* () {
    const [event, found] = yield* on.store.read([
      { _tag: "Event", id: eventId },
      { _tag: "Definition", projectId, id: consumer }
    ])
    const messageId = event === null ? undefined : messageOfEvent(event)
    const [message] =
      messageId === undefined ? [null] : yield* on.store.read([{ _tag: "Message", projectId, id: messageId }])
    return {
      body: event === null ? null : eventBody(event, message),
      webhook: found?.kind === "webhook" ? found : null
    }
  })

const lost = (error: string): PushEnding => ({ _tag: "Lost", error })
const impossible = (error: string): PushEnding => ({ _tag: "Impossible", error })
const postponed = (error: string): PushEnding => ({ _tag: "Postponed", error })

/** Tries once; no failure of a consumer is one of ours. */
export const tryWebhook = (
  { sink, crypto, decrypt }: Pick<Pushing, "sink" | "crypto" | "decrypt">,
  { content }: DefinitionOf<"webhook">,
  push: Pick<EventPush, "id">,
  body: EventBody
): Effect.Effect<PushEnding> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const secrets = content.secrets.flatMap(({ encrypted, until }) =>
      until === null || until > now ? [decrypt(encrypted)] : []
    )
    if (sink === null) return lost("no_sink")
    if (secrets.length === 0 || secrets.includes(null)) return postponed("secret_unreadable")
    const text = JSON.stringify(body)
    const headers = signedHeaders(crypto, secrets as ReadonlyArray<string>, {
      id: push.id,
      timestamp: Math.floor(now / secondMillis),
      body: text
    })
    const pushing = sink.push({ id: push.id, endpoint: content.url, headers, body: new TextEncoder().encode(text) })
    return yield* pushing.pipe(
      Effect.catch(({ reason }) => Effect.succeed(lost(reason))),
      Effect.catchDefect(() => Effect.succeed(lost("sink_failed"))),
      Effect.timeoutOption(Duration.millis(pushDeadlineMillis)),
      Effect.map(Option.getOrElse(() => lost("timeout")))
    )
  })

const trySubscription = (handler: EventHandler, push: EventPush, body: EventBody): Effect.Effect<PushEnding> =>
  Effect.map(
    Effect.exit(handled(handler, { id: push.eventId, projectId: push.projectId, ...body })),
    (exit): PushEnding => (Exit.isSuccess(exit) ? { _tag: "Taken", status: null } : lost("handler_failed"))
  )

const tried = (on: Pushing, push: EventPush): Effect.Effect<PushEnding, StoreUnavailable> =>
  Effect.gen(function* () {
    const { body, webhook } = yield* standing(on, push)
    if (body === null) return impossible("event_gone")
    const handler = on.handlers.get(push.consumer)
    if (handler !== undefined) return yield* trySubscription(handler, push, body)
    if (webhook === null) return impossible("webhook_gone")
    if (webhook.content.status === "disabled") return impossible("webhook_disabled")
    return yield* tryWebhook(on, webhook, push, body)
  })

/** Tries a claimed push once, and tells `heard` how that ended before it is written down. */
export const pushOnce = (
  on: Pushing,
  push: EventPush,
  heard: (ending: PushEnding, now: Instant) => void
): Effect.Effect<void, NotStored> => {
  const { store } = on
  return Effect.gen(function* () {
    const startedAt = yield* Clock.currentTimeMillis
    const ending = yield* Effect.catch(tried(on, push), ({ reason }) => Effect.succeed(lost(`store_${reason}`)))
    heard(ending, yield* Clock.currentTimeMillis)
    yield* persisting(
      Effect.gen(function* (): Effect.gen.Return<void, Conflict | StoreUnavailable> {
        const { projectId, consumer, id } = push
        const [held, found] = yield* store.read([
          { _tag: "Push", projectId, id },
          { _tag: "Definition", projectId, id: consumer }
        ])
        // Somebody else has it now: what they find is what counts.
        if (held?.token !== push.token || held.status !== "pending") return
        const now = yield* Clock.currentTimeMillis
        const webhook = found?.kind === "webhook" ? found : null
        yield* store.commit(settlePush(ending, { now, startedAt, push: held, webhook }).changes)
      }),
      outcomeKeptMillis
    )
  })
}

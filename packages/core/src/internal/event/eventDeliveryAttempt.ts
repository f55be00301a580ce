/**
 * One attempt of one event delivery: sends the event to a webhook with a signature, or to a handler in this process, and records the result.
 */
import { Clock, Duration, Effect, Option, Result } from "effect"
import type { EventDeliveryResult, FinishEventDeliveryFacts } from "../../decide/event/finishEventDelivery.ts"
import { finishEventDelivery } from "../../decide/event/finishEventDelivery.ts"
import type { WebhookBody } from "../../domain/event/WebhookBody.ts"
import { webhookBody } from "../../domain/event/WebhookBody.ts"
import type { EventDelivery } from "../../domain/event/EventDelivery.ts"
import { messageIdOfEvent } from "../../domain/event/EventRecord.ts"
import type { EventKind } from "../../domain/event/MailEvent.ts"
import { allProjects } from "../../domain/event/Subscription.ts"
import { toMailEvent } from "../../domain/event/MailEvent.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { minuteMillis, secondMillis } from "../../domain/value/Instant.ts"
import { eventDeliveryDeadlineMillis } from "../../domain/webhook/Webhook.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { recordMetric } from "../../telemetry/metrics.ts"
import type { CheckedSink } from "./checkedSink.ts"
import type { Commit, NotStored } from "../store/commit.ts"
import { outcomeKeptMillis } from "../store/commit.ts"
import { resourceOfKind } from "../store/resources.ts"
import type { CircuitBreakers } from "./circuitBreaker.ts"
import type { HandlerDeps, RegisteredHandler } from "./eventHandler.ts"
import { sendToHandler } from "./eventHandler.ts"
import { signedHeaders } from "../webhook/webhookSigning.ts"

/** What a request to a webhook needs. */
export interface WebhookSendingDeps {
  readonly crypto: Crypto["Service"]
  readonly decrypt: (encrypted: string) => string | null
  readonly sink: CheckedSink | null
}

export interface EventAttemptDeps extends WebhookSendingDeps, HandlerDeps {
  readonly store: MailStoreShape
  readonly commit: Commit
  /** By the id of the subscription. */
  readonly handlers: ReadonlyMap<string, RegisteredHandler>
  /** Bounds the requests to each subscriber. A request ends with its response, before the commit of the result. */
  readonly boundedRequests: <A, E>(
    subscriber: string,
    request: Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StoreUnavailable>
  readonly circuitBreakers: Pick<CircuitBreakers, "pausedUntil">
}

/** Whether the subscriber is a webhook, and not a subscription. */
export const isWebhook = (subscriber: string): boolean => subscriber.startsWith("whk_")

/** The event and the subscriber of an event delivery; `null` for what no longer exists. */
const loadAttempt = ({ store }: EventAttemptDeps, { eventId, projectId, subscriber }: EventDelivery) =>
  Effect.gen(function* () {
    const [record, found] = yield* store.read([
      { _tag: "Event", projectId, id: eventId },
      { _tag: "Resource", projectId: isWebhook(subscriber) ? projectId : allProjects, id: subscriber }
    ])
    const messageId = record === null ? null : messageIdOfEvent(record)
    const [message] = messageId === null ? [null] : yield* store.read([{ _tag: "Message", projectId, id: messageId }])
    return {
      event: record === null ? null : toMailEvent(record, message),
      exists: found !== null,
      webhook: resourceOfKind(found, "webhook"),
      subscription: resourceOfKind(found, "subscription")
    }
  })

const noReply = (error: string): EventDeliveryResult => ({ _tag: "NoReply", error })
const notAttempted = (error: string): EventDeliveryResult => ({ _tag: "NotAttempted", error })

/** The wait after an attempt without a readable secret. An operator must correct the master secret. */
const secretWaitMillis = 5 * minuteMillis
/** The wait after an attempt whose event could not be read. The wait begins when the store is available again. */
const storeWaitMillis = 5 * secondMillis
/** The wait after a handler was gone before the attempt. Another process may have one. */
const handlerWaitMillis = secondMillis
/**
 * The wait after a claim of an event whose kind only the handler of another process takes. Longer, because all such events are claimed here again until
 * the other process has them.
 */
const otherKindWaitMillis = 10 * secondMillis
const postponed = (error: string, waitMillis: number): EventDeliveryResult => ({ _tag: "Postponed", error, waitMillis })

/** Sends once. Every failure of the subscriber or the sink becomes a result, so this effect never fails. */
export const sendToWebhook = (
  { sink, crypto, decrypt }: WebhookSendingDeps,
  { content }: ResourceOf<"webhook">,
  eventDeliveryId: string,
  body: WebhookBody
): Effect.Effect<EventDeliveryResult> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const secrets = content.secrets.flatMap(({ encrypted, until }) =>
      until === null || until > now ? [decrypt(encrypted)] : []
    )
    if (sink === null) return noReply("no_sink")
    const readable = secrets.filter((secret) => secret !== null)
    if (secrets.length === 0 || readable.length < secrets.length)
      return postponed("secret_unreadable", secretWaitMillis)
    const text = JSON.stringify(body)
    const headers = signedHeaders(crypto, readable, {
      id: eventDeliveryId,
      timestamp: Math.floor(now / secondMillis),
      body: text
    })
    const request = { id: eventDeliveryId, endpoint: content.url, headers, body: new TextEncoder().encode(text) }
    return yield* sink
      .send(request)
      .pipe(
        Effect.timeoutOption(Duration.millis(eventDeliveryDeadlineMillis)),
        Effect.map(Option.getOrElse(() => noReply("timeout")))
      )
  })

interface Attempted extends Pick<FinishEventDeliveryFacts, "attemptedUrl"> {
  readonly result: EventDeliveryResult
}

const nothingSent = (result: EventDeliveryResult): Attempted => ({ result, attemptedUrl: null })

/** The handler of this process does not take the event, which was distributed to the subscription when it had other kinds. */
const ofOtherKind = (subscription: ResourceOf<"subscription"> | null, kind: EventKind): EventDeliveryResult =>
  subscription?.content.events.includes(kind) === true
    ? postponed("no_handler", otherKindWaitMillis)
    : notAttempted("kind_not_selected")

const attempt = (deps: EventAttemptDeps, eventDelivery: EventDelivery): Effect.Effect<Attempted, StoreUnavailable> =>
  Effect.gen(function* () {
    const { subscriber } = eventDelivery
    const { event, exists, webhook, subscription } = yield* loadAttempt(deps, eventDelivery)
    if (event === null) return nothingSent(notAttempted("event_deleted"))
    const handler = deps.handlers.get(subscriber)
    if (handler?.kinds.includes(event.kind) === true)
      return { result: yield* sendToHandler(deps, subscriber, handler, event), attemptedUrl: null }
    if (!exists) return nothingSent(notAttempted(isWebhook(subscriber) ? "webhook_deleted" : "subscription_deleted"))
    if (handler !== undefined) return nothingSent(ofOtherKind(subscription, event.kind))
    if (webhook === null) return nothingSent(postponed("no_handler", handlerWaitMillis))
    if (webhook.content.status === "disabled") return nothingSent(notAttempted("webhook_disabled"))
    const result = yield* sendToWebhook(deps, webhook, eventDelivery.id, webhookBody(event))
    return { result, attemptedUrl: webhook.content.url }
  })

/** A subscriber may be paused while a claimed event delivery waits for the end of earlier requests. It then waits for the end of the pause, too. */
const attemptUnlessPaused = (
  deps: EventAttemptDeps,
  claimed: EventDelivery,
  now: Instant
): Effect.Effect<Attempted, StoreUnavailable> => {
  const pausedUntil = deps.circuitBreakers.pausedUntil(claimed.subscriber, now)
  return pausedUntil > now
    ? Effect.succeed(nothingSent(postponed("webhook_paused", pausedUntil - now)))
    : attempt(deps, claimed)
}

/** The facts that decide how the attempt of a claimed event delivery ends. */
const loadFinish = ({ store }: EventAttemptDeps, { projectId, subscriber, id }: EventDelivery) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const [current, found] = yield* store.read([
      { _tag: "EventDelivery", projectId, id },
      { _tag: "Resource", projectId, id: subscriber }
    ])
    return { now, current, webhook: resourceOfKind(found, "webhook") }
  })

/** Logs the disabling of a webhook. The path and the query of its URL may contain a secret, so only the host is logged. */
const warnOfDisabled = ({ id, projectId, content }: ResourceOf<"webhook">, result: EventDeliveryResult) =>
  Effect.logWarning("A webhook was disabled.", {
    webhookId: id,
    projectId,
    host: new URL(content.url).host,
    reason:
      result._tag === "Refused" && result.wantsNoMoreEvents
        ? "its endpoint wants no more events (410)"
        : "all attempts failed for five days"
  })

/** Counts an event delivery that has ended. */
export const countEnded = ({ subscriber, status }: EventDelivery): Effect.Effect<void> =>
  status === "pending"
    ? Effect.void
    : recordMetric(
        "mailkeep_event_deliveries_total",
        { subscriber: isWebhook(subscriber) ? "webhook" : "handler", outcome: status },
        1
      )

/** Attempts a claimed event delivery once. Calls `onResult` with the result before the commit of the result. */
export const attemptEventDelivery = (
  deps: EventAttemptDeps,
  claimed: EventDelivery,
  onResult: (result: EventDeliveryResult, now: Instant) => void
): Effect.Effect<void, NotStored> =>
  Effect.gen(function* () {
    let startedAt = yield* Clock.currentTimeMillis
    const timed = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      startedAt = now
      return attemptUnlessPaused(deps, claimed, now)
    })
    const { result, attemptedUrl } = yield* Effect.catch(
      deps.boundedRequests(claimed.subscriber, timed),
      ({ reason }) => Effect.succeed(nothingSent(postponed(`store_${reason}`, storeWaitMillis)))
    )
    onResult(result, yield* Clock.currentTimeMillis)
    const { eventDelivery, disabledWebhook } = yield* deps.commit(
      loadFinish(deps, claimed),
      (facts) => Result.succeed(finishEventDelivery(result, { ...facts, startedAt, claimed, attemptedUrl })),
      { keepTryingMillis: outcomeKeptMillis }
    )
    if (eventDelivery !== null) yield* countEnded(eventDelivery)
    if (disabledWebhook !== null) yield* warnOfDisabled(disabledWebhook, result)
  })

/**
 * The event deliveries of a webhook: those of the log, a repeated one, and that of a test, which is not stored.
 */
import { Clock, Effect } from "effect"
import { replayEventDelivery } from "../../decide/event/replayEventDelivery.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { WebhookBody } from "../../domain/event/WebhookBody.ts"
import type { Sign } from "../../domain/store/Cursor.ts"
import { decodePosition, encodePosition } from "../../domain/store/Cursor.ts"
import type { CursorInput } from "../../domain/store/Paging.ts"
import type { RecordNotFound } from "../../domain/store/RecordFailure.ts"
import type { ResourceOf } from "../../domain/store/Resource.ts"
import { parseCursorRequest } from "../../domain/store/PagingRequest.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { idAt } from "../../domain/value/Id.ts"
import { formatInstant } from "../../domain/value/Instant.ts"
import { toWebhookDelivery } from "../../domain/webhook/WebhookDelivery.ts"
import type { IdSource } from "../../port/IdSource.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { WebhookSendingDeps } from "../event/eventDeliveryAttempt.ts"
import { sendToWebhook } from "../event/eventDeliveryAttempt.ts"
import type { Commit } from "../store/commit.ts"
import { cursorPage } from "../store/cursorPage.ts"
import { validated, validProject } from "../validated.ts"
import { makeWebhookTestLimiter } from "./webhookTestLimiter.ts"

export interface WebhookEventDeliveriesDeps extends WebhookSendingDeps {
  readonly store: MailStoreShape
  readonly commit: Commit
  readonly ids: IdSource["Service"]
  /** Signs the cursors. */
  readonly sign: Sign
  /** Returns the webhook, or fails. */
  readonly get: (
    caller: Caller,
    id: string
  ) => Effect.Effect<ResourceOf<"webhook">, InvalidArgument | RecordNotFound | StoreUnavailable>
  /** Runs after an event delivery was made pending again. */
  readonly notify: Effect.Effect<void>
}

/** Makes the methods of `Webhooks` that are about event deliveries. */
export const makeWebhookEventDeliveries = (deps: WebhookEventDeliveriesDeps) => {
  const { store, commit, ids, get, notify } = deps
  const testLimiter = makeWebhookTestLimiter()

  const test = Effect.fn("Webhooks.test")(function* (caller: Caller, id: string) {
    const webhook = yield* get(caller, id)
    const now = yield* Clock.currentTimeMillis
    const testId = idAt(yield* ids.reserve(now, 1), "evd", 0)
    const body: WebhookBody = {
      type: "webhook.test",
      timestamp: formatInstant(now),
      data: { webhook_id: webhook.id, project_id: webhook.projectId }
    }
    const result = yield* testLimiter.run(webhook, sendToWebhook(deps, webhook, testId, body))
    return {
      delivered: result._tag === "Accepted",
      statusCode: "status" in result ? result.status : null,
      error: "error" in result ? result.error : null
    }
  })

  const list = Effect.fn("Webhooks.listEventDeliveries")(function* (
    caller: Caller,
    id: string,
    input: CursorInput = {}
  ) {
    const { limit, cursor } = yield* validated(parseCursorRequest, input, "filters")
    const { projectId } = yield* get(caller, id)
    return yield* cursorPage(deps, {
      scope: { projectId, listing: "eventDeliveries", filters: { subscriber: id } },
      limit,
      cursor,
      cursorOf: "this webhook",
      read: (position) => {
        const after = position === null ? null : decodePosition(position)
        const query = { _tag: "EventDeliveryPage", projectId, subscriber: id, after, limit: limit + 1 } as const
        return Effect.map(store.read([query]), ([found]) => {
          const items = found.slice(0, limit)
          const last = found.length > limit ? items.at(-1) : undefined
          return { items: items.map(toWebhookDelivery), next: last === undefined ? null : encodePosition(last) }
        })
      }
    })
  })

  const replay = Effect.fn("Webhooks.replay")(function* (caller: Caller, id: string, eventDeliveryId: string) {
    const projectId = yield* validProject(caller, { id, eventDeliveryId })
    const now = yield* Clock.currentTimeMillis
    const load = Effect.gen(function* () {
      const [webhook, existing] = yield* store.read([
        { _tag: "Resource", projectId, id },
        { _tag: "EventDelivery", projectId, id: eventDeliveryId }
      ])
      const [event] = yield* store.read([{ _tag: "Event", projectId, id: existing?.eventId ?? "" }])
      return { webhook, existing, event }
    })
    const replayed = yield* commit(
      load,
      (facts) => replayEventDelivery({ ...facts, now, webhookId: id, id: eventDeliveryId }),
      "bounded"
    )
    yield* notify
    return toWebhookDelivery(replayed)
  })

  return { test, list, replay }
}

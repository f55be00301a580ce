/**
 * The webhooks of a project: their URLs and secrets, and the event deliveries to them. Source: decision 0028.
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import type { EventDeliveryResult } from "../decide/finishEventDelivery.ts"
import { replayEventDelivery } from "../decide/finishEventDelivery.ts"
import { decodePosition, encodePosition, writeCursor } from "../domain/Cursor.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { EventDelivery } from "../domain/EventDelivery.ts"
import type { NameTaken, RateLimited, TooManyRecords } from "../domain/Failure.ts"
import { InvalidArgument, RecordNotFound } from "../domain/Failure.ts"
import { idAt } from "../domain/Id.ts"
import type { Instant } from "../domain/Instant.ts"
import { formatInstant } from "../domain/Instant.ts"
import { issue } from "../domain/Issue.ts"
import { defaultEventKinds } from "../domain/MailEvent.ts"
import type { CursorRequest, Page, PageRequest } from "../domain/Paging.ts"
import { parseCursorRequest } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { CreateWebhook, UpdateWebhook, Webhook, WebhookSecret } from "../domain/Webhook.ts"
import { parseCreateWebhook, parseUpdateWebhook, rotationMillis, webhooksMax } from "../domain/Webhook.ts"
import type { WebhookTargetRules } from "../domain/WebhookTarget.ts"
import { webhookTargetRules, webhookUrlComplaint } from "../domain/WebhookTarget.ts"
import { readCursorPosition } from "../internal/readCursorPosition.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { resourcesOf } from "../internal/resources.ts"
import { validated, validIds } from "../internal/validated.ts"
import { printWebhookSecret, webhookSecretBytes } from "../internal/webhookSigning.ts"
import { makeWebhookTests } from "../internal/webhookTests.ts"
import { Crypto } from "../port/Crypto.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { EventRelay } from "./EventRelay.ts"
import { Secrets } from "./Secrets.ts"
import { WakeUp } from "./WakeUp.ts"

export type WebhookRecord = ResourceOf<"webhook">

/** A webhook with its newest secret. The secret is shown only once. */
export interface WebhookWithSecret {
  readonly webhook: WebhookRecord
  readonly secret: Redacted.Redacted<string>
}

export interface EventDeliveryPage {
  readonly items: ReadonlyArray<EventDelivery>
  readonly limit: number
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** The rules for URLs of webhooks. Give the event sink the same rules. */
export interface WebhooksOptions extends WebhookTargetRules {}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Newest first. A project has at most 50 webhooks. */
    readonly page: (
      projectId: ProjectId,
      page: PageRequest
    ) => Effect.Effect<Page<WebhookRecord>, InvalidArgument | StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<WebhookRecord, InvalidArgument | RecordNotFound | StoreUnavailable>
    readonly create: (
      projectId: ProjectId,
      request: CreateWebhook
    ) => Effect.Effect<WebhookWithSecret, InvalidArgument | NameTaken | TooManyRecords | StoreUnavailable>
    readonly update: (
      projectId: ProjectId,
      id: string,
      request: UpdateWebhook
    ) => Effect.Effect<WebhookRecord, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    readonly remove: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Creates a new secret. For 24 h, event deliveries are signed with the new and the previous secret. */
    readonly rotateSecret: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<WebhookWithSecret, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    /**
     * Sends an event of the kind `webhook.test` once and returns the result within 15 s. Stores nothing. Fails with `RateLimited` while one
     * test of the webhook, 4 tests of the project or 16 tests in this process are under way.
     */
    readonly test: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<EventDeliveryResult, InvalidArgument | RecordNotFound | RateLimited | StoreUnavailable>
    /** The event deliveries of the webhook, newest first. An event delivery is kept for 30 days after its end. */
    readonly eventDeliveries: (
      projectId: ProjectId,
      id: string,
      page: CursorRequest
    ) => Effect.Effect<EventDeliveryPage, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Repeats an event delivery that has ended, from the beginning of its retry schedule. */
    readonly replay: (
      projectId: ProjectId,
      id: string,
      eventDeliveryId: string
    ) => Effect.Effect<EventDelivery, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Webhooks") {
  static readonly layerWith = (options: Partial<WebhooksOptions> = {}) =>
    Layer.effect(
      Webhooks,
      Effect.gen(function* () {
        const rules = webhookTargetRules(options)
        const tests = makeWebhookTests()
        const store = yield* MailStore
        const crypto = yield* Crypto
        const ids = yield* IdSource
        const signal = yield* WakeUp
        const relay = yield* EventRelay
        const secrets = yield* Secrets
        const { encrypt } = secrets.vault("webhook")
        const signCursor = secrets.seal("cursor")
        const resources = resourcesOf({ store, ids }, { kind: "webhook", record: "webhook", field: "url" })

        const page = Effect.fn("Webhooks.page")(function* (projectId: ProjectId, page: PageRequest) {
          return yield* resources.page(projectId, page)
        })

        const newSecret = () => {
          const secret = printWebhookSecret(crypto.randomBytes(webhookSecretBytes))
          return { secret: Redacted.make(secret), stored: { encrypted: encrypt(secret), until: null } as WebhookSecret }
        }

        const checkUrl = (url: string): Effect.Effect<void, InvalidArgument> => {
          const complaint = webhookUrlComplaint(url, rules)
          return complaint === undefined
            ? Effect.void
            : Effect.fail(
                new InvalidArgument({ context: "body", issues: [issue(["url"], "invalid_value", complaint)] })
              )
        }

        const create = Effect.fn("Webhooks.create")(function* (projectId: ProjectId, request: CreateWebhook) {
          yield* validIds({ projectId })
          const asked = yield* validated(parseCreateWebhook, request)
          yield* checkUrl(asked.url)
          const { secret, stored } = newSecret()
          const content: Webhook = {
            url: asked.url,
            events: asked.events ?? defaultEventKinds,
            description: asked.description ?? "",
            status: "enabled",
            failingSince: null,
            secrets: [stored]
          }
          yield* relay.distribute
          return { webhook: yield* resources.create(projectId, { name: null, content, max: webhooksMax }), secret }
        })

        const update = Effect.fn("Webhooks.update")(function* (
          projectId: ProjectId,
          id: string,
          request: UpdateWebhook
        ) {
          const asked = yield* validated(parseUpdateWebhook, request)
          if (asked.url !== undefined) yield* checkUrl(asked.url)
          return yield* resources.update(projectId, id, null, ({ content }) => {
            // A webhook that is enabled again or has a new URL gets a new time to fail.
            const resetsFailures = asked.url !== undefined || asked.status === "enabled"
            const after = { ...content, ...asked, failingSince: resetsFailures ? null : content.failingSince }
            return Result.succeed({ name: null, content: after })
          })
        })

        const secretsAfterRotation = (
          stored: WebhookSecret,
          now: Instant,
          existing: Webhook
        ): ReadonlyArray<WebhookSecret> => {
          const [newest] = existing.secrets
          return newest === undefined ? [stored] : [stored, { ...newest, until: now + rotationMillis }]
        }

        const rotateSecret = Effect.fn("Webhooks.rotateSecret")(function* (projectId: ProjectId, id: string) {
          const { secret, stored } = newSecret()
          const webhook = yield* resources.update(projectId, id, null, ({ content }, { now }) =>
            Result.succeed({ name: null, content: { ...content, secrets: secretsAfterRotation(stored, now, content) } })
          )
          return { webhook, secret }
        })

        const test = Effect.fn("Webhooks.test")(function* (projectId: ProjectId, id: string) {
          const webhook = yield* resources.get(projectId, id)
          const now = yield* Clock.currentTimeMillis
          const testId = idAt(yield* ids.reserve(now, 1), "evd", 0)
          const data = { webhook_id: webhook.id, project_id: projectId }
          const body = { type: "webhook.test" as const, timestamp: formatInstant(now), data }
          return yield* tests.run(webhook, relay.sendTest(webhook, body, testId))
        })

        const eventDeliveries = Effect.fn("Webhooks.eventDeliveries")(function* (
          projectId: ProjectId,
          id: string,
          request: CursorRequest
        ) {
          const { limit, cursor } = yield* validated(parseCursorRequest, request, "query")
          yield* resources.get(projectId, id)
          const scope = { projectId, listing: "eventDeliveries", filters: { subscriber: id } }
          const position = yield* readCursorPosition(signCursor, crypto, scope, cursor, "this webhook")
          const after = position === null ? null : decodePosition(position)
          const [found] = yield* store.read([
            { _tag: "EventDeliveryPage", projectId, subscriber: id, after, limit: limit + 1 }
          ])
          const items = found.slice(0, limit)
          const last = found.length > limit ? items.at(-1) : undefined
          const nextCursor = last === undefined ? null : writeCursor(signCursor, scope, encodePosition(last))
          return { items, limit, hasMore: last !== undefined, nextCursor }
        })

        const replay = Effect.fn("Webhooks.replay")(function* (
          projectId: ProjectId,
          id: string,
          eventDeliveryId: string
        ) {
          yield* validIds({ projectId, id, eventDeliveryId })
          const now = yield* Clock.currentTimeMillis
          const replayed = yield* decideAndCommit(
            store,
            store.read([{ _tag: "EventDelivery", projectId, id: eventDeliveryId }]),
            ([eventDelivery]) =>
              eventDelivery === null || eventDelivery.subscriber !== id
                ? Result.fail(new RecordNotFound({ record: "event delivery", id: eventDeliveryId }))
                : Result.succeed(replayEventDelivery(eventDelivery, now))
          )
          yield* signal.notifyEvents
          return replayed
        })

        return {
          page,
          get: resources.get,
          create,
          update,
          remove: resources.remove,
          rotateSecret,
          test,
          eventDeliveries,
          replay
        }
      })
    )
}

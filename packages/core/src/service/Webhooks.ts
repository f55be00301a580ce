/**
 * A project's webhooks: where its events go, under which secret, and what became of each. Source: decision 0028.
 */
import { Clock, Context, Effect, Layer, Redacted, Result } from "effect"
import type { PushEnding } from "../decide/settlePush.ts"
import { replayPush } from "../decide/settlePush.ts"
import { placePosition, positionPlace, writeCursor } from "../domain/Cursor.ts"
import type { DefinitionOf } from "../domain/Definition.ts"
import type { EventPush } from "../domain/EventPush.ts"
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
import { cursorPlace } from "../internal/cursorPlace.ts"
import { decideAndCommit } from "../internal/decideAndCommit.ts"
import { definitionsOf } from "../internal/definitions.ts"
import { validated, validIds } from "../internal/validated.ts"
import { printWebhookSecret, webhookSecretBytes } from "../internal/webhookSigning.ts"
import { makeWebhookTests } from "../internal/webhookTests.ts"
import { Crypto } from "../port/Crypto.ts"
import { IdSource } from "../port/IdSource.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { EventRelay } from "./EventRelay.ts"
import { Secrets } from "./Secrets.ts"
import { WorkSignal } from "./WorkSignal.ts"

export type WebhookRecord = DefinitionOf<"webhook">

/** A webhook with its newest secret, shown this once. */
export interface WebhookWithSecret {
  readonly webhook: WebhookRecord
  readonly secret: Redacted.Redacted<string>
}

export interface PushPage {
  readonly items: ReadonlyArray<EventPush>
  readonly limit: number
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

/** Where webhooks may go; give the event sink the same rules. */
export interface WebhooksOptions extends WebhookTargetRules {}

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Newest first; at most 50. */
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
    /** A new secret; the one before signs too for 24 h. */
    readonly rotateSecret: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<WebhookWithSecret, InvalidArgument | RecordNotFound | NameTaken | StoreUnavailable>
    /**
     * Pushes an event of the kind `webhook.test` once, now, and says how it ended, within 15 s; nothing of it is kept. Refused with
     * `RateLimited` while a test of the webhook, 4 of the project or 16 in this process are under way.
     */
    readonly test: (
      projectId: ProjectId,
      id: string
    ) => Effect.Effect<PushEnding, InvalidArgument | RecordNotFound | RateLimited | StoreUnavailable>
    /** What was pushed, newest first; settled ones are kept for 30 days. */
    readonly pushes: (
      projectId: ProjectId,
      id: string,
      page: CursorRequest
    ) => Effect.Effect<PushPage, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Pushes a settled one again, from the beginning of its schedule. */
    readonly replay: (
      projectId: ProjectId,
      id: string,
      pushId: string
    ) => Effect.Effect<EventPush, InvalidArgument | RecordNotFound | StoreUnavailable>
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
        const signal = yield* WorkSignal
        const relay = yield* EventRelay
        const secrets = yield* Secrets
        const { encrypt } = secrets.vault("webhook")
        const cursorSeal = secrets.seal("cursor")
        const kept = definitionsOf({ store, ids }, { kind: "webhook", record: "webhook", field: "url" })

        const page = Effect.fn("Webhooks.page")(function* (projectId: ProjectId, page: PageRequest) {
          return yield* kept.page(projectId, page)
        })

        const minted = () => {
          const secret = printWebhookSecret(crypto.randomBytes(webhookSecretBytes))
          return { secret: Redacted.make(secret), stored: { encrypted: encrypt(secret), until: null } as WebhookSecret }
        }

        const judged = (url: string): Effect.Effect<void, InvalidArgument> => {
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
          yield* judged(asked.url)
          const { secret, stored } = minted()
          const content: Webhook = {
            url: asked.url,
            events: asked.events ?? defaultEventKinds,
            description: asked.description ?? "",
            status: "enabled",
            failingSince: null,
            secrets: [stored]
          }
          yield* relay.distribute
          return { webhook: yield* kept.create(projectId, { name: null, content, max: webhooksMax }), secret }
        })

        const update = Effect.fn("Webhooks.update")(function* (
          projectId: ProjectId,
          id: string,
          request: UpdateWebhook
        ) {
          const asked = yield* validated(parseUpdateWebhook, request)
          if (asked.url !== undefined) yield* judged(asked.url)
          return yield* kept.update(projectId, id, null, ({ content }) => {
            // Enabled again, or sent elsewhere, it begins anew.
            const anew = asked.url !== undefined || asked.status === "enabled"
            const after = { ...content, ...asked, failingSince: anew ? null : content.failingSince }
            return Result.succeed({ name: null, content: after })
          })
        })

        const rotated = (stored: WebhookSecret, now: Instant, standing: Webhook): ReadonlyArray<WebhookSecret> => {
          const [newest] = standing.secrets
          return newest === undefined ? [stored] : [stored, { ...newest, until: now + rotationMillis }]
        }

        const rotateSecret = Effect.fn("Webhooks.rotateSecret")(function* (projectId: ProjectId, id: string) {
          const { secret, stored } = minted()
          const webhook = yield* kept.update(projectId, id, null, ({ content }, { now }) =>
            Result.succeed({ name: null, content: { ...content, secrets: rotated(stored, now, content) } })
          )
          return { webhook, secret }
        })

        const test = Effect.fn("Webhooks.test")(function* (projectId: ProjectId, id: string) {
          const webhook = yield* kept.get(projectId, id)
          const now = yield* Clock.currentTimeMillis
          const probe = idAt(yield* ids.reserve(now, 1), "psh", 0)
          const data = { webhook_id: webhook.id, project_id: projectId }
          const body = { type: "webhook.test" as const, timestamp: formatInstant(now), data }
          return yield* tests.run(webhook, relay.probe(webhook, body, probe))
        })

        const pushes = Effect.fn("Webhooks.pushes")(function* (
          projectId: ProjectId,
          id: string,
          request: CursorRequest
        ) {
          const { limit, cursor } = yield* validated(parseCursorRequest, request, "query")
          yield* kept.get(projectId, id)
          const walk = { projectId, listing: "pushes", filters: { consumer: id } }
          const place = yield* cursorPlace(cursorSeal, crypto, walk, cursor, "this webhook")
          const after = place === null ? null : placePosition(place)
          const [found] = yield* store.read([{ _tag: "PushPage", projectId, consumer: id, after, limit: limit + 1 }])
          const items = found.slice(0, limit)
          const last = found.length > limit ? items.at(-1) : undefined
          const nextCursor = last === undefined ? null : writeCursor(cursorSeal, walk, positionPlace(last))
          return { items, limit, hasMore: last !== undefined, nextCursor }
        })

        const replay = Effect.fn("Webhooks.replay")(function* (projectId: ProjectId, id: string, pushId: string) {
          yield* validIds({ projectId, id, pushId })
          const now = yield* Clock.currentTimeMillis
          const replayed = yield* decideAndCommit(
            store,
            store.read([{ _tag: "Push", projectId, id: pushId }]),
            ([push]) =>
              push === null || push.consumer !== id
                ? Result.fail(new RecordNotFound({ record: "push", id: pushId }))
                : Result.succeed(replayPush(push, now))
          )
          yield* signal.notifyOfEvents
          return replayed
        })

        return { page, get: kept.get, create, update, remove: kept.remove, rotateSecret, test, pushes, replay }
      })
    )
}

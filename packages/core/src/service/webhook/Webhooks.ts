/**
 * The webhooks of a project: their URLs and secrets, and the event deliveries to them. Source: decision 0028.
 */
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { createWebhook, rotateWebhookSecret, updateWebhook } from "../../decide/webhook/webhook.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { CursorInput, Page, PageInput, CursorPage } from "../../domain/store/Paging.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import type { RateLimited } from "../../domain/access/AccessFailure.ts"
import type { TooManyRecords, RecordNotFound } from "../../domain/store/RecordFailure.ts"
import { checkedOptions } from "../../domain/value/OptionRule.ts"
import type { Webhook, WebhookTestResult, WebhookWithSecret } from "../../domain/webhook/Webhook.ts"
import { toWebhook } from "../../domain/webhook/Webhook.ts"
import type { WebhookDelivery } from "../../domain/webhook/WebhookDelivery.ts"
import type { CreateWebhookInput, UpdateWebhookInput } from "../../domain/webhook/WebhookInput.ts"
import { parseCreateWebhook, parseUpdateWebhook } from "../../domain/webhook/WebhookInput.ts"
import type { WebhookUrlRules } from "../../domain/webhook/WebhookUrl.ts"
import { webhookRules, webhookUrlRules } from "../../domain/webhook/WebhookUrl.ts"
import { clockFacts } from "../../internal/store/clockFacts.ts"
import { makeCommit } from "../../internal/store/commit.ts"
import { providedSink } from "../../internal/event/checkedSink.ts"
import { resourceOfKind, resourcesOf } from "../../internal/store/resources.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { makeWebhookEventDeliveries } from "../../internal/webhook/webhookEventDeliveries.ts"
import { printWebhookSecret, webhookSecretBytes } from "../../internal/webhook/webhookSigning.ts"
import { Crypto } from "../../port/Crypto.ts"
import { IdSource } from "../../port/IdSource.ts"
import type { StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Secrets } from "../access/Secrets.ts"
import { WakeUp } from "../delivery/WakeUp.ts"
import { EventSender } from "../event/EventSender.ts"

/** The rules for URLs of webhooks. Give the event sink the same rules. */
export interface WebhooksOptions extends WebhookUrlRules {}

/**
 * The webhooks of a project. Each method fails with `InvalidArgument` when an argument is not valid, and with `RecordNotFound` when the
 * project has no webhook with the id.
 *
 * @example
 * ```ts
 * import { Effect, Redacted } from "effect"
 * import { Webhooks } from "@mailkeep/core"
 *
 * const program = Effect.gen(function* () {
 *   const webhooks = yield* Webhooks
 *   const { webhook, secret } = yield* webhooks.create("prj_acme", { url: "https://hooks.example.net/mail" })
 *   console.log(webhook.events.length, Redacted.value(secret).startsWith("whsec_"))
 * })
 * ```
 */
export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** One page of the webhooks, newest first. A project has at most 50 webhooks. */
    readonly list: (
      caller: Caller,
      input?: PageInput
    ) => Effect.Effect<Page<Webhook>, InvalidArgument | StoreUnavailable>
    /** Returns one webhook, without its secrets. */
    readonly get: (
      caller: Caller,
      id: string
    ) => Effect.Effect<Webhook, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Creates a webhook and its secret, which is shown only now. The webhook gets the events from now on. Fails with `TooManyRecords` when the
     * project has 50 webhooks.
     */
    readonly create: (
      caller: Caller,
      input: CreateWebhookInput
    ) => Effect.Effect<WebhookWithSecret, InvalidArgument | TooManyRecords | StoreUnavailable>
    /** Changes the given fields of a webhook. The field `status` disables the webhook or enables it again. */
    readonly update: (
      caller: Caller,
      id: string,
      input: UpdateWebhookInput
    ) => Effect.Effect<Webhook, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Deletes a webhook. Its pending event deliveries fail. */
    readonly delete: (
      caller: Caller,
      id: string
    ) => Effect.Effect<null, InvalidArgument | RecordNotFound | StoreUnavailable>
    /** Creates a new secret. The previous secret also signs for 24 h. */
    readonly rotateSecret: (
      caller: Caller,
      id: string
    ) => Effect.Effect<WebhookWithSecret, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Sends an event of the kind `webhook.test` once and returns the result within 15 s. Stores nothing. Fails with `RateLimited` while one
     * test of the webhook, 4 tests of the project or 16 tests in this process are under way.
     */
    readonly test: (
      caller: Caller,
      id: string
    ) => Effect.Effect<WebhookTestResult, InvalidArgument | RecordNotFound | RateLimited | StoreUnavailable>
    /**
     * The event deliveries of the webhook, newest first. An event delivery is kept for `retention.eventsMillis` after its end, 30 days by default.
     */
    readonly listEventDeliveries: (
      caller: Caller,
      id: string,
      input?: CursorInput
    ) => Effect.Effect<CursorPage<WebhookDelivery>, InvalidArgument | RecordNotFound | StoreUnavailable>
    /**
     * Sends the event of an event delivery now, and begins its retry schedule again. The event delivery has ended, or waits for a later attempt. One that
     * is due or is being sent does not change. Fails with `RecordNotFound` when the project no longer has the webhook, or when the webhook has no
     * event delivery with this id. Fails with it also when the event has been deleted, which happens by the age of the event.
     */
    readonly replay: (
      caller: Caller,
      id: string,
      eventDeliveryId: string
    ) => Effect.Effect<WebhookDelivery, InvalidArgument | RecordNotFound | StoreUnavailable>
  }
>()("@mailkeep/core/service/Webhooks") {
  /** The webhooks with other rules for their URLs than the defaults. An option that is not valid is a defect: a `TypeError` that names the option. */
  static readonly layerWith = (options: Partial<WebhooksOptions> = {}) =>
    Layer.effect(
      Webhooks,
      Effect.gen(function* () {
        const rules = webhookUrlRules(checkedOptions("webhooks", webhookRules, options))
        const parseCreate = parseCreateWebhook(rules)
        const parseUpdate = parseUpdateWebhook(rules)
        const store = yield* MailStore
        const commit = makeCommit(store)
        const crypto = yield* Crypto
        const ids = yield* IdSource
        const resources = resourcesOf({ store, ids }, "webhook")
        const eventSender = yield* EventSender
        const secrets = yield* Secrets
        const { encrypt, decrypt } = secrets.encryption("webhook")
        const eventDeliveries = makeWebhookEventDeliveries({
          store,
          commit,
          crypto,
          ids,
          decrypt,
          sink: yield* providedSink,
          sign: secrets.signer("cursor"),
          get: resources.get,
          notify: (yield* WakeUp).events.notify
        })

        /** Loads the webhook with an id as the facts of a decision. */
        const loadExisting = (projectId: ProjectId, id: string) =>
          Effect.map(store.read([{ _tag: "Resource", projectId, id }]), ([found]) => ({
            id,
            existing: resourceOfKind(found, "webhook")
          }))

        const newSecret = () => {
          const secret = printWebhookSecret(crypto.randomBytes(webhookSecretBytes))
          return { secret: Redacted.make(secret), encryptedSecret: encrypt(secret) }
        }

        const list = Effect.fn("Webhooks.list")(function* (caller: Caller, input: PageInput = {}) {
          const { items, ...page } = yield* resources.list(caller, input)
          return { items: items.map(toWebhook), ...page }
        })

        const get = Effect.fn("Webhooks.get")((caller: Caller, id: string) =>
          Effect.map(resources.get(caller, id), toWebhook)
        )

        const create = Effect.fn("Webhooks.create")(function* (caller: Caller, input: CreateWebhookInput) {
          const projectId = yield* validProject(caller)
          const valid = yield* validated(parseCreate, input)
          const { secret, encryptedSecret } = newSecret()
          // The webhook gets no event from before its creation.
          yield* eventSender.distribute
          const clock = yield* clockFacts(ids, 1)
          const created = yield* commit(
            Effect.map(store.read([{ _tag: "ResourceCount", projectId, kind: "webhook", parent: "" }]), ([count]) => ({
              count
            })),
            (facts) => createWebhook(valid, { ...facts, ...clock, projectId, encryptedSecret }),
            "bounded"
          )
          return { webhook: toWebhook(created), secret }
        })

        const update = Effect.fn("Webhooks.update")(function* (caller: Caller, id: string, input: UpdateWebhookInput) {
          const valid = yield* validated(parseUpdate, input)
          const projectId = yield* validProject(caller, { id })
          const now = yield* Clock.currentTimeMillis
          const updated = yield* commit(
            loadExisting(projectId, id),
            (facts) => updateWebhook(valid, { ...facts, now }),
            "bounded"
          )
          return toWebhook(updated)
        })

        const rotateSecret = Effect.fn("Webhooks.rotateSecret")(function* (caller: Caller, id: string) {
          const projectId = yield* validProject(caller, { id })
          const { secret, encryptedSecret } = newSecret()
          const now = yield* Clock.currentTimeMillis
          const rotated = yield* commit(
            loadExisting(projectId, id),
            (facts) => rotateWebhookSecret({ ...facts, now, encryptedSecret }),
            "bounded"
          )
          return { webhook: toWebhook(rotated), secret }
        })

        return {
          list,
          get,
          create,
          update,
          delete: Effect.fn("Webhooks.delete")(resources.delete),
          rotateSecret,
          test: eventDeliveries.test,
          listEventDeliveries: eventDeliveries.list,
          replay: eventDeliveries.replay
        }
      })
    )
}

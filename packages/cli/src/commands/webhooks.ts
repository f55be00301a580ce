/**
 * `mailkeep webhooks`: the endpoints that receive the events of a project.
 */
import type { Webhook, WebhookDelivery } from "@mailkeep/core"
import { eventKinds, formatInstant, Webhooks } from "@mailkeep/core"
import { formatInstantOrNull, webhookStatuses } from "@mailkeep/core/binding"
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json, limit, project, textFlag, webhookRules } from "../flags.ts"
import { withCore } from "../commandCore.ts"
import { exitWith, print, table } from "../output.ts"
import { allItems } from "../pages.ts"

const webhookForOutput = ({ id, url, events, description, status, createdAt }: Webhook) => ({
  id,
  url,
  events,
  description,
  status,
  createdAt: formatInstant(createdAt)
})

const eventDeliveryForOutput = ({
  id,
  eventId,
  eventKind,
  status,
  attempts,
  nextAttemptAt,
  createdAt
}: WebhookDelivery) => ({
  id,
  eventId,
  eventType: eventKind,
  status,
  attempts: attempts.length,
  lastStatusCode: attempts.at(-1)?.status ?? null,
  lastError: attempts.at(-1)?.error ?? null,
  nextAttemptAt: formatInstantOrNull(nextAttemptAt),
  createdAt: formatInstant(createdAt)
})

const webhookId = Argument.String("webhook-id").pipe(
  Argument.withDescription("The id of the webhook, such as whk_01h…")
)

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const service = yield* Webhooks
    const found = yield* allItems((page) => service.list(project, page))
    const rows = found.map(({ id, status, url, events }) => [id, status, url, events.join(" ")])
    yield* print(json, { webhooks: found.map(webhookForOutput) }, table([["ID", "STATUS", "URL", "EVENTS"], ...rows]))
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("List webhooks"))

const create = Command.make(
  "create",
  {
    url: Argument.String("url"),
    data,
    project,
    json,
    webhookRules,
    events: Flag.Literals("event", eventKinds).pipe(
      Flag.atLeast(0),
      Flag.withDescription(
        "A kind of event; repeatable; default email.delivered, email.bounced, email.failed and contact.unsubscribed"
      )
    )
  },
  ({ url, data, project, json, webhookRules, events }) =>
    Effect.gen(function* () {
      const { webhook, secret } = yield* (yield* Webhooks).create(project, {
        url,
        events: events.length === 0 ? undefined : events
      })
      const clear = Redacted.value(secret)
      yield* print(
        json,
        { ...webhookForOutput(webhook), secret: clear },
        `${webhook.id}\n${clear}\nKeep it now: it is not shown again.`
      )
    }).pipe(withCore({ data, webhookRules }))
).pipe(Command.withDescription("Create a webhook and print its secret, once"))

const update = Command.make(
  "update",
  {
    webhookId,
    data,
    project,
    json,
    webhookRules,
    status: Flag.Literals("status", webhookStatuses).pipe(
      Flag.withDescription("Enable or disable the webhook"),
      Flag.optional,
      Flag.map(Option.getOrUndefined)
    ),
    url: textFlag("url", "The new URL; it does not enable a disabled webhook"),
    events: Flag.Literals("event", eventKinds).pipe(
      Flag.atLeast(0),
      Flag.withDescription("A kind of event; repeatable; replaces all kinds")
    )
  },
  ({ webhookId, data, project, json, webhookRules, status, url, events }) =>
    Effect.gen(function* () {
      if (status === undefined && url === undefined && events.length === 0)
        return yield* exitWith("nothing to change: give --status, --url or --event")
      const updated = yield* (yield* Webhooks).update(project, webhookId, {
        status,
        url,
        events: events.length === 0 ? undefined : events
      })
      yield* print(json, webhookForOutput(updated), `${updated.id} is ${updated.status}: ${updated.url}`)
    }).pipe(withCore({ data, webhookRules }))
).pipe(Command.withDescription("Enable or disable a webhook, or change its URL or kinds of event"))

const remove = Command.make("delete", { webhookId, data, project, json }, ({ webhookId, data, project, json }) =>
  Effect.gen(function* () {
    yield* (yield* Webhooks).delete(project, webhookId)
    yield* print(json, { id: webhookId, deleted: true }, `${webhookId} deleted`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Delete a webhook"))

const rotate = Command.make("rotate-secret", { webhookId, data, project, json }, ({ webhookId, data, project, json }) =>
  Effect.gen(function* () {
    const { secret } = yield* (yield* Webhooks).rotateSecret(project, webhookId)
    const clear = Redacted.value(secret)
    yield* print(json, { id: webhookId, secret: clear }, `${clear}\nThe previous secret also signs for 24 hours.`)
  }).pipe(withCore({ data }))
).pipe(Command.withDescription("Make a new secret and print it once"))

const test = Command.make(
  "test",
  { webhookId, data, project, json, webhookRules },
  ({ webhookId, data, project, json, webhookRules }) =>
    Effect.gen(function* () {
      const result = yield* (yield* Webhooks).test(project, webhookId)
      const { delivered, statusCode, error } = result
      if (delivered || json) yield* print(json, result, `accepted, ${statusCode}`)
      if (!delivered) yield* exitWith(`not accepted: ${statusCode ?? error}`)
    }).pipe(withCore({ data, webhookRules }))
).pipe(Command.withDescription("Send a test event now, once. The exit code is 1 when the endpoint does not accept it"))

const deliveries = Command.make(
  "deliveries",
  { webhookId, data, project, json, limit },
  ({ webhookId, data, project, json, limit }) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* Webhooks).listEventDeliveries(project, webhookId, { limit })
      const all = items.map(eventDeliveryForOutput)
      const rows = all.map((one) => [
        one.id,
        one.eventType,
        one.status,
        String(one.attempts),
        String(one.lastStatusCode ?? one.lastError ?? "")
      ])
      yield* print(json, { deliveries: all }, table([["ID", "EVENT", "STATUS", "ATTEMPTS", "LAST"], ...rows]))
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("List the event deliveries, newest first"))

const replay = Command.make(
  "replay",
  { webhookId, deliveryId: Argument.String("delivery-id"), data, project, json },
  ({ webhookId, deliveryId, data, project, json }) =>
    Effect.gen(function* () {
      const replayed = yield* (yield* Webhooks).replay(project, webhookId, deliveryId)
      yield* print(json, eventDeliveryForOutput(replayed), `${replayed.id} will be sent again`)
    }).pipe(withCore({ data }))
).pipe(Command.withDescription("Send an event again; a server on the same data folder sends it"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks"),
  Command.withSubcommands([list, create, update, remove, rotate, test, deliveries, replay])
)

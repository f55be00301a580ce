/**
 * `mailkeep webhooks`: the endpoints that receive the events of a project.
 */
import type { EventDelivery, WebhookRecord } from "@mailkeep/core"
import { eventKinds, formatInstant, formatInstantOrNull, Webhooks } from "@mailkeep/core"
import { Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { data, json, limit, project, webhookTargets } from "../flags.ts"
import * as DataFolder from "../dataFolder.ts"
import { exitWith, print, table } from "../output.ts"
import { walkPages } from "../walkPages.ts"

const shown = ({ id, content, createdAt }: WebhookRecord) => ({
  id,
  url: content.url,
  events: content.events,
  description: content.description,
  status: content.status,
  createdAt: formatInstant(createdAt)
})

const shownEventDelivery = ({ id, eventId, eventKind, status, latestAttempts, dueAt, createdAt }: EventDelivery) => ({
  id,
  eventId,
  eventType: eventKind,
  status,
  attempts: latestAttempts.length,
  lastStatusCode: latestAttempts.at(-1)?.status ?? null,
  lastError: latestAttempts.at(-1)?.error ?? null,
  nextAttemptAt: formatInstantOrNull(dueAt),
  createdAt: formatInstant(createdAt)
})

const webhookId = Argument.String("webhook-id").pipe(
  Argument.withDescription("The id of the webhook, such as whk_01h…")
)

const list = Command.make("list", { data, project, json }, ({ data, project, json }) =>
  Effect.gen(function* () {
    const service = yield* Webhooks
    const found = yield* walkPages((page) => service.page(project, page))
    const rows = found.map(({ id, content }) => [id, content.status, content.url, content.events.join(" ")])
    yield* print(json, { webhooks: found.map(shown) }, table([["ID", "STATUS", "URL", "EVENTS"], ...rows]))
  }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("List webhooks"))

const create = Command.make(
  "create",
  {
    url: Argument.String("url"),
    data,
    project,
    json,
    webhookTargets,
    events: Flag.Literals("event", eventKinds).pipe(
      Flag.atLeast(0),
      Flag.withDescription("A kind of event; repeatable; default the four stable kinds")
    )
  },
  ({ url, data, project, json, webhookTargets, events }) =>
    Effect.gen(function* () {
      const subscription = events.length === 0 ? { url } : { url, events }
      const { webhook, secret } = yield* (yield* Webhooks).create(project, subscription)
      const clear = Redacted.value(secret)
      yield* print(
        json,
        { ...shown(webhook), secret: clear },
        `${webhook.id}\n${clear}\nKeep it now: it is not shown again.`
      )
    }).pipe(DataFolder.at({ data, webhookTargets }))
).pipe(Command.withDescription("Create a webhook and print its secret, once"))

const remove = Command.make("delete", { webhookId, data, project, json }, ({ webhookId, data, project, json }) =>
  Effect.gen(function* () {
    yield* (yield* Webhooks).remove(project, webhookId)
    yield* print(json, { id: webhookId, deleted: true }, `${webhookId} deleted`)
  }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("Delete a webhook"))

const rotate = Command.make("rotate-secret", { webhookId, data, project, json }, ({ webhookId, data, project, json }) =>
  Effect.gen(function* () {
    const { secret } = yield* (yield* Webhooks).rotateSecret(project, webhookId)
    const clear = Redacted.value(secret)
    yield* print(json, { id: webhookId, secret: clear }, `${clear}\nThe previous secret also signs for 24 hours.`)
  }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("Make a new secret and print it once"))

const test = Command.make(
  "test",
  { webhookId, data, project, json, webhookTargets },
  ({ webhookId, data, project, json, webhookTargets }) =>
    Effect.gen(function* () {
      const result = yield* (yield* Webhooks).test(project, webhookId)
      const status = "status" in result ? result.status : null
      const error = "error" in result ? result.error : null
      if (result._tag !== "Accepted" && !json) return yield* exitWith(`not accepted: ${status ?? error}`)
      yield* print(json, { delivered: result._tag === "Accepted", statusCode: status, error }, `accepted, ${status}`)
    }).pipe(DataFolder.at({ data, webhookTargets }))
).pipe(Command.withDescription("Send a test event now, once"))

const deliveries = Command.make(
  "deliveries",
  { webhookId, data, project, json, limit },
  ({ webhookId, data, project, json, limit }) =>
    Effect.gen(function* () {
      const { items } = yield* (yield* Webhooks).eventDeliveries(project, webhookId, { limit, cursor: null })
      const all = items.map(shownEventDelivery)
      const rows = all.map((one) => [
        one.id,
        one.eventType,
        one.status,
        String(one.attempts),
        String(one.lastStatusCode ?? one.lastError ?? "")
      ])
      yield* print(json, { deliveries: all }, table([["ID", "EVENT", "STATUS", "ATTEMPTS", "LAST"], ...rows]))
    }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("List the event deliveries, newest first"))

const replay = Command.make(
  "replay",
  { webhookId, deliveryId: Argument.String("delivery-id"), data, project, json },
  ({ webhookId, deliveryId, data, project, json }) =>
    Effect.gen(function* () {
      const eventDelivery = yield* (yield* Webhooks).replay(project, webhookId, deliveryId)
      yield* print(json, shownEventDelivery(eventDelivery), `${eventDelivery.id} will be sent again`)
    }).pipe(DataFolder.at({ data }))
).pipe(Command.withDescription("Send an event again; a server on the same data folder sends it"))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("Webhooks"),
  Command.withSubcommands([list, create, remove, rotate, test, deliveries, replay])
)

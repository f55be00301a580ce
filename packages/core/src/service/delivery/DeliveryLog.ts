/**
 * The delivery log: pages of deliveries, one delivery with its attempts, and the events of a project.
 * Source: docs/spec/coverage.md S5; decision 0011.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { explainDelivery } from "../../decide/delivery/explainDelivery.ts"
import type { Caller } from "../../domain/access/ApiKey.ts"
import type { ProjectId } from "../../domain/access/Project.ts"
import type { DeliverySummary } from "../../domain/delivery/Delivery.ts"
import type { DeliveryDetail } from "../../domain/delivery/DeliveryDetail.ts"
import { toDeliveryDetail } from "../../domain/delivery/DeliveryDetail.ts"
import type { DeliveryStory } from "../../domain/delivery/DeliveryStory.ts"
import type { ListDeliveriesInput, ListEventsInput } from "../../domain/delivery/DeliveryLogInput.ts"
import { parseListDeliveries, parseListEvents } from "../../domain/delivery/DeliveryLogInput.ts"
import { messageIdOfEvent } from "../../domain/event/EventRecord.ts"
import type { EventMessage, MailEvent } from "../../domain/event/MailEvent.ts"
import { toMailEvent } from "../../domain/event/MailEvent.ts"
import { decodePosition, encodePosition } from "../../domain/store/Cursor.ts"
import { examinedMax } from "../../domain/store/Paging.ts"
import type { EventWithDeliveries, UsageAudit } from "../../domain/store/QueryAnswer.ts"
import { isId } from "../../domain/value/Id.ts"
import { allProjects } from "../../domain/event/Subscription.ts"
import type { InvalidArgument } from "../../domain/value/Failure.ts"
import { DeliveryNotFound } from "../../domain/message/MessageFailure.ts"
import type { CursorPage } from "../../domain/store/Paging.ts"
import type { LogFilters } from "../../domain/delivery/LogFilters.ts"
import { isTemplateId } from "../../domain/template/TemplateContent.ts"
import { makeSearchedPage } from "../../internal/store/searchedPage.ts"
import { templateReads } from "../../internal/template/templateReads.ts"
import { validated, validProject } from "../../internal/validated.ts"
import { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { Secrets } from "../access/Secrets.ts"

/** How many messages are read at once for the events about their deliveries. A message can have two bodies of 2 MiB. */
const messagesReadAtOnce = 4

/** Reads the messages with these ids, and keeps only the fields that belong to events. */
const loadEventMessages = (store: MailStoreShape, projectId: ProjectId, ids: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const found = new Map<string, EventMessage>()
    for (let first = 0; first < ids.length; first += messagesReadAtOnce) {
      const queries = ids
        .slice(first, first + messagesReadAtOnce)
        .map((id) => ({ _tag: "Message", projectId, id }) as const)
      for (const message of yield* store.read(queries)) {
        if (message === null) continue
        const { id, subject, templateId, source, metadata } = message
        found.set(id, { subject, templateId, source, metadata })
      }
    }
    return found
  })

/** The names of the subscriptions among the subscribers of events, by id. */
const loadSubscriptionNames = (store: MailStoreShape, events: ReadonlyArray<EventWithDeliveries>) => {
  const subscribers = events.flatMap(({ eventDeliveries }) => eventDeliveries.map(({ subscriber }) => subscriber))
  const ids = [...new Set(subscribers)].filter((id) => isId("sub", id))
  return Effect.map(
    store.read(ids.map((id) => ({ _tag: "Resource", projectId: allProjects, id }) as const)),
    (found) =>
      new Map(found.flatMap((one) => (one === null || one.name === null ? [] : [[one.id as string, one.name]])))
  )
}

/**
 * What happened to the mail of a project.
 *
 * @example
 * ```ts
 * import { Effect } from "effect"
 * import { DeliveryLog } from "@mailkeep/core"
 *
 * const program = Effect.gen(function* () {
 *   const log = yield* DeliveryLog
 *   const { items } = yield* log.list("prj_acme", { status: "bounced", startDate: "2026-12-01" })
 *   for (const { id } of items) console.log((yield* log.get("prj_acme", id)).statusMessage)
 *   for (const { id } of items) console.log((yield* log.explain("prj_acme", id)).entries.map(({ text }) => text))
 * })
 * ```
 */
export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /**
     * One page of the deliveries, newest first. With a filter that no index supports, the store is searched for up to 1 s. The page may then be
     * short or empty although `hasMore` is `true`, and the next page continues the search. An index supports the recipient, the contact, the
     * dates, and each status except `queued`, `accepted` and `delivered`. Fails with `InvalidArgument` when a filter is not valid, or when the
     * cursor belongs to another project or other filters.
     */
    readonly list: (
      caller: Caller,
      input?: ListDeliveriesInput
    ) => Effect.Effect<CursorPage<DeliverySummary>, InvalidArgument | StoreUnavailable>
    /** Returns one delivery with its message and its attempts. Fails with `DeliveryNotFound` when the project has no delivery with this id. */
    readonly get: (
      caller: Caller,
      deliveryId: string
    ) => Effect.Effect<DeliveryDetail, InvalidArgument | DeliveryNotFound | StoreUnavailable>
    /**
     * Explains one delivery: everything that the store knows about it, oldest first, with a sentence for each entry, and what it waits for now. For a
     * developer or a support page. Contains the recipient, the idempotency key and the replies of the relay, but not the content of the message.
     * Fails with `DeliveryNotFound` when the project has no delivery with this id.
     *
     * The store does not record earlier claims and earlier scheduled times. Events, and event deliveries after their end, are in the store for
     * `retention.eventsMillis`, 30 days by default.
     */
    readonly explain: (
      caller: Caller,
      deliveryId: string
    ) => Effect.Effect<DeliveryStory, InvalidArgument | DeliveryNotFound | StoreUnavailable>
    /**
     * The events of the project, oldest first. Events are kept for `retention.eventsMillis`, 30 days by default. `EventSender.subscribe` receives
     * each new event.
     */
    readonly listEvents: (
      caller: Caller,
      input?: ListEventsInput
    ) => Effect.Effect<ReadonlyArray<MailEvent>, InvalidArgument | StoreUnavailable>
    /** The counters of the project, and the same numbers counted from its records. Reads every delivery and every contact of the project. */
    readonly usageAudit: (caller: Caller) => Effect.Effect<UsageAudit, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/DeliveryLog") {
  /** Makes the service from the services that it needs. `MailCore.layer` makes all of them. */
  static readonly layer = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const store = yield* MailStore
      const { signer, addressKey } = yield* Secrets
      const searchedPage = makeSearchedPage({ sign: signer("cursor"), crypto: yield* Crypto })
      const { find: findTemplate } = templateReads(store)

      /** A message records the id of its template. An unknown alias stays as it is, because it matches no message. */
      const withTemplateId = (projectId: ProjectId, filters: LogFilters): Effect.Effect<LogFilters, StoreUnavailable> =>
        filters.templateId === null || isTemplateId(filters.templateId)
          ? Effect.succeed(filters)
          : Effect.map(findTemplate(projectId, filters.templateId), (template) =>
              template === null ? filters : { ...filters, templateId: template.id }
            )

      const list = Effect.fn("DeliveryLog.list")(function* (caller: Caller, input: ListDeliveriesInput = {}) {
        const projectId = yield* validProject(caller)
        const { limit, cursor, ...listing } = yield* validated(parseListDeliveries, input, "filters")
        const filters = yield* withTemplateId(projectId, listing.filters)
        // The part follows from the search, so a cursor is also valid in a version without the part.
        const { recipientPart: _, ...givenFilters } = filters
        return yield* searchedPage({
          scope: { projectId, listing: "deliveries", filters: givenFilters },
          limit,
          cursor,
          encode: encodePosition,
          decode: decodePosition,
          readPart: (after, limit) =>
            Effect.map(
              store.read([{ _tag: "LogPage", projectId, filters, after, limit, scanLimit: examinedMax }]),
              ([part]) => part
            )
        })
      })

      const get = Effect.fn("DeliveryLog.get")(function* (caller: Caller, deliveryId: string) {
        const projectId = yield* validProject(caller, { deliveryId })
        const [delivery, attempts] = yield* store.read([
          { _tag: "Delivery", projectId, id: deliveryId },
          { _tag: "Attempts", projectId, deliveryId }
        ])
        if (delivery === null) return yield* new DeliveryNotFound({ deliveryId })
        const [message, contact] = yield* store.read([
          { _tag: "Message", projectId, id: delivery.messageId },
          { _tag: "Contact", projectId, id: delivery.contactId ?? "" }
        ])
        // A sweep may have deleted the message since.
        if (message === null) return yield* new DeliveryNotFound({ deliveryId })
        const [domain, resource] = yield* store.read([
          { _tag: "Domain", projectId, domain: message.domain },
          { _tag: "Resource", projectId, id: message.templateId ?? "" }
        ])
        const template = resource?.kind === "template" ? resource : null
        return toDeliveryDetail({ delivery, message, attempts, contact, domain, template })
      })

      const explain = Effect.fn("DeliveryLog.explain")(function* (caller: Caller, deliveryId: string) {
        const projectId = yield* validProject(caller, { deliveryId })
        const now = yield* Clock.currentTimeMillis
        const [delivery, attempts, events, project, leases] = yield* store.read([
          { _tag: "Delivery", projectId, id: deliveryId },
          { _tag: "Attempts", projectId, deliveryId },
          { _tag: "EventsOfDelivery", projectId, deliveryId },
          { _tag: "Project", id: projectId },
          // All leases: each was set after the beginning of time.
          { _tag: "LeasesSetAfter", now: Number.MIN_SAFE_INTEGER }
        ])
        if (delivery === null) return yield* new DeliveryNotFound({ deliveryId })
        const [message, [suppression]] = yield* store.read([
          { _tag: "Message", projectId, id: delivery.messageId },
          { _tag: "Suppressions", projectId, addressKeys: [addressKey(delivery.address)] }
        ])
        // A sweep may have deleted the message since.
        if (message === null) return yield* new DeliveryNotFound({ deliveryId })
        const [apiKey] = yield* store.read([{ _tag: "ApiKey", projectId, id: message.apiKeyId ?? "" }])
        const subscriptionNames = yield* loadSubscriptionNames(store, events)
        return explainDelivery(
          {
            delivery,
            message,
            attempts,
            suppression: suppression ?? null,
            apiKey,
            project,
            leases,
            events,
            subscriptionNames
          },
          now
        )
      })

      const listEvents = Effect.fn("DeliveryLog.listEvents")(function* (caller: Caller, input: ListEventsInput = {}) {
        const projectId = yield* validProject(caller)
        const { after, limit } = yield* validated(parseListEvents, input, "filters")
        const [records] = yield* store.read([{ _tag: "Events", projectId, after, limit }])
        const messageIds = [...new Set(records.flatMap((record) => messageIdOfEvent(record) ?? []))]
        const messages = yield* loadEventMessages(store, projectId, messageIds)
        return records.map((record) => toMailEvent(record, messages.get(messageIdOfEvent(record) ?? "") ?? null))
      })

      const usageAudit = Effect.fn("DeliveryLog.usageAudit")(function* (caller: Caller) {
        const projectId = yield* validProject(caller)
        const [usageAudit] = yield* store.read([{ _tag: "UsageAudit", projectId }])
        return usageAudit
      })

      return { list, get, explain, listEvents, usageAudit }
    })
  )
}

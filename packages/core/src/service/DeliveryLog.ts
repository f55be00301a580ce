/**
 * The delivery log: pages of deliveries, one delivery with its attempts, and the events of a project.
 * Source: interface, List deliveries; decision 0011.
 */
import { Context, Effect, Layer } from "effect"
import type { Contact } from "../domain/Contact.ts"
import { decodePosition, encodePosition, writeCursor } from "../domain/Cursor.ts"
import type { ResourceOf } from "../domain/Resource.ts"
import type { Attempt, Delivery, DeliverySummary } from "../domain/Delivery.ts"
import type { InvalidArgument } from "../domain/Failure.ts"
import { DeliveryNotFound } from "../domain/Failure.ts"
import type { MailEvent } from "../domain/MailEvent.ts"
import type { Message } from "../domain/Message.ts"
import type { CursorRequest, LogFilters } from "../domain/Paging.ts"
import { examinedMax } from "../domain/Paging.ts"
import { parseCursorRequest, parseEventsRequest, parseLogFilters } from "../domain/PagingRequest.ts"
import type { ProjectId } from "../domain/Project.ts"
import type { UsageAudit } from "../domain/Query.ts"
import type { SenderDomain } from "../domain/SenderDomain.ts"
import { readCursorPosition } from "../internal/readCursorPosition.ts"
import { validated, validIds } from "../internal/validated.ts"
import { Crypto } from "../port/Crypto.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { Secrets } from "./Secrets.ts"

export interface LogPage {
  readonly items: ReadonlyArray<DeliverySummary>
  /** The total is known only when the first page is also the last page. Otherwise `null`. */
  readonly total: number | null
  readonly limit: number
  readonly hasMore: boolean
  readonly nextCursor: string | null
}

export interface DeliveryDetail {
  readonly delivery: Delivery
  readonly message: Message
  readonly attempts: ReadonlyArray<Attempt>
  readonly contact: Contact | null
  readonly domain: SenderDomain | null
  readonly template: ResourceOf<"template"> | null
}

export class DeliveryLog extends Context.Service<
  DeliveryLog,
  {
    /** Newest first. With filters, a page may be short or empty although `hasMore` is `true`. */
    readonly page: (
      projectId: ProjectId,
      filters: LogFilters,
      page: CursorRequest
    ) => Effect.Effect<LogPage, InvalidArgument | StoreUnavailable>
    readonly get: (
      projectId: ProjectId,
      deliveryId: string
    ) => Effect.Effect<DeliveryDetail, InvalidArgument | DeliveryNotFound | StoreUnavailable>
    /** Oldest first, after the event with the id `after`. Events are kept for 30 days. `limit`: 1 to 1,000. */
    readonly events: (
      projectId: ProjectId,
      page: { readonly after: string | null; readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<MailEvent>, InvalidArgument | StoreUnavailable>
    /** The counters of the project, and the same numbers counted from its records. */
    readonly usageAudit: (projectId: ProjectId) => Effect.Effect<UsageAudit, InvalidArgument | StoreUnavailable>
  }
>()("@mailkeep/core/service/DeliveryLog") {
  static readonly layerNoDeps = Layer.effect(
    DeliveryLog,
    Effect.gen(function* () {
      const store = yield* MailStore
      const crypto = yield* Crypto
      const sign = (yield* Secrets).seal("cursor")

      const page = Effect.fn("DeliveryLog.page")(function* (
        projectId: ProjectId,
        asked: LogFilters,
        request: CursorRequest
      ) {
        yield* validIds({ projectId })
        const filters = yield* validated(parseLogFilters, asked, "query")
        const { limit, cursor } = yield* validated(parseCursorRequest, request, "query")
        const scope = { projectId, listing: "deliveries", filters: { ...filters } }
        const position = yield* readCursorPosition(sign, crypto, scope, cursor, "these filters")
        const after = position === null ? null : decodePosition(position)
        const [{ items, next }] = yield* store.read([
          { _tag: "LogPage", projectId, filters, after, limit, scanLimit: examinedMax }
        ])
        return {
          items,
          total: after === null && next === null ? items.length : null,
          limit,
          hasMore: next !== null,
          nextCursor: next === null ? null : writeCursor(sign, scope, encodePosition(next))
        }
      })

      const get = Effect.fn("DeliveryLog.get")(function* (projectId: ProjectId, deliveryId: string) {
        yield* validIds({ projectId, deliveryId })
        const [delivery, attempts] = yield* store.read([
          { _tag: "Delivery", projectId, id: deliveryId },
          { _tag: "Attempts", deliveryId }
        ])
        if (delivery === null) return yield* new DeliveryNotFound({ deliveryId })
        const [message, contact] = yield* store.read([
          { _tag: "Message", projectId, id: delivery.messageId },
          { _tag: "Contact", projectId, id: delivery.contactId ?? "" }
        ])
        const [domain, resource] = yield* store.read([
          { _tag: "Domain", projectId, domain: message!.domain },
          { _tag: "Resource", projectId, id: message!.templateId ?? "" }
        ])
        const template = resource?.kind === "template" ? resource : null
        return { delivery, message: message!, attempts, contact, domain, template }
      })

      const events = Effect.fn("DeliveryLog.events")(function* (
        projectId: ProjectId,
        request: { readonly after: string | null; readonly limit: number }
      ) {
        yield* validIds({ projectId })
        const { after, limit } = yield* validated(parseEventsRequest, request, "query")
        const [events] = yield* store.read([{ _tag: "Events", projectId, after, limit }])
        return events
      })

      const usageAudit = Effect.fn("DeliveryLog.usageAudit")(function* (projectId: ProjectId) {
        yield* validIds({ projectId })
        const [usageAudit] = yield* store.read([{ _tag: "UsageAudit", projectId }])
        return usageAudit
      })

      return { page, get, events, usageAudit }
    })
  )
}

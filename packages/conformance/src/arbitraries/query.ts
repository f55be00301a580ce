/**
 * Arbitraries for queries of every kind.
 */
import type { ContactFilters, DomainFilters, Query, QueryOf, StoredRecordKey } from "@mailkeep/core/adapter"
import { domainStatuses, noLogFilters, recordKinds } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import { predicate } from "./predicate.ts"
import {
  address,
  apiKeyId,
  attemptNumber,
  contactId,
  contentHash,
  deliveryId,
  domainName,
  eventDeliveryId,
  eventId,
  idempotencyKey,
  instant,
  keyOf,
  messageId,
  of,
  orNull,
  parent,
  projectId,
  publicId,
  record,
  resourceId,
  resourceKind,
  resourceName,
  settingName,
  status,
  subscriber,
  tagged,
  text,
  withIdsIn,
  worker
} from "./sharedIds.ts"

const contactFilters: fc.Arbitrary<ContactFilters> = record({
  search: fc.option(fc.oneof(text, of("da", "İst", "y%y", "%y_z", "🎉", "🎊x", '"', "PP", "a", " ")), {
    nil: null,
    freq: 2
  }),
  emailPart: fc.option(text, { nil: null, freq: 1 }),
  emailStatus: of(null, null, "subscribed" as const, "unsubscribed" as const),
  listId: of(null, null, "lst_0", "lst_9"),
  segment: fc.option(predicate, { nil: null, freq: 2 })
})

const contactWalk = {
  after: orNull(record({ createdAt: instant, id: contactId })),
  skip: fc.nat(2),
  limit: fc.integer({ min: 1, max: 4 })
}

const domainFilters: fc.Arbitrary<DomainFilters> = record({
  status: of(null, null, ...domainStatuses),
  search: of(null, null, "", "A", ".X", "b.", "%"),
  names: fc.option(fc.subarray(["a.x", "b.x", "x"]), { nil: null, freq: 2 })
})

const page = record({ page: of(1, 1, 2, 3, Number.MAX_SAFE_INTEGER), limit: fc.integer({ min: 1, max: 4 }) })

/** Queries of every kind, with ids from the small set `names`. */
export const query: fc.Arbitrary<Query> = fc.oneof(
  tagged("Setting", record({ name: settingName })),
  tagged("Project", record({ id: projectId })),
  tagged("Projects", record({})),
  tagged(
    "ApiKeyByPublicId",
    keyOf(publicId).map(({ id }) => ({ publicId: id }))
  ),
  tagged("ApiKey", keyOf(apiKeyId)),
  tagged("ApiKeys", record({ projectId })),
  tagged("Domain", record({ projectId, domain: domainName })),
  tagged(
    "DomainById",
    record({ projectId, domain: domainName }).map(({ projectId, domain }) => ({
      projectId,
      id: `dom_${projectId}${domain}`
    }))
  ),
  tagged("DomainsDue", record({ now: instant, limit: fc.integer({ min: 1, max: 3 }) })),
  tagged("DomainPage", record({ projectId, filters: domainFilters, page })),
  tagged("Contact", keyOf(contactId)),
  tagged("ContactsByAddress", record({ projectId, addresses: fc.array(address, { maxLength: 3 }) })),
  fc
    .tuple(
      of<Pick<QueryOf<"ContactPage">, "emailStatus" | "listId">>(
        { emailStatus: null, listId: null },
        { emailStatus: "subscribed", listId: null },
        { emailStatus: "unsubscribed", listId: null },
        { emailStatus: null, listId: "lst_0" }
      ),
      tagged("ContactPage", record({ projectId, ...contactWalk }))
    )
    .map(([filters, page]) => ({ ...page, ...filters })),
  // The limit is as long as the whole walk, because each store chooses where a shorter page ends.
  tagged("ContactScan", record({ projectId, filters: contactFilters, ...contactWalk, scanLimit: of(1000) })),
  tagged("Resource", keyOf(resourceId)),
  tagged("ResourceNamed", record({ projectId, kind: resourceKind, parent, name: resourceName })),
  tagged(
    "Resources",
    record({
      projectId,
      kind: resourceKind,
      parent,
      after: orNull(record({ createdAt: instant, id: resourceId })),
      limit: fc.integer({ min: 1, max: 3 })
    })
  ),
  tagged("ResourceCount", record({ projectId, kind: resourceKind, parent })),
  tagged("ResourcePage", record({ projectId, kind: resourceKind, parent, page })),
  tagged("Suppressions", record({ projectId, addressKeys: fc.array(address, { maxLength: 3 }) })),
  tagged(
    "SuppressionPage",
    record({
      projectId,
      search: of(null, null, "A@X", "1", "_"),
      addressPart: of(null, null, "2"),
      now: instant,
      after: orNull(address),
      limit: fc.integer({ min: 1, max: 3 }),
      scanLimit: of(1, 2, 1000)
    })
  ),
  tagged(
    "Counters",
    record({ projectId, names: of(["scheduledRecipients", "allowance", "daily:2026-01-01"] as const) })
  ),
  tagged("Idempotency", record({ projectId, key: idempotencyKey })),
  tagged("Message", keyOf(messageId)),
  tagged("ContentChunk", record({ projectId, hash: contentHash, chunk: fc.nat(3) })),
  tagged("Delivery", keyOf(deliveryId)),
  tagged(
    "DeliveryById",
    keyOf(deliveryId).map(({ id }) => ({ id }))
  ),
  tagged(
    "DeliveriesOfMessage",
    keyOf(messageId).map(({ projectId, id }) => ({ projectId, messageId: id }))
  ),
  tagged(
    "Attempts",
    keyOf(deliveryId).map(({ projectId, id }) => ({ projectId, deliveryId: id }))
  ),
  tagged(
    "LogPage",
    record({
      projectId,
      filters: record({
        status: orNull(status),
        source: of(null, "api"),
        address: fc.option(address, { nil: null, freq: 2 }),
        search: fc.option(fc.oneof(text, deliveryId, messageId), { nil: null, freq: 2 }),
        recipientPart: fc.option(text, { nil: null, freq: 1 }),
        contactId: fc.option(contactId, { nil: null, freq: 2 }),
        templateId: of(null, null, null, "tpl_1"),
        startDate: fc.option(instant, { nil: null, freq: 2 }),
        endDate: fc.option(instant, { nil: null, freq: 2 })
      }).map((filters) => ({ ...noLogFilters, ...filters })),
      after: orNull(record({ createdAt: instant, id: deliveryId })),
      limit: fc.integer({ min: 1, max: 4 }),
      scanLimit: of(1, 2, 3, 1000)
    }).map((query) => ({ ...query, filters: withIdsIn(query.projectId, query.filters) }))
  ),
  tagged("Events", record({ projectId, after: orNull(eventId), limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("Event", keyOf(eventId)),
  tagged(
    "EventsOfDelivery",
    keyOf(deliveryId).map(({ projectId, id }) => ({ projectId, deliveryId: id }))
  ),
  tagged("UndistributedEvents", record({ limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("EventDelivery", keyOf(eventDeliveryId)),
  tagged(
    "EventDeliveryPage",
    record({
      projectId,
      subscriber,
      after: orNull(record({ createdAt: instant, id: eventDeliveryId })),
      limit: fc.integer({ min: 1, max: 3 })
    })
  ),
  tagged("PendingEventDeliveries", record({ now: instant })),
  tagged("NextDue", record({ worker, now: instant })),
  tagged("LeasesSetAfter", record({ now: instant })),
  tagged("Backlog", record({ now: instant })),
  tagged("WorkHealth", record({ dueBefore: instant, leaseEndedBefore: instant })),
  tagged(
    "MessagesBefore",
    record({
      before: instant,
      after: orNull(record({ createdAt: instant, id: messageId })),
      limit: fc.integer({ min: 1, max: 4 })
    })
  ),
  // The limit is as long as the whole walk, because each store chooses its order. The pages are in their law.
  tagged(
    "Records",
    record({ kind: of(...recordKinds), projectId: orNull(projectId), after: of(null), limit: of(1000) })
  ),
  tagged(
    "RecordsByKey",
    fc.oneof(
      record({
        kind: of("Message" as const, "Delivery" as const, "Contact" as const, "Event" as const, "Resource" as const),
        keys: fc.array(
          keyOf(fc.oneof(messageId, deliveryId, contactId, eventId, resourceId)).map(({ projectId, id }) => [
            projectId,
            id
          ]),
          { maxLength: 4 }
        )
      }),
      record({
        kind: of("Attempt" as const),
        keys: fc.array(
          fc
            .tuple(keyOf(deliveryId), attemptNumber)
            .map(([{ projectId, id }, number]): StoredRecordKey => [projectId, id, number]),
          { maxLength: 4 }
        )
      })
    )
  ),
  tagged("UsageAudit", record({ projectId }))
)

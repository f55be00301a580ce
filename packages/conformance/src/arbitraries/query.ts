/**
 * Arbitraries for queries of every kind.
 */
import type {
  ComparedField,
  ContactFilters,
  ContactPredicate,
  DomainFilters,
  Query,
  QueryOf
} from "@mailkeep/core/adapter"
import { domainStatuses, noContactFilters, noDomainFilters, noLogFilters } from "@mailkeep/core/adapter"
import * as fc from "fast-check"
import {
  address,
  subscriber,
  contactId,
  resourceId,
  resourceKind,
  resourceName,
  deliveryId,
  domainName,
  eventId,
  idempotencyKey,
  instant,
  apiKeyId,
  messageId,
  names,
  of,
  orNull,
  parent,
  projectId,
  publicId,
  eventDeliveryId,
  record,
  settingName,
  status,
  tagged,
  text,
  worker
} from "./sharedIds.ts"

const textField = of<ComparedField>(
  { field: "firstName" },
  { field: "lastName" },
  { field: "email" },
  { field: "userId" },
  { field: "phoneNumber" },
  { field: "emailStatus" },
  { property: "prop_1", fallback: null },
  { property: "prop_1", fallback: "ada" }
)
const numberField = of<ComparedField>({ property: "prop_0", fallback: null }, { property: "prop_0", fallback: 2 })
const dateField = of<ComparedField>(
  { field: "createdAt" },
  { field: "updatedAt" },
  { property: "prop_2", fallback: null }
)

const comparison: fc.Arbitrary<ContactPredicate> = fc.oneof(
  tagged(
    "Compare",
    record({
      kind: of("text" as const),
      of: textField,
      op: of("eq", "ne", "contains", "starts_with", "ends_with"),
      value: of("ada", "A", "ä", "b", "ß", "🎉", "null", "subscribed", "UPPER", "")
    })
  ),
  tagged(
    "Compare",
    record({
      kind: of("text" as const),
      of: textField,
      op: of("in" as const),
      value: of<ReadonlyArray<string>>(["ADA", "x%y_z"], ["Subscribed"], ["äö", "upper", ""], [])
    })
  ),
  tagged(
    "Compare",
    record({
      kind: of("number" as const),
      of: numberField,
      op: of("eq", "ne", "lt", "lte", "gt", "gte"),
      value: of(1, 2, -1.5, 9)
    })
  ),
  tagged(
    "Compare",
    record({ kind: of("number" as const), of: numberField, op: of("in" as const), value: of([10, 2], [-1.5]) })
  ),
  tagged(
    "Compare",
    record({
      kind: of("date" as const),
      of: dateField,
      op: of("before", "after"),
      value: fc.oneof(instant, of(Date.UTC(2026, 2, 1)))
    })
  ),
  tagged("Compare", record({ kind: of("text" as const), of: textField, op: of("set", "unset"), value: of(null) }))
)

/** The filter of a segment, up to three levels deep. */
export const predicate: fc.Arbitrary<ContactPredicate> = fc.letrec<{ node: ContactPredicate }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    comparison,
    tagged("OnList", record({ listId: of("lst_0", "lst_1", "lst_9") })),
    tagged("Not", record({ of: tie("node") })),
    tagged("All", record({ of: fc.array(tie("node"), { maxLength: 2 }) })),
    tagged("Any", record({ of: fc.array(tie("node"), { maxLength: 2 }) }))
  )
})).node

const contactFilters: fc.Arbitrary<ContactFilters> = record({
  search: fc.option(fc.oneof(text, of("da", "İst", "y%y", "%y_z", "🎉", "🎊x", '"', "PP", "a", " ")), {
    nil: null,
    freq: 2
  }),
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
  tagged("ApiKeyByPublicId", record({ publicId: publicId })),
  tagged("ApiKey", record({ id: apiKeyId })),
  tagged("ApiKeys", record({ projectId })),
  tagged("Domain", record({ projectId, domain: domainName })),
  tagged(
    "DomainOfId",
    record({ projectId, domain: domainName }).map(({ projectId, domain }) => ({
      projectId,
      id: `dom_${projectId}${domain}`
    }))
  ),
  tagged("DomainsDue", record({ now: instant, limit: fc.integer({ min: 1, max: 3 }) })),
  tagged("DomainPage", record({ projectId, filters: domainFilters, page })),
  tagged("Contact", record({ projectId, id: contactId })),
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
  tagged("Resource", record({ projectId, id: resourceId })),
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
  tagged("Message", record({ projectId, id: messageId })),
  tagged("Delivery", record({ projectId, id: deliveryId })),
  tagged("DeliveriesOfMessage", record({ projectId, messageId })),
  tagged("Attempts", record({ deliveryId })),
  tagged(
    "LogPage",
    record({
      projectId,
      filters: record({
        status: orNull(status),
        source: of(null, "api"),
        address: fc.option(address, { nil: null, freq: 2 }),
        search: fc.option(fc.oneof(text, deliveryId, messageId), { nil: null, freq: 2 }),
        contactId: fc.option(contactId, { nil: null, freq: 2 }),
        templateId: of(null, null, null, "tpl_1"),
        startDate: fc.option(instant, { nil: null, freq: 2 }),
        endDate: fc.option(instant, { nil: null, freq: 2 })
      }).map((filters) => ({ ...noLogFilters, ...filters })),
      after: orNull(record({ createdAt: instant, id: deliveryId })),
      limit: fc.integer({ min: 1, max: 4 }),
      scanLimit: of(1, 2, 3, 1000)
    })
  ),
  tagged("Events", record({ projectId, after: orNull(eventId), limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("Event", record({ id: eventId })),
  tagged("UndistributedEvents", record({ limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("EventDelivery", record({ projectId, id: eventDeliveryId })),
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
  tagged("Backlog", record({ now: instant })),
  tagged("UsageAudit", record({ projectId }))
)

const everyPage = { page: 1, limit: 100 } as const

const ofProject = (projectId: string): ReadonlyArray<Query> => [
  { _tag: "Project", id: projectId },
  { _tag: "ApiKeys", projectId },
  { _tag: "DomainPage", projectId, filters: noDomainFilters, page: everyPage },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_0", after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: "unsubscribed", listId: null, after: null, skip: 0, limit: 100 },
  {
    _tag: "ContactScan",
    projectId,
    filters: { ...noContactFilters, search: "ada" },
    after: null,
    skip: 0,
    limit: 100,
    scanLimit: 1000
  },
  ...["party", "str", "a"].map(
    (search) =>
      ({
        _tag: "ContactScan",
        projectId,
        filters: { ...noContactFilters, search },
        after: null,
        skip: 0,
        limit: 100,
        scanLimit: 1000
      }) as const
  ),
  { _tag: "Counters", projectId, names: ["scheduledRecipients", "allowance", "daily:2026-01-01"] },
  ...names.domains.map((domain) => ({ _tag: "Domain", projectId, domain }) as const),
  ...names.resources.map((id) => ({ _tag: "Resource", projectId, id }) as const),
  ...names.parents.flatMap((parent) =>
    names.resourceNames.map((name) => ({ _tag: "ResourceNamed", projectId, kind: "list", parent, name }) as const)
  ),
  ...names.parents.map(
    (parent) => ({ _tag: "Resources", projectId, kind: "list", parent, after: null, limit: 100 }) as const
  ),
  { _tag: "SuppressionPage", projectId, search: null, now: 1002, after: null, limit: 100, scanLimit: 1000 },
  { _tag: "ContactsByAddress", projectId, addresses: names.addresses },
  { _tag: "Suppressions", projectId, addressKeys: names.addresses },
  ...names.idempotencyKeys.map((key) => ({ _tag: "Idempotency", projectId, key }) as const),
  ...names.messages.map((id) => ({ _tag: "Message", projectId, id }) as const),
  ...names.deliveries.map((id) => ({ _tag: "Delivery", projectId, id }) as const),
  { _tag: "LogPage", projectId, filters: noLogFilters, after: null, limit: 100, scanLimit: 1000 },
  { _tag: "Events", projectId, after: null, limit: 100 },
  ...names.subscribers.map(
    (subscriber) => ({ _tag: "EventDeliveryPage", projectId, subscriber, after: null, limit: 100 }) as const
  ),
  { _tag: "UsageAudit", projectId }
]

/** Queries that together read the whole state of the shared ids. */
export const wholeState: ReadonlyArray<Query> = [
  ...names.settings.map((name) => ({ _tag: "Setting", name }) as const),
  ...names.projects.flatMap(ofProject),
  ...names.deliveries.map((deliveryId) => ({ _tag: "Attempts", deliveryId }) as const),
  ...names.workers.map((worker) => ({ _tag: "NextDue", worker, now: 1002 }) as const),
  { _tag: "Backlog", now: 1002 },
  { _tag: "UndistributedEvents", limit: 100 },
  { _tag: "PendingEventDeliveries", now: 1002 },
  { _tag: "DomainsDue", now: 1002, limit: 100 }
]

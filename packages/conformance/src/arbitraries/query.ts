/**
 * Random queries of every kind.
 */
import type { Query } from "@mailkeep/core/domain"
import { noContactFilters, noLogFilters } from "@mailkeep/core/domain"
import * as fc from "fast-check"
import {
  address,
  contactId,
  deliveryId,
  domainName,
  eventId,
  idempotencyKey,
  instant,
  keyId,
  messageId,
  names,
  of,
  orNull,
  projectId,
  publicId,
  record,
  settingName,
  status,
  tagged,
  text,
  worker
} from "./smallWorld.ts"

const page = record({ page: fc.integer({ min: 1, max: 3 }), limit: fc.integer({ min: 1, max: 4 }) })

export const query: fc.Arbitrary<Query> = fc.oneof(
  tagged("Setting", record({ name: settingName })),
  tagged("Project", record({ id: projectId })),
  tagged("Projects", record({})),
  tagged("ApiKeyByPublicId", record({ publicId: publicId })),
  tagged("ApiKey", record({ id: keyId })),
  tagged("ApiKeys", record({ projectId })),
  tagged("Domain", record({ projectId, domain: domainName })),
  tagged("DomainPage", record({ projectId, page })),
  tagged("Contact", record({ projectId, id: contactId })),
  tagged("ContactsByAddress", record({ projectId, addresses: fc.array(address, { maxLength: 3 }) })),
  tagged(
    "ContactPage",
    record({
      projectId,
      filters: record({ search: orNull(text), emailStatus: of(null, "subscribed" as const) }).map((filters) => ({
        ...noContactFilters,
        ...filters
      })),
      page
    })
  ),
  tagged("Suppressions", record({ projectId, addresses: fc.array(address, { maxLength: 3 }) })),
  tagged("Counters", record({ projectId, names: of(["waiting", "allowance", "daily:2026-01-01"] as const) })),
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
        startDate: fc.option(instant, { nil: null, freq: 2 }),
        endDate: fc.option(instant, { nil: null, freq: 2 })
      }).map((filters) => ({ ...noLogFilters, ...filters })),
      after: orNull(record({ createdAt: instant, id: deliveryId })),
      limit: fc.integer({ min: 1, max: 4 }),
      examine: of(1, 2, 3, 1000)
    })
  ),
  tagged("Events", record({ projectId, after: orNull(eventId), limit: fc.integer({ min: 1, max: 6 }) })),
  tagged("NextDue", record({ worker, now: instant })),
  tagged("Backlog", record({ now: instant })),
  tagged("Ledger", record({ projectId }))
)

const everyPage = { page: 1, limit: 100 } as const

const ofProject = (projectId: string): ReadonlyArray<Query> => [
  { _tag: "Project", id: projectId },
  { _tag: "ApiKeys", projectId },
  { _tag: "DomainPage", projectId, page: everyPage },
  { _tag: "ContactPage", projectId, filters: noContactFilters, page: everyPage },
  { _tag: "ContactsByAddress", projectId, addresses: names.addresses },
  { _tag: "Suppressions", projectId, addresses: names.addresses },
  ...names.idempotencyKeys.map((key) => ({ _tag: "Idempotency", projectId, key }) as const),
  ...names.messages.map((id) => ({ _tag: "Message", projectId, id }) as const),
  ...names.deliveries.map((id) => ({ _tag: "Delivery", projectId, id }) as const),
  { _tag: "LogPage", projectId, filters: noLogFilters, after: null, limit: 100, examine: 1000 },
  { _tag: "Events", projectId, after: null, limit: 100 },
  { _tag: "Ledger", projectId }
]

/** Queries that between them show all that stands in the small world. */
export const wholeState: ReadonlyArray<Query> = [
  ...names.settings.map((name) => ({ _tag: "Setting", name }) as const),
  ...names.projects.flatMap(ofProject),
  ...names.deliveries.map((deliveryId) => ({ _tag: "Attempts", deliveryId }) as const),
  ...names.workers.map((worker) => ({ _tag: "NextDue", worker, now: 1002 }) as const),
  { _tag: "Backlog", now: 1002 }
]

/**
 * Queries that read the whole state of the shared ids.
 */
import type { Query } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters, recordKinds } from "@mailkeep/core/adapter"
import { idIn, names } from "./sharedIds.ts"

const everyPage = { page: 1, limit: 100 } as const

const ofProject = (projectId: string): ReadonlyArray<Query> => [
  { _tag: "Project", id: projectId },
  { _tag: "ApiKeys", projectId },
  { _tag: "DomainPage", projectId, filters: noDomainFilters, page: everyPage },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: null, after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_0", after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: null, listId: "lst_1", after: null, skip: 0, limit: 100 },
  { _tag: "ContactPage", projectId, emailStatus: "unsubscribed", listId: null, after: null, skip: 0, limit: 100 },
  ...["ada", "party", "str", "a"].map(
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
  ...names.resources.map((id) => ({ _tag: "Resource", projectId, id: idIn(projectId, id) }) as const),
  ...names.parents.flatMap((parent) =>
    names.resourceNames.map((name) => ({ _tag: "ResourceNamed", projectId, kind: "list", parent, name }) as const)
  ),
  ...names.parents.map(
    (parent) => ({ _tag: "Resources", projectId, kind: "list", parent, after: null, limit: 100 }) as const
  ),
  {
    _tag: "SuppressionPage",
    projectId,
    search: null,
    addressPart: null,
    now: 1002,
    after: null,
    limit: 100,
    scanLimit: 1000
  },
  { _tag: "ContactsByAddress", projectId, addresses: names.addresses },
  { _tag: "Suppressions", projectId, addressKeys: names.addresses },
  ...names.idempotencyKeys.map((key) => ({ _tag: "Idempotency", projectId, key }) as const),
  ...names.messages.map((id) => ({ _tag: "Message", projectId, id: idIn(projectId, id) }) as const),
  ...names.hashes.flatMap((hash) =>
    [0, 1, 2].map((chunk) => ({ _tag: "ContentChunk", projectId, hash, chunk }) as const)
  ),
  ...names.deliveries.flatMap((id) => {
    const deliveryId = idIn(projectId, id)
    return [
      { _tag: "Delivery", projectId, id: deliveryId },
      { _tag: "Attempts", projectId, deliveryId },
      { _tag: "DeliveryById", id: deliveryId }
    ] as const
  }),
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
  ...names.workers.map((worker) => ({ _tag: "NextDue", worker, now: 1002 }) as const),
  { _tag: "LeasesSetAfter", now: 0 },
  { _tag: "Backlog", now: 1002 },
  { _tag: "WorkHealth", dueBefore: 1002, leaseEndedBefore: 1002 },
  { _tag: "MessagesBefore", before: 1002, after: null, limit: 100 },
  { _tag: "UndistributedEvents", limit: 100 },
  { _tag: "PendingEventDeliveries", now: 1002 },
  { _tag: "DomainsDue", now: 1002, limit: 100 },
  ...recordKinds.map((kind) => ({ _tag: "Records", kind, projectId: null, after: null, limit: 100 }) as const)
]

/**
 * The answers of the store: each query reads the records and changes nothing.
 */
import * as Mail from "@mailkeep/core/adapter"
import type { State } from "./mapState.ts"
import { all, contactAt, get, isFree, own, ownById, resourceNamed, storedRecords } from "./mapState.ts"

/** One total function for each query. */
const answers: Mail.Answering<State> = {
  Setting: (state, { name }) => get(state, "Setting", name) ?? null,
  Project: (state, { id }) => get(state, "Project", id) ?? null,
  Projects: (state) => all(state, "Project").toSorted(Mail.compareIds),
  ApiKeyByPublicId: (state, { publicId }) => all(state, "ApiKey").find((key) => key.publicId === publicId) ?? null,
  ApiKey: (state, { projectId, id }) => get(state, "ApiKey", projectId, id) ?? null,
  ApiKeys: (state, { projectId }) => own(state, "ApiKey", projectId).toSorted((a, b) => Mail.newestFirst(b, a)),
  Domain: (state, { projectId, domain }) => get(state, "Domain", projectId, domain) ?? null,
  DomainById: ownById("Domain"),
  DomainsDue: (state, query) => Mail.evaluateDomainsDue(all(state, "Domain"), query),
  DomainPage: (state, query) => Mail.evaluateDomainPage(own(state, "Domain", query.projectId), query),
  Contact: ownById("Contact"),
  ContactsByAddress: (state, { projectId: id, addresses }) => addresses.map((one) => contactAt(state, id, one) ?? null),
  ContactPage: (state, query) => Mail.evaluateContactPage(own(state, "Contact", query.projectId), query),
  ContactScan: (state, query) => Mail.evaluateContactScan(own(state, "Contact", query.projectId), query),
  Resource: ownById("Resource"),
  ResourceCount: (state, { projectId, kind, parent }) =>
    own(state, "Resource", projectId).filter((one) => one.kind === kind && one.parent === parent).length,
  ResourcePage: (state, query) => Mail.evaluateResourcePage(own(state, "Resource", query.projectId), query),
  ResourceNamed: (state, query) => resourceNamed(state, query) ?? null,
  Resources: (state, query) => Mail.evaluateResources(own(state, "Resource", query.projectId), query),
  Suppressions: (state, { projectId, addressKeys }) =>
    addressKeys.map((key) => get(state, "Suppression", projectId, key) ?? null),
  SuppressionPage: (state, query) => Mail.evaluateSuppressionPage(own(state, "Suppression", query.projectId), query),
  Counters: (state, { projectId, names }) => names.map((name) => get(state, "Counter", projectId, name)?.value ?? 0),
  Idempotency: (state, { projectId, key }) => get(state, "Idempotency", projectId, key) ?? null,
  Message: ownById("Message"),
  MessagesBefore: (state, query) => Mail.evaluateMessagesBefore(all(state, "Message"), query),
  ContentChunk: (state, { projectId, hash, chunk }) => get(state, "Content", projectId, hash)?.[chunk] ?? null,
  Delivery: ownById("Delivery"),
  DeliveryById: (state, { id }) => all(state, "Delivery").find((one) => one.id === id) ?? null,
  DeliveriesOfMessage: (state, { projectId, messageId: id }) =>
    own(state, "Delivery", projectId)
      .filter(({ messageId }) => messageId === id)
      .toSorted(Mail.compareIds),
  Attempts: (state, { projectId, deliveryId }) =>
    all(state, "Attempt", projectId, deliveryId).toSorted((a, b) => a.number - b.number),
  LogPage: (state, query) =>
    Mail.evaluateLogPage(own(state, "Delivery", query.projectId), query, (id) =>
      get(state, "Message", query.projectId, id)
    ),
  Events: (state, query) => Mail.evaluateEvents(own(state, "Event", query.projectId), query),
  Event: (state, { projectId, id }) => get(state, "Event", projectId, id) ?? null,
  EventsOfDelivery: (state, query) =>
    Mail.evaluateEventsOfDelivery(
      own(state, "Event", query.projectId),
      own(state, "EventDelivery", query.projectId),
      query
    ),
  UndistributedEvents: (state, { limit }) => all(state, "Undistributed").toSorted(Mail.compareIds).slice(0, limit),
  EventDelivery: ownById("EventDelivery"),
  EventDeliveryPage: (state, query) =>
    Mail.evaluateEventDeliveryPage(own(state, "EventDelivery", query.projectId), query),
  PendingEventDeliveries: (state, { now }) =>
    Mail.evaluatePendingEventDeliveries(all(state, "EventDelivery").filter((one) => isFree(state, one, now))),
  NextDue: (state, query) => Mail.evaluateNextDue(all(state, "Delivery"), all(state, "Lease"), query),
  LeasesSetAfter: (state, query) => Mail.evaluateLeasesSetAfter(all(state, "Lease"), query),
  Backlog: (state, { now }) => Mail.evaluateBacklog(all(state, "Delivery"), now),
  WorkHealth: (state, query) =>
    Mail.evaluateWorkHealth(all(state, "Delivery"), all(state, "Lease"), all(state, "EventDelivery"), query),
  Records: (state, query) => Mail.evaluateRecords(storedRecords(state, query.kind), query),
  RecordsByKey: (state, query) => Mail.evaluateRecordsByKey(storedRecords(state, query.kind), query),
  UsageAudit: (state, { projectId: one }) =>
    Mail.evaluateUsageAudit(own(state, "Counter", one), own(state, "Delivery", one), own(state, "Contact", one))
}

export const read = (state: State, queries: ReadonlyArray<Mail.Query>): ReadonlyArray<unknown> =>
  // A caller that changes an answer does not change the state.
  queries.map((query) =>
    structuredClone((answers[query._tag] as (state: State, query: Mail.Query) => unknown)(state, query))
  )

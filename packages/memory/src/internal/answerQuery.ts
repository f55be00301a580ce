/**
 * Answers one query from the state. These pure functions define the meaning of every query.
 */
import type { Answer, Answering, CounterName, Query, RecordKind, StoredRecordOf } from "@mailkeep/core/adapter"
import {
  evaluateBacklog,
  compareIds,
  evaluateContactPage,
  evaluateContactScan,
  evaluateResourcePage,
  evaluateDomainPage,
  evaluateResources,
  evaluateDomainsDue,
  evaluateEvents,
  evaluateEventsOfDelivery,
  evaluateUsageAudit,
  evaluateWorkHealth,
  evaluateLogPage,
  evaluateMessagesBefore,
  evaluateRecords,
  evaluateRecordsByKey,
  newestFirst,
  evaluateLeasesSetAfter,
  evaluateNextDue,
  evaluatePendingEventDeliveries,
  evaluateEventDeliveryPage,
  evaluateSuppressionPage
} from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import { isUnclaimed } from "./claimDeliveries.ts"
import type { State } from "./State.ts"
import { keyOf, lookUp, nameKey, within } from "./State.ts"

const all = <A>(map: HashMap.HashMap<string, A>): ReadonlyArray<A> => [...HashMap.values(map)]

const ofProject = <A extends { readonly projectId: string }>(map: HashMap.HashMap<string, A>, projectId: string) =>
  all(map).filter((record) => record.projectId === projectId)

const countersOf = (state: State) =>
  [...HashMap.entries(state.counters)].map(([key, value]) => {
    const [projectId, name] = divided(key)
    return { projectId, name: name as CounterName, value }
  })

/** The project and the rest of a key that `within` made. A project id has no slash. */
const divided = (key: string): readonly [projectId: string, rest: string] => {
  const at = key.indexOf("/")
  return [key.slice(0, at), key.slice(at + 1)]
}

const recordsOf: { readonly [K in RecordKind]: (state: State) => ReadonlyArray<StoredRecordOf<K>["record"]> } = {
  Setting: (state) => [...HashMap.entries(state.settings)].map(([name, value]) => ({ name, value })),
  Project: (state) => all(state.projects),
  ApiKey: (state) => all(state.apiKeys),
  Domain: (state) => all(state.domains),
  Resource: (state) => all(state.resources),
  Contact: (state) => all(state.contacts),
  Suppression: (state) => all(state.suppressions),
  Idempotency: (state) => all(state.idempotency),
  Content: (state) =>
    [...HashMap.entries(state.contents)].map(([key, chunks]) => {
      const [projectId, hash] = divided(key)
      return { projectId, hash, chunks }
    }),
  Message: (state) => all(state.messages),
  Delivery: (state) => all(state.deliveries),
  Attempt: (state) => all(state.attempts).flat(),
  Counter: countersOf,
  Event: (state) =>
    all(state.events).map((event) => ({ event, isDistributed: !HashMap.has(state.undistributed, keyOf(event)) })),
  EventDelivery: (state) => all(state.eventDeliveries),
  Lease: (state) => all(state.leases)
}

/** All records of one kind. */
const storedRecords = <K extends RecordKind>(state: State, kind: K): ReadonlyArray<StoredRecordOf<K>> =>
  recordsOf[kind](state).map((record) => ({ kind, record }) as StoredRecordOf<K>)

const answers: Answering<State> = {
  Setting: (state, { name }) => lookUp(state.settings, name),
  Project: (state, { id }) => lookUp(state.projects, id),
  Projects: (state) => all(state.projects).toSorted(compareIds),
  ApiKeyByPublicId: (state, { publicId }) => all(state.apiKeys).find((key) => key.publicId === publicId) ?? null,
  ApiKey: (state, query) => lookUp(state.apiKeys, keyOf(query)),
  ApiKeys: (state, { projectId }) => ofProject(state.apiKeys, projectId).toSorted((a, b) => newestFirst(b, a)),
  Domain: (state, { projectId, domain }) => lookUp(state.domains, within(projectId, domain)),
  DomainById: (state, { projectId, id }) => ofProject(state.domains, projectId).find((one) => one.id === id) ?? null,
  DomainsDue: (state, query) => evaluateDomainsDue(all(state.domains), query),
  DomainPage: (state, query) => evaluateDomainPage(ofProject(state.domains, query.projectId), query),
  Contact: (state, query) => lookUp(state.contacts, keyOf(query)),
  ContactsByAddress: (state, { projectId, addresses }) =>
    addresses.map((address) =>
      lookUp(state.contacts, lookUp(state.contactsByAddress, within(projectId, address)) ?? "")
    ),
  ContactPage: (state, query) => evaluateContactPage(ofProject(state.contacts, query.projectId), query),
  ContactScan: (state, query) => evaluateContactScan(ofProject(state.contacts, query.projectId), query),
  Resource: (state, query) => lookUp(state.resources, keyOf(query)),
  ResourceCount: (state, { projectId, kind, parent }) =>
    ofProject(state.resources, projectId).filter((one) => one.kind === kind && one.parent === parent).length,
  ResourcePage: (state, query) => evaluateResourcePage(ofProject(state.resources, query.projectId), query),
  ResourceNamed: (state, query) => lookUp(state.resources, lookUp(state.resourcesByName, nameKey(query)) ?? ""),
  Resources: (state, query) => evaluateResources(ofProject(state.resources, query.projectId), query),
  Suppressions: (state, { projectId, addressKeys }) =>
    addressKeys.map((key) => lookUp(state.suppressions, within(projectId, key))),
  SuppressionPage: (state, query) => evaluateSuppressionPage(ofProject(state.suppressions, query.projectId), query),
  Counters: (state, { projectId, names }) => names.map((name) => lookUp(state.counters, within(projectId, name)) ?? 0),
  Idempotency: (state, { projectId, key }) => lookUp(state.idempotency, within(projectId, key)),
  Message: (state, query) => lookUp(state.messages, keyOf(query)),
  MessagesBefore: (state, query) => evaluateMessagesBefore(all(state.messages), query),
  ContentChunk: (state, { projectId, hash, chunk }) => lookUp(state.contents, within(projectId, hash))?.[chunk] ?? null,
  Delivery: (state, query) => lookUp(state.deliveries, keyOf(query)),
  DeliveryById: (state, { id }) => all(state.deliveries).find((one) => one.id === id) ?? null,
  DeliveriesOfMessage: (state, { projectId, messageId }) =>
    ofProject(state.deliveries, projectId)
      .filter((delivery) => delivery.messageId === messageId)
      .toSorted(compareIds),
  Attempts: (state, { projectId, deliveryId }) =>
    (lookUp(state.attempts, within(projectId, deliveryId)) ?? []).toSorted((a, b) => a.number - b.number),
  LogPage: (state, query) =>
    evaluateLogPage(ofProject(state.deliveries, query.projectId), query, (messageId) =>
      lookUp(state.messages, within(query.projectId, messageId))
    ),
  Events: (state, query) => evaluateEvents(ofProject(state.events, query.projectId), query),
  Event: (state, query) => lookUp(state.events, keyOf(query)),
  EventsOfDelivery: (state, query) =>
    evaluateEventsOfDelivery(
      ofProject(state.events, query.projectId),
      ofProject(state.eventDeliveries, query.projectId),
      query
    ),
  UndistributedEvents: (state, { limit }) =>
    evaluateEvents(
      [...HashMap.keys(state.undistributed)].map((key) => lookUp(state.events, key)!),
      { after: null, limit }
    ),
  EventDelivery: (state, query) => lookUp(state.eventDeliveries, keyOf(query)),
  EventDeliveryPage: (state, query) =>
    evaluateEventDeliveryPage(ofProject(state.eventDeliveries, query.projectId), query),
  PendingEventDeliveries: (state, { now }) =>
    evaluatePendingEventDeliveries(all(state.eventDeliveries).filter(({ worker }) => isUnclaimed(state, worker, now))),
  NextDue: (state, query) => evaluateNextDue(all(state.deliveries), all(state.leases), query),
  LeasesSetAfter: (state, query) => evaluateLeasesSetAfter(all(state.leases), query),
  Backlog: (state, { now }) => evaluateBacklog(all(state.deliveries), now),
  WorkHealth: (state, query) =>
    evaluateWorkHealth(all(state.deliveries), all(state.leases), all(state.eventDeliveries), query),
  Records: (state, query) => evaluateRecords(storedRecords(state, query.kind), query),
  RecordsByKey: (state, query) => evaluateRecordsByKey(storedRecords(state, query.kind), query),
  UsageAudit: (state, { projectId }) => {
    const counters = countersOf(state).filter((counter) => counter.projectId === projectId)
    return evaluateUsageAudit(counters, ofProject(state.deliveries, projectId), ofProject(state.contacts, projectId))
  }
}

export const answerQuery = <Q extends Query>(state: State, query: Q): Answer<Q> =>
  (answers[query._tag] as (state: State, query: Query) => unknown)(state, query) as Answer<Q>

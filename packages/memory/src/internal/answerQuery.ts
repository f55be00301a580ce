/**
 * Answers one query from the state. Pure: this is what the language of reads means.
 */
import type { Answer, Answering, CounterName, Query } from "@mailkeep/core/domain"
import {
  backlogAmong,
  byId,
  contactPageAmong,
  contactScanAmong,
  definitionPageAmong,
  domainPageAmong,
  definitionsAmong,
  domainsDueAmong,
  eventsAmong,
  ledgerAmong,
  logPageAmong,
  newestFirst,
  nextDueAmong,
  pendingPushesAmong,
  pushPageAmong,
  suppressionPageAmong
} from "@mailkeep/core/domain"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp, nameKey, within } from "./State.ts"

const all = <A>(map: HashMap.HashMap<string, A>): ReadonlyArray<A> => [...HashMap.values(map)]

const ofProject = <A extends { readonly projectId: string }>(map: HashMap.HashMap<string, A>, projectId: string) =>
  all(map).filter((record) => record.projectId === projectId)

const owned = <A extends { readonly projectId: string }>(record: A | null, projectId: string): A | null =>
  record?.projectId === projectId ? record : null

const answers: Answering<State> = {
  Setting: (state, { name }) => lookUp(state.settings, name),
  Project: (state, { id }) => lookUp(state.projects, id),
  Projects: (state) => all(state.projects).toSorted(byId),
  ApiKeyByPublicId: (state, { publicId }) => all(state.apiKeys).find((key) => key.publicId === publicId) ?? null,
  ApiKey: (state, { id }) => lookUp(state.apiKeys, id),
  ApiKeys: (state, { projectId }) => ofProject(state.apiKeys, projectId).toSorted((a, b) => newestFirst(b, a)),
  Domain: (state, { projectId, domain }) => lookUp(state.domains, within(projectId, domain)),
  DomainOfId: (state, { projectId, id }) => ofProject(state.domains, projectId).find((one) => one.id === id) ?? null,
  DomainsDue: (state, query) => domainsDueAmong(all(state.domains), query),
  DomainPage: (state, query) => domainPageAmong(ofProject(state.domains, query.projectId), query),
  Contact: (state, { projectId, id }) => owned(lookUp(state.contacts, id), projectId),
  ContactsByAddress: (state, { projectId, addresses }) =>
    addresses.map((address) =>
      lookUp(state.contacts, lookUp(state.contactsByAddress, within(projectId, address)) ?? "")
    ),
  ContactPage: (state, query) => contactPageAmong(ofProject(state.contacts, query.projectId), query),
  ContactScan: (state, query) => contactScanAmong(ofProject(state.contacts, query.projectId), query),
  Definition: (state, { projectId, id }) => owned(lookUp(state.definitions, id), projectId),
  DefinitionCount: (state, { projectId, kind, parent }) =>
    ofProject(state.definitions, projectId).filter((one) => one.kind === kind && one.parent === parent).length,
  DefinitionPage: (state, query) => definitionPageAmong(ofProject(state.definitions, query.projectId), query),
  DefinitionNamed: (state, query) => lookUp(state.definitions, lookUp(state.definitionsByName, nameKey(query)) ?? ""),
  Definitions: (state, query) => definitionsAmong(ofProject(state.definitions, query.projectId), query),
  Suppressions: (state, { projectId, addressKeys }) =>
    addressKeys.map((key) => lookUp(state.suppressions, within(projectId, key))),
  SuppressionPage: (state, query) => suppressionPageAmong(ofProject(state.suppressions, query.projectId), query),
  Counters: (state, { projectId, names }) => names.map((name) => lookUp(state.counters, within(projectId, name)) ?? 0),
  Idempotency: (state, { projectId, key }) => lookUp(state.idempotency, within(projectId, key)),
  Message: (state, { projectId, id }) => owned(lookUp(state.messages, id), projectId),
  Delivery: (state, { projectId, id }) => owned(lookUp(state.deliveries, id), projectId),
  DeliveriesOfMessage: (state, { projectId, messageId }) =>
    ofProject(state.deliveries, projectId)
      .filter((delivery) => delivery.messageId === messageId)
      .toSorted(byId),
  Attempts: (state, { deliveryId }) =>
    (lookUp(state.attempts, deliveryId) ?? []).toSorted((a, b) => a.number - b.number),
  LogPage: (state, query) =>
    logPageAmong(ofProject(state.deliveries, query.projectId), query, (messageId) => lookUp(state.messages, messageId)),
  Events: (state, query) => eventsAmong(ofProject(state.events, query.projectId), query),
  Event: (state, { id }) => lookUp(state.events, id),
  UndistributedEvents: (state, { limit }) =>
    eventsAmong(
      [...HashMap.keys(state.undistributed)].map((id) => lookUp(state.events, id)!),
      { after: null, limit }
    ),
  Push: (state, { projectId, id }) => owned(lookUp(state.pushes, id), projectId),
  PushPage: (state, query) => pushPageAmong(ofProject(state.pushes, query.projectId), query),
  PendingPushes: (state, { now }) =>
    pendingPushesAmong(
      all(state.pushes).filter(({ worker }) => worker === null || (lookUp(state.leases, worker) ?? now) <= now)
    ),
  NextDue: (state, query) =>
    nextDueAmong(
      all(state.deliveries),
      [...HashMap.entries(state.leases)].map(([worker, leaseUntil]) => ({ worker, leaseUntil })),
      query
    ),
  Backlog: (state, { now }) => backlogAmong(all(state.deliveries), now),
  Ledger: (state, { projectId }) => {
    const prefix = within(projectId, "")
    const counters = [...HashMap.entries(state.counters)]
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => ({ projectId, name: key.slice(prefix.length) as CounterName, value }))
    return ledgerAmong(counters, ofProject(state.deliveries, projectId), ofProject(state.contacts, projectId))
  }
}

export const answerQuery = <Q extends Query>(state: State, query: Q): Answer<Q> =>
  (answers[query._tag] as (state: State, query: Query) => unknown)(state, query) as Answer<Q>

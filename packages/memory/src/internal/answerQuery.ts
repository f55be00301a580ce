/**
 * Answers one query from the state. Pure: this is what the language of reads means.
 */
import type { Answer, Answering, CounterName, Query } from "@mailkeep/core/domain"
import {
  backlogAmong,
  byId,
  contactFiltersMatch,
  contactPageAmong,
  definitionsAmong,
  ledgerAmong,
  logPageAmong,
  newestFirst,
  pageOf,
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

const least = (values: ReadonlyArray<number>): number | null =>
  values.reduce<number | null>((least, value) => (least === null || value < least ? value : least), null)

const answers: Answering<State> = {
  Setting: (state, { name }) => lookUp(state.settings, name),
  Project: (state, { id }) => lookUp(state.projects, id),
  Projects: (state) => all(state.projects).toSorted(byId),
  ApiKeyByPublicId: (state, { publicId }) => all(state.apiKeys).find((key) => key.publicId === publicId) ?? null,
  ApiKey: (state, { id }) => lookUp(state.apiKeys, id),
  ApiKeys: (state, { projectId }) => ofProject(state.apiKeys, projectId).toSorted((a, b) => newestFirst(b, a)),
  Domain: (state, { projectId, domain }) => lookUp(state.domains, within(projectId, domain)),
  DomainPage: (state, { projectId, page }) => pageOf(ofProject(state.domains, projectId).toSorted(newestFirst), page),
  Contact: (state, { projectId, id }) => owned(lookUp(state.contacts, id), projectId),
  ContactsByAddress: (state, { projectId, addresses }) =>
    addresses.map((address) =>
      lookUp(state.contacts, lookUp(state.contactsByAddress, within(projectId, address)) ?? "")
    ),
  ContactPage: (state, query) => contactPageAmong(ofProject(state.contacts, query.projectId), query),
  ContactCount: (state, { projectId, filters }) =>
    ofProject(state.contacts, projectId).filter((contact) => contactFiltersMatch(filters, contact)).length,
  Definition: (state, { projectId, id }) => owned(lookUp(state.definitions, id), projectId),
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
  Events: (state, { projectId, after, limit }) =>
    ofProject(state.events, projectId)
      .filter(({ id }) => after === null || id > after)
      .toSorted(byId)
      .slice(0, limit),
  NextDue: (state, { worker, now }) =>
    least([
      ...all(state.deliveries).flatMap(({ status, worker: holder, dueAt }) =>
        holder === null && dueAt !== null && (status === "scheduled" || status === "queued") ? [dueAt] : []
      ),
      ...[...HashMap.entries(state.leases)].flatMap(([name, leaseUntil]) =>
        name === worker || leaseUntil <= now ? [] : [leaseUntil]
      )
    ]),
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

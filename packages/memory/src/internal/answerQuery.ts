/**
 * Answers one query from the state. Pure: this is what the language of reads means.
 */
import type { Answer, Answering, CounterName, Delivery, Query, UtcDay } from "@mailkeep/core/domain"
import {
  byId,
  contactFiltersMatch,
  logBoundsMatch,
  logFiltersMatch,
  newestFirst,
  pageOf,
  summaryOf
} from "@mailkeep/core/domain"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp, within } from "./State.ts"

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
  ContactPage: (state, { projectId, filters, page }) =>
    pageOf(
      ofProject(state.contacts, projectId)
        .filter((contact) => contactFiltersMatch(filters, contact))
        .toSorted(newestFirst),
      page
    ),
  Suppressions: (state, { projectId, addresses }) =>
    addresses.map((address) => lookUp(state.suppressions, within(projectId, address))),
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
  LogPage: (state, { projectId, filters, after, limit, examine }) => {
    const walk = ofProject(state.deliveries, projectId)
      .filter((delivery) => logBoundsMatch(filters, delivery) && (after === null || newestFirst(after, delivery) < 0))
      .toSorted(newestFirst)
    const window = walk.slice(0, examine)
    const found = window.flatMap((delivery) => {
      const subject = lookUp(state.messages, delivery.messageId)?.subject ?? ""
      if (!logFiltersMatch(filters, delivery, () => subject)) return []
      return [summaryOf(delivery, subject)]
    })
    const items = found.slice(0, limit)
    const last = found.length > limit ? items.at(-1) : walk.length > examine ? window.at(-1) : undefined
    return { items, next: last === undefined ? null : { createdAt: last.createdAt, id: last.id } }
  },
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
  Backlog: (state, { now }) => {
    const waiting = all(state.deliveries).filter(({ dueAt }) => dueAt !== null)
    const count = (status: Delivery["status"]) => waiting.filter((delivery) => delivery.status === status).length
    return {
      scheduled: count("scheduled"),
      queued: count("queued"),
      sending: count("sending"),
      oldestDueAt: least(
        waiting.flatMap(({ status, dueAt }) => (status !== "sending" && dueAt! <= now ? [dueAt!] : []))
      )
    }
  },
  Ledger: (state, { projectId }) => {
    const deliveries = ofProject(state.deliveries, projectId)
    const counted = new Map<UtcDay, number>()
    for (const { countedDay } of deliveries)
      if (countedDay !== null) counted.set(countedDay, (counted.get(countedDay) ?? 0) + 1)
    const prefix = within(projectId, "")
    return {
      counters: [...HashMap.entries(state.counters)]
        .filter(([key]) => key.startsWith(prefix))
        .map(([key, value]) => ({ projectId, name: key.slice(prefix.length) as CounterName, value }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      waiting: deliveries.filter(({ status }) => status === "scheduled").length,
      charged: deliveries.filter(({ chargedAt }) => chargedAt !== null).length,
      counted: [...counted]
        .map(([day, deliveries]) => ({ day, deliveries }))
        .toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      contacts: ofProject(state.contacts, projectId).length
    }
  }
}

export const answerQuery = <Q extends Query>(state: State, query: Q): Answer<Q> =>
  (answers[query._tag] as (state: State, query: Query) => unknown)(state, query) as Answer<Q>

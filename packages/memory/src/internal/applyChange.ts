/**
 * Applies one change to the state, or returns the reason if its guard does not hold. These pure functions define the
 * meaning of every change.
 */
import type { Change, ChangeOf, ChangeTag, ConflictReason, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict } from "@mailkeep/core/adapter"
import { HashMap, Result } from "effect"
import { rewriteRecord } from "./rewriteRecord.ts"
import type { State } from "./State.ts"
import { lookUp, nameKey, within } from "./State.ts"

type Applied = Result.Result<State, ConflictReason>

const kept = (state: State): Applied => Result.succeed(state)
const refused = (reason: ConflictReason): Applied => Result.fail(reason)

const referred = (state: State, ref: RecordRef): { readonly revision: number } | null => {
  switch (ref.kind) {
    case "ApiKey":
      return lookUp(state.apiKeys, ref.id)
    case "Domain":
      return lookUp(state.domains, within(ref.projectId, ref.domain))
    case "Suppression":
      return lookUp(state.suppressions, within(ref.projectId, ref.addressKey))
    case "Resource":
      return lookUp(state.resources, ref.id)
    case "ContactAddress":
      return lookUp(state.contacts, lookUp(state.contactsByAddress, within(ref.projectId, ref.address)) ?? "")
  }
}

const appliers: { readonly [T in ChangeTag]: (state: State, change: ChangeOf<T>) => Applied } = {
  Expect: (state, { record, revision }) => {
    const guard = revisionConflict(referred(state, record), revision)
    return guard === undefined ? kept(state) : refused(guard)
  },
  PutSetting: (state, { name, value }) =>
    HashMap.has(state.settings, name)
      ? refused("AlreadyExists")
      : kept({ ...state, settings: HashMap.set(state.settings, name, value) }),
  PutProject: (state, { project, replaces }) => {
    const guard = revisionConflict(lookUp(state.projects, project.id), replaces)
    if (guard !== undefined) return refused(guard)
    return kept({ ...state, projects: HashMap.set(state.projects, project.id, project) })
  },
  PutApiKey: (state, { key, replaces }) => {
    const guard = revisionConflict(lookUp(state.apiKeys, key.id), replaces)
    if (guard !== undefined) return refused(guard)
    const clash = HashMap.some(state.apiKeys, ({ id, publicId }) => id !== key.id && publicId === key.publicId)
    if (clash) return refused("AlreadyExists")
    return kept({ ...state, apiKeys: HashMap.set(state.apiKeys, key.id, key) })
  },
  TouchApiKey: (state, { id, lastUsedAt }) => {
    const existing = lookUp(state.apiKeys, id)
    return kept(
      existing === null ? state : { ...state, apiKeys: HashMap.set(state.apiKeys, id, { ...existing, lastUsedAt }) }
    )
  },
  PutDomain: (state, { domain, replaces }) => {
    const key = within(domain.projectId, domain.domain)
    const guard = revisionConflict(lookUp(state.domains, key), replaces)
    if (guard !== undefined) return refused(guard)
    return kept({ ...state, domains: HashMap.set(state.domains, key, domain) })
  },
  RemoveDomain: (state, { projectId, domain, revision }) => {
    const key = within(projectId, domain)
    const guard = revisionConflict(lookUp(state.domains, key), revision)
    return guard === undefined ? kept({ ...state, domains: HashMap.remove(state.domains, key) }) : refused(guard)
  },
  PutResource: (state, { resource, replaces }) => {
    const existing = lookUp(state.resources, resource.id)
    const guard = revisionConflict(existing, replaces)
    if (guard !== undefined) return refused(guard)
    const key = nameKey(resource)
    const holder = resource.name === null ? null : lookUp(state.resourcesByName, key)
    if (holder !== null && holder !== resource.id) return refused("AlreadyExists")
    const freed = existing === null ? state.resourcesByName : HashMap.remove(state.resourcesByName, nameKey(existing))
    return kept({
      ...state,
      resources: HashMap.set(state.resources, resource.id, resource),
      resourcesByName: resource.name === null ? freed : HashMap.set(freed, key, resource.id)
    })
  },
  RemoveResource: (state, { id, revision }) => {
    const existing = lookUp(state.resources, id)
    const guard = revisionConflict(existing, revision)
    if (existing === null || guard !== undefined) return refused(guard ?? "NotFound")
    return kept({
      ...state,
      resources: HashMap.remove(state.resources, id),
      resourcesByName: HashMap.remove(state.resourcesByName, nameKey(existing))
    })
  },
  PutContact: (state, { contact, replaces }) => {
    const existing = lookUp(state.contacts, contact.id)
    const guard = revisionConflict(existing, replaces)
    if (guard !== undefined) return refused(guard)
    const key = within(contact.projectId, contact.address)
    const holder = lookUp(state.contactsByAddress, key)
    if (holder !== null && holder !== contact.id) return refused("AlreadyExists")
    const freed =
      existing === null
        ? state.contactsByAddress
        : HashMap.remove(state.contactsByAddress, within(existing.projectId, existing.address))
    return kept({
      ...state,
      contacts: HashMap.set(state.contacts, contact.id, contact),
      contactsByAddress: HashMap.set(freed, key, contact.id)
    })
  },
  RemoveContact: (state, { id, revision }) => {
    const existing = lookUp(state.contacts, id)
    const guard = revisionConflict(existing, revision)
    if (existing === null || guard !== undefined) return refused(guard ?? "NotFound")
    return kept({
      ...state,
      contacts: HashMap.remove(state.contacts, id),
      contactsByAddress: HashMap.remove(state.contactsByAddress, within(existing.projectId, existing.address))
    })
  },
  PutSuppression: (state, { suppression, replaces }) => {
    const key = within(suppression.projectId, suppression.addressKey)
    const guard = revisionConflict(lookUp(state.suppressions, key), replaces)
    if (guard !== undefined) return refused(guard)
    return kept({ ...state, suppressions: HashMap.set(state.suppressions, key, suppression) })
  },
  RecordIdempotency: (state, { record, now }) => {
    const key = within(record.projectId, record.key)
    const existing = lookUp(state.idempotency, key)
    if (existing !== null && existing.expiresAt > now) return refused("AlreadyExists")
    return kept({ ...state, idempotency: HashMap.set(state.idempotency, key, record) })
  },
  ExtendIdempotency: (state, { projectId, key, expiresAt }) => {
    const recordKey = within(projectId, key)
    const existing = lookUp(state.idempotency, recordKey)
    if (existing === null) return kept(state)
    return kept({ ...state, idempotency: HashMap.set(state.idempotency, recordKey, { ...existing, expiresAt }) })
  },
  PutContent: (state, { projectId, hash, chunks }) => {
    const key = within(projectId, hash)
    if (HashMap.has(state.contents, key)) return kept(state)
    return kept({ ...state, contents: HashMap.set(state.contents, key, chunks) })
  },
  InsertMessage: (state, { message }) =>
    HashMap.has(state.messages, message.id)
      ? refused("AlreadyExists")
      : kept({ ...state, messages: HashMap.set(state.messages, message.id, message) }),
  InsertDelivery: (state, { delivery }) =>
    HashMap.has(state.deliveries, delivery.id)
      ? refused("AlreadyExists")
      : kept({ ...state, deliveries: HashMap.set(state.deliveries, delivery.id, delivery) }),
  InsertAttempt: (state, { attempt }) => {
    const existing = lookUp(state.attempts, attempt.deliveryId) ?? []
    if (existing.some(({ number }) => number === attempt.number)) return refused("AlreadyExists")
    return kept({ ...state, attempts: HashMap.set(state.attempts, attempt.deliveryId, [...existing, attempt]) })
  },
  TransitionAttempt: (state, { deliveryId, number, fencingToken, from, next }) => {
    const delivery = lookUp(state.deliveries, deliveryId)
    const attempts = lookUp(state.attempts, deliveryId) ?? []
    const existing = attempts.find((attempt) => attempt.number === number)
    if (existing === undefined) return refused("NotFound")
    if (delivery?.status !== "sending" || delivery.fencingToken !== fencingToken || existing.phase !== from)
      return refused("Stale")
    const moved = attempts.map((attempt) => (attempt === existing ? { ...attempt, ...next } : attempt))
    return kept({ ...state, attempts: HashMap.set(state.attempts, deliveryId, moved) })
  },
  TransitionDelivery: (state, { id, from, fencingToken, next }) => {
    const existing = lookUp(state.deliveries, id)
    if (existing === null) return refused("NotFound")
    if (existing.status !== from || existing.fencingToken !== fencingToken) return refused("Stale")
    return kept({ ...state, deliveries: HashMap.set(state.deliveries, id, { ...existing, ...next }) })
  },
  AddToCounter: (state, { projectId, name, by, max }) => {
    const key = within(projectId, name)
    const sum = (lookUp(state.counters, key) ?? 0) + by
    if (by >= 0 && max !== null && sum > max) return refused("Exhausted")
    return kept({ ...state, counters: HashMap.set(state.counters, key, sum) })
  },
  AppendEvent: (state, { event }) =>
    HashMap.has(state.events, event.id)
      ? refused("AlreadyExists")
      : kept({
          ...state,
          events: HashMap.set(state.events, event.id, event),
          undistributed: HashMap.set(state.undistributed, event.id, true)
        }),
  DistributeEvent: (state, { id }) => {
    if (!HashMap.has(state.events, id)) return refused("NotFound")
    if (!HashMap.has(state.undistributed, id)) return refused("Stale")
    return kept({ ...state, undistributed: HashMap.remove(state.undistributed, id) })
  },
  InsertEventDelivery: (state, { eventDelivery }) =>
    HashMap.has(state.eventDeliveries, eventDelivery.id)
      ? refused("AlreadyExists")
      : kept({ ...state, eventDeliveries: HashMap.set(state.eventDeliveries, eventDelivery.id, eventDelivery) }),
  TransitionEventDelivery: (state, { id, from, fencingToken, next }) => {
    const existing = lookUp(state.eventDeliveries, id)
    if (existing === null) return refused("NotFound")
    if (existing.status !== from || existing.fencingToken !== fencingToken) return refused("Stale")
    return kept({ ...state, eventDeliveries: HashMap.set(state.eventDeliveries, id, { ...existing, ...next }) })
  },
  RewriteRecord: (state, change) => {
    const rewritten = rewriteRecord(state, change)
    return typeof rewritten === "string" ? refused(rewritten) : kept(rewritten)
  },
  RenewLease: (state, { worker, renewedAt, leaseUntil }) =>
    kept({ ...state, leases: HashMap.set(state.leases, worker, { worker, renewedAt, leaseUntil }) }),
  EndLease: (state, { worker }) => kept({ ...state, leases: HashMap.remove(state.leases, worker) })
}

export const applyChange = <T extends ChangeTag>(state: State, change: Change & { readonly _tag: T }): Applied =>
  (appliers[change._tag] as (state: State, change: Change) => Applied)(state, change)

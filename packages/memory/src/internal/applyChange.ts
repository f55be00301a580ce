/**
 * Applies one change to the state, or returns the reason if its guard does not hold. These pure functions define the
 * meaning of every change.
 */
import type { Change, ChangeOf, ChangeTag, ConflictReason, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict } from "@mailkeep/core/adapter"
import { HashMap, Result } from "effect"
import { removeRecord } from "./removeRecord.ts"
import { rewriteRecord } from "./rewriteRecord.ts"
import type { State } from "./State.ts"
import { keyOf, lookUp, nameKey, within } from "./State.ts"

type Applied = Result.Result<State, ConflictReason>

const kept = (state: State): Applied => Result.succeed(state)
const refused = (reason: ConflictReason): Applied => Result.fail(reason)

const referred = (state: State, ref: RecordRef): { readonly revision: number } | null => {
  switch (ref.kind) {
    case "ApiKey":
      return lookUp(state.apiKeys, keyOf(ref))
    case "Domain":
      return lookUp(state.domains, within(ref.projectId, ref.domain))
    case "Suppression":
      return lookUp(state.suppressions, within(ref.projectId, ref.addressKey))
    case "Resource":
      return lookUp(state.resources, keyOf(ref))
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
    const guard = revisionConflict(lookUp(state.apiKeys, keyOf(key)), replaces)
    if (guard !== undefined) return refused(guard)
    const clash = HashMap.some(
      state.apiKeys,
      ({ projectId, id, publicId }) => projectId === key.projectId && id !== key.id && publicId === key.publicId
    )
    if (clash) return refused("AlreadyExists")
    return kept({ ...state, apiKeys: HashMap.set(state.apiKeys, keyOf(key), key) })
  },
  TouchApiKey: (state, { lastUsedAt, ...ref }) => {
    const key = keyOf(ref)
    const existing = lookUp(state.apiKeys, key)
    return kept(
      existing === null ? state : { ...state, apiKeys: HashMap.set(state.apiKeys, key, { ...existing, lastUsedAt }) }
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
    const key = keyOf(resource)
    const existing = lookUp(state.resources, key)
    const guard = revisionConflict(existing, replaces)
    if (guard !== undefined) return refused(guard)
    const name = nameKey(resource)
    const holder = resource.name === null ? null : lookUp(state.resourcesByName, name)
    if (holder !== null && holder !== key) return refused("AlreadyExists")
    const freed = existing === null ? state.resourcesByName : HashMap.remove(state.resourcesByName, nameKey(existing))
    return kept({
      ...state,
      resources: HashMap.set(state.resources, key, resource),
      resourcesByName: resource.name === null ? freed : HashMap.set(freed, name, key)
    })
  },
  RemoveResource: (state, { revision, ...ref }) => {
    const existing = lookUp(state.resources, keyOf(ref))
    const guard = revisionConflict(existing, revision)
    if (existing === null || guard !== undefined) return refused(guard ?? "NotFound")
    return kept({
      ...state,
      resources: HashMap.remove(state.resources, keyOf(ref)),
      resourcesByName: HashMap.remove(state.resourcesByName, nameKey(existing))
    })
  },
  PutContact: (state, { contact, replaces }) => {
    const key = keyOf(contact)
    const existing = lookUp(state.contacts, key)
    const guard = revisionConflict(existing, replaces)
    if (guard !== undefined) return refused(guard)
    const address = within(contact.projectId, contact.address)
    const holder = lookUp(state.contactsByAddress, address)
    if (holder !== null && holder !== key) return refused("AlreadyExists")
    const freed =
      existing === null
        ? state.contactsByAddress
        : HashMap.remove(state.contactsByAddress, within(existing.projectId, existing.address))
    return kept({
      ...state,
      contacts: HashMap.set(state.contacts, key, contact),
      contactsByAddress: HashMap.set(freed, address, key)
    })
  },
  RemoveContact: (state, { revision, ...ref }) => {
    const existing = lookUp(state.contacts, keyOf(ref))
    const guard = revisionConflict(existing, revision)
    if (existing === null || guard !== undefined) return refused(guard ?? "NotFound")
    return kept({
      ...state,
      contacts: HashMap.remove(state.contacts, keyOf(ref)),
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
    HashMap.has(state.messages, keyOf(message))
      ? refused("AlreadyExists")
      : kept({ ...state, messages: HashMap.set(state.messages, keyOf(message), message) }),
  InsertDelivery: (state, { delivery }) =>
    HashMap.has(state.deliveries, keyOf(delivery))
      ? refused("AlreadyExists")
      : kept({ ...state, deliveries: HashMap.set(state.deliveries, keyOf(delivery), delivery) }),
  InsertAttempt: (state, { attempt }) => {
    const key = within(attempt.projectId, attempt.deliveryId)
    if (!HashMap.has(state.deliveries, key)) return refused("NotFound")
    const existing = lookUp(state.attempts, key) ?? []
    if (existing.some(({ number }) => number === attempt.number)) return refused("AlreadyExists")
    return kept({ ...state, attempts: HashMap.set(state.attempts, key, [...existing, attempt]) })
  },
  TransitionAttempt: (state, { projectId, deliveryId, number, fencingToken, from, next }) => {
    const key = within(projectId, deliveryId)
    const delivery = lookUp(state.deliveries, key)
    const attempts = lookUp(state.attempts, key) ?? []
    const existing = attempts.find((attempt) => attempt.number === number)
    if (existing === undefined) return refused("NotFound")
    if (delivery?.status !== "sending" || delivery.fencingToken !== fencingToken || existing.phase !== from)
      return refused("Stale")
    const moved = attempts.map((attempt) => (attempt === existing ? { ...attempt, ...next } : attempt))
    return kept({ ...state, attempts: HashMap.set(state.attempts, key, moved) })
  },
  TransitionDelivery: (state, { from, fencingToken, next, ...ref }) => {
    const key = keyOf(ref)
    const existing = lookUp(state.deliveries, key)
    if (existing === null) return refused("NotFound")
    if (existing.status !== from || existing.fencingToken !== fencingToken) return refused("Stale")
    return kept({ ...state, deliveries: HashMap.set(state.deliveries, key, { ...existing, ...next }) })
  },
  AddToCounter: (state, { projectId, name, by, max }) => {
    const key = within(projectId, name)
    const sum = (lookUp(state.counters, key) ?? 0) + by
    if (by >= 0 && max !== null && sum > max) return refused("Exhausted")
    return kept({ ...state, counters: HashMap.set(state.counters, key, sum) })
  },
  AppendEvent: (state, { event }) =>
    HashMap.has(state.events, keyOf(event))
      ? refused("AlreadyExists")
      : kept({
          ...state,
          events: HashMap.set(state.events, keyOf(event), event),
          undistributed: HashMap.set(state.undistributed, keyOf(event), true)
        }),
  DistributeEvent: (state, ref) => {
    const key = keyOf(ref)
    if (!HashMap.has(state.events, key)) return refused("NotFound")
    if (!HashMap.has(state.undistributed, key)) return refused("Stale")
    return kept({ ...state, undistributed: HashMap.remove(state.undistributed, key) })
  },
  InsertEventDelivery: (state, { eventDelivery }) =>
    HashMap.has(state.eventDeliveries, keyOf(eventDelivery))
      ? refused("AlreadyExists")
      : kept({
          ...state,
          eventDeliveries: HashMap.set(state.eventDeliveries, keyOf(eventDelivery), eventDelivery)
        }),
  TransitionEventDelivery: (state, { from, fencingToken, next, ...ref }) => {
    const key = keyOf(ref)
    const existing = lookUp(state.eventDeliveries, key)
    if (existing === null) return refused("NotFound")
    if (existing.status !== from || existing.fencingToken !== fencingToken) return refused("Stale")
    return kept({ ...state, eventDeliveries: HashMap.set(state.eventDeliveries, key, { ...existing, ...next }) })
  },
  RewriteRecord: (state, change) => {
    const rewritten = rewriteRecord(state, change)
    return typeof rewritten === "string" ? refused(rewritten) : kept(rewritten)
  },
  RemoveRecord: (state, change) => {
    const removed = removeRecord(state, change)
    return typeof removed === "string" ? refused(removed) : kept(removed)
  },
  RenewLease: (state, { worker, renewedAt, leaseUntil }) =>
    kept({ ...state, leases: HashMap.set(state.leases, worker, { worker, renewedAt, leaseUntil }) }),
  EndLease: (state, { worker }) => kept({ ...state, leases: HashMap.remove(state.leases, worker) })
}

export const applyChange = <T extends ChangeTag>(state: State, change: Change & { readonly _tag: T }): Applied =>
  (appliers[change._tag] as (state: State, change: Change) => Applied)(state, change)

/**
 * Rewrites or deletes a record that was read. Source: decision 0051.
 */
import type { ChangeOf, ConflictReason, RewritableKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { isSameRecord } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import { unusedContents } from "./claimDeliveries.ts"
import type { State } from "./State.ts"
import { lookUp, within } from "./State.ts"

type Rewritable = StoredRecordOf<RewritableKind>

const stored = <K extends RewritableKind>(kind: K, record: StoredRecordOf<K>["record"] | null | undefined) =>
  record === null || record === undefined ? null : ({ kind, record } as StoredRecord)

/** The stored record with the key of `before`. */
const existingOf = (state: State, { kind, record }: Rewritable): StoredRecord | null => {
  switch (kind) {
    case "Message":
      return stored(kind, lookUp(state.messages, record.id))
    case "Delivery":
      return stored(kind, lookUp(state.deliveries, record.id))
    case "Attempt": {
      const attempts = lookUp(state.attempts, record.deliveryId) ?? []
      return stored(
        kind,
        attempts.find(({ number }) => number === record.number)
      )
    }
    case "Event": {
      const event = lookUp(state.events, record.event.id)
      const isDistributed = !HashMap.has(state.undistributed, record.event.id)
      return stored(kind, event === null ? null : { event, isDistributed })
    }
    case "Idempotency":
      return stored(kind, lookUp(state.idempotency, within(record.projectId, record.key)))
  }
}

const removed = (state: State, { kind, record }: Rewritable): State => {
  switch (kind) {
    case "Message":
      return { ...state, messages: HashMap.remove(state.messages, record.id) }
    case "Delivery":
      return { ...state, deliveries: HashMap.remove(state.deliveries, record.id) }
    case "Attempt": {
      const left = (lookUp(state.attempts, record.deliveryId) ?? []).filter(({ number }) => number !== record.number)
      return { ...state, attempts: HashMap.set(state.attempts, record.deliveryId, left) }
    }
    case "Event":
      return {
        ...state,
        events: HashMap.remove(state.events, record.event.id),
        undistributed: HashMap.remove(state.undistributed, record.event.id)
      }
    case "Idempotency":
      return { ...state, idempotency: HashMap.remove(state.idempotency, within(record.projectId, record.key)) }
  }
}

const inserted = (state: State, { kind, record }: Rewritable): State => {
  switch (kind) {
    case "Message":
      return { ...state, messages: HashMap.set(state.messages, record.id, record) }
    case "Delivery":
      return { ...state, deliveries: HashMap.set(state.deliveries, record.id, record) }
    case "Attempt": {
      const attempts = [...(lookUp(state.attempts, record.deliveryId) ?? []), record]
      return { ...state, attempts: HashMap.set(state.attempts, record.deliveryId, attempts) }
    }
    case "Event": {
      const { event, isDistributed } = record
      return {
        ...state,
        events: HashMap.set(state.events, event.id, event),
        undistributed: isDistributed ? state.undistributed : HashMap.set(state.undistributed, event.id, true)
      }
    }
    case "Idempotency":
      return { ...state, idempotency: HashMap.set(state.idempotency, within(record.projectId, record.key), record) }
  }
}

/** Returns the state after the change, or the reason why its guard does not hold. */
export const rewriteRecord = (state: State, { before, after }: ChangeOf<"RewriteRecord">): State | ConflictReason => {
  const existing = existingOf(state, before)
  if (existing === null) return "NotFound"
  if (!isSameRecord(existing, before)) return "Stale"
  const left = removed(state, before)
  const next = after === null ? left : inserted(left, after)
  if (before.kind !== "Message") return next
  return { ...next, contents: HashMap.removeMany(next.contents, unusedContents(next.messages, [before.record])) }
}

/**
 * Rewrites or deletes a record that was read. Source: decision 0051.
 */
import type { ChangeOf, ConflictReason, RewritableKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { isSameRecord } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { keyOf, lookUp, within } from "./State.ts"
import { unusedContents } from "./sweepState.ts"

type Rewritable = StoredRecordOf<RewritableKind>

const stored = <K extends RewritableKind>(kind: K, record: StoredRecordOf<K>["record"] | null | undefined) =>
  record === null || record === undefined ? null : ({ kind, record } as StoredRecord)

const deliveryKeyOf = ({ projectId, deliveryId }: StoredRecordOf<"Attempt">["record"]) => within(projectId, deliveryId)

/** The stored record with the key of `before`. */
const existingOf = (state: State, { kind, record }: Rewritable): StoredRecord | null => {
  switch (kind) {
    case "Message":
      return stored(kind, lookUp(state.messages, keyOf(record)))
    case "Delivery":
      return stored(kind, lookUp(state.deliveries, keyOf(record)))
    case "Attempt": {
      const attempts = lookUp(state.attempts, deliveryKeyOf(record)) ?? []
      return stored(
        kind,
        attempts.find(({ number }) => number === record.number)
      )
    }
    case "Event": {
      const event = lookUp(state.events, keyOf(record.event))
      const isDistributed = !HashMap.has(state.undistributed, keyOf(record.event))
      return stored(kind, event === null ? null : { event, isDistributed })
    }
    case "Idempotency":
      return stored(kind, lookUp(state.idempotency, within(record.projectId, record.key)))
  }
}

const removed = (state: State, { kind, record }: Rewritable): State => {
  switch (kind) {
    case "Message":
      return { ...state, messages: HashMap.remove(state.messages, keyOf(record)) }
    case "Delivery":
      return { ...state, deliveries: HashMap.remove(state.deliveries, keyOf(record)) }
    case "Attempt": {
      const key = deliveryKeyOf(record)
      const left = (lookUp(state.attempts, key) ?? []).filter(({ number }) => number !== record.number)
      return { ...state, attempts: HashMap.set(state.attempts, key, left) }
    }
    case "Event":
      return {
        ...state,
        events: HashMap.remove(state.events, keyOf(record.event)),
        undistributed: HashMap.remove(state.undistributed, keyOf(record.event))
      }
    case "Idempotency":
      return { ...state, idempotency: HashMap.remove(state.idempotency, within(record.projectId, record.key)) }
  }
}

const inserted = (state: State, { kind, record }: Rewritable): State => {
  switch (kind) {
    case "Message":
      return { ...state, messages: HashMap.set(state.messages, keyOf(record), record) }
    case "Delivery":
      return { ...state, deliveries: HashMap.set(state.deliveries, keyOf(record), record) }
    case "Attempt": {
      const key = deliveryKeyOf(record)
      const attempts = [...(lookUp(state.attempts, key) ?? []), record]
      return { ...state, attempts: HashMap.set(state.attempts, key, attempts) }
    }
    case "Event": {
      const { event, isDistributed } = record
      return {
        ...state,
        events: HashMap.set(state.events, keyOf(event), event),
        undistributed: isDistributed ? state.undistributed : HashMap.set(state.undistributed, keyOf(event), true)
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
  if (after === null && before.kind === "Delivery")
    return { ...left, attempts: HashMap.remove(left.attempts, keyOf(before.record)) }
  const next = after === null ? left : inserted(left, after)
  if (before.kind !== "Message") return next
  return { ...next, contents: HashMap.removeMany(next.contents, unusedContents(next.messages, [before.record])) }
}

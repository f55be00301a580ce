/**
 * Removes a record that was read. Source: docs/decisions/0101-delete-a-project.md.
 */
import type { ChangeOf, ConflictReason, RemovableKind, StoredRecord } from "@mailkeep/core/adapter"
import { isSameRecord, storedRecordKey } from "@mailkeep/core/adapter"
import { HashMap } from "effect"
import type { State } from "./State.ts"
import { lookUp } from "./State.ts"

/** The part of the state with the records of each kind. Its keys are those of the records, joined by a slash. */
const parts = {
  Project: "projects",
  ApiKey: "apiKeys",
  Suppression: "suppressions",
  Counter: "counters",
  EventDelivery: "eventDeliveries"
} as const satisfies Readonly<Record<RemovableKind, keyof State>>

/** Returns the state after the change, or the reason why its guard does not hold. */
export const removeRecord = (state: State, { record: read }: ChangeOf<"RemoveRecord">): State | ConflictReason => {
  const part = parts[read.kind]
  const key = storedRecordKey(read).join("/")
  const stored = lookUp<unknown>(state[part], key)
  if (stored === null) return "NotFound"
  const record = read.kind === "Counter" ? { ...read.record, value: stored } : stored
  return isSameRecord({ kind: read.kind, record } as StoredRecord, read)
    ? { ...state, [part]: HashMap.remove(state[part] as HashMap.HashMap<string, unknown>, key) }
    : "Stale"
}

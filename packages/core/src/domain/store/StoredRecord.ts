/**
 * Every record of a store, by kind, with its key. A move between stores, an erasure and the deletion of a project read all
 * records by their keys. Source: decision 0050.
 */
import type { ApiKeyRecord } from "../access/ApiKey.ts"
import type { ProjectId, ProjectRecord } from "../access/Project.ts"
import type { ContactRecord } from "../contact/Contact.ts"
import type { SuppressionRecord } from "../contact/Suppression.ts"
import type { Attempt, Delivery } from "../delivery/Delivery.ts"
import type { SenderDomainRecord } from "../domain-name/SenderDomain.ts"
import type { EventDelivery } from "../event/EventDelivery.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { IdempotencyRecord } from "../message/Idempotency.ts"
import type { Message } from "../message/Message.ts"
import type { Counter } from "../plan/Plan.ts"
import { compareTexts } from "../value/TextOrder.ts"
import type { Lease } from "./Lease.ts"
import type { Resource } from "./Resource.ts"

/** The record of each kind. */
export interface StoredRecords {
  Setting: { readonly name: string; readonly value: string }
  Project: ProjectRecord
  ApiKey: ApiKeyRecord
  Domain: SenderDomainRecord
  Resource: Resource
  Contact: ContactRecord
  Suppression: SuppressionRecord
  Idempotency: IdempotencyRecord
  /** A content in all of its chunks, as `PutContent` writes it. */
  Content: { readonly projectId: ProjectId; readonly hash: string; readonly chunks: ReadonlyArray<Uint8Array> }
  Message: Message
  Delivery: Delivery
  Attempt: Attempt
  Counter: Counter
  Event: { readonly event: EventRecord; readonly isDistributed: boolean }
  EventDelivery: EventDelivery
  Lease: Lease
}

/** A kind of record. */
export type RecordKind = keyof StoredRecords

/** The record of one kind. */
export type StoredRecordOf<K extends RecordKind> = {
  readonly [Kind in K]: {
    readonly kind: Kind
    readonly record: StoredRecords[Kind]
  }
}[K]

/** A record of any kind. */
export type StoredRecord = StoredRecordOf<RecordKind>

/** The kinds of records that `RewriteRecord` changes. */
export const rewritableKinds = ["Message", "Delivery", "Attempt", "Event", "Idempotency"] as const
/** A kind of record that `RewriteRecord` changes. */
export type RewritableKind = (typeof rewritableKinds)[number]

/** The kinds of records that `RemoveRecord` deletes. Each has no parts in other records. */
export const removableKinds = ["Project", "ApiKey", "Suppression", "Counter", "EventDelivery"] as const
/** A kind of record that `RemoveRecord` deletes. */
export type RemovableKind = (typeof removableKinds)[number]

/** The parts of a key: for a record of a project, the project id comes first. No two records of a kind have the same key. */
export type StoredRecordKey = ReadonlyArray<string | number>

const keysOf: { readonly [K in RecordKind]: (record: StoredRecords[K]) => StoredRecordKey } = {
  Setting: ({ name }) => [name],
  Project: ({ id }) => [id],
  ApiKey: ({ projectId, id }) => [projectId, id],
  Domain: ({ projectId, domain }) => [projectId, domain],
  Resource: ({ projectId, id }) => [projectId, id],
  Contact: ({ projectId, id }) => [projectId, id],
  Suppression: ({ projectId, addressKey }) => [projectId, addressKey],
  Idempotency: ({ projectId, key }) => [projectId, key],
  Content: ({ projectId, hash }) => [projectId, hash],
  Message: ({ projectId, id }) => [projectId, id],
  Delivery: ({ projectId, id }) => [projectId, id],
  Attempt: ({ projectId, deliveryId, number }) => [projectId, deliveryId, number],
  Counter: ({ projectId, name }) => [projectId, name],
  Event: ({ event }) => [event.projectId, event.id],
  EventDelivery: ({ projectId, id }) => [projectId, id],
  Lease: ({ worker }) => [worker]
}

/** All kinds of records. A record of a later kind can refer to one of an earlier kind. */
export const recordKinds = Object.keys(keysOf) as ReadonlyArray<RecordKind>

/** The key of a record. */
export const storedRecordKey = ({ kind, record }: StoredRecord): StoredRecordKey =>
  (keysOf[kind] as (record: StoredRecord["record"]) => StoredRecordKey)(record)

/** The project of a record; `null` for a setting and a lease, which belong to no project. */
export const projectIdOf = ({ kind, record }: StoredRecord): ProjectId | null => {
  switch (kind) {
    case "Setting":
    case "Lease":
      return null
    case "Project":
      return record.id
    case "Event":
      return record.event.projectId
    default:
      return record.projectId
  }
}

/** Compares two keys of one kind: part by part, texts by their UTF-8 bytes. */
export const compareRecordKeys = (a: StoredRecordKey, b: StoredRecordKey): number => {
  for (const [at, part] of a.entries()) {
    const other = b[at]!
    const difference = typeof part === "number" ? part - (other as number) : compareTexts(part, other as string)
    if (difference !== 0) return difference
  }
  return 0
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** Whether two values are equal. The fields of an object may have any order. */
const isSameValue = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (!isObject(a) || !isObject(b) || Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameValue(a[name], b[name]))
  )
}

/** Whether two records are equal in every field. A store evaluates the guards of `RewriteRecord` and `RemoveRecord` with it. */
export const isSameRecord = (a: StoredRecord, b: StoredRecord): boolean =>
  a.kind === b.kind && isSameValue(a.record, b.record)

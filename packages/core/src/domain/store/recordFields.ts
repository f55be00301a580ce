/**
 * The fields of the records, for a store that keeps each record as a row of columns.
 */
import type { AttemptState, DeliveryState } from "../delivery/Delivery.ts"
import type { EventDeliveryState } from "../event/EventDelivery.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { StoredRecords } from "./StoredRecord.ts"

/** What a field holds: a text, a whole number below 2^53, `true` or `false`, or a value for JSON. */
export type FieldKind = "text" | "integer" | "boolean" | "json"

type KindOf<V> = [V] extends [string]
  ? "text"
  : [V] extends [number]
    ? "integer"
    : [V] extends [boolean]
      ? "boolean"
      : "json"

/** The kind of each field of a record. The type of the field decides it; a field whose type includes `null` may be `null` too. */
export type FieldKinds<R> = { readonly [F in keyof Required<R>]: KindOf<Exclude<R[F], null | undefined>> }

/** The records with fields for columns. The others are a setting, the content of a file, whose chunks are bytes, and a lease. */
interface RowRecords extends Omit<StoredRecords, "Setting" | "Content" | "Event" | "Lease"> {
  Event: EventRecord
}

const deliveryStateFields: FieldKinds<DeliveryState> = {
  status: "text",
  reason: "text",
  statusMessage: "text",
  scheduledAt: "integer",
  dueAt: "integer",
  dueSetAt: "integer",
  queuedAt: "integer",
  worker: "text",
  fencingToken: "integer",
  attemptCount: "integer",
  deferrals: "integer",
  ambiguousAttempts: "integer",
  workerDeaths: "integer",
  reachedRelay: "boolean",
  countedDay: "text",
  chargedAt: "integer",
  sequence: "integer",
  bounceType: "text",
  canceledAt: "integer",
  acceptedAt: "integer",
  deliveredAt: "integer",
  bouncedAt: "integer",
  complainedAt: "integer",
  failedAt: "integer",
  suppressedAt: "integer"
}

const attemptStateFields: FieldKinds<AttemptState> = {
  phase: "text",
  outcome: "text",
  smtpCode: "integer",
  enhancedCode: "text",
  statusMessage: "text",
  durationMillis: "integer"
}

const eventDeliveryStateFields: FieldKinds<EventDeliveryState> = {
  status: "text",
  dueAt: "integer",
  worker: "text",
  fencingToken: "integer",
  attemptCount: "integer",
  latestAttempts: "json",
  endedAt: "integer"
}

/**
 * The fields of each kind of record, and what they hold.
 *
 * @example
 * ```ts
 * import { recordFields } from "@mailkeep/core/adapter/evaluation"
 *
 * const types = { text: "TEXT", integer: "BIGINT", boolean: "BOOLEAN", json: "JSON" } as const
 * const columns = Object.entries(recordFields.Counter).map(([field, kind]) => `${field} ${types[kind]}`)
 * console.log(columns.join(", ")) // projectId TEXT, name TEXT, value BIGINT
 * ```
 */
export const recordFields: { readonly [K in keyof RowRecords]: FieldKinds<RowRecords[K]> } = {
  Project: {
    id: "text",
    onAmbiguous: "text",
    listUnsubscribe: "boolean",
    createdAt: "integer",
    revision: "integer"
  },
  ApiKey: {
    id: "text",
    projectId: "text",
    publicId: "text",
    secretHash: "text",
    name: "text",
    permissions: "json",
    domainScope: "json",
    createdAt: "integer",
    expiresAt: "integer",
    revokedAt: "integer",
    lastUsedAt: "integer",
    revision: "integer"
  },
  Domain: {
    id: "text",
    projectId: "text",
    domain: "text",
    status: "text",
    manuallyVerified: "boolean",
    dkim: "json",
    records: "json",
    verificationError: "text",
    verificationAttempts: "integer",
    verificationAttemptedAt: "integer",
    lastVerifiedAt: "integer",
    failingSince: "integer",
    nextCheckAt: "integer",
    createdAt: "integer",
    updatedAt: "integer",
    revision: "integer"
  },
  Resource: {
    id: "text",
    projectId: "text",
    kind: "text",
    parent: "text",
    name: "text",
    content: "json",
    createdAt: "integer",
    updatedAt: "integer",
    revision: "integer"
  },
  Contact: {
    id: "text",
    projectId: "text",
    email: "text",
    address: "text",
    userId: "text",
    firstName: "text",
    lastName: "text",
    phoneNumber: "text",
    emailStatus: "text",
    source: "text",
    properties: "json",
    listIds: "json",
    createdAt: "integer",
    updatedAt: "integer",
    revision: "integer"
  },
  Suppression: { projectId: "text", addressKey: "text", address: "text", reasons: "json", revision: "integer" },
  Idempotency: { projectId: "text", key: "text", fingerprint: "text", result: "json", expiresAt: "integer" },
  Message: {
    id: "text",
    projectId: "text",
    apiKeyId: "text",
    source: "text",
    from: "text",
    fromName: "text",
    replyTo: "text",
    domain: "text",
    templateId: "text",
    subject: "text",
    html: "text",
    text: "text",
    to: "json",
    cc: "json",
    headers: "json",
    attachments: "json",
    listUnsubscribe: "boolean",
    metadata: "json",
    idempotencyKey: "text",
    onAmbiguous: "text",
    expiresAt: "integer",
    createdAt: "integer"
  },
  Delivery: {
    id: "text",
    projectId: "text",
    messageId: "text",
    kind: "text",
    recipient: "text",
    address: "text",
    contactId: "text",
    source: "text",
    bulk: "boolean",
    createdAt: "integer",
    ...deliveryStateFields
  },
  Attempt: { projectId: "text", deliveryId: "text", number: "integer", startedAt: "integer", ...attemptStateFields },
  Counter: { projectId: "text", name: "text", value: "integer" },
  Event: { id: "text", projectId: "text", occurredAt: "integer", kind: "text", data: "json" },
  EventDelivery: {
    id: "text",
    projectId: "text",
    subscriber: "text",
    eventId: "text",
    eventKind: "text",
    createdAt: "integer",
    ...eventDeliveryStateFields
  }
}

const fieldsOf = <R>(kinds: FieldKinds<R>) => Object.keys(kinds) as unknown as ReadonlyArray<keyof R & string>

/** The fields that a transition changes, of each kind of record with a state. */
export const stateFields = {
  Delivery: fieldsOf<DeliveryState>(deliveryStateFields),
  Attempt: fieldsOf<AttemptState>(attemptStateFields),
  EventDelivery: fieldsOf<EventDeliveryState>(eventDeliveryStateFields)
} as const

/**
 * The closed language of changes: everything a store can be asked to write, each with its own guard.
 * A commit is a list of changes in one fixed order; a store applies all of it or nothing, and never decides.
 */
import { Data } from "effect"
import type { ApiKey } from "./ApiKey.ts"
import type { Contact } from "./Contact.ts"
import type { Definition } from "./Definition.ts"
import type { Attempt, AttemptPhase, AttemptState, Delivery, DeliveryState } from "./Delivery.ts"
import type { DeliveryStatus } from "./DeliveryTable.ts"
import type { EventPush, EventPushState, PushStatus } from "./EventPush.ts"
import type { ApiKeyId, ContactId, DeliveryId, EventId, PushId } from "./Id.ts"
import type { IdempotencyRecord } from "./Idempotency.ts"
import type { Instant } from "./Instant.ts"
import type { MailEvent } from "./MailEvent.ts"
import type { Message } from "./Message.ts"
import type { CounterName } from "./Plan.ts"
import type { Project, ProjectId } from "./Project.ts"
import type { SenderDomain } from "./SenderDomain.ts"
import type { Suppression } from "./Suppression.ts"

/** A record that was read and must still be what it was. */
export type RecordRef =
  | { readonly kind: "ApiKey"; readonly id: ApiKeyId }
  | { readonly kind: "Domain"; readonly projectId: ProjectId; readonly domain: string }
  | { readonly kind: "Definition"; readonly id: string }
  | { readonly kind: "Suppression"; readonly projectId: ProjectId; readonly addressKey: string }
  | { readonly kind: "ContactAddress"; readonly projectId: ProjectId; readonly address: string }

/** `replaces` is the revision that must stand, `null` when none may. */
type Replaces = { readonly replaces: number | null }

export type Change =
  /** Guard: the record stands at this revision; `null`: it does not stand. Writes nothing. */
  | { readonly _tag: "Expect"; readonly record: RecordRef; readonly revision: number | null }
  /** Guard: no setting of this name stands. */
  | { readonly _tag: "PutSetting"; readonly name: string; readonly value: string }
  | ({ readonly _tag: "PutProject"; readonly project: Project } & Replaces)
  /** Guard also: no other key has this public id. */
  | ({ readonly _tag: "PutApiKey"; readonly key: ApiKey } & Replaces)
  /** No guard; the revision stays. */
  | { readonly _tag: "TouchApiKey"; readonly id: ApiKeyId; readonly lastUsedAt: Instant }
  /** A domain is the one of its project and name; its id is of no other. */
  | ({ readonly _tag: "PutDomain"; readonly domain: SenderDomain } & Replaces)
  /** Guard: the domain stands at this revision. */
  | {
      readonly _tag: "RemoveDomain"
      readonly projectId: ProjectId
      readonly domain: string
      readonly revision: number
    }
  /** Guard also: no other definition of its project, kind and parent has its name, unless that is `null`. */
  | ({ readonly _tag: "PutDefinition"; readonly definition: Definition } & Replaces)
  /** Guard: the definition stands at this revision. */
  | { readonly _tag: "RemoveDefinition"; readonly id: string; readonly revision: number }
  /** Guard also: no other contact of the project holds this address. */
  | ({ readonly _tag: "PutContact"; readonly contact: Contact } & Replaces)
  /** Guard: the contact stands at this revision. Nothing of it is kept. */
  | { readonly _tag: "RemoveContact"; readonly id: ContactId; readonly revision: number }
  | ({ readonly _tag: "PutSuppression"; readonly suppression: Suppression } & Replaces)
  /** Guard: the record under this key, if any, expired at or before `now`; it is replaced. */
  | { readonly _tag: "RecordIdempotency"; readonly record: IdempotencyRecord; readonly now: Instant }
  /** No guard: where no record stands, nothing is written. */
  | {
      readonly _tag: "ExtendIdempotency"
      readonly projectId: ProjectId
      readonly key: string
      readonly expiresAt: Instant
    }
  /** Guard: no message with this id stands. */
  | { readonly _tag: "InsertMessage"; readonly message: Message }
  /** Guard: no delivery with this id stands. */
  | { readonly _tag: "InsertDelivery"; readonly delivery: Delivery }
  /** Guard: no attempt of this delivery and number stands. */
  | { readonly _tag: "InsertAttempt"; readonly attempt: Attempt }
  /** Guard: the delivery is `sending` under this token and the attempt is in phase `from`. */
  | {
      readonly _tag: "MoveAttempt"
      readonly deliveryId: DeliveryId
      readonly number: number
      readonly token: number
      readonly from: AttemptPhase
      readonly next: AttemptState
    }
  /** Guard: the delivery has this status and this token. */
  | {
      readonly _tag: "MoveDelivery"
      readonly id: DeliveryId
      readonly from: DeliveryStatus
      readonly token: number
      readonly next: DeliveryState
    }
  /** Guard: unless `by` is negative or `max` is `null`, the sum is at most `max`. A counter starts at 0. */
  | {
      readonly _tag: "SpendCounter"
      readonly projectId: ProjectId
      readonly name: CounterName
      readonly by: number
      readonly max: number | null
    }
  /** Guard: no event with this id stands. It is not distributed yet. */
  | { readonly _tag: "AppendEvent"; readonly event: MailEvent }
  /** Guard: the event stands and was not distributed before. */
  | { readonly _tag: "DistributeEvent"; readonly id: EventId }
  /** Guard: no push with this id stands. */
  | { readonly _tag: "InsertPush"; readonly push: EventPush }
  /** Guard: the push has this status and this token. */
  | {
      readonly _tag: "MovePush"
      readonly id: PushId
      readonly from: PushStatus
      readonly token: number
      readonly next: EventPushState
    }
  /** No guard: a worker speaks only for itself. */
  | { readonly _tag: "RenewLease"; readonly worker: string; readonly leaseUntil: Instant }
  | { readonly _tag: "EndLease"; readonly worker: string }

export type ChangeTag = Change["_tag"]
export type ChangeOf<T extends ChangeTag> = Extract<Change, { readonly _tag: T }>

/** The fixed order of a commit: guards on other records first, a delivery after its attempts. */
export const changeOrder = [
  "Expect",
  "PutSetting",
  "PutProject",
  "PutApiKey",
  "TouchApiKey",
  "PutDomain",
  "RemoveDomain",
  "PutDefinition",
  "RemoveDefinition",
  "PutContact",
  "RemoveContact",
  "PutSuppression",
  "RecordIdempotency",
  "ExtendIdempotency",
  "InsertMessage",
  "InsertDelivery",
  "InsertAttempt",
  "MoveAttempt",
  "MoveDelivery",
  "SpendCounter",
  "AppendEvent",
  "DistributeEvent",
  "InsertPush",
  "MovePush",
  "RenewLease",
  "EndLease"
] as const satisfies ReadonlyArray<ChangeTag>

/** What stood in the way of a change. */
export const conflictReasons = ["AlreadyExists", "NotFound", "Stale", "Exhausted"] as const
export type ConflictReason = (typeof conflictReasons)[number]

/** A guard did not hold, and nothing of the commit was kept. Expected: facts are stale the moment they were read. */
export class Conflict extends Data.TaggedError("Conflict")<{
  /** The place of the change in the commit. */
  readonly at: number
  readonly change: ChangeTag
  readonly reason: ConflictReason
}> {}

/** What stands in the way of a record that replaces the revision that was read, or none where none was. */
export const revisionConflict = (
  standing: { readonly revision: number } | null | undefined,
  replaces: number | null
): ConflictReason | undefined => {
  if (replaces === null) return standing ? "AlreadyExists" : undefined
  if (!standing) return "NotFound"
  return standing.revision === replaces ? undefined : "Stale"
}

const refKey = (ref: RecordRef): string => {
  switch (ref.kind) {
    case "ApiKey":
      return `ApiKey/${ref.id}`
    case "Domain":
      return `Domain/${ref.projectId}/${ref.domain}`
    case "Definition":
      return `Definition/${ref.id}`
    case "Suppression":
      return `Suppression/${ref.projectId}/${ref.addressKey}`
    case "ContactAddress":
      return `ContactAddress/${ref.projectId}/${ref.address}`
  }
}

/** The record that a change touches, as text; no two changes of a commit may touch one. */
export const touches = (change: Change): string => {
  switch (change._tag) {
    case "Expect":
      return refKey(change.record)
    case "PutSetting":
      return `Setting/${change.name}`
    case "PutProject":
      return `Project/${change.project.id}`
    case "PutApiKey":
      return `ApiKey/${change.key.id}`
    case "TouchApiKey":
      return `ApiKey/${change.id}`
    case "PutDomain":
      return `Domain/${change.domain.projectId}/${change.domain.domain}`
    case "RemoveDomain":
      return `Domain/${change.projectId}/${change.domain}`
    case "PutDefinition":
      return `Definition/${change.definition.id}`
    case "RemoveDefinition":
      return `Definition/${change.id}`
    case "PutContact":
      return `Contact/${change.contact.id}`
    case "RemoveContact":
      return `Contact/${change.id}`
    case "PutSuppression":
      return `Suppression/${change.suppression.projectId}/${change.suppression.addressKey}`
    case "RecordIdempotency":
      return `Idempotency/${change.record.projectId}/${change.record.key}`
    case "ExtendIdempotency":
      return `Idempotency/${change.projectId}/${change.key}`
    case "InsertMessage":
      return `Message/${change.message.id}`
    case "InsertDelivery":
      return `Delivery/${change.delivery.id}`
    case "InsertAttempt":
      return `Attempt/${change.attempt.deliveryId}/${change.attempt.number}`
    case "MoveAttempt":
      return `Attempt/${change.deliveryId}/${change.number}`
    case "MoveDelivery":
      return `Delivery/${change.id}`
    case "SpendCounter":
      return `Counter/${change.projectId}/${change.name}`
    case "AppendEvent":
      return `Event/${change.event.id}`
    case "DistributeEvent":
      return `Event/${change.id}`
    case "InsertPush":
      return `Push/${change.push.id}`
    case "MovePush":
      return `Push/${change.id}`
    case "RenewLease":
    case "EndLease":
      return `Lease/${change.worker}`
  }
}

const rank = Object.fromEntries(changeOrder.map((tag, index) => [tag, index])) as Readonly<Record<ChangeTag, number>>

/**
 * The changes in the one order in which every store gets them.
 * Two changes of one record are a mistake in a decider, and die as such.
 */
export const inCommitOrder = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  if (changes.length < 2) return changes
  const keyed = changes.map((change) => ({ change, key: touches(change) }))
  if (new Set(keyed.map(({ key }) => key)).size < keyed.length)
    throw new Error("Two changes of one commit touch one record.")
  return keyed
    .toSorted((a, b) => rank[a.change._tag] - rank[b.change._tag] || (a.key < b.key ? -1 : 1))
    .map(({ change }) => change)
}

/** What a `Put…` or `Insert…` keeps; `undefined` for a change of another form. */
export const recordOf = (change: Change): unknown => {
  switch (change._tag) {
    case "PutSetting":
      return change.value
    case "PutProject":
      return change.project
    case "PutApiKey":
      return change.key
    case "PutDomain":
      return change.domain
    case "PutDefinition":
      return change.definition
    case "PutContact":
      return change.contact
    case "PutSuppression":
      return change.suppression
    case "InsertMessage":
      return change.message
    case "InsertDelivery":
      return change.delivery
    case "InsertAttempt":
      return change.attempt
    case "AppendEvent":
      return change.event
    case "InsertPush":
      return change.push
    default:
      return undefined
  }
}

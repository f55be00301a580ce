/**
 * The closed list of changes that a store can write, each with its guard.
 * A commit is a list of changes in a fixed order. A store applies all changes of a commit or none, and makes no decisions.
 */
import type { ApiKeyRecord } from "../access/ApiKey.ts"
import type { ProjectId, ProjectRecord } from "../access/Project.ts"
import type { ContactRecord } from "../contact/Contact.ts"
import type { SuppressionRecord } from "../contact/Suppression.ts"
import type { Attempt, AttemptPhase, AttemptState, Delivery, DeliveryState } from "../delivery/Delivery.ts"
import type { DeliveryStatus } from "../delivery/DeliveryStatus.ts"
import type { SenderDomainRecord } from "../domain-name/SenderDomain.ts"
import type { EventDelivery, EventDeliveryState, EventDeliveryStatus } from "../event/EventDelivery.ts"
import type { EventRecord } from "../event/EventRecord.ts"
import type { IdempotencyRecord } from "../message/Idempotency.ts"
import type { Message } from "../message/Message.ts"
import type { CounterName } from "../plan/Plan.ts"
import type { ApiKeyId, ContactId, DeliveryId, EventDeliveryId, EventId } from "../value/Id.ts"
import type { Instant } from "../value/Instant.ts"
import type { Resource } from "./Resource.ts"
import type { RemovableKind, RewritableKind, StoredRecordOf } from "./StoredRecord.ts"

/** A record that was read and must be unchanged when the commit is applied. */
export type RecordRef =
  | { readonly kind: "ApiKey"; readonly projectId: ProjectId; readonly id: ApiKeyId }
  | { readonly kind: "Domain"; readonly projectId: ProjectId; readonly domain: string }
  | { readonly kind: "Resource"; readonly projectId: ProjectId; readonly id: string }
  | { readonly kind: "Suppression"; readonly projectId: ProjectId; readonly addressKey: string }
  | { readonly kind: "ContactAddress"; readonly projectId: ProjectId; readonly address: string }

/** Guard: the existing record has the revision `replaces`; with `null`, no record exists. */
type Replaces = { readonly replaces: number | null }

/**
 * One write with its guard. The list is closed: a store interprets these changes and no others.
 *
 * A change of a project's record names the project, and finds no record of another project. An id is unique within its project. A store may refuse
 * to insert an id that another project has, with `AlreadyExists`.
 */
export type Change =
  /** Guard: the record exists at this revision; with `null`, it does not exist. Writes nothing. */
  | { readonly _tag: "Expect"; readonly record: RecordRef; readonly revision: number | null }
  /** Guard: no setting with this name exists. */
  | { readonly _tag: "PutSetting"; readonly name: string; readonly value: string }
  | ({ readonly _tag: "PutProject"; readonly project: ProjectRecord } & Replaces)
  /** Additional guard: no other API key of the project has this public id. A store may compare those of all projects. */
  | ({ readonly _tag: "PutApiKey"; readonly key: ApiKeyRecord } & Replaces)
  /** No guard. The revision does not change. Writes nothing if the project has no such API key. */
  | {
      readonly _tag: "TouchApiKey"
      readonly projectId: ProjectId
      readonly id: ApiKeyId
      readonly lastUsedAt: Instant
    }
  /** Project and name identify a domain. No other domain of the project has its id. */
  | ({ readonly _tag: "PutDomain"; readonly domain: SenderDomainRecord } & Replaces)
  /** Guard: the domain exists at this revision. */
  | {
      readonly _tag: "RemoveDomain"
      readonly projectId: ProjectId
      readonly domain: string
      readonly revision: number
    }
  /** Additional guard: no other resource of its project, kind and parent has its name. Not checked if the name is `null`. */
  | ({ readonly _tag: "PutResource"; readonly resource: Resource } & Replaces)
  /** Guard: the resource exists at this revision. */
  | {
      readonly _tag: "RemoveResource"
      readonly projectId: ProjectId
      readonly id: string
      readonly revision: number
    }
  /** Additional guard: no other contact of the project has this address. */
  | ({ readonly _tag: "PutContact"; readonly contact: ContactRecord } & Replaces)
  /** Guard: the contact exists at this revision. Deletes all of its data. */
  | {
      readonly _tag: "RemoveContact"
      readonly projectId: ProjectId
      readonly id: ContactId
      readonly revision: number
    }
  | ({ readonly _tag: "PutSuppression"; readonly suppression: SuppressionRecord } & Replaces)
  /** Guard: no record with this idempotency key exists, or it expired at or before `now`. Replaces the expired record. */
  | { readonly _tag: "RecordIdempotency"; readonly record: IdempotencyRecord; readonly now: Instant }
  /** No guard. Writes nothing if the record does not exist. */
  | {
      readonly _tag: "ExtendIdempotency"
      readonly projectId: ProjectId
      readonly key: string
      readonly expiresAt: Instant
    }
  /**
   * No guard. Stores the content of files of messages, in its chunks. Writes nothing if the project has this content.
   * There is at least one chunk. Each has 262,144 bytes, except the last.
   */
  | {
      readonly _tag: "PutContent"
      readonly projectId: ProjectId
      /** SHA-256 of the content, in hexadecimal. */
      readonly hash: string
      readonly chunks: ReadonlyArray<Uint8Array>
    }
  /** Guard: the project has no message with this id. The message refers to the contents of its attachments by their hashes. */
  | { readonly _tag: "InsertMessage"; readonly message: Message }
  /** Guard: the project has no delivery with this id. */
  | { readonly _tag: "InsertDelivery"; readonly delivery: Delivery }
  /** Guard: the project has the delivery, and no attempt of the delivery has this number. */
  | { readonly _tag: "InsertAttempt"; readonly attempt: Attempt }
  /** Guard: the delivery is `sending` with this fencing token, and the attempt is in phase `from`. */
  | {
      readonly _tag: "TransitionAttempt"
      readonly projectId: ProjectId
      readonly deliveryId: DeliveryId
      readonly number: number
      readonly fencingToken: number
      readonly from: AttemptPhase
      readonly next: AttemptState
    }
  /** Guard: the delivery has this status and this fencing token. */
  | {
      readonly _tag: "TransitionDelivery"
      readonly projectId: ProjectId
      readonly id: DeliveryId
      readonly from: DeliveryStatus
      readonly fencingToken: number
      readonly next: DeliveryState
    }
  /** Guard: the sum is at most `max`. Not checked if `by` is negative or `max` is `null`. A counter starts at 0. */
  | {
      readonly _tag: "AddToCounter"
      readonly projectId: ProjectId
      readonly name: CounterName
      readonly by: number
      readonly max: number | null
    }
  /** Guard: the project has no event with this id. The new event is not distributed yet. */
  | { readonly _tag: "AppendEvent"; readonly event: EventRecord }
  /** Guard: the event exists and was not distributed before. */
  | { readonly _tag: "DistributeEvent"; readonly projectId: ProjectId; readonly id: EventId }
  /** Guard: the project has no event delivery with this id. */
  | { readonly _tag: "InsertEventDelivery"; readonly eventDelivery: EventDelivery }
  /** Guard: the event delivery has this status and this fencing token. */
  | {
      readonly _tag: "TransitionEventDelivery"
      readonly projectId: ProjectId
      readonly id: EventDeliveryId
      readonly from: EventDeliveryStatus
      readonly fencingToken: number
      readonly next: EventDeliveryState
    }
  /**
   * Guard: the stored record equals `before`. Writes `after`, which has the same key, or deletes the record if `after` is `null`.
   * If a message changes, this also deletes each content to which no message of the project refers any more. If a delivery is deleted, this also
   * deletes its attempts.
   */
  | {
      readonly _tag: "RewriteRecord"
      readonly before: StoredRecordOf<RewritableKind>
      readonly after: StoredRecordOf<RewritableKind> | null
    }
  /** Guard: the stored record equals `record`. Deletes it. For the kinds that no other change deletes. */
  | { readonly _tag: "RemoveRecord"; readonly record: StoredRecordOf<RemovableKind> }
  /** No guard. `renewedAt` is the time by the clock that set the lease. */
  | { readonly _tag: "RenewLease"; readonly worker: string; readonly renewedAt: Instant; readonly leaseUntil: Instant }
  | { readonly _tag: "EndLease"; readonly worker: string }

/** The name of a kind of change. */
export type ChangeTag = Change["_tag"]

/** The change of one kind. */
export type ChangeOf<T extends ChangeTag> = Extract<Change, { readonly _tag: T }>

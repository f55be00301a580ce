/**
 * The order of the changes of a commit, and the record that each change writes or guards.
 */
import type { Change, ChangeTag, RecordRef } from "./Change.ts"
import type { ProjectId } from "../access/Project.ts"
import { projectIdOf, storedRecordKey } from "./StoredRecord.ts"

/** The fixed order of changes in a commit: first the guards on other records; attempts before their delivery. */
export const changeOrder = [
  "Expect",
  "PutSetting",
  "PutProject",
  "PutApiKey",
  "TouchApiKey",
  "PutDomain",
  "RemoveDomain",
  "PutResource",
  "RemoveResource",
  "PutContact",
  "RemoveContact",
  "PutSuppression",
  "RecordIdempotency",
  "ExtendIdempotency",
  "PutContent",
  "InsertMessage",
  "InsertDelivery",
  "InsertAttempt",
  "TransitionAttempt",
  "TransitionDelivery",
  "AddToCounter",
  "AppendEvent",
  "DistributeEvent",
  "InsertEventDelivery",
  "TransitionEventDelivery",
  "RewriteRecord",
  "RemoveRecord",
  "RenewLease",
  "EndLease"
] as const satisfies ReadonlyArray<ChangeTag>

const refKey = (ref: RecordRef): string => {
  switch (ref.kind) {
    case "ApiKey":
      return `ApiKey/${ref.projectId}/${ref.id}`
    case "Domain":
      return `Domain/${ref.projectId}/${ref.domain}`
    case "Resource":
      return `Resource/${ref.projectId}/${ref.id}`
    case "Suppression":
      return `Suppression/${ref.projectId}/${ref.addressKey}`
    case "ContactAddress":
      return `ContactAddress/${ref.projectId}/${ref.address}`
  }
}

/** Identifies the record that a change writes or guards. Two changes of one commit must not have the same record key. */
export const recordKeyOf = (change: Change): string => {
  switch (change._tag) {
    case "Expect":
      return refKey(change.record)
    case "PutSetting":
      return `Setting/${change.name}`
    case "PutProject":
      return `Project/${change.project.id}`
    case "PutApiKey":
      return `ApiKey/${change.key.projectId}/${change.key.id}`
    case "TouchApiKey":
      return `ApiKey/${change.projectId}/${change.id}`
    case "PutDomain":
      return `Domain/${change.domain.projectId}/${change.domain.domain}`
    case "RemoveDomain":
      return `Domain/${change.projectId}/${change.domain}`
    case "PutResource":
      return `Resource/${change.resource.projectId}/${change.resource.id}`
    case "RemoveResource":
      return `Resource/${change.projectId}/${change.id}`
    case "PutContact":
      return `Contact/${change.contact.projectId}/${change.contact.id}`
    case "RemoveContact":
      return `Contact/${change.projectId}/${change.id}`
    case "PutSuppression":
      return `Suppression/${change.suppression.projectId}/${change.suppression.addressKey}`
    case "RecordIdempotency":
      return `Idempotency/${change.record.projectId}/${change.record.key}`
    case "ExtendIdempotency":
      return `Idempotency/${change.projectId}/${change.key}`
    case "PutContent":
      return `Content/${change.projectId}/${change.hash}`
    case "InsertMessage":
      return `Message/${change.message.projectId}/${change.message.id}`
    case "InsertDelivery":
      return `Delivery/${change.delivery.projectId}/${change.delivery.id}`
    case "InsertAttempt":
      return `Attempt/${change.attempt.projectId}/${change.attempt.deliveryId}/${change.attempt.number}`
    case "TransitionAttempt":
      return `Attempt/${change.projectId}/${change.deliveryId}/${change.number}`
    case "TransitionDelivery":
      return `Delivery/${change.projectId}/${change.id}`
    case "AddToCounter":
      return `Counter/${change.projectId}/${change.name}`
    case "AppendEvent":
      return `Event/${change.event.projectId}/${change.event.id}`
    case "DistributeEvent":
      return `Event/${change.projectId}/${change.id}`
    case "InsertEventDelivery":
      return `EventDelivery/${change.eventDelivery.projectId}/${change.eventDelivery.id}`
    case "TransitionEventDelivery":
      return `EventDelivery/${change.projectId}/${change.id}`
    case "RewriteRecord":
      return `${change.before.kind}/${storedRecordKey(change.before).join("/")}`
    case "RemoveRecord":
      return `${change.record.kind}/${storedRecordKey(change.record).join("/")}`
    case "RenewLease":
    case "EndLease":
      return `Lease/${change.worker}`
  }
}

/** The project of the record that a change writes or guards; `null` for a setting and a lease, which belong to no project. */
export const projectIdOfChange = (change: Change): ProjectId | null => {
  switch (change._tag) {
    case "PutSetting":
    case "RenewLease":
    case "EndLease":
      return null
    case "Expect":
      return change.record.projectId
    case "PutProject":
      return change.project.id
    case "PutApiKey":
      return change.key.projectId
    case "PutDomain":
      return change.domain.projectId
    case "PutResource":
      return change.resource.projectId
    case "PutContact":
      return change.contact.projectId
    case "PutSuppression":
      return change.suppression.projectId
    case "RecordIdempotency":
      return change.record.projectId
    case "InsertMessage":
      return change.message.projectId
    case "InsertDelivery":
      return change.delivery.projectId
    case "InsertAttempt":
      return change.attempt.projectId
    case "AppendEvent":
      return change.event.projectId
    case "InsertEventDelivery":
      return change.eventDelivery.projectId
    case "RewriteRecord":
      return projectIdOf(change.before)
    case "RemoveRecord":
      return projectIdOf(change.record)
    default:
      return change.projectId
  }
}

const rank = Object.fromEntries(changeOrder.map((tag, index) => [tag, index])) as Readonly<Record<ChangeTag, number>>

/**
 * Sorts the changes into the order in which every store receives them.
 * Throws if two changes have the same record key, or belong to different projects, because this is an error in a decision.
 */
export const inCommitOrder = (changes: ReadonlyArray<Change>): ReadonlyArray<Change> => {
  if (changes.length < 2) return changes
  const keyed = changes.map((change) => ({ change, key: recordKeyOf(change) }))
  if (new Set(keyed.map(({ key }) => key)).size < keyed.length)
    throw new Error("Two changes of one commit have the same record key.")
  let projectId: ProjectId | null = null
  for (const change of changes) {
    const own = projectIdOfChange(change)
    if (own !== null && projectId !== null && own !== projectId)
      throw new Error("Two changes of one commit belong to different projects.")
    projectId = own ?? projectId
  }
  // Most decisions list their changes in this order, and with one change of each kind.
  if (changes.every(({ _tag }, n) => n === 0 || rank[changes[n - 1]!._tag] < rank[_tag])) return changes
  return keyed
    .toSorted((a, b) => rank[a.change._tag] - rank[b.change._tag] || (a.key < b.key ? -1 : 1))
    .map(({ change }) => change)
}

/** Returns the record that a `Put…`, `Insert…` or `AppendEvent` writes, or `undefined` for other changes. */
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
    case "PutResource":
      return change.resource
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
    case "InsertEventDelivery":
      return change.eventDelivery
    default:
      return undefined
  }
}

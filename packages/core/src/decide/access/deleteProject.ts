/**
 * Decides the commits of the deletion of a project. Each guards the record of the deletion. So a process that continues late deletes nothing of a
 * new project with the same id. Source: decision 0101.
 */
import type { DeletedRecords } from "../../domain/access/ProjectDeletion.ts"
import { deletedRecords, deletionIdOf, nothingDeleted } from "../../domain/access/ProjectDeletion.ts"
import type { ProjectId, ProjectRecord } from "../../domain/access/Project.ts"
import type { Delivery } from "../../domain/delivery/Delivery.ts"
import type { Message } from "../../domain/message/Message.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { Lease } from "../../domain/store/Lease.ts"
import type { Resource, ResourceOf } from "../../domain/store/Resource.ts"
import type { StoredRecord } from "../../domain/store/StoredRecord.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import type { Decision } from "../store/Decision.ts"
import { unchanged } from "../store/Decision.ts"
import { expectResource } from "../store/expectation.ts"

/** What a commit of a deletion did. */
export interface DeletionStep {
  readonly deleted: DeletedRecords
  /** Whether the record of the deletion is gone: another process has ended the deletion. */
  readonly isEnded: boolean
}

const ended: Decision<DeletionStep> = unchanged({ deleted: nothingDeleted, isEnded: true })

/** The change that deletes a record; `null` for a record that is deleted with another one or belongs to no project. */
const deletionOf = (stored: StoredRecord): Change | null => {
  const { kind, record } = stored
  switch (kind) {
    case "Domain":
      return { _tag: "RemoveDomain", projectId: record.projectId, domain: record.domain, revision: record.revision }
    case "Resource":
      return { _tag: "RemoveResource", projectId: record.projectId, id: record.id, revision: record.revision }
    case "Contact":
      return { _tag: "RemoveContact", projectId: record.projectId, id: record.id, revision: record.revision }
    case "Project":
    case "ApiKey":
    case "Suppression":
    case "Counter":
    case "EventDelivery":
      return { _tag: "RemoveRecord", record: stored }
    case "Message":
    case "Delivery":
    case "Event":
    case "Idempotency":
      return { _tag: "RewriteRecord", before: stored, after: null }
    case "Setting":
    case "Lease":
    case "Attempt":
    case "Content":
      return null
  }
}

const deletionStep = (records: ReadonlyArray<StoredRecord>, guard: ReadonlyArray<Change>): Decision<DeletionStep> => ({
  answer: {
    deleted: deletedRecords((counted) => records.filter(({ kind }) => kind === counted).length),
    isEnded: false
  },
  changes: records.length === 0 ? [] : [...guard, ...records.flatMap((one) => deletionOf(one) ?? [])]
})

export interface BeginDeletionFacts {
  readonly now: Instant
  readonly deletion: Resource | null
  /** Domains and API keys of the project. */
  readonly records: ReadonlyArray<StoredRecord>
}

/** Writes the record of the deletion, and deletes domains and API keys: without them, no send is accepted. */
export const beginDeletion = (
  projectId: ProjectId,
  { now, deletion, records }: BeginDeletionFacts
): Decision<DeletionStep> => {
  if (deletion !== null) return deletionStep(records, [expectResource(deletion)])
  const begun: ResourceOf<"projectDeletion"> = {
    id: deletionIdOf(projectId),
    projectId,
    kind: "projectDeletion",
    parent: "",
    name: null,
    content: {},
    createdAt: now,
    updatedAt: now,
    revision: 1
  }
  const { answer, changes } = deletionStep(records, [])
  return { answer, changes: [{ _tag: "PutResource", resource: begun, replaces: null }, ...changes] }
}

/** A message with all of its deliveries. */
interface MessageWithDeliveries {
  /** `null` if only its deliveries are left. */
  readonly message: Message | null
  readonly deliveries: ReadonlyArray<Delivery>
}

export interface DeleteMessagesFacts {
  readonly now: Instant
  readonly deletion: Resource | null
  readonly messages: ReadonlyArray<MessageWithDeliveries>
  /** The leases of the workers of the deliveries in status `sending`. */
  readonly leases: ReadonlyArray<Lease>
}

/** What a commit did with messages. */
export interface DeletedMessages extends DeletionStep {
  /** The ids of the messages that are being handed over. */
  readonly underWay: ReadonlyArray<string>
}

/** Whether a worker may be handing the delivery over. A worker without a live lease counts as stopped. */
const isUnderWay = ({ status, worker }: Delivery, { now, leases }: DeleteMessagesFacts): boolean =>
  status === "sending" && leases.some((lease) => lease.worker === worker && lease.leaseUntil > now)

/**
 * Deletes messages with their deliveries, also those that wait or are claimed: then they are not sent. A delivery that is being handed over stays with its
 * message, and the other deliveries of that message are deleted.
 */
export const deleteMessages = (facts: DeleteMessagesFacts): Decision<DeletedMessages> => {
  const { deletion, messages } = facts
  if (deletion === null) return unchanged({ ...ended.answer, underWay: [] })
  const records: Array<StoredRecord> = []
  const underWay: Array<string> = []
  for (const { message, deliveries } of messages) {
    const deleted = deliveries.filter((delivery) => !isUnderWay(delivery, facts))
    records.push(...deleted.map((record) => ({ kind: "Delivery", record }) as const))
    const left = deliveries.find((delivery) => !deleted.includes(delivery))
    if (left !== undefined) underWay.push(left.messageId)
    else if (message !== null) records.push({ kind: "Message", record: message })
  }
  const { answer, changes } = deletionStep(records, [expectResource(deletion)])
  return { answer: { ...answer, underWay }, changes }
}

export interface DeleteRecordsFacts {
  readonly deletion: Resource | null
  readonly records: ReadonlyArray<StoredRecord>
}

/** Deletes records of one kind, except the record of the deletion. Messages and deliveries are deleted by `deleteMessages`. */
export const deleteRecords = ({ deletion, records }: DeleteRecordsFacts): Decision<DeletionStep> =>
  deletion === null
    ? ended
    : deletionStep(
        records.filter(({ kind, record }) => kind !== "Resource" || record.id !== deletion.id),
        [expectResource(deletion)]
      )

export interface EndDeletionFacts {
  readonly deletion: Resource | null
  readonly project: ProjectRecord | null
}

/** Deletes the project and the record of the deletion. The id can then be used for a new project. */
export const endDeletion = ({ deletion, project }: EndDeletionFacts): Decision<DeletionStep> => {
  if (deletion === null) return ended
  const records: ReadonlyArray<StoredRecord> = project === null ? [] : [{ kind: "Project", record: project }]
  const { answer, changes } = deletionStep(records, [])
  const { projectId, id, revision } = deletion
  return {
    answer: { ...answer, isEnded: true },
    changes: [...changes, { _tag: "RemoveResource", projectId, id, revision }]
  }
}

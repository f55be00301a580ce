/**
 * The deletion of a project: the record that says that it has begun, and the report of a call. Source: decision 0101.
 */
import type { ResourceId } from "../store/StoredResource.ts"
import type { ProjectId } from "./Project.ts"

/** The content of the resource that exists while a project is being deleted. */
export type ProjectDeletionContent = Readonly<Record<string, never>>

/** The id of the resource of a deletion. It contains the project, so that a commit can expect that the resource is absent. */
export const deletionIdOf = (projectId: ProjectId): ResourceId<"projectDeletion"> => `pdl_${projectId}`

/** The kinds of records that a deletion counts. The attempts and the contents of files are deleted with their messages, and not counted. */
export const deletedKinds = [
  "Project",
  "ApiKey",
  "Domain",
  "Resource",
  "Contact",
  "Suppression",
  "Idempotency",
  "Message",
  "Delivery",
  "Counter",
  "Event",
  "EventDelivery"
] as const
/** A kind of record that a deletion counts. */
export type DeletedKind = (typeof deletedKinds)[number]

/** How many records of each kind were deleted. */
export type DeletedRecords = Readonly<Record<DeletedKind, number>>

/** What one call for the deletion of a project did. */
export interface ProjectDeletionReport {
  /**
   * Whether nothing is left. `false` while a message of the project is being handed over: call again after the hand-off. At the latest 45 s after the
   * death of a worker, its lease has ended. Also `false` when other calls wrote records of the project meanwhile.
   */
  readonly isComplete: boolean
  /** The messages that wait for the end of a hand-off. */
  readonly underWay: number
  /** The records that this call deleted. */
  readonly deleted: DeletedRecords
}

/** Makes the counts of all kinds. */
export const deletedRecords = (countOf: (kind: DeletedKind) => number): DeletedRecords =>
  Object.fromEntries(deletedKinds.map((kind) => [kind, countOf(kind)])) as DeletedRecords

/** Nothing was deleted. */
export const nothingDeleted = deletedRecords(() => 0)

/** Adds what two commits deleted. */
export const addDeleted = (a: DeletedRecords, b: DeletedRecords): DeletedRecords =>
  deletedRecords((kind) => a[kind] + b[kind])

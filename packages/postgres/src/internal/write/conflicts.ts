/**
 * Finds why the guard of one change does not hold, in the transaction in which the change was not applied.
 */
import type { Change, ConflictReason, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict } from "@mailkeep/core/adapter/evaluation"
import type { Connection } from "../database.ts"
import type { ApplySet } from "./applySet.ts"
import { replaceRecords } from "./applySet.ts"
import { makeReadCompared } from "./comparedRecords.ts"
import { moveContacts } from "./contactSets.ts"
import { markOfDriver } from "../sqlStates.ts"
import { apiKeyPut, resourcePut } from "./changeSets.ts"

/** The record changed between two statements of the transaction. The transaction can run again. */
const changedMeanwhile = () =>
  markOfDriver(Object.assign(new Error("A record has changed meanwhile."), { code: "40001" }))

/** The reason, unless the guard holds by now. */
const unlessChanged = (reason: ConflictReason | undefined): ConflictReason => {
  if (reason === undefined) throw changedMeanwhile()
  return reason
}

/** A record by its key. */
type Key = readonly [table: string, where: string, ...values: ReadonlyArray<string | number | null>]

const ofProject = "project_id = $1 AND id = $2"

const domainKey = (projectId: string, domain: string): Key => [
  "domains",
  "project_id = $1 AND domain = $2",
  projectId,
  domain
]

const suppressionKey = (projectId: string, addressKey: string): Key => [
  "suppressions",
  "project_id = $1 AND address_key = $2",
  projectId,
  addressKey
]

const keyOf = (change: Change): Key | undefined => {
  switch (change._tag) {
    case "PutProject":
      return ["projects", "id = $1", change.project.id]
    case "PutApiKey":
      return ["api_keys", ofProject, change.key.projectId, change.key.id]
    case "PutDomain":
      return domainKey(change.domain.projectId, change.domain.domain)
    case "RemoveDomain":
      return domainKey(change.projectId, change.domain)
    case "PutResource":
      return ["resources", ofProject, change.resource.projectId, change.resource.id]
    case "RemoveResource":
      return ["resources", ofProject, change.projectId, change.id]
    case "PutContact":
      return ["contacts", ofProject, change.contact.projectId, change.contact.id]
    case "RemoveContact":
      return ["contacts", ofProject, change.projectId, change.id]
    case "PutSuppression":
      return suppressionKey(change.suppression.projectId, change.suppression.addressKey)
    case "TransitionAttempt":
      return [
        "attempts",
        "project_id = $1 AND delivery_id = $2 AND number = $3",
        change.projectId,
        change.deliveryId,
        change.number
      ]
    case "TransitionDelivery":
      return ["deliveries", ofProject, change.projectId, change.id]
    case "TransitionEventDelivery":
      return ["event_deliveries", ofProject, change.projectId, change.id]
    case "DistributeEvent":
      return ["events", ofProject, change.projectId, change.id]
    default:
      return undefined
  }
}

const keyOfRef = (record: RecordRef): Key => {
  switch (record.kind) {
    case "ApiKey":
      return ["api_keys", ofProject, record.projectId, record.id]
    case "Resource":
      return ["resources", ofProject, record.projectId, record.id]
    case "Domain":
      return domainKey(record.projectId, record.domain)
    case "Suppression":
      return suppressionKey(record.projectId, record.addressKey)
    case "ContactAddress":
      return ["contacts", "project_id = $1 AND address = $2", record.projectId, record.address]
  }
}

/** Another record that has the unique value of this one. */
const clashOf = (change: Change): Key | undefined => {
  switch (change._tag) {
    case "PutApiKey": {
      const { projectId, publicId, id } = change.key
      return ["api_keys", "project_id = $1 AND public_id = $2 AND id <> $3", projectId, publicId, id]
    }
    case "PutResource": {
      const { projectId, kind, parent, name, id } = change.resource
      // No name is equal to NULL.
      const where = "project_id = $1 AND kind = $2 AND parent = $3 AND name = $4 AND id <> $5"
      return ["resources", where, projectId, kind, parent, name, id]
    }
    case "PutContact": {
      const { projectId, address, id } = change.contact
      return ["contacts", "project_id = $1 AND address = $2 AND id <> $3", projectId, address, id]
    }
    default:
      return undefined
  }
}

/** Replaces a record whose unique value changes. */
const makeMoves = (schema: string) => ({
  PutApiKey: replaceRecords(schema, apiKeyPut),
  PutResource: replaceRecords(schema, resourcePut),
  PutContact: moveContacts(schema)
})

interface Revised {
  readonly revision: number
}

/** A removal names a revision too. It was not applied, so the record has another revision or does not exist. */
const expectedRevision = (change: Change): number | null | undefined =>
  "replaces" in change ? change.replaces : undefined

/**
 * Returns the reason. Returns `undefined` if the guard does hold: the change gives a record another unique value, and has been applied by a statement
 * of its own.
 */
export const makeFindConflict = (schema: string) => {
  const moves = makeMoves(schema)
  const readCompared = makeReadCompared(schema)

  const find = (connection: Connection, [table, where, ...values]: Key, columns: string) =>
    connection.query<Revised>(`SELECT ${columns} FROM ${schema}.${table} WHERE ${where}`, values)

  /** The guard of a change that names a revision holds, but the change was not applied: its unique value is another one. */
  const applyMove = async (connection: Connection, change: Change): Promise<ConflictReason | undefined> => {
    const clash = clashOf(change)
    if (clash !== undefined && (await find(connection, clash, "1 AS revision")).length > 0) return "AlreadyExists"
    const move = moves[change._tag as keyof typeof moves] as ApplySet<Change> | undefined
    if (move === undefined || (await move.apply(connection, [change])).length > 0) throw changedMeanwhile()
    return undefined
  }

  return async (connection: Connection, change: Change): Promise<ConflictReason | undefined> => {
    if (change._tag === "AddToCounter") return "Exhausted"
    if (change._tag === "Expect") {
      const [existing] = await find(connection, keyOfRef(change.record), "revision")
      return unlessChanged(revisionConflict(existing, change.revision))
    }
    if (change._tag === "RewriteRecord" || change._tag === "RemoveRecord") {
      const record = change._tag === "RewriteRecord" ? change.before : change.record
      return unlessChanged((await readCompared(connection, [record]))(record))
    }
    if (change._tag === "InsertAttempt") {
      const { projectId, deliveryId } = change.attempt
      const delivery = await find(connection, ["deliveries", ofProject, projectId, deliveryId], "1 AS revision")
      return delivery.length > 0 ? "AlreadyExists" : "NotFound"
    }
    const key = keyOf(change)
    const revision = expectedRevision(change)
    if (key === undefined || revision === null) return "AlreadyExists"
    if (revision === undefined) return (await find(connection, key, "1 AS revision")).length > 0 ? "Stale" : "NotFound"
    const [existing] = await find(connection, key, "revision")
    return revisionConflict(existing, revision) ?? (await applyMove(connection, change))
  }
}

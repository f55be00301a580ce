/**
 * Applies one change. Its guard is in the same statement if SQL can express it. The reason is looked up only when a
 * guard fails.
 */
import type { Change, ChangeOf, ChangeTag, ConflictReason, RecordRef } from "@mailkeep/core/adapter"
import { revisionConflict, stateFields } from "@mailkeep/core/adapter/evaluation"
import { putContact, removeContact } from "./contactWrites.ts"
import { addToCounter } from "./counters.ts"
import { renewLease } from "./leases.ts"
import { putContent, referToContents } from "./messageContents.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { columnOf } from "./recordTable.ts"
import { removeRecord, rewriteRecord } from "./storedRecords.ts"
import {
  apiKeys,
  attempts,
  resources,
  deliveries,
  domains,
  events,
  idempotency,
  messages,
  projects,
  eventDeliveries,
  suppressions
} from "./tables.ts"

/** Returns `undefined` when the change was applied. */
type Applied = ConflictReason | undefined

const exists = (connection: Prepared, from: string, ...values: ReadonlyArray<Value>): boolean =>
  connection.statement(`SELECT 1 FROM ${from}`).get(...values) !== undefined

/** Runs an `INSERT` that writes nothing when the record exists. */
const insertOnce = (connection: Prepared, sql: string, values: ReadonlyArray<Value>): Applied =>
  connection.statement(sql).run(...values).changes === 1 ? undefined : "AlreadyExists"

/** Inserts a record that must not exist yet. */
const insert = <R>(connection: Prepared, table: RecordTable<R>, record: R): Applied =>
  insertOnce(connection, table.insertNew, table.valuesOf(record, table.fields))

/** Runs a statement that changes a record only if its guard holds. `from` and `key` find the record without the guard. */
const changeGuarded = (
  connection: Prepared,
  sql: string,
  values: ReadonlyArray<Value>,
  from: string,
  key: ReadonlyArray<Value>
): Applied => {
  if (connection.statement(sql).run(...values).changes === 1) return undefined
  return exists(connection, from, ...key) ? "Stale" : "NotFound"
}

/** Deletes the revision of a record that was read. */
const removeRevision = (connection: Prepared, from: string, key: ReadonlyArray<Value>, revision: number): Applied =>
  changeGuarded(connection, `DELETE FROM ${from} AND revision = ?`, [...key, revision], from, key)

/** A condition on the rows of a table. */
interface Condition {
  readonly where: string
  readonly values: ReadonlyArray<Value>
}

/**
 * Inserts a record that must not exist yet, or replaces the revision that was read. `key` is its primary key; other
 * unique columns may conflict.
 */
const put = <R extends { readonly revision: number }>(
  connection: Prepared,
  table: RecordTable<R>,
  record: R,
  replaces: number | null,
  key: Condition,
  clash?: Condition
): Applied => {
  if (replaces === null) return insert(connection, table, record)
  if (clash !== undefined && exists(connection, `${table.name} WHERE ${clash.where}`, ...clash.values)) {
    const existing = connection.statement(`SELECT revision FROM ${table.name} WHERE ${key.where}`).get(...key.values)
    return revisionConflict(existing as Existing, replaces) ?? "AlreadyExists"
  }
  const sql = `UPDATE ${table.name} SET ${table.assignments(table.fields)} WHERE ${key.where} AND revision = ?`
  const values = [...table.valuesOf(record, table.fields), ...key.values, replaces]
  return changeGuarded(connection, sql, values, `${table.name} WHERE ${key.where}`, key.values)
}

type Existing = { readonly revision: number } | undefined

const referred = (connection: Prepared, ref: RecordRef): Existing => {
  const revision = (from: string, ...values: ReadonlyArray<Value>) =>
    connection.statement(`SELECT revision FROM ${from}`).get(...values) as Existing
  switch (ref.kind) {
    case "ApiKey":
      return revision("mailkeep_api_keys WHERE id = ? AND project_id = ?", ref.id, ref.projectId)
    case "Domain":
      return revision("mailkeep_domains WHERE project_id = ? AND domain = ?", ref.projectId, ref.domain)
    case "Suppression":
      return revision("mailkeep_suppressions WHERE project_id = ? AND address_key = ?", ref.projectId, ref.addressKey)
    case "Resource":
      return revision("mailkeep_resources WHERE id = ? AND project_id = ?", ref.id, ref.projectId)
    case "ContactAddress":
      return revision("mailkeep_contacts WHERE project_id = ? AND address = ?", ref.projectId, ref.address)
  }
}

const ofProject = "id = ? AND project_id = ?"

const whereKey = ({ projectId, id }: { readonly projectId: string; readonly id: string }): Condition => ({
  where: ofProject,
  values: [id, projectId]
})

const deliveryOfProject = `mailkeep_deliveries WHERE ${ofProject}`

const eventOfProject = `mailkeep_events WHERE ${ofProject}`

const eventDeliveryOfProject = `mailkeep_event_deliveries WHERE ${ofProject}`

const transitionDeliverySql = `UPDATE mailkeep_deliveries SET ${deliveries.assignments(stateFields.Delivery)} WHERE ${ofProject} AND status = ? AND fencing_token = ?`

const transitionEventDeliverySql = `UPDATE mailkeep_event_deliveries SET ${eventDeliveries.assignments(stateFields.EventDelivery)} WHERE ${ofProject} AND status = ? AND fencing_token = ?`

const transitionAttemptSql = `UPDATE mailkeep_attempts SET ${attempts.assignments(stateFields.Attempt)}
WHERE delivery_id = ? AND number = ? AND phase = ?
AND EXISTS (SELECT 1 FROM mailkeep_deliveries WHERE id = delivery_id AND project_id = ? AND status = 'sending' AND fencing_token = ?)`

const attemptOfProject = `mailkeep_attempts WHERE delivery_id = ? AND number = ?
AND EXISTS (SELECT 1 FROM mailkeep_deliveries WHERE id = delivery_id AND project_id = ?)`

const insertAttemptSql = `INSERT INTO mailkeep_attempts (${attempts.fields.map(columnOf).join(", ")})
SELECT ${attempts.fields.map(() => "?").join(", ")} FROM mailkeep_deliveries WHERE ${ofProject} ON CONFLICT DO NOTHING`

const addWithinLimitSql =
  "UPDATE mailkeep_counters SET value = value + ? WHERE project_id = ? AND name = ? AND value + ? <= ?"

/** An expired record is replaced by the new one. */
const recordIdempotencySql = `${idempotency.insert} ON CONFLICT (project_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, result = excluded.result, expires_at = excluded.expires_at WHERE expires_at <= ?`

const appliers: { readonly [T in ChangeTag]: (connection: Prepared, change: ChangeOf<T>) => Applied } = {
  Expect: (connection, { record, revision }) => revisionConflict(referred(connection, record), revision),
  PutSetting: (connection, { name, value }) =>
    insertOnce(connection, "INSERT INTO mailkeep_settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", [
      name,
      value
    ]),
  PutProject: (connection, { project, replaces }) =>
    put(connection, projects, project, replaces, { where: "id = ?", values: [project.id] }),
  PutApiKey: (connection, { key, replaces }) =>
    put(connection, apiKeys, key, replaces, whereKey(key), {
      where: "public_id = ? AND id <> ?",
      values: [key.publicId, key.id]
    }),
  TouchApiKey: (connection, { projectId, id, lastUsedAt }) => {
    connection
      .statement(`UPDATE mailkeep_api_keys SET last_used_at = ? WHERE ${ofProject}`)
      .run(lastUsedAt, id, projectId)
    return undefined
  },
  PutDomain: (connection, { domain, replaces }) =>
    put(connection, domains, domain, replaces, {
      where: "project_id = ? AND domain = ?",
      values: [domain.projectId, domain.domain]
    }),
  RemoveDomain: (connection, { projectId, domain, revision }) =>
    removeRevision(connection, "mailkeep_domains WHERE project_id = ? AND domain = ?", [projectId, domain], revision),
  PutResource: (connection, { resource, replaces }) => {
    const { id, projectId, kind, parent, name } = resource
    return put(connection, resources, resource, replaces, whereKey(resource), {
      where: "project_id = ? AND kind = ? AND parent = ? AND name = ? AND id <> ?",
      values: [projectId, kind, parent, name, id]
    })
  },
  RemoveResource: (connection, { projectId, id, revision }) =>
    removeRevision(connection, `mailkeep_resources WHERE ${ofProject}`, [id, projectId], revision),
  PutContact: (connection, { contact, replaces }) => putContact(connection, contact, replaces),
  RemoveContact: removeContact,
  PutSuppression: (connection, { suppression, replaces }) =>
    put(connection, suppressions, suppression, replaces, {
      where: "project_id = ? AND address_key = ?",
      values: [suppression.projectId, suppression.addressKey]
    }),
  RecordIdempotency: (connection, { record, now }) =>
    insertOnce(connection, recordIdempotencySql, [...idempotency.valuesOf(record, idempotency.fields), now]),
  ExtendIdempotency: (connection, { projectId, key, expiresAt }) => {
    connection
      .statement("UPDATE mailkeep_idempotency SET expires_at = ? WHERE project_id = ? AND key = ?")
      .run(expiresAt, projectId, key)
    return undefined
  },
  PutContent: (connection, change) => {
    putContent(connection, change)
    return undefined
  },
  InsertMessage: (connection, { message }) => {
    const conflict = insert(connection, messages, message)
    if (conflict === undefined) referToContents(connection, message)
    return conflict
  },
  InsertDelivery: (connection, { delivery }) => insert(connection, deliveries, delivery),
  InsertAttempt: (connection, { attempt }) => {
    const { projectId, deliveryId } = attempt
    const values = attempts.valuesOf(attempt, attempts.fields)
    if (connection.statement(insertAttemptSql).run(...values, deliveryId, projectId).changes === 1) return undefined
    return exists(connection, deliveryOfProject, deliveryId, projectId) ? "AlreadyExists" : "NotFound"
  },
  TransitionAttempt: (connection, { projectId, deliveryId, number, fencingToken, from, next }) => {
    const values = [...attempts.valuesOf(next, stateFields.Attempt), deliveryId, number, from, projectId, fencingToken]
    return changeGuarded(connection, transitionAttemptSql, values, attemptOfProject, [deliveryId, number, projectId])
  },
  TransitionDelivery: (connection, { projectId, id, from, fencingToken, next }) => {
    const values = [...deliveries.valuesOf(next, stateFields.Delivery), id, projectId, from, fencingToken]
    return changeGuarded(connection, transitionDeliverySql, values, deliveryOfProject, [id, projectId])
  },
  AddToCounter: (connection, { projectId, name, by, max }) => {
    if (by < 0 || max === null) {
      addToCounter(connection, projectId, name, by)
      return undefined
    }
    if (connection.statement(addWithinLimitSql).run(by, projectId, name, by, max).changes === 1) return undefined
    // A counter without a row is 0.
    if (by > max || exists(connection, "mailkeep_counters WHERE project_id = ? AND name = ?", projectId, name))
      return "Exhausted"
    addToCounter(connection, projectId, name, by)
    return undefined
  },
  AppendEvent: (connection, { event }) => insert(connection, events, event),
  DistributeEvent: (connection, { projectId, id }) => {
    const key = [id, projectId]
    const sql = `UPDATE mailkeep_events SET distributed = 1 WHERE ${ofProject} AND distributed = 0`
    return changeGuarded(connection, sql, key, eventOfProject, key)
  },
  InsertEventDelivery: (connection, { eventDelivery }) => insert(connection, eventDeliveries, eventDelivery),
  TransitionEventDelivery: (connection, { projectId, id, from, fencingToken, next }) => {
    const values = [...eventDeliveries.valuesOf(next, stateFields.EventDelivery), id, projectId, from, fencingToken]
    return changeGuarded(connection, transitionEventDeliverySql, values, eventDeliveryOfProject, [id, projectId])
  },
  RewriteRecord: (connection, change) => rewriteRecord(connection, change),
  RemoveRecord: (connection, change) => removeRecord(connection, change),
  RenewLease: (connection, { worker, renewedAt, leaseUntil }) => {
    renewLease(connection, { worker, renewedAt, leaseUntil })
    return undefined
  },
  EndLease: (connection, { worker }) => {
    connection.statement("DELETE FROM mailkeep_leases WHERE worker = ?").run(worker)
    return undefined
  }
}

export const applyChange = (connection: Prepared, change: Change): Applied =>
  (appliers[change._tag] as (connection: Prepared, change: Change) => Applied)(connection, change)

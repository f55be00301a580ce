/**
 * Applies one change, its guard in the same statement where SQL can say it. Which guard failed is looked up only when one did.
 */
import type { Change, ChangeOf, ChangeTag, ConflictReason, RecordRef } from "@mailkeep/core/domain"
import { revisionConflict } from "@mailkeep/core/domain"
import { putContact, removeContact } from "./contactIndex.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import {
  apiKeys,
  attempts,
  attemptStateFields,
  definitions,
  deliveries,
  deliveryStateFields,
  domains,
  events,
  idempotency,
  messages,
  projects,
  pushes,
  pushStateFields,
  suppressions
} from "./tables.ts"

/** `undefined` when the change was applied. */
type Applied = ConflictReason | undefined

const exists = (on: Prepared, from: string, ...values: ReadonlyArray<Value>): boolean =>
  on.statement(`SELECT 1 FROM ${from}`).get(...values) !== undefined

/** A record that must be new. */
const insert = <R>(on: Prepared, table: RecordTable<R>, record: R): Applied =>
  on.statement(table.insertNew).run(...table.valuesOf(record, table.fields)).changes === 1 ? undefined : "AlreadyExists"

/** A record that must be new, or replace the revision that was read. `key` is its primary key; other unique keys may clash. */
const put = <R extends { readonly revision: number }>(
  on: Prepared,
  table: RecordTable<R>,
  record: R,
  replaces: number | null,
  key: { readonly where: string; readonly values: ReadonlyArray<Value> },
  clash?: { readonly where: string; readonly values: ReadonlyArray<Value> }
): Applied => {
  if (replaces === null) return insert(on, table, record)
  if (clash !== undefined && exists(on, `${table.name} WHERE ${clash.where}`, ...clash.values)) {
    const standing = on.statement(`SELECT revision FROM ${table.name} WHERE ${key.where}`).get(...key.values)
    return revisionConflict(standing as Standing, replaces) ?? "AlreadyExists"
  }
  const sql = `UPDATE ${table.name} SET ${table.assignments(table.fields)} WHERE ${key.where} AND revision = ?`
  if (on.statement(sql).run(...table.valuesOf(record, table.fields), ...key.values, replaces).changes === 1)
    return undefined
  return exists(on, `${table.name} WHERE ${key.where}`, ...key.values) ? "Stale" : "NotFound"
}

type Standing = { readonly revision: number } | undefined

const referred = (on: Prepared, ref: RecordRef): Standing => {
  const revision = (from: string, ...values: ReadonlyArray<Value>) =>
    on.statement(`SELECT revision FROM ${from}`).get(...values) as Standing
  switch (ref.kind) {
    case "ApiKey":
      return revision("api_keys WHERE id = ?", ref.id)
    case "Domain":
      return revision("domains WHERE project_id = ? AND domain = ?", ref.projectId, ref.domain)
    case "Suppression":
      return revision("suppressions WHERE project_id = ? AND address_key = ?", ref.projectId, ref.addressKey)
    case "Definition":
      return revision("definitions WHERE id = ?", ref.id)
    case "ContactAddress":
      return revision("contacts WHERE project_id = ? AND address = ?", ref.projectId, ref.address)
  }
}

const byId = (id: string) => ({ where: "id = ?", values: [id] })

const moveDeliverySql = `UPDATE deliveries SET ${deliveries.assignments(deliveryStateFields)} WHERE id = ? AND status = ? AND token = ?`

const movePushSql = `UPDATE pushes SET ${pushes.assignments(pushStateFields)} WHERE id = ? AND status = ? AND token = ?`

const moveAttemptSql = `UPDATE attempts SET ${attempts.assignments(attemptStateFields)}
WHERE delivery_id = ? AND number = ? AND phase = ?
AND EXISTS (SELECT 1 FROM deliveries WHERE id = delivery_id AND status = 'sending' AND token = ?)`

const addToCounterSql = `INSERT INTO counters (project_id, name, value) VALUES (?, ?, ?)
ON CONFLICT (project_id, name) DO UPDATE SET value = value + excluded.value`

const spendWithinSql = "UPDATE counters SET value = value + ? WHERE project_id = ? AND name = ? AND value + ? <= ?"

/** A record that has expired gives way to the new one. */
const recordIdempotencySql = `${idempotency.insert} ON CONFLICT (project_id, key) DO UPDATE
SET fingerprint = excluded.fingerprint, result = excluded.result, expires_at = excluded.expires_at WHERE expires_at <= ?`

const appliers: { readonly [T in ChangeTag]: (on: Prepared, change: ChangeOf<T>) => Applied } = {
  Expect: (on, { record, revision }) => revisionConflict(referred(on, record), revision),
  PutSetting: (on, { name, value }) =>
    on.statement("INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING").run(name, value).changes ===
    1
      ? undefined
      : "AlreadyExists",
  PutProject: (on, { project, replaces }) => put(on, projects, project, replaces, byId(project.id)),
  PutApiKey: (on, { key, replaces }) =>
    put(on, apiKeys, key, replaces, byId(key.id), {
      where: "public_id = ? AND id <> ?",
      values: [key.publicId, key.id]
    }),
  TouchApiKey: (on, { id, lastUsedAt }) => {
    on.statement("UPDATE api_keys SET last_used_at = ? WHERE id = ?").run(lastUsedAt, id)
    return undefined
  },
  PutDomain: (on, { domain, replaces }) =>
    put(on, domains, domain, replaces, {
      where: "project_id = ? AND domain = ?",
      values: [domain.projectId, domain.domain]
    }),
  RemoveDomain: (on, { projectId, domain, revision }) => {
    const where = "domains WHERE project_id = ? AND domain = ?"
    if (on.statement(`DELETE FROM ${where} AND revision = ?`).run(projectId, domain, revision).changes === 1)
      return undefined
    return exists(on, where, projectId, domain) ? "Stale" : "NotFound"
  },
  PutDefinition: (on, { definition, replaces }) => {
    const { id, projectId, kind, parent, name } = definition
    return put(on, definitions, definition, replaces, byId(id), {
      where: "project_id = ? AND kind = ? AND parent = ? AND name = ? AND id <> ?",
      values: [projectId, kind, parent, name, id]
    })
  },
  RemoveDefinition: (on, { id, revision }) => {
    if (on.statement("DELETE FROM definitions WHERE id = ? AND revision = ?").run(id, revision).changes === 1)
      return undefined
    return exists(on, "definitions WHERE id = ?", id) ? "Stale" : "NotFound"
  },
  PutContact: (on, { contact, replaces }) => putContact(on, contact, replaces),
  RemoveContact: (on, { id, revision }) => removeContact(on, id, revision),
  PutSuppression: (on, { suppression, replaces }) =>
    put(on, suppressions, suppression, replaces, {
      where: "project_id = ? AND address_key = ?",
      values: [suppression.projectId, suppression.addressKey]
    }),
  RecordIdempotency: (on, { record, now }) =>
    on.statement(recordIdempotencySql).run(...idempotency.valuesOf(record, idempotency.fields), now).changes === 1
      ? undefined
      : "AlreadyExists",
  ExtendIdempotency: (on, { projectId, key, expiresAt }) => {
    on.statement("UPDATE idempotency SET expires_at = ? WHERE project_id = ? AND key = ?").run(
      expiresAt,
      projectId,
      key
    )
    return undefined
  },
  InsertMessage: (on, { message }) => insert(on, messages, message),
  InsertDelivery: (on, { delivery }) => insert(on, deliveries, delivery),
  InsertAttempt: (on, { attempt }) => insert(on, attempts, attempt),
  MoveAttempt: (on, { deliveryId, number, token, from, next }) => {
    const values = attempts.valuesOf(next, attemptStateFields)
    if (on.statement(moveAttemptSql).run(...values, deliveryId, number, from, token).changes === 1) return undefined
    return exists(on, "attempts WHERE delivery_id = ? AND number = ?", deliveryId, number) ? "Stale" : "NotFound"
  },
  MoveDelivery: (on, { id, from, token, next }) => {
    const values = deliveries.valuesOf(next, deliveryStateFields)
    if (on.statement(moveDeliverySql).run(...values, id, from, token).changes === 1) return undefined
    return exists(on, "deliveries WHERE id = ?", id) ? "Stale" : "NotFound"
  },
  SpendCounter: (on, { projectId, name, by, max }) => {
    if (by < 0 || max === null) {
      on.statement(addToCounterSql).run(projectId, name, by)
      return undefined
    }
    if (on.statement(spendWithinSql).run(by, projectId, name, by, max).changes === 1) return undefined
    // A counter nobody has spent stands at 0.
    if (by > max || exists(on, "counters WHERE project_id = ? AND name = ?", projectId, name)) return "Exhausted"
    on.statement(addToCounterSql).run(projectId, name, by)
    return undefined
  },
  AppendEvent: (on, { event }) => insert(on, events, event),
  DistributeEvent: (on, { id }) => {
    if (on.statement("UPDATE events SET distributed = 1 WHERE id = ? AND distributed = 0").run(id).changes === 1)
      return undefined
    return exists(on, "events WHERE id = ?", id) ? "Stale" : "NotFound"
  },
  InsertPush: (on, { push }) => insert(on, pushes, push),
  MovePush: (on, { id, from, token, next }) => {
    const values = pushes.valuesOf(next, pushStateFields)
    if (on.statement(movePushSql).run(...values, id, from, token).changes === 1) return undefined
    return exists(on, "pushes WHERE id = ?", id) ? "Stale" : "NotFound"
  },
  RenewLease: (on, { worker, leaseUntil }) => {
    renewLease(on, worker, leaseUntil)
    return undefined
  },
  EndLease: (on, { worker }) => {
    on.statement("DELETE FROM leases WHERE worker = ?").run(worker)
    return undefined
  }
}

export const renewLease = (on: Prepared, worker: string, leaseUntil: number): void => {
  on.statement(
    "INSERT INTO leases (worker, lease_until) VALUES (?, ?) ON CONFLICT (worker) DO UPDATE SET lease_until = excluded.lease_until"
  ).run(worker, leaseUntil)
}

export const applyChange = (on: Prepared, change: Change): Applied =>
  (appliers[change._tag] as (on: Prepared, change: Change) => Applied)(on, change)

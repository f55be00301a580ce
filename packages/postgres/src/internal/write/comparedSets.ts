/**
 * Rewrites or deletes records that were read: all records of one kind with one statement. Source: decisions 0050, 0051 and 0101.
 */
import type { ChangeOf, RewritableKind, StoredRecordOf } from "@mailkeep/core/adapter"
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import type { RecordTable } from "../recordTable.ts"
import { attempts, deliveryRow, events, idempotency, messageRow, storedDeliveries, storedMessages } from "../tables.ts"
import type { ApplySet } from "./applySet.ts"
import { parameterRows } from "./applySet.ts"
import type { ComparedKind, ComparedRecord } from "./comparedRecords.ts"
import { byKind, deleteSql, isSameKey, keysParameter, makeReadCompared } from "./comparedRecords.ts"
import type { MessageFiles } from "./contentSet.ts"
import { makeDeleteReferences, makeDeleteUnusedContents, makeInsertReferences } from "./contentSet.ts"

type Rewritten = StoredRecordOf<RewritableKind>
type Rewrite = ChangeOf<"RewriteRecord">

/** Statements that were sent, each with its answer. */
type Sent = ReadonlyArray<Promise<unknown>>

/** The order of the kinds of a commit: a deleted delivery also deletes its attempts, whose own changes come first. */
const kindsInOrder = [
  "Attempt",
  "Delivery",
  "Event",
  "Idempotency",
  "Message"
] as const satisfies ReadonlyArray<RewritableKind>

/** The table and the row of a record that is written. */
const rowOf = (one: Rewritten): readonly [RecordTable<object>, object] => {
  switch (one.kind) {
    case "Attempt":
      return [attempts as RecordTable<object>, one.record]
    case "Delivery":
      return [storedDeliveries as RecordTable<object>, deliveryRow(one.record)]
    case "Event":
      return [events as RecordTable<object>, one.record.event]
    case "Idempotency":
      return [idempotency as RecordTable<object>, one.record]
    case "Message":
      return [storedMessages as RecordTable<object>, messageRow(one.record)]
  }
}

/** The messages among records. */
const messagesOf = (records: ReadonlyArray<Rewritten | null>): ReadonlyArray<MessageFiles> =>
  records.flatMap((one) => (one?.kind === "Message" ? [one.record] : []))

/** Finds the indexes of the changes whose stored record differs, and the other changes. */
const makeCompare = (schema: string) => {
  const readCompared = makeReadCompared(schema)
  return async <C>(connection: Connection, changes: ReadonlyArray<C>, recordOf: (change: C) => ComparedRecord) => {
    const conflictOf = await readCompared(connection, changes.map(recordOf))
    const failing: Array<number> = []
    const holding: Array<C> = []
    for (const [at, change] of changes.entries())
      if (conflictOf(recordOf(change)) === undefined) holding.push(change)
      else failing.push(at)
    return { failing, holding }
  }
}

const makeRewrite = (schema: string) => {
  const deleteReferences = makeDeleteReferences(schema)
  const insertReferences = makeInsertReferences(schema)
  const deleteUnusedContents = makeDeleteUnusedContents(schema)

  const idRows = parameterRows(`"projectId" text, id text`)
  const attemptsOfSql = `DELETE FROM ${schema}.attempts AS t USING ${idRows}
WHERE (t.project_id, t.delivery_id) = (r."projectId", r.id)`
  const distributedSql = `DELETE FROM ${schema}.undistributed_events AS t USING ${idRows}
WHERE (t.project_id, t.event_id) = (r."projectId", r.id)`
  const undistributedSql = `INSERT INTO ${schema}.undistributed_events (project_id, event_id)
SELECT "projectId", id FROM ${idRows} ON CONFLICT DO NOTHING`

  const sendKeys = (connection: Connection, sql: string, rewrites: ReadonlyArray<Rewrite>): Sent =>
    rewrites.length === 0 ? [] : [connection.prepared(sql, keysParameter(rewrites.map(({ before }) => before)))]

  const remove = (connection: Connection, kind: RewritableKind, deleted: ReadonlyArray<Rewrite>): Sent => [
    ...(kind === "Delivery" ? sendKeys(connection, attemptsOfSql, deleted) : []),
    ...sendKeys(connection, deleteSql(schema, kind), deleted)
  ]

  const update = (connection: Connection, written: ReadonlyArray<Rewritten>): Sent => {
    const [first] = written
    if (first === undefined) return []
    const [table] = rowOf(first)
    const sql = `UPDATE ${schema}.${table.name} AS t SET ${table.assignments("r")}
FROM ${parameterRows(table.definitions())} WHERE ${isSameKey(first.kind)}`
    return [connection.prepared(sql, [JSON.stringify(written.map((one) => rowOf(one)[1]))])]
  }

  /** Writes which events are not distributed yet. A deleted event is not one of them. */
  const distribute = (connection: Connection, rewrites: ReadonlyArray<Rewrite>): Sent => {
    const isWaiting = ({ after }: Rewrite) => after?.kind === "Event" && !after.record.isDistributed
    return [
      ...sendKeys(
        connection,
        distributedSql,
        rewrites.filter((rewrite) => !isWaiting(rewrite))
      ),
      ...sendKeys(connection, undistributedSql, rewrites.filter(isWaiting))
    ]
  }

  /** Writes which contents the messages have, and deletes those that no message has any more. */
  const referToContents = (connection: Connection, rewrites: ReadonlyArray<Rewrite>): Sent => {
    const before = messagesOf(rewrites.map((rewrite) => rewrite.before))
    const after = messagesOf(rewrites.map((rewrite) => rewrite.after))
    return [
      deleteReferences(connection, before),
      insertReferences(connection, after),
      deleteUnusedContents(connection, before)
    ]
  }

  const rewriteKind = (connection: Connection, kind: RewritableKind, rewrites: ReadonlyArray<Rewrite>): Sent => {
    const deleted = rewrites.filter(({ after }) => after === null)
    const written = rewrites.flatMap(({ after }) => after ?? [])
    return [
      ...remove(connection, kind, deleted),
      ...update(connection, written),
      ...(kind === "Event" ? distribute(connection, rewrites) : []),
      ...(kind === "Message" ? referToContents(connection, rewrites) : [])
    ]
  }

  /** Sends all statements, and waits for all of them. */
  return (connection: Connection, rewrites: ReadonlyArray<Rewrite>) => {
    const ofKind = byKind(rewrites, ({ before }) => before.kind)
    return settleAll(kindsInOrder.flatMap((kind) => rewriteKind(connection, kind, ofKind.get(kind) ?? [])))
  }
}

export const makeComparedSets = (schema: string) => {
  const compare = makeCompare(schema)
  const rewrite = makeRewrite(schema)
  const removeAll = (connection: Connection, kind: ComparedKind, records: ReadonlyArray<ComparedRecord>) =>
    connection.prepared(deleteSql(schema, kind), keysParameter(records))

  const RewriteRecord: ApplySet<Rewrite> = {
    apply: async (connection, changes) => {
      const { failing, holding } = await compare(connection, changes, ({ before }) => before)
      await rewrite(connection, holding)
      return failing
    }
  }
  const RemoveRecord: ApplySet<ChangeOf<"RemoveRecord">> = {
    apply: async (connection, changes) => {
      const { failing, holding } = await compare(connection, changes, ({ record }) => record)
      const ofKind = byKind(
        holding.map(({ record }) => record),
        ({ kind }) => kind
      )
      await settleAll([...ofKind].map(([kind, records]) => removeAll(connection, kind, records)))
      return failing
    }
  }
  return { RewriteRecord, RemoveRecord }
}

/**
 * Deletes old messages that have ended, with everything that belongs only to them.
 */
import type { Delivery, Message, MessageSweep, SweptMessages } from "@mailkeep/core/adapter"
import { hasEndedBefore } from "@mailkeep/core/adapter"
import { nextSweptPosition, sweptCounts } from "@mailkeep/core/adapter/evaluation"
import type { Connection, Database } from "../database.ts"
import { schemaVersion } from "../migrations.ts"
import { jsonRows } from "../recordTable.ts"
import { deliveries } from "../tables.ts"
import { makeVersionCheck } from "../tableVersion.ts"
import { inWriteTransaction } from "../transactions.ts"
import { makeAddToCounters } from "../write/counterSet.ts"
import { contentKeys, makeTakeLocks } from "../write/lockKeys.ts"
import type { MessageFiles } from "../write/contentSet.ts"
import { makeDeleteReferences, makeDeleteUnusedContents } from "../write/contentSet.ts"

type RecordKey = Pick<Message | Delivery, "projectId" | "id">

/**
 * The keys of the messages of `MessagesBefore`, and whether a delivery of each still waits. Those are not locked. The parameters are the instant,
 * the limit, and the position or nothing.
 */
const examinedSql = (schema: string, after: MessageSweep["after"]): string =>
  `SELECT m.project_id AS "projectId", m.id, m.created_at AS "createdAt", EXISTS (
  SELECT FROM ${schema}.deliveries AS d WHERE d.message_id = m.id AND d.project_id = m.project_id AND d.due_at IS NOT NULL
) AS "isWaiting" FROM ${schema}.messages AS m
WHERE m.created_at < $1${after === null ? "" : " AND (m.created_at, m.id) > ($3, $4)"} ORDER BY m.created_at, m.id LIMIT $2`

interface ExaminedMessage extends Pick<Message, "projectId" | "id" | "createdAt"> {
  readonly isWaiting: boolean
}

/** Deletes the messages of one sweep. Passes over messages that another transaction writes. */
export const makeSweepMessages = (database: Database, schema: string) => {
  const versionCheck = makeVersionCheck(schema, schemaVersion)
  const takeLocks = makeTakeLocks(schema)
  const addToCounters = makeAddToCounters(schema)
  const deleteReferences = makeDeleteReferences(schema)
  const deleteUnusedContents = makeDeleteUnusedContents(schema)
  const keyRows = jsonRows("$1", "r", `"projectId" text, id text`)

  const keysOf = (records: ReadonlyArray<RecordKey>) =>
    JSON.stringify(records.map(({ projectId, id }) => ({ projectId, id })))

  /** Deletes the rows whose column has the id of one of the records. */
  const deleteRows = (connection: Connection, table: string, column: string, records: ReadonlyArray<RecordKey>) =>
    connection.query(
      `DELETE FROM ${schema}.${table} AS t USING ${keyRows} WHERE (t.project_id, t.${column}) = (r."projectId", r.id)`,
      [keysOf(records)]
    )

  const locked = (connection: Connection, examined: ReadonlyArray<RecordKey>): Promise<ReadonlyArray<MessageFiles>> =>
    connection.query<MessageFiles>(
      `SELECT m.project_id AS "projectId", m.id, m.attachments FROM ${schema}.messages AS m
JOIN ${keyRows} ON (m.project_id, m.id) = (r."projectId", r.id) FOR UPDATE OF m SKIP LOCKED`,
      [keysOf(examined)]
    )

  const deliveriesOf = (connection: Connection, deleted: ReadonlyArray<RecordKey>): Promise<ReadonlyArray<Delivery>> =>
    connection.query<Delivery>(
      `SELECT ${deliveries.columns("d")} FROM ${schema}.deliveries AS d
JOIN ${keyRows} ON (d.project_id, d.message_id) = (r."projectId", r.id) ORDER BY d.id FOR UPDATE OF d`,
      [keysOf(deleted)]
    )

  return ({ before, after, limit }: MessageSweep): Promise<SweptMessages> =>
    inWriteTransaction(database, async (connection) => {
      await versionCheck.run(connection)
      const values = [before, limit, ...(after === null ? [] : [after.createdAt, after.id])]
      const examined = await connection.query<ExaminedMessage>(examinedSql(schema, after), values)
      const next = nextSweptPosition(examined, limit)
      const found = await locked(
        connection,
        examined.filter(({ isWaiting }) => !isWaiting)
      )
      if (found.length === 0) return { value: { deleted: 0, next }, isKept: true }
      await takeLocks(connection, {
        locks: found.flatMap(contentKeys).map((key) => ({ key, exclusive: true })),
        contacts: []
      })
      const rows = await deliveriesOf(connection, found)
      const keyOf = (projectId: string, messageId: string) => `${projectId}/${messageId}`
      const notEnded = new Set(
        rows
          .filter((one) => !hasEndedBefore(one, before))
          .map(({ projectId, messageId }) => keyOf(projectId, messageId))
      )
      const ended = found.filter(({ projectId, id }) => !notEnded.has(keyOf(projectId, id)))
      const gone = rows.filter(({ projectId, messageId }) => !notEnded.has(keyOf(projectId, messageId)))
      await deleteRows(connection, "attempts", "delivery_id", gone)
      await deleteRows(connection, "deliveries", "id", gone)
      await addToCounters.apply(
        connection,
        sweptCounts(gone).map((count) => ({ _tag: "AddToCounter", ...count, max: null }))
      )
      await deleteRows(connection, "messages", "id", ended)
      await deleteReferences(connection, ended)
      await deleteUnusedContents(connection, ended)
      return { value: { deleted: ended.length, next }, isKept: true }
    })
}

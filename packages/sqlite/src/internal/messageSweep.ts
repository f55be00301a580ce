/**
 * Old messages, and the deletion of those that have ended with everything that belongs only to them.
 */
import type { Message, MessageSweep, SweptMessages } from "@mailkeep/core/adapter"
import { deliveryInstants, nextSweptPosition, sweptCounts } from "@mailkeep/core/adapter/evaluation"
import { addToCounter } from "./counters.ts"
import type { MessageFiles } from "./messageContents.ts"
import { deleteReferences, deleteUnusedContents } from "./messageContents.ts"
import type { Prepared, Value } from "./recordTable.ts"
import { columnOf, findAll } from "./recordTable.ts"
import { deliveries, messages } from "./tables.ts"

/** The end of a `SELECT` of the messages of `MessagesBefore`. */
const oldestSql = (after: MessageSweep["after"]): string =>
  `INDEXED BY mailkeep_messages_oldest WHERE created_at < ? ${after === null ? "" : "AND (created_at, id) > (?, ?)"} ORDER BY created_at, id LIMIT ?`

/** The parameters of `oldestSql`. */
const oldestValues = ({ before, after, limit }: MessageSweep): ReadonlyArray<Value> => [
  before,
  ...(after === null ? [] : [after.createdAt, after.id]),
  limit
]

export const messagesBefore = (connection: Prepared, query: MessageSweep): ReadonlyArray<Message> =>
  findAll(connection, messages, oldestSql(query.after), ...oldestValues(query))

const isLater = deliveryInstants.map((field) => `delivery.${columnOf(field)} >= ?`).join(" OR ")

/** Whether a message has ended before the instant, which is the parameter of each comparison. */
const hasEndedSql = `NOT EXISTS (
  SELECT 1 FROM mailkeep_deliveries AS delivery
  WHERE delivery.message_id = mailkeep_messages.id AND delivery.project_id = mailkeep_messages.project_id
  AND (delivery.due_at IS NOT NULL OR ${isLater})
)`

interface ExaminedMessage {
  readonly id: string
  readonly createdAt: number
  /** 1 or 0. */
  readonly hasEnded: number
}

/** The messages with these ids, without their bodies: those of 100 messages can have hundreds of MiB. */
const messageFiles = (connection: Prepared, ids: ReadonlyArray<string>): ReadonlyArray<MessageFiles> =>
  connection
    .statement("SELECT id, project_id, attachments FROM mailkeep_messages WHERE id IN (SELECT value FROM json_each(?))")
    .all(JSON.stringify(ids))
    .map(messages.fromRow)

const deleteMessage = (connection: Prepared, message: MessageFiles): void => {
  const { id, projectId } = message
  const run = (sql: string, ...values: ReadonlyArray<string | number>) => connection.statement(sql).run(...values)
  const ofMessage = findAll(connection, deliveries, "WHERE message_id = ? AND project_id = ?", id, projectId)
  for (const delivery of ofMessage) {
    run("DELETE FROM mailkeep_attempts WHERE delivery_id = ?", delivery.id)
    run("DELETE FROM mailkeep_deliveries WHERE id = ?", delivery.id)
  }
  for (const count of sweptCounts(ofMessage)) addToCounter(connection, count.projectId, count.name, count.by)
  run("DELETE FROM mailkeep_messages WHERE id = ?", id)
  deleteReferences(connection, message)
  deleteUnusedContents(connection, message)
}

/** Deletes the messages of one sweep. */
export const sweepMessages = (connection: Prepared, sweep: MessageSweep): SweptMessages => {
  const sql = `SELECT id, created_at AS createdAt, ${hasEndedSql} AS hasEnded FROM mailkeep_messages ${oldestSql(sweep.after)}`
  const examined = connection
    .statement(sql)
    .all(...deliveryInstants.map(() => sweep.before), ...oldestValues(sweep)) as ReadonlyArray<ExaminedMessage>
  const ids = examined.filter(({ hasEnded }) => hasEnded === 1).map(({ id }) => id)
  const ended = messageFiles(connection, ids)
  for (const message of ended) deleteMessage(connection, message)
  return { deleted: ended.length, next: nextSweptPosition(examined, sweep.limit) }
}

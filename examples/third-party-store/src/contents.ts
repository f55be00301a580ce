/**
 * The contents of files, and the deletion of messages with everything that belongs only to them.
 */
import * as Mail from "@mailkeep/core/adapter"
import type { RecordTables } from "./records.ts"

const contentKey = (projectId: string, hash: string): string => `Content/${projectId}/${hash}`

const referenceKey = (content: string, messageId: string): string => `MessageContent/${messageId}/${content}`

/** Writes the chunks of a content, unless the project has it. */
export const putContent = (tables: RecordTables, change: Mail.ChangeOf<"PutContent">): void => {
  const content = contentKey(change.projectId, change.hash)
  if (tables.rows("SELECT 1 FROM Content WHERE content = ? LIMIT 1", content).length > 0) return
  for (const [chunk, bytes] of change.chunks.entries())
    tables.rows("INSERT INTO Content (content, chunk, bytes) VALUES (?, ?, ?)", content, chunk, bytes)
}

export const contentChunk = (tables: RecordTables, { projectId, hash, chunk }: Mail.QueryOf<"ContentChunk">) =>
  (tables.rows("SELECT bytes FROM Content WHERE content = ? AND chunk = ?", contentKey(projectId, hash), chunk)[0]?.[
    "bytes"
  ] as Uint8Array | undefined) ?? null

/** Records to which contents a new message refers. */
export const referToContents = (tables: RecordTables, { id, projectId, attachments }: Mail.Message): void => {
  for (const { hash } of attachments) {
    const content = contentKey(projectId, hash)
    tables.put(referenceKey(content, id), { content, messageId: id })
  }
}

/** Deletes the references of a message to its contents. */
export const deleteReferences = (tables: RecordTables, { id, projectId, attachments }: Mail.Message): void => {
  for (const { hash } of attachments) tables.remove(referenceKey(contentKey(projectId, hash), id))
}

/** Deletes the contents of a message to which no message refers. */
export const deleteUnusedContents = (tables: RecordTables, { projectId, attachments }: Mail.Message): void => {
  for (const { hash } of attachments) {
    const content = contentKey(projectId, hash)
    const isUsed = tables.find("MessageContent", "content = ? LIMIT 1", content).length > 0
    if (!isUsed) tables.rows("DELETE FROM Content WHERE content = ?", content)
  }
}

export const deleteAttempts = (tables: RecordTables, { projectId, id }: Mail.Delivery): void => {
  tables.rows("DELETE FROM Attempt WHERE projectId = ? AND deliveryId = ?", projectId, id)
}

/** The messages that were created before an instant, oldest first, after a position. */
export const messagesBefore = (
  tables: RecordTables,
  { before, after, limit }: Mail.MessageSweep
): ReadonlyArray<Mail.Message> =>
  tables.find(
    "Message",
    "createdAt < ? AND (createdAt, id) > (?, ?) ORDER BY createdAt, id LIMIT ?",
    before,
    after?.createdAt ?? Number.MIN_SAFE_INTEGER,
    after?.id ?? "",
    limit
  )

/** Deletes the messages of one sweep. */
export const sweepMessages = (tables: RecordTables, sweep: Mail.MessageSweep): Mail.SweptMessages => {
  const deliveriesOf = ({ id, projectId }: Mail.Message) =>
    tables.find("Delivery", "messageId = ? AND projectId = ?", id, projectId)
  const { ended, next } = Mail.evaluateMessageSweep(messagesBefore(tables, sweep), deliveriesOf, sweep)
  const deliveries = ended.flatMap(deliveriesOf)
  for (const delivery of deliveries) {
    deleteAttempts(tables, delivery)
    tables.remove(`Delivery/${delivery.projectId}/${delivery.id}`)
  }
  for (const { projectId, name, by } of Mail.sweptCounts(deliveries)) {
    const key = `Counter/${projectId}/${name}`
    const value = ((tables.get(key) as Mail.Counter | undefined)?.value ?? 0) + by
    tables.put(key, { projectId, name, value })
  }
  for (const message of ended) {
    tables.remove(`Message/${message.projectId}/${message.id}`)
    deleteReferences(tables, message)
    deleteUnusedContents(tables, message)
  }
  return { deleted: ended.length, next }
}

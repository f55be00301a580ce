/**
 * Contents of files. `mailkeep_message_contents` says which messages refer to which content.
 */
import type { AnswerOf, ChangeOf, Message, QueryOf } from "@mailkeep/core/adapter"
import type { Statement } from "better-sqlite3"
import type { Prepared } from "./recordTable.ts"

const insertChunk = "INSERT INTO mailkeep_contents (project_id, hash, chunk, bytes) VALUES (?, ?, ?, ?)"

/** Whether the project has the content. */
export const hasContent = (connection: Prepared, projectId: string, hash: string): boolean => {
  const sql = "SELECT 1 FROM mailkeep_contents WHERE project_id = ? AND hash = ? LIMIT 1"
  return connection.statement(sql).get(projectId, hash) !== undefined
}

/** Writes chunks of a content, of which the first has this number. */
export const insertChunks = (
  connection: Prepared,
  { projectId, hash, chunks }: Omit<ChangeOf<"PutContent">, "_tag">,
  from: number
): void => {
  const statement = connection.statement(insertChunk) as unknown as Statement<[string, string, number, Uint8Array]>
  for (const [n, bytes] of chunks.entries()) statement.run(projectId, hash, from + n, bytes)
}

/** Writes the chunks of a content, unless the project has it. */
export const putContent = (connection: Prepared, change: ChangeOf<"PutContent">): void => {
  if (!hasContent(connection, change.projectId, change.hash)) insertChunks(connection, change, 0)
}

/** The files of a message. */
export type MessageFiles = Pick<Message, "id" | "projectId" | "attachments">

/** Records to which contents a new message refers. */
export const referToContents = (connection: Prepared, { id, projectId, attachments }: MessageFiles): void => {
  const insert =
    "INSERT INTO mailkeep_message_contents (project_id, hash, message_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
  for (const { hash } of attachments) connection.statement(insert).run(projectId, hash, id)
}

export const contentChunk = (
  connection: Prepared,
  { projectId, hash, chunk }: QueryOf<"ContentChunk">
): AnswerOf<"ContentChunk"> => {
  const sql = "SELECT bytes FROM mailkeep_contents WHERE project_id = ? AND hash = ? AND chunk = ?"
  const row = connection.statement(sql).get(projectId, hash, chunk) as { readonly bytes: Uint8Array } | undefined
  return row === undefined ? null : new Uint8Array(row.bytes.buffer, row.bytes.byteOffset, row.bytes.length)
}

const deleteUnused = `DELETE FROM mailkeep_contents WHERE project_id = ? AND hash = ?
AND NOT EXISTS (SELECT 1 FROM mailkeep_message_contents WHERE project_id = ? AND hash = ?)`

/** Deletes the references of a message to its contents. */
export const deleteReferences = (connection: Prepared, { id, projectId, attachments }: MessageFiles): void => {
  const sql = "DELETE FROM mailkeep_message_contents WHERE project_id = ? AND hash = ? AND message_id = ?"
  for (const { hash } of attachments) connection.statement(sql).run(projectId, hash, id)
}

/** Deletes the contents of a message to which no message refers. */
export const deleteUnusedContents = (connection: Prepared, { projectId, attachments }: MessageFiles): void => {
  for (const { hash } of attachments) connection.statement(deleteUnused).run(projectId, hash, projectId, hash)
}

/**
 * Writes the contents of files that a project does not have yet, and deletes those to which no message refers.
 */
import type { ChangeOf, Message } from "@mailkeep/core/adapter"
import type { Connection } from "../database.ts"
import { settleAll } from "../database.ts"
import type { ApplySet } from "./applySet.ts"
import { joined, parameterRows } from "./applySet.ts"

/** Sends only the contents that are missing. Each chunk is one statement, because the driver sends bytes as they are only in a parameter of their own. */
export const makePutContents = (schema: string): ApplySet<ChangeOf<"PutContent">> => {
  const existingSql = `SELECT t.project_id, t.hash FROM ${parameterRows(`"projectId" text, hash text`)}
JOIN ${schema}.contents AS t ON (t.project_id, t.hash, t.chunk) = (r."projectId", r.hash, 0)`
  const insertSql = `INSERT INTO ${schema}.contents (project_id, hash, chunk, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
  const apply: ApplySet<ChangeOf<"PutContent">>["apply"] = async (connection, changes) => {
    const contents = new Map(changes.map((change) => [joined(change.projectId, change.hash), change]))
    const names = [...contents.values()].map(({ projectId, hash }) => ({ projectId, hash }))
    const existing = await connection.prepared<{ readonly project_id: string; readonly hash: string }>(existingSql, [
      JSON.stringify(names)
    ])
    for (const { project_id, hash } of existing) contents.delete(joined(project_id, hash))
    await settleAll(
      [...contents.values()].flatMap(({ projectId, hash, chunks }) =>
        chunks.map((bytes, chunk) =>
          connection.query(insertSql, [
            projectId,
            hash,
            chunk,
            Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
          ])
        )
      )
    )
    return []
  }
  return { apply }
}

/** The fields of a message on which its contents depend. The bodies are not read, because they can be large. */
export type MessageFiles = Pick<Message, "projectId" | "id" | "attachments">

/** Deletes the contents of a message to which no message of the project refers. Their locks are taken before. */
export const makeDeleteUnusedContents = (schema: string) => {
  const sql = `DELETE FROM ${schema}.contents AS t
USING ${parameterRows(`"projectId" text, hash text`)}
WHERE (t.project_id, t.hash) = (r."projectId", r.hash) AND NOT EXISTS (
  SELECT FROM ${schema}.message_contents AS used WHERE (used.project_id, used.hash) = (t.project_id, t.hash)
)`
  return async (connection: Connection, deleted: ReadonlyArray<MessageFiles>): Promise<void> => {
    const names = deleted.flatMap(({ projectId, attachments }) => attachments.map(({ hash }) => ({ projectId, hash })))
    if (names.length > 0) await connection.query(sql, [JSON.stringify(names)])
  }
}

/** The references of messages to their contents. */
const referencesOf = (messages: ReadonlyArray<MessageFiles>) =>
  messages.flatMap(({ id, projectId, attachments }) => attachments.map(({ hash }) => ({ projectId, hash, id })))

const referenceRows = parameterRows(`"projectId" text, hash text, id text`)

/** Deletes the references of messages to their contents. */
export const makeDeleteReferences = (schema: string) => {
  const sql = `DELETE FROM ${schema}.message_contents AS t
USING ${referenceRows}
WHERE (t.project_id, t.hash, t.message_id) = (r."projectId", r.hash, r.id)`
  return async (connection: Connection, deleted: ReadonlyArray<MessageFiles>): Promise<void> => {
    const references = referencesOf(deleted)
    if (references.length > 0) await connection.query(sql, [JSON.stringify(references)])
  }
}

/** Inserts the references of messages to their contents. */
export const makeInsertReferences = (schema: string) => {
  const sql = `INSERT INTO ${schema}.message_contents (project_id, hash, message_id)
SELECT "projectId", hash, id FROM ${referenceRows} ON CONFLICT DO NOTHING`
  return async (connection: Connection, messages: ReadonlyArray<MessageFiles>): Promise<void> => {
    const references = referencesOf(messages)
    if (references.length > 0) await connection.query(sql, [JSON.stringify(references)])
  }
}

/**
 * Writes the contents of files that a project does not have yet.
 */
import type { ChangeOf } from "@mailkeep/core/adapter"
import { settleAll } from "../database.ts"
import type { ApplySet } from "./changeSet.ts"
import { joined, rowsOf } from "./changeSet.ts"

/** Sends only the contents that are missing. Each chunk is one statement, because the driver sends bytes as they are only in a parameter of their own. */
export const makePutContents = (schema: string): ApplySet<ChangeOf<"PutContent">> => {
  const existingSql = `SELECT t.project_id, t.hash FROM ${rowsOf(`"projectId" text, hash text`)}
JOIN ${schema}.contents AS t ON (t.project_id, t.hash, t.chunk) = (r."projectId", r.hash, 0)`
  const insertSql = `INSERT INTO ${schema}.contents (project_id, hash, chunk, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`
  const apply: ApplySet<ChangeOf<"PutContent">>["apply"] = async (connection, changes) => {
    const contents = new Map<string, ChangeOf<"PutContent">>()
    for (const change of changes) {
      const key = joined(change.projectId, change.hash)
      if (!contents.has(key)) contents.set(key, change)
    }
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

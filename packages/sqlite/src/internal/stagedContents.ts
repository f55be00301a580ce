/**
 * Contents that are in the file before the commit of their message. SQLite has one writer, and a commit of 20 MiB would keep every other commit
 * waiting. Loads no Effect, because the commit thread uses it too. Source: docs/decisions/0091-staged-contents.md.
 */
import type { Change } from "@mailkeep/core/adapter"
import { hasContent, insertChunks } from "./messageContents.ts"
import type { Prepared } from "./recordTable.ts"

/** Some chunks of a content that is being staged. */
export interface StageChunks {
  readonly _tag: "StageChunks"
  readonly projectId: string
  /** Takes the place of the hash until the content is committed. */
  readonly key: string
  /** The number of the first of these chunks. */
  readonly from: number
  readonly chunks: ReadonlyArray<Uint8Array>
  /** Contents whose keys are older were never committed, and are deleted; see `stagedKey`. */
  readonly expiredBefore: string
}

/** The end of a content that was staged for a commit that failed. */
export interface DiscardStaged {
  readonly _tag: "DiscardStaged"
  readonly projectId: string
  readonly key: string
}

/** A `PutContent` whose bytes are in the file already. Guard: the project has the content, or all of its chunks are staged. */
export interface PutStagedContent {
  readonly _tag: "PutStagedContent"
  readonly projectId: string
  readonly hash: string
  /** `null` when nothing was staged because the project had the content. */
  readonly key: string | null
  readonly chunkCount: number
}

/** The first letters of each key. A hash is hexadecimal, so it is smaller than every key. */
const prefix = "staged-"
const keyLength = 64
const instantDigits = 15

/** A condition on contents that are committed. */
export const isCommitted = `hash < '${prefix}'`

/**
 * The key of a content that is staged at this time. As long as a hash, because SQLite then writes no chunk again when the hash takes its place.
 * Keys are ordered by their time.
 */
export const stagedKey = (now: number, random: string): string =>
  `${prefix}${String(now).padStart(instantDigits, "0")}-${random}`.slice(0, keyLength).padEnd(keyLength, "0")

const deleteExpired = `DELETE FROM mailkeep_contents WHERE rowid IN (
  SELECT rowid FROM mailkeep_contents INDEXED BY mailkeep_contents_staged WHERE hash >= '${prefix}' AND hash < ? LIMIT ?
)`

/** A write deletes at most this number of expired chunks, so that it stays short. */
const expiredMax = 80

const stageChunks = (connection: Prepared, { projectId, key, from, chunks, expiredBefore }: StageChunks): void => {
  connection.statement(deleteExpired).run(expiredBefore, expiredMax)
  insertChunks(connection, { projectId, hash: key, chunks }, from)
}

const discardStaged = (connection: Prepared, { projectId, key }: Omit<DiscardStaged, "_tag">): void => {
  connection.statement("DELETE FROM mailkeep_contents WHERE project_id = ? AND hash = ?").run(projectId, key)
}

/** Stages chunks, or discards a staged content. */
export const runStaging = (connection: Prepared, write: StageChunks | DiscardStaged): { readonly done: undefined } => {
  if (write._tag === "StageChunks") stageChunks(connection, write)
  else discardStaged(connection, write)
  return { done: undefined }
}

/** The size of the chunks. */
export const bytesOfChunks = ({ chunks }: Pick<StageChunks, "chunks">): number =>
  chunks.reduce((sum, { length }) => sum + length, 0)

/** The changes that carry their bytes. */
export const withoutStaged = (changes: ReadonlyArray<Change | PutStagedContent>): ReadonlyArray<Change> =>
  changes.filter((change) => change._tag !== "PutStagedContent")

const countChunks = "SELECT count(*) AS chunks FROM mailkeep_contents WHERE project_id = ? AND hash = ?"

/** Commits a staged content. Returns the reason if its guard does not hold. */
export const putStagedContent = (
  connection: Prepared,
  { projectId, hash, key, chunkCount }: PutStagedContent
): "NotFound" | undefined => {
  if (hasContent(connection, projectId, hash)) {
    if (key !== null) discardStaged(connection, { projectId, key })
    return undefined
  }
  const { chunks } = connection.statement(countChunks).get(projectId, key) as { readonly chunks: number }
  if (chunks !== chunkCount) return "NotFound"
  connection
    .statement("UPDATE mailkeep_contents SET hash = ? WHERE project_id = ? AND hash = ?")
    .run(hash, projectId, key)
  return undefined
}

/**
 * A cursor: the place in a walk, sealed for one project and one set of filters.
 * The seal is made and compared by the port `Crypto`, handed in as functions.
 */
import { canonicalJson } from "./CanonicalJson.ts"
import type { LogFilters, Position } from "./Paging.ts"
import type { ProjectId } from "./Project.ts"

const version = "1"
const sealCharacters = 22

/** HMAC-SHA-256 of a text in base64url, under the cursors' own key. */
export type Seal = (text: string) => string

const sealed = (projectId: ProjectId, filters: LogFilters, place: string): string =>
  `${projectId}\n${canonicalJson({ ...filters })}\n${place}`

const sealOf = (seal: Seal, projectId: ProjectId, filters: LogFilters, place: string): string =>
  seal(sealed(projectId, filters, place)).slice(0, sealCharacters)

/** Opaque, URL-safe and well under 1,024 characters. */
export const writeCursor = (seal: Seal, projectId: ProjectId, filters: LogFilters, position: Position): string => {
  const place = `${version}.${position.createdAt.toString(36)}.${position.id}`
  return `${place}.${sealOf(seal, projectId, filters, place)}`
}

/** The place, or `undefined` when the cursor was altered or belongs to another project or other filters. */
export const readCursor = (
  seal: Seal,
  equal: (a: string, b: string) => boolean,
  projectId: ProjectId,
  filters: LogFilters,
  cursor: string
): Position | undefined => {
  const match = /^(1\.(-?[0-9a-z]{1,11})\.(del_[0-9a-z]{26}))\.([\w-]{22})$/.exec(cursor)
  if (match === null || !equal(match[4]!, sealOf(seal, projectId, filters, match[1]!))) return undefined
  return { createdAt: Number.parseInt(match[2]!, 36), id: match[3]! }
}

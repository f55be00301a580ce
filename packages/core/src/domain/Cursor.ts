/**
 * A cursor: the place in a walk, sealed for one listing of one project and one set of filters.
 * The seal is made and compared by the port `Crypto`, handed in as functions.
 */
import type { Json } from "./CanonicalJson.ts"
import { canonicalJson } from "./CanonicalJson.ts"
import type { Position } from "./Paging.ts"
import type { ProjectId } from "./Project.ts"

/** What a cursor belongs to. */
export interface Walk {
  readonly projectId: ProjectId
  readonly listing: string
  readonly filters: Json
}

const sealCharacters = 22

/** HMAC-SHA-256 of a text in base64url, under the cursors' own key. */
export type Seal = (text: string) => string

const sealOf = (seal: Seal, { projectId, listing, filters }: Walk, place: string): string =>
  seal(`${projectId}\n${listing}\n${canonicalJson(filters)}\n${place}`).slice(0, sealCharacters)

const toBase64Url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const fromBase64Url = (text: string): string =>
  new TextDecoder().decode(
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (octet) => octet.charCodeAt(0))
  )

/** Opaque, URL-safe and well under 1,024 characters. */
export const writeCursor = (seal: Seal, walk: Walk, place: ReadonlyArray<string>): string => {
  const text = toBase64Url(JSON.stringify(place))
  return `${text}.${sealOf(seal, walk, text)}`
}

/** The place, or `undefined` when the cursor was altered or belongs to another walk. */
export const readCursor = (
  seal: Seal,
  equal: (a: string, b: string) => boolean,
  walk: Walk,
  cursor: string
): ReadonlyArray<string> | undefined => {
  const match = /^([\w-]{1,1000})\.([\w-]{22})$/.exec(cursor)
  return match !== null && equal(match[2]!, sealOf(seal, walk, match[1]!))
    ? (JSON.parse(fromBase64Url(match[1]!)) as ReadonlyArray<string>)
    : undefined
}

/** A place in a newest-first walk, as a cursor holds it. */
export const positionPlace = ({ createdAt, id }: Position): ReadonlyArray<string> => [String(createdAt), id]
export const placePosition = ([createdAt, id]: ReadonlyArray<string>): Position => ({
  createdAt: Number(createdAt),
  id: id!
})

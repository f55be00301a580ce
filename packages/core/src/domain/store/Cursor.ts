/**
 * A cursor: a position in a listing, signed for one project, one listing and one set of filters.
 * The caller passes the functions of the port `Crypto` that sign and compare.
 */
import type { Json } from "../value/CanonicalJson.ts"
import { canonicalJson } from "../value/CanonicalJson.ts"
import type { Position } from "./Paging.ts"
import type { ProjectId } from "../access/Project.ts"

/** The project, listing and filters for which a cursor is valid. */
export interface CursorScope {
  readonly projectId: ProjectId
  readonly listing: string
  readonly filters: Json
}

const signatureCharacters = 22

/** Returns the HMAC-SHA-256 of a text in base64url. Uses a secret that is only for cursors. */
export type Sign = (text: string) => string

const signatureOf = (sign: Sign, { projectId, listing, filters }: CursorScope, position: string): string =>
  sign(`${projectId}\n${listing}\n${canonicalJson(filters)}\n${position}`).slice(0, signatureCharacters)

const toBase64Url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "")

const fromBase64Url = (text: string): string =>
  new TextDecoder().decode(
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0))
  )

/** Returns an opaque, URL-safe cursor of fewer than 1,024 characters. */
export const writeCursor = (sign: Sign, scope: CursorScope, position: ReadonlyArray<string>): string => {
  const text = toBase64Url(JSON.stringify(position))
  return `${text}.${signatureOf(sign, scope, text)}`
}

/** Returns the position, or `undefined` if the cursor was altered or has another scope. */
export const readCursor = (
  sign: Sign,
  equal: (a: string, b: string) => boolean,
  scope: CursorScope,
  cursor: string
): ReadonlyArray<string> | undefined => {
  const match = /^([\w-]{1,1000})\.([\w-]{22})$/.exec(cursor)
  return match !== null && equal(match[2]!, signatureOf(sign, scope, match[1]!))
    ? (JSON.parse(fromBase64Url(match[1]!)) as ReadonlyArray<string>)
    : undefined
}

/** Converts a position in a newest-first listing to the form that a cursor contains. */
export const encodePosition = ({ createdAt, id }: Position): ReadonlyArray<string> => [String(createdAt), id]
export const decodePosition = ([createdAt, id]: ReadonlyArray<string>): Position => ({
  createdAt: Number(createdAt),
  id: id!
})

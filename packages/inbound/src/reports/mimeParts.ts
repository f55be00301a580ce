/**
 * Splits a raw message into its parts, in bounded time and memory. The content of a returned message (`message/rfc822`) is not split: a
 * report is never looked for in it. Anything beyond a limit is left out, and nothing throws. Source: RFC 2046 §5.1, RFC 6522 §3
 */
import { firstValue, headerFieldsOf, withParameters } from "../mime/headerFields.ts"
import type { ParsedHeaderFields } from "../mime/headerFields.ts"

/** Bytes of a message that are read. */
export const readBytesMax = 10 * 1024 * 1024
/** Of the header of the message and the headers of its parts together. */
const headerBytesMax = 256 * 1024
const hyphenLinesMax = 2000
const depthMax = 10
const partsMax = 100
const boundaryCharactersMax = 200

/** A part that is not split further. */
export interface MimePart {
  /** In lower case, such as `message/delivery-status`. `text/plain` if the part names no type. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly headers: ParsedHeaderFields
  /** The content as it was sent, still encoded. */
  readonly body: Uint8Array
}

/** A message as its header and its parts. */
export interface MimeMessage {
  readonly headers: ParsedHeaderFields
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  /** In the order of the message, at most 100. */
  readonly parts: ReadonlyArray<MimePart>
}

const lineFeed = 10
const carriageReturn = 13
const hyphen = 45
const space = 32
const tab = 9

interface Entity {
  readonly headers: ParsedHeaderFields
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Returns where the body begins: after the first empty line, or after `headerMax` bytes. */
const bodyStartOf = (bytes: Uint8Array, headerMax: number): number => {
  const end = Math.min(bytes.length, headerMax)
  let lineStart = 0
  for (let at = 0; at < end; at++) {
    if (bytes[at] !== lineFeed) continue
    const length = at - lineStart
    if (length === 0 || (length === 1 && bytes[lineStart] === carriageReturn)) return at + 1
    lineStart = at + 1
  }
  return end
}

const readEntity = (bytes: Uint8Array, headerMax: number): Entity => {
  const bodyStart = bodyStartOf(bytes, headerMax)
  const headers = headerFieldsOf(new TextDecoder().decode(bytes.subarray(0, bodyStart)))
  const { value, parameters } = withParameters(firstValue(headers, "content-type") ?? "")
  const type = /^[a-z0-9-]+\/[a-z0-9.+-]+$/.test(value) ? value : "text/plain"
  return { headers, type, parameters, body: bytes.subarray(bodyStart) }
}

const isAt = (bytes: Uint8Array, at: number, text: Uint8Array): boolean => {
  if (at + text.length > bytes.length) return false
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false
  return true
}

/** Returns the end of a line that has only white space after `at`, or -1. */
const endOfBlankRest = (bytes: Uint8Array, at: number): number => {
  for (let index = at; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === lineFeed) return index + 1
    if (byte !== space && byte !== tab && byte !== carriageReturn) return -1
  }
  return bytes.length
}

/** The line break before a delimiter belongs to the delimiter. */
const withoutLastBreak = (bytes: Uint8Array, start: number, end: number): Uint8Array => {
  let last = end
  if (last > start && bytes[last - 1] === lineFeed) last--
  if (last > start && bytes[last - 1] === carriageReturn) last--
  return bytes.subarray(start, last)
}

/** The lines of a message that begin with two hyphens, as offsets in its buffer. Only such a line can be a delimiter. */
type HyphenLines = ReadonlyArray<number>

/** Finds the first 2,000 lines that begin with two hyphens. Reads each byte once, however deeply the parts are nested. */
const hyphenLinesOf = (bytes: Uint8Array): HyphenLines => {
  const found: Array<number> = []
  const last = bytes.length - 1
  for (let at = 0; at < last; at++) {
    if (bytes[at] !== hyphen || bytes[at + 1] !== hyphen || (at > 0 && bytes[at - 1] !== lineFeed)) continue
    found.push(bytes.byteOffset + at)
    if (found.length === hyphenLinesMax) break
  }
  return found
}

/** Splits the body of a multipart at its delimiter lines. Returns no part if the boundary never occurs. */
const splitAt = (
  body: Uint8Array,
  boundary: string,
  childrenMax: number,
  hyphenLines: HyphenLines
): ReadonlyArray<Uint8Array> => {
  const delimiter = new TextEncoder().encode(`--${boundary}`)
  const children: Array<Uint8Array> = []
  let childStart = -1
  for (const line of hyphenLines) {
    const lineStart = line - body.byteOffset
    if (lineStart < Math.max(0, childStart) || !isAt(body, lineStart, delimiter)) continue
    if (children.length >= childrenMax) return children
    const after = lineStart + delimiter.length
    const closes = body[after] === hyphen && body[after + 1] === hyphen
    const next = endOfBlankRest(body, closes ? after + 2 : after)
    if (next === -1) continue
    if (childStart !== -1) children.push(withoutLastBreak(body, childStart, lineStart))
    if (closes) return children
    childStart = next
  }
  if (childStart !== -1 && children.length < childrenMax) children.push(body.subarray(childStart))
  return children
}

const isLeaf = ({ type, parameters }: Entity, depth: number): boolean =>
  depth >= depthMax ||
  !type.startsWith("multipart/") ||
  !parameters.has("boundary") ||
  (parameters.get("boundary")?.length ?? 0) > boundaryCharactersMax

/**
 * Reads a message. Bytes after 10 MiB, header bytes after 256 KiB in all, levels after 10 and parts after 100 are left out. So is every
 * delimiter after the first 2,000 lines that begin with two hyphens.
 */
export const readMimeMessage = (raw: Uint8Array): MimeMessage => {
  const bytes = raw.subarray(0, readBytesMax)
  const hyphenLines = hyphenLinesOf(bytes)
  let headerLeft = headerBytesMax
  const read = (part: Uint8Array): Entity => {
    const entity = readEntity(part, headerLeft)
    headerLeft -= part.length - entity.body.length
    return entity
  }
  const parts: Array<MimePart> = []
  const collect = (entity: Entity, depth: number): void => {
    const children = isLeaf(entity, depth)
      ? []
      : splitAt(entity.body, entity.parameters.get("boundary") ?? "", partsMax - parts.length, hyphenLines)
    if (children.length === 0) parts.push(entity)
    for (const child of children) {
      if (parts.length >= partsMax) return
      collect(read(child), depth + 1)
    }
  }
  const root = read(bytes)
  collect(root, 0)
  return { headers: root.headers, type: root.type, parameters: root.parameters, parts }
}

/**
 * Splits a message into its header and the parts that are not multiparts, in bounded time. A message beyond a limit is refused as a whole, so
 * that nothing of a message is lost. Each line of the message ends with CR LF. Source: RFC 2045; RFC 2046 §5.1.
 */
import { isUtf8 } from "node:buffer"
import { Result } from "effect"
import { decodeUnknown } from "../mime/charset.ts"
import type { ParsedHeaderFields, ValueWithParameters } from "../mime/headerFields.ts"
import { firstValue, headerFieldsOf, withParameters, wordOf } from "../mime/headerFields.ts"

/** Bytes of the headers of the message and of all its parts. */
const headerBytesMax = 128 * 1024
/** Lines of the headers of the message and of all its parts. */
const headerLinesMax = 2000
const levelsMax = 10
const partsMax = 200
/**
 * RFC 2046 §5.1.1 allows 70. The search for a text of up to 250 bytes takes linear time. A longer text can take its length for each byte of the
 * message.
 */
const boundaryBytesMax = 200

/** A part that is not a multipart. */
export interface MimeLeaf {
  /** In lower case, such as `application/pdf`. */
  readonly type: string
  readonly parameters: ReadonlyMap<string, string>
  readonly headers: ParsedHeaderFields
  /** Still encoded. */
  readonly body: Uint8Array
  /** Whether the part is in a `multipart/related`, where the html refers to it. */
  readonly isRelated: boolean
}

/** The header of a message as bytes in UTF-8, and its parts in order. */
export interface SplitMessage {
  readonly header: Uint8Array
  readonly leaves: ReadonlyArray<MimeLeaf>
}

/** Why a message cannot be split, as the end of a sentence that begins with "The message". */
export type MimeFault = string

/** Multiparts whose bytes are signed or encrypted. Source: RFC 1847. */
const protectedMultiparts: ReadonlySet<string> = new Set(["multipart/signed", "multipart/encrypted"])

/** Types of S/MIME for a whole message. A part of these types is a file. Source: RFC 8551 §3.2. */
const protectedMessages: ReadonlySet<string> = new Set(["application/pkcs7-mime", "application/x-pkcs7-mime"])

const isProtected = (type: string, level: number): boolean =>
  protectedMultiparts.has(type) || (level === 0 && protectedMessages.has(type))

const protectedFault = (type: string): MimeFault =>
  `has a part of the type ${type}. Mailkeep composes each message again, so a signature or an encryption would break`

/** Encodings of old programs, which no standard defines. Source: RFC 2045 §6.3. */
const privateEncoding = /^(?:x-|uu|mac-binhex)[\w-]{0,40}/

const encodingFault = (headers: ParsedHeaderFields): MimeFault | null => {
  const [encoding] = privateEncoding.exec(wordOf(firstValue(headers, "content-transfer-encoding") ?? "")) ?? []
  return encoding === undefined
    ? null
    : `has a part with the transfer encoding ${encoding}, which cannot be decoded. Use base64`
}

/** Some programs write no semicolon before the first parameter. */
const forgottenSemicolon = /^([^\s;="]+)[ \t]+(?=[a-z-]+[ \t]*=)/i

const mediaType = /^[\w!#$%&'*+.^|~-]+\/[\w!#$%&'*+.^|~-]+$/

/** What a part inherits from the multipart around it. */
interface ParentPart {
  readonly isRelated: boolean
  /** The type of a part that names none. Empty means text. Source: RFC 2046 §5.1.5. */
  readonly defaultType: "" | "message/rfc822"
}

/** Reads the field `Content-Type`. A value that is no type counts as absent. Source: RFC 2045 §5.2. */
const contentTypeOf = (headers: ParsedHeaderFields, defaultType: ParentPart["defaultType"]): ValueWithParameters => {
  const written = firstValue(headers, "content-type") ?? ""
  const { value, parameters } = withParameters(written.replace(forgottenSemicolon, "$1; "))
  return { value: mediaType.test(value) ? value : defaultType, parameters }
}

const crlf = Buffer.from("\r\n")
const emptyLine = Buffer.from("\r\n\r\n")
const [cr, lf, hyphen, space, tab] = [0x0d, 0x0a, 0x2d, 0x20, 0x09]

/** Splits the header from the body at the first empty line. Returns `undefined` for a header above the limit. */
const splitHeader = (entity: Buffer): { readonly header: Buffer; readonly body: Buffer } | undefined => {
  if (entity.length === 0 || entity.subarray(0, 2).equals(crlf))
    return { header: entity.subarray(0, 0), body: entity.subarray(2) }
  const end = entity.subarray(0, headerBytesMax + emptyLine.length).indexOf(emptyLine)
  if (end >= 0) return { header: entity.subarray(0, end + 2), body: entity.subarray(end + 4) }
  return entity.length > headerBytesMax ? undefined : { header: entity, body: entity.subarray(entity.length) }
}

/** A header in UTF-8. Old programs write fields in their own charset without encoded words. */
const inUtf8 = (header: Buffer): Buffer => (isUtf8(header) ? header : Buffer.from(decodeUnknown(header)))

const lineCount = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(lf); at >= 0; at = bytes.indexOf(lf, at + 1)) count++
  return count
}

/** The index after a delimiter line whose delimiter ends at `at`, or -1 if the line is no delimiter line. */
const endOfDelimiterLine = (body: Buffer, at: number): number => {
  let end = at
  while (body[end] === space || body[end] === tab) end++
  if (end === body.length) return end
  return body[end] === cr && body[end + 1] === lf ? end + 2 : -1
}

/** Lines that begin like a delimiter line and are none. A message of a program has none. */
const lookalikesMax = 10_000

/**
 * Splits the body of a multipart at its delimiter lines. The text before the first and after the last is not part of the message.
 * Returns the fault if too many lines look like delimiter lines, or if there is none and the whole text would be lost.
 */
const splitBody = (body: Buffer, boundary: string, childrenMax: number): ReadonlyArray<Buffer> | MimeFault => {
  const delimiter = Buffer.from(`--${boundary}`, "utf8")
  const afterLine = Buffer.concat([crlf, delimiter])
  const children: Array<Buffer> = []
  let childStart = -1
  let lookalikes = 0
  let at = body.subarray(0, delimiter.length).equals(delimiter) ? 0 : -1
  for (let from = 0; ;) {
    if (at < 0) {
      const found = body.indexOf(afterLine, from)
      if (found < 0) break
      at = found + crlf.length
    }
    const after = at + delimiter.length
    const closes = body[after] === hyphen && body[after + 1] === hyphen
    const next = endOfDelimiterLine(body, closes ? after + 2 : after)
    if (next < 0) {
      if (++lookalikes > lookalikesMax) return "has too many lines that look like the end of a part"
      from = at
    } else {
      // The line end before a delimiter belongs to the delimiter.
      if (childStart >= 0) children.push(body.subarray(childStart, Math.max(childStart, at - crlf.length)))
      if (closes || children.length > childrenMax) return children
      childStart = next
      // The line end of this delimiter line may be the one before the next delimiter.
      from = next - crlf.length
    }
    at = -1
  }
  if (childStart < 0) return "has a multipart in which its boundary does not occur"
  return [...children, body.subarray(childStart)]
}

/** Splits a message. Fails with the reason for which the message cannot be accepted. */
export const splitMessage = (raw: Uint8Array): Result.Result<SplitMessage, MimeFault> => {
  const leaves: Array<MimeLeaf> = []
  let headerBytes = 0
  let headerLines = 0
  let parts = 0

  const collect = (entity: Buffer, level: number, parent: ParentPart): MimeFault | Buffer => {
    const split = splitHeader(entity)
    if (split === undefined) return `has more than ${headerBytesMax} bytes of headers`
    const { body } = split
    const header = inUtf8(split.header)
    headerBytes += header.length
    headerLines += lineCount(header)
    if (headerBytes > headerBytesMax) return `has more than ${headerBytesMax} bytes of headers`
    if (headerLines > headerLinesMax) return `has more than ${headerLinesMax} lines of headers`
    if (++parts > partsMax) return `has more than ${partsMax} parts`
    // Unfolding removes only the line ends. Source: RFC 5322 §2.2.3.
    const headers = headerFieldsOf(header.toString("utf8").replace(/\r\n(?=[ \t])/g, ""))
    const { value, parameters } = contentTypeOf(headers, parent.defaultType)
    if (isProtected(value, level)) return protectedFault(value)
    if (!value.startsWith("multipart/")) {
      const fault = encodingFault(headers)
      if (fault !== null) return fault
      leaves.push({ type: value, parameters, headers, body, isRelated: parent.isRelated })
      return header
    }
    if (level === levelsMax) return `has more than ${levelsMax} levels of parts`
    const boundary = parameters.get("boundary") ?? ""
    if (boundary === "") return "has a multipart without a boundary"
    if (Buffer.byteLength(boundary) > boundaryBytesMax) return `has a boundary of more than ${boundaryBytesMax} bytes`
    const children = splitBody(body, boundary, partsMax)
    if (typeof children === "string") return children
    const own: ParentPart = {
      isRelated: parent.isRelated || value === "multipart/related",
      defaultType: value === "multipart/digest" ? "message/rfc822" : ""
    }
    for (const child of children) {
      const collected = collect(child, level + 1, own)
      if (typeof collected === "string") return collected
    }
    return header
  }

  const header = collect(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), 0, {
    isRelated: false,
    defaultType: ""
  })
  return typeof header === "string" ? Result.fail(header) : Result.succeed({ header, leaves })
}

/**
 * Decodes the content and the names of the parts of a message. Source: RFC 2045 §6; RFC 2047; RFC 2183; RFC 2231; RFC 3676.
 */
import { toFileType } from "@mailkeep/core/binding"
import { decodeWords } from "postal-mime"
import { decodeBase64, isBase64Byte } from "../mime/base64.ts"
import { decodeCharset } from "../mime/charset.ts"
import { joinFlowedLines } from "../mime/flowedText.ts"
import { firstValue, withParameters, wordOf } from "../mime/headerFields.ts"
import { decodeQuotedPrintable } from "../mime/quotedPrintable.ts"
import type { MimeLeaf } from "./mimeLeaves.ts"

/** A file of a message. */
export interface Attachment {
  /** One line without control characters and without a path separator. At most 255 characters. */
  readonly filename: string
  readonly content: Uint8Array
  /** A media type without parameters, in lower case, or that of a calendar file with its method. */
  readonly contentType: string
  /** Without angle brackets. */
  readonly contentId?: string
  readonly disposition: "attachment" | "inline"
}

const equalsSign = 0x3d

/** Decodes base64. Node is fifteen times as fast, but it ends at the first padding. */
const decodeLargeBase64 = (encoded: Uint8Array): Uint8Array => {
  const bytes = Buffer.from(encoded.buffer, encoded.byteOffset, encoded.byteLength)
  const padding = bytes.indexOf(equalsSign)
  const isPaddedAtEnd = padding < 0 || !bytes.subarray(padding).some(isBase64Byte)
  return isPaddedAtEnd ? Buffer.from(bytes.toString("latin1"), "base64") : decodeBase64(encoded)
}

/** Decodes the transfer encoding of a part. */
const contentOf = ({ headers, body }: MimeLeaf): Uint8Array => {
  // Some programs write a semicolon or quotation marks, as in other fields.
  const [encoding] = /[\w-]+/.exec(wordOf(firstValue(headers, "content-transfer-encoding") ?? "")) ?? []
  if (encoding === "base64") return decodeLargeBase64(body)
  return encoding === "quoted-printable" ? decodeQuotedPrintable(body) : body
}

/** In UTF-16 units. A longer text has more than 2 MiB in any case, which the core refuses, so its line ends do not matter. */
const normalizedUnitsMax = 4 * 1024 * 1024

const hasParameter = ({ parameters }: MimeLeaf, name: string, value: string): boolean =>
  parameters.get(name)?.trim().toLowerCase() === value

/** Returns the text of a part with `\n` as line end. A send has no text with flowed lines, so each of its paragraphs becomes one line. */
export const textOf = (leaf: MimeLeaf): string => {
  const text = decodeCharset(contentOf(leaf), leaf.parameters.get("charset") ?? "")
  if (text.length > normalizedUnitsMax) return text
  const lines = text.replaceAll("\r\n", "\n")
  const isFlowed = leaf.type === "text/plain" && hasParameter(leaf, "format", "flowed")
  return isFlowed ? joinFlowedLines(lines, hasParameter(leaf, "delsp", "yes")) : lines
}

/** In bytes as sent. A longer text counts as one with content. */
const blankBytesMax = 1000

/** Whether the text of a part consists of white space. */
export const isBlank = (leaf: MimeLeaf): boolean => leaf.body.length <= blankBytesMax && textOf(leaf).trim() === ""

const percentDecoded = (text: string): Uint8Array =>
  Buffer.from(
    text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1"
  )

interface ParameterPiece {
  readonly text: string
  readonly isEncoded: boolean
}

/** The pieces of a parameter that is given as `name*`, or as `name*0*`, `name*1` and so on. */
const piecesOf = (parameters: ReadonlyMap<string, string>, name: string): ReadonlyArray<ParameterPiece> => {
  const single = parameters.get(`${name}*`)
  if (single !== undefined) return [{ text: single, isEncoded: true }]
  const pieces: Array<ParameterPiece> = []
  for (let index = 0; ; index++) {
    const encoded = parameters.get(`${name}*${index}*`)
    const text = encoded ?? parameters.get(`${name}*${index}`)
    if (text === undefined) return pieces
    pieces.push({ text, isEncoded: encoded !== undefined })
  }
}

/** Joins the pieces of a parameter, and decodes its percent escapes and its charset. Source: RFC 2231 §3 and §4. */
const extendedParameter = (parameters: ReadonlyMap<string, string>, name: string): string | undefined => {
  const pieces = piecesOf(parameters, name)
  const [first] = pieces
  if (first === undefined) return undefined
  const [, charset = "", start = first.text] = first.isEncoded ? (/^([^']*)'[^']*'(.*)$/s.exec(first.text) ?? []) : []
  const bytes = pieces.map(({ text, isEncoded }, index) => {
    const piece = index === 0 ? start : text
    return isEncoded ? percentDecoded(piece) : Buffer.from(piece, "utf8")
  })
  return decodeCharset(Buffer.concat(bytes), charset)
}

const parameterText = (parameters: ReadonlyMap<string, string>, name: string): string | undefined => {
  const plain = parameters.get(name)
  return extendedParameter(parameters, name) ?? (plain === undefined ? undefined : decodeWords(plain))
}

const dispositionOf = ({ headers }: MimeLeaf) => withParameters(firstValue(headers, "content-disposition") ?? "")

/** The file name of a part as the client gave it. */
const givenName = (leaf: MimeLeaf): string =>
  parameterText(dispositionOf(leaf).parameters, "filename") ?? parameterText(leaf.parameters, "name") ?? ""

/** Whether the part is text of the message and not a file. A text with a file name is a file. */
export const isBodyText = (leaf: MimeLeaf): boolean =>
  (leaf.type === "" || leaf.type === "text/plain" || leaf.type === "text/html") &&
  dispositionOf(leaf).value !== "attachment" &&
  givenName(leaf) === ""

/** The type of a part. A text of the message needs no field `Content-Type` (RFC 2045 §5.2). A file without one has no type. */
const typeOf = (leaf: MimeLeaf): string => (leaf.type === "" && isBodyText(leaf) ? "text/plain" : leaf.type)

const filenameCharactersMax = 255

/** Names for parts without one. */
const namesByType: ReadonlyMap<string, string> = new Map([
  ["text/plain", "message.txt"],
  ["text/html", "message.html"],
  ["text/calendar", "invite.ics"],
  ["message/rfc822", "message.eml"]
])

/** What a file name of a send may not have: control characters, line separators, and characters that change the direction of text. */
const forbiddenInFilename = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu

/** Returns a name without a path, without the characters that a send refuses, and in well-formed Unicode. */
const filenameOf = (leaf: MimeLeaf): string => {
  const name = givenName(leaf)
    .replace(/^.*[/\\]/s, "")
    .replace(forbiddenInFilename, "_")
    .trim()
  const kept = [...name].slice(0, filenameCharactersMax).join("")
  return /[^.\s]/.test(kept) ? kept : (namesByType.get(typeOf(leaf)) ?? "attachment")
}

/** The type of a calendar file with a method, such as an invitation; `undefined` for any other part. */
const invitationType = ({ type, parameters }: MimeLeaf): string | undefined =>
  type === "text/calendar" && parameters.has("method")
    ? toFileType(`${type}; method=${parameters.get("method")}`)
    : undefined

/** The type of a file. A message in a message is kept as a file without a type, because mail programs would read it as a part. */
const fileTypeOf = (leaf: MimeLeaf): string =>
  invitationType(leaf) ?? toFileType(typeOf(leaf)) ?? "application/octet-stream"

/** The content of a file. An invitation becomes UTF-8, because a send has no other charset for it (RFC 5545 §3.1.4). */
const fileContentOf = (leaf: MimeLeaf): Uint8Array =>
  invitationType(leaf) === undefined
    ? contentOf(leaf)
    : Buffer.from(decodeCharset(contentOf(leaf), leaf.parameters.get("charset") ?? ""))

/** A copy without the other bytes of the message, which would stay in memory as long as the file. */
const ownBytes = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

/** Returns the part as a file. */
export const attachmentOf = (leaf: MimeLeaf): Attachment => {
  const contentId = (firstValue(leaf.headers, "content-id") ?? "").replace(/^<|>$/g, "")
  const disposition = dispositionOf(leaf).value
  const isInline = disposition === "inline" || (disposition === "" && leaf.isRelated)
  return {
    filename: filenameOf(leaf),
    content: ownBytes(fileContentOf(leaf)),
    contentType: fileTypeOf(leaf),
    ...(contentId === "" ? {} : { contentId }),
    disposition: isInline && contentId !== "" ? "inline" : "attachment"
  }
}

/** Gives each content id to the first file that has it, as a mail program finds it. A send has each id once, so another file becomes one without an id. */
export const withEachIdOnce = (files: ReadonlyArray<Attachment>): ReadonlyArray<Attachment> => {
  const ids = new Set<string>()
  return files.map((file) => {
    const { contentId, ...rest } = file
    if (contentId === undefined) return file
    if (ids.has(contentId)) return { ...rest, disposition: "attachment" }
    ids.add(contentId)
    return file
  })
}

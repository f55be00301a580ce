/**
 * Finds the strings of a JSON text without parsing it, and parses a text whose long strings stay bytes. The content of a file is a string of
 * many megabytes, which the garbage collector would free late. Source: decision 0042.
 */
import type { Steps } from "@mailkeep/core/binding"

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** `Buffer` finds a byte in a tenth of the time. Not every runtime has it. */
const { indexOf } =
  (globalThis as { readonly Buffer?: { readonly prototype: Uint8Array } }).Buffer?.prototype ?? Uint8Array.prototype

/**
 * Returns a function that gets the position of the first byte of a string, and returns that of its closing quote, or the length of the text. It
 * returns `undefined` for a string with an escape. Reads each byte at most twice when the positions grow.
 */
export const plainStringEnds = (bytes: Uint8Array): ((from: number) => number | undefined) => {
  /** The first backslash at or after the last position that was asked for. */
  let escape = -1
  const next = (byte: number, from: number) => {
    const found = indexOf.call(bytes, byte, from)
    return found < 0 ? bytes.length : found
  }
  return (from) => {
    const end = next(quote, from)
    if (escape < from) escape = next(backslash, from)
    return escape < end ? undefined : end
  }
}

/** The bytes that one step examines, which takes about 0.3 ms. */
export const stepBytes = 256 * 1024

/**
 * The position of the closing quote of a string with escapes, or the length of the text. Goes byte by byte: a search for each of ten million
 * escapes takes ten times as long.
 */
export function* escapedStringEnd(bytes: Uint8Array, from: number): Steps<number> {
  let at = from
  while (at < bytes.length) {
    const pause = Math.min(bytes.length, at + stepBytes)
    while (at < pause && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
    if (bytes[at] === quote) return at
    yield
  }
  return bytes.length
}

/** A string of a JSON text that stays bytes. */
export interface LongString {
  /** The bytes between the quotes. */
  readonly bytes: Uint8Array
  readonly hasEscapes: boolean
  /** Parses the string. Throws a `SyntaxError` if it is not a string of JSON. */
  readonly text: () => string
}

const isBlank = (byte: number | undefined): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d

/** The position of the next byte that is not white space. */
const afterBlanks = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (isBlank(bytes[at])) at++
  return at
}

/** Where a long string is: the position of its first byte and of its closing quote. */
export interface LongSpan {
  readonly start: number
  readonly end: number
  readonly hasEscapes: boolean
}

/** The strings of a JSON text from this size stay bytes. A key of an object never does. */
const longBytesMin = 64 * 1024

/** Whether the string stays bytes. */
export const isLong = (bytes: Uint8Array, start: number, end: number): boolean =>
  end - start >= longBytesMin && bytes[afterBlanks(bytes, end + 1)] !== colon

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

const longString = (bytes: Uint8Array, { start, end, hasEscapes }: LongSpan): LongString => ({
  bytes: bytes.subarray(start, end),
  hasEscapes,
  text: () => JSON.parse(decoder.decode(bytes.subarray(start - 1, end + 1))) as string
})

const encoder = new TextEncoder()

/** The text with a short string in place of each long one. */
const shortened = (bytes: Uint8Array, spans: ReadonlyArray<LongSpan>, mark: string): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  let from = 0
  for (const [index, { start, end }] of spans.entries()) {
    pieces.push(bytes.subarray(from, start), encoder.encode(`${mark}${index}`))
    from = end
  }
  pieces.push(bytes.subarray(from))
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Replaces each value of arrays and objects in place. */
const replaceValues = (
  value: unknown,
  path: ReadonlyArray<string>,
  replace: (value: string, path: ReadonlyArray<string>) => unknown
): unknown => {
  if (typeof value === "string") return replace(value, path)
  if (typeof value !== "object" || value === null) return value
  const fields = value as Record<string, unknown>
  for (const key of Object.keys(fields)) fields[key] = replaceValues(fields[key], [...path, key], replace)
  return value
}

/**
 * Parses a JSON text with the long strings that `jsonScan` found. `read` gets each of them with its path and returns its value. Throws a
 * `SyntaxError` or a `TypeError` if the text is not JSON in UTF-8.
 */
export const parseJson = (
  bytes: Uint8Array,
  spans: ReadonlyArray<LongSpan>,
  read: (string: LongString, path: ReadonlyArray<string>) => unknown
): unknown => {
  if (spans.length === 0) return JSON.parse(decoder.decode(bytes))
  // Nobody can guess the mark, so no other string of the text begins with it.
  const mark = `${crypto.randomUUID()}:`
  const value = JSON.parse(decoder.decode(shortened(bytes, spans, mark))) as unknown
  return replaceValues(value, [], (text, path) =>
    text.startsWith(mark) ? read(longString(bytes, spans[Number(text.slice(mark.length))]!), path) : text
  )
}

const slash = 0x2f
const letterU = 0x75
const notHex = 0x10

/** The value of a hexadecimal digit, or `notHex`. */
const hexValue = (byte: number | undefined = 0): number => {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : notHex
}

/** The byte that the four digits of `\uXXXX` name, or `undefined` if they name no ASCII character. */
const asciiEscape = (bytes: Uint8Array, at: number): number | undefined => {
  const [high, low] = [hexValue(bytes[at + 2]), hexValue(bytes[at + 3])]
  const isAscii = bytes[at] === 0x30 && bytes[at + 1] === 0x30 && high < 8 && low !== notHex
  return isAscii ? high * 16 + low : undefined
}

/**
 * The bytes of a string whose escapes are those that base64 can have: `\/`, which PHP writes, and such as `\u002B`, which .NET writes for a plus sign.
 * Returns `undefined` if it has another escape. Overwrites the given bytes, which are not needed any more.
 */
export function* withoutEscapes(bytes: Uint8Array): Steps<Uint8Array | undefined> {
  let length = 0
  let pause = stepBytes
  for (let at = 0; at < bytes.length; at++) {
    let byte = bytes[at]
    if (byte === backslash) {
      byte = bytes[++at]
      if (byte === letterU) {
        byte = asciiEscape(bytes, at + 1)
        at += 4
      } else if (byte !== slash) return undefined
      if (byte === undefined) return undefined
    }
    bytes[length++] = byte!
    if (at >= pause) {
      yield
      pause = at + stepBytes
    }
  }
  return bytes.subarray(0, length)
}

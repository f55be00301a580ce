/**
 * Finds the strings of a JSON text without parsing it, and parses a text whose long strings stay bytes. The content of a file is a string of
 * many megabytes, which the garbage collector would free late. Source: decision 0042.
 */
import type { Steps } from "@mailkeep/core/binding"

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** `Buffer` finds an octet in a tenth of the time. Not every runtime has it. */
const { indexOf } =
  (globalThis as { readonly Buffer?: { readonly prototype: Uint8Array } }).Buffer?.prototype ?? Uint8Array.prototype

/**
 * Returns a function that gets the position of the first octet of a string, and returns that of its closing quote, or the length of the text. It
 * returns `undefined` for a string with an escape. Reads each octet at most twice when the positions grow.
 */
export const plainStringEnds = (octets: Uint8Array): ((from: number) => number | undefined) => {
  /** The first backslash at or after the last position that was asked for. */
  let escape = -1
  const next = (octet: number, from: number) => {
    const found = indexOf.call(octets, octet, from)
    return found < 0 ? octets.length : found
  }
  return (from) => {
    const end = next(quote, from)
    if (escape < from) escape = next(backslash, from)
    return escape < end ? undefined : end
  }
}

/** The octets that one step examines, which takes about 0.3 ms. */
export const stepOctets = 256 * 1024

/**
 * The position of the closing quote of a string with escapes, or the length of the text. Goes octet by octet: a search for each of ten million
 * escapes takes ten times as long.
 */
export function* escapedStringEnd(octets: Uint8Array, from: number): Steps<number> {
  let at = from
  while (at < octets.length) {
    const pause = Math.min(octets.length, at + stepOctets)
    while (at < pause && octets[at] !== quote) at += octets[at] === backslash ? 2 : 1
    if (octets[at] === quote) return at
    yield
  }
  return octets.length
}

/** A string of a JSON text that stays bytes. */
export interface LongString {
  /** The octets between the quotes. */
  readonly octets: Uint8Array
  readonly hasEscapes: boolean
  /** Parses the string. Throws a `SyntaxError` if it is not a string of JSON. */
  readonly text: () => string
}

const isBlank = (octet: number | undefined): boolean =>
  octet === 0x20 || octet === 0x09 || octet === 0x0a || octet === 0x0d

/** The position of the next octet that is not white space. */
const afterBlanks = (octets: Uint8Array, from: number): number => {
  let at = from
  while (isBlank(octets[at])) at++
  return at
}

/** Where a long string is: the position of its first octet and of its closing quote. */
export interface LongSpan {
  readonly start: number
  readonly end: number
  readonly hasEscapes: boolean
}

/** The strings of a JSON text from this size stay bytes. A key of an object never does. */
const longOctetsMin = 64 * 1024

/** Whether the string stays bytes. */
export const isLong = (octets: Uint8Array, start: number, end: number): boolean =>
  end - start >= longOctetsMin && octets[afterBlanks(octets, end + 1)] !== colon

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false })

const longString = (octets: Uint8Array, { start, end, hasEscapes }: LongSpan): LongString => ({
  octets: octets.subarray(start, end),
  hasEscapes,
  text: () => JSON.parse(decoder.decode(octets.subarray(start - 1, end + 1))) as string
})

const encoder = new TextEncoder()

/** The text with a short string in place of each long one. */
const shortened = (octets: Uint8Array, spans: ReadonlyArray<LongSpan>, mark: string): Uint8Array => {
  const pieces: Array<Uint8Array> = []
  let from = 0
  for (const [index, { start, end }] of spans.entries()) {
    pieces.push(octets.subarray(from, start), encoder.encode(`${mark}${index}`))
    from = end
  }
  pieces.push(octets.subarray(from))
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
  octets: Uint8Array,
  spans: ReadonlyArray<LongSpan>,
  read: (string: LongString, path: ReadonlyArray<string>) => unknown
): unknown => {
  if (spans.length === 0) return JSON.parse(decoder.decode(octets))
  // Nobody can guess the mark, so no other string of the text begins with it.
  const mark = `${crypto.randomUUID()}:`
  const value = JSON.parse(decoder.decode(shortened(octets, spans, mark))) as unknown
  return replaceValues(value, [], (text, path) =>
    text.startsWith(mark) ? read(longString(octets, spans[Number(text.slice(mark.length))]!), path) : text
  )
}

const slash = 0x2f
const letterU = 0x75
const notHex = 0x10

/** The value of a hexadecimal digit, or `notHex`. */
const hexValue = (octet: number | undefined = 0): number => {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30
  const lower = octet | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : notHex
}

/** The octet that the four digits of `\uXXXX` name, or `undefined` if they name no ASCII character. */
const asciiEscape = (octets: Uint8Array, at: number): number | undefined => {
  const [high, low] = [hexValue(octets[at + 2]), hexValue(octets[at + 3])]
  const isAscii = octets[at] === 0x30 && octets[at + 1] === 0x30 && high < 8 && low !== notHex
  return isAscii ? high * 16 + low : undefined
}

/**
 * The octets of a string whose escapes are those that base64 can have: `\/`, which PHP writes, and such as `\u002B`, which .NET writes for a plus sign.
 * Returns `undefined` if it has another escape. Overwrites the given octets, which are not needed any more.
 */
export function* withoutEscapes(octets: Uint8Array): Steps<Uint8Array | undefined> {
  let length = 0
  let pause = stepOctets
  for (let at = 0; at < octets.length; at++) {
    let octet = octets[at]
    if (octet === backslash) {
      octet = octets[++at]
      if (octet === letterU) {
        octet = asciiEscape(octets, at + 1)
        at += 4
      } else if (octet !== slash) return undefined
      if (octet === undefined) return undefined
    }
    octets[length++] = octet!
    if (at >= pause) {
      yield
      pause = at + stepOctets
    }
  }
  return octets.subarray(0, length)
}

/**
 * Finds the strings of a JSON text without parsing it, and parses a text whose long strings stay bytes. The content of a file is a string of
 * many megabytes, which the garbage collector would free late. Source: decision 0042.
 */

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** Finds the strings of one text, one after another. */
export interface StringScanner {
  /** The position of the closing quote of the string whose first octet is at `from`, or the length of the text. */
  readonly endOf: (from: number) => number
  /** Whether the last string has an escape. */
  readonly hasEscapes: () => boolean
}

/** Reads each octet at most twice, whatever the escapes. */
export const scanStrings = (octets: Uint8Array): StringScanner => {
  /** The first backslash at or after the last position that was asked for. */
  let escape = -1
  let isEscaped = false
  const next = (octet: number, from: number) => {
    const found = octets.indexOf(octet, from)
    return found < 0 ? octets.length : found
  }
  /** From the first escape on, octet by octet: a search for each of ten million escapes takes ten times as long. */
  const endAfterEscape = (from: number): number => {
    let at = from
    while (at < octets.length && octets[at] !== quote) at += octets[at] === backslash ? 2 : 1
    return Math.min(at, octets.length)
  }
  const endOf = (from: number) => {
    const end = next(quote, from)
    if (escape < from) escape = next(backslash, from)
    isEscaped = escape < end
    return isEscaped ? endAfterEscape(escape) : end
  }
  return { endOf, hasEscapes: () => isEscaped }
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

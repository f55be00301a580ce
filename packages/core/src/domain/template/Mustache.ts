/**
 * The template language: the tags of Mustache for texts, numbers and booleans. Parses and renders in linear time without recursion.
 * The library `mustache` allocates an array for each character and takes quadratic time for white space.
 * Therefore only the tests use the library, to compare the rendered text. Source: decision 0031.
 */
import { Result } from "effect"

/** The maximum number of tags in one template. */
export const templateTagsMax = 2000

/**
 * The maximum length of a delimiter, in UTF-16 units. The search for a text of up to 250 units takes linear time. A longer text can take its length
 * for each unit of the template.
 */
export const delimiterUnitsMax = 64

export type MustacheValue = string | number | boolean

export type MustacheFault =
  | "too_many_tags"
  | "tag_not_closed"
  | "section_not_closed"
  | "section_not_opened"
  | "delimiters_not_two"
  | "delimiter_too_long"

export interface MustacheToken {
  readonly kind: "text" | "escaped" | "raw" | "section" | "inverted" | "end" | "partial"
  /** The text, or the name in the tag. */
  readonly value: string
  /** For a section: the index of the token that ends the section. */
  readonly end: number
}

const tokenKinds = {
  "": "escaped",
  "{": "raw",
  "&": "raw",
  "#": "section",
  "^": "inverted",
  "/": "end",
  ">": "partial"
} as const

interface Tag {
  /** The character that selects the kind of the tag; `""` for a variable. */
  readonly sigil: keyof typeof tokenKinds | "=" | "!"
  readonly value: string
  /** The index after the closing delimiter. */
  readonly end: number
}

const whiteSpace = /\s*/y

const skipWhiteSpace = (text: string, from: number): number => {
  whiteSpace.lastIndex = from
  whiteSpace.test(text)
  return whiteSpace.lastIndex
}

/** Reads a tag. `from` is the index after its opening delimiter. Returns `undefined` if the tag is not closed. */
const readTag = (template: string, from: number, close: string): Tag | undefined => {
  const first = skipWhiteSpace(template, from)
  const sigil = (/[#^/>{&=!]/.exec(template.charAt(first))?.[0] ?? "") as Tag["sigil"]
  const start = skipWhiteSpace(template, first + sigil.length)
  const valueEnd =
    sigil === "="
      ? template.indexOf("=", start)
      : sigil === "{"
        ? template.indexOf(`}${close}`, start)
        : template.indexOf(close, start)
  if (valueEnd === -1) return undefined
  const closed = sigil === "=" || sigil === "{" ? template.indexOf(close, valueEnd + 1) : valueEnd
  return closed === -1
    ? undefined
    : { sigil, value: template.slice(start, valueEnd).trimEnd(), end: closed + close.length }
}

/** Collects tokens. Drops the white space of a line that has tags but no visible text, as Mustache does. */
const makeTokens = () => {
  const tokens: Array<MustacheToken> = []
  let lineStart = 0
  let lineHasTag = false
  let lineIsVisible = false

  const add = (kind: MustacheToken["kind"], value: string) => tokens.push({ kind, value, end: 0 })

  const addWithinLine = (text: string) => {
    if (text === "") return
    add("text", text)
    lineIsVisible ||= /\S/.test(text)
  }

  const endLine = () => {
    if (lineHasTag && !lineIsVisible) tokens.push(...tokens.splice(lineStart).filter(({ kind }) => kind !== "text"))
    lineStart = tokens.length
    lineHasTag = false
    lineIsVisible = false
  }

  const addText = (text: string) => {
    const firstBreak = text.indexOf("\n")
    if (firstBreak === -1) return addWithinLine(text)
    addWithinLine(text.slice(0, firstBreak + 1))
    endLine()
    // Consecutive lines without a tag become one token.
    const lastBreak = text.lastIndexOf("\n")
    if (lastBreak > firstBreak) add("text", text.slice(firstBreak + 1, lastBreak + 1))
    lineStart = tokens.length
    addWithinLine(text.slice(lastBreak + 1))
  }

  const addTag = ({ sigil, value }: Tag) => {
    lineHasTag = true
    if (sigil === "=" || sigil === "!") return
    const kind = tokenKinds[sigil]
    lineIsVisible ||= kind === "escaped" || kind === "raw"
    add(kind, value)
  }

  return { tokens, addText, addTag, endLine }
}

/** Sets the index of the end of each section. */
const withSectionEnds = (
  tokens: ReadonlyArray<MustacheToken>
): Result.Result<ReadonlyArray<MustacheToken>, MustacheFault> => {
  const linked = [...tokens]
  const open: Array<number> = []
  for (const [end, { kind, value }] of tokens.entries()) {
    if (kind === "section" || kind === "inverted") open.push(end)
    if (kind !== "end") continue
    const start = open.pop()
    if (start === undefined) return Result.fail("section_not_opened")
    if (tokens[start]!.value !== value) return Result.fail("section_not_closed")
    linked[start] = { ...tokens[start]!, end }
  }
  return open.length > 0 ? Result.fail("section_not_closed") : Result.succeed(linked)
}

/**
 * Parses a template into tokens, in linear time and space. Fails with the first fault.
 * A template has at most `templateTagsMax` tags, including comments and changes of delimiters.
 */
export const parseMustache = (template: string): Result.Result<ReadonlyArray<MustacheToken>, MustacheFault> => {
  const { tokens, addText, addTag, endLine } = makeTokens()
  let open = "{{"
  let close = "}}"
  let position = 0
  for (let tags = 0; ; tags++) {
    const start = template.indexOf(open, position)
    if (start === -1) break
    if (tags === templateTagsMax) return Result.fail("too_many_tags")
    addText(template.slice(position, start))
    const tag = readTag(template, start + open.length, close)
    if (tag === undefined) return Result.fail("tag_not_closed")
    addTag(tag)
    if (tag.sigil === "=") {
      const [nextOpen = "", nextClose] = tag.value.split(/\s+/, 2)
      if (nextClose === undefined) return Result.fail("delimiters_not_two")
      if (Math.max(nextOpen.length, nextClose.length) > delimiterUnitsMax) return Result.fail("delimiter_too_long")
      open = nextOpen
      close = nextClose
    }
    position = tag.end
  }
  addText(template.slice(position))
  endLine()
  return withSectionEnds(tokens)
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "/": "&#x2F;",
  "`": "&#x60;",
  "=": "&#x3D;"
}

/** Escapes a text for the content of an element or the value of an attribute. Uses the same entities as the library `mustache`. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`=/]/g, (character) => entities[character]!)

/**
 * Renders a template. Escapes each value once. Returns `undefined` if the text is longer than `lengthMax` UTF-16 units.
 * A name without a value renders as an empty text. A section is rendered unless its value is `false`, `0`, empty or missing.
 */
export const renderMustache = (
  tokens: ReadonlyArray<MustacheToken>,
  values: ReadonlyMap<string, MustacheValue>,
  { escape, lengthMax }: { readonly escape: (text: string) => string; readonly lengthMax: number }
): string | undefined => {
  const escaped = new Map<string, string>()
  const rawOf = (name: string) => String(values.get(name) ?? "")
  const escapedOf = (name: string) => {
    const known = escaped.get(name)
    if (known !== undefined) return known
    const made = escape(rawOf(name))
    escaped.set(name, made)
    return made
  }
  const parts: Array<string> = []
  let length = 0
  for (let index = 0; index < tokens.length; index++) {
    const { kind, value, end } = tokens[index]!
    if (kind === "section" || kind === "inverted") {
      if (Boolean(values.get(value)) !== (kind === "section")) index = end
      continue
    }
    if (kind === "end" || kind === "partial") continue
    const part = kind === "text" ? value : kind === "raw" ? rawOf(value) : escapedOf(value)
    length += part.length
    if (length > lengthMax) return undefined
    parts.push(part)
  }
  return parts.join("")
}

/**
 * Finds an address in the texts of a record, and replaces it. Source: decision 0051.
 */
import { toUnicode } from "tr46"
import { htmlNamesOf } from "./htmlNames.ts"
import { parseAddress } from "../message/Address.ts"
import { extensionsOfFiles } from "../message/mediaTypes.ts"
import type { Fields } from "../value/Fields.ts"
import { isFields } from "../value/Fields.ts"

/** Replaces an erased address. The top-level domain `invalid` never has a mailbox (RFC 6761 §6.4). */
export const erasedAddress = "erased@erased.invalid"

/** Whether the address of a record was erased, so that the record is no longer about a person. */
export const isErased = ({ address }: { readonly address: string }): boolean => address === erasedAddress

/** Finds and replaces one address. A field with the address of another person stays as it is; see `addressFields`. */
export interface AddressRedaction {
  /** Whether any text of the value has the address, also in the name of a field. */
  readonly isIn: (value: unknown) => boolean
  /** The value with `erasedAddress` in the place of the address. */
  readonly redact: <A>(value: A) => A
  /**
   * The text with `erasedAddress` in the place of the address, also where a punctuation mark joins it to a word, as in `invoice-ada@x.example.pdf`.
   * This can be the end of another address, so use it only for a text that is about the person.
   */
  readonly redactJoined: (text: string) => string
  /** Whether the text is the address. */
  readonly isAddress: (text: string) => boolean
}

const escapedForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** The domain in A-labels and in Unicode. */
const spellingsOf = (canonical: string): ReadonlyArray<string> => {
  const at = canonical.lastIndexOf("@")
  return [canonical, `${canonical.slice(0, at)}@${toUnicode(canonical.slice(at + 1)).domain}`]
}

/** Every byte in UTF-8 as an escape of a URL. Some programs also escape letters, and characters such as `'`. */
const urlEscape = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

/** The end of the number of a character in HTML: a semicolon, or a character that is neither a semicolon nor one of the digits. */
const numberEnd = (digits: string): string => `(?:;|(?![;${digits}]))`

/**
 * A pattern for one code point: in a text, in a URL, and in HTML by its number, which may have leading zeros. No text matches in two ways: a search would try
 * every combination of them.
 */
const codePointPattern = (one: string): string => {
  const point = one.codePointAt(0)!
  const forms = [one, urlEscape(one)].map(escapedForPattern)
  const decimal = `${point}${numberEnd("\\d")}`
  const hexadecimal = `x0{0,6}${point.toString(16)}${numberEnd("\\da-f")}`
  return `(?:${forms.join("|")}|&#0{0,6}(?:${decimal}|${hexadecimal}))`
}

/** A pattern for one character: composed or decomposed (Unicode NFC and NFD), or its name in HTML. */
const characterPattern = (character: string): string => {
  const forms = [...new Set([character, character.normalize("NFD")])]
  const patterns = forms.map((form) => Array.from(form, codePointPattern).join(""))
  return `(?:${[...patterns, ...htmlNamesOf(character)].join("|")})`
}

const spellingPattern = (spelling: string): string => [...spelling].map(characterPattern).join("")

/** What must not be before and after an address, so that it is not within a longer address. */
interface Boundaries {
  readonly before: string
  readonly after: string
}

/** `ada@x.example` is not in `zada@x.example`, `z-ada@x.example` and `ada@x.example.org`. A combining mark is part of the letter before the mark. */
const inText: Boundaries = {
  before: "[\\p{L}\\p{N}._+-]|\\p{L}\\p{M}{1,8}",
  after: "[\\p{L}\\p{N}\\p{M}_-]|\\.[\\p{L}\\p{N}]"
}

const extensions = `(?:\\.(?:${extensionsOfFiles.join("|")}))+$`

/** The extension of a file name is no part of a domain: `ada@x.example` is in `ada@x.example.pdf`. */
const inFilename: Boundaries = { ...inText, after: `(?!${extensions})(?:${inText.after})` }

/** Also where a punctuation mark joins the address to a word, as in `invoice-ada@x.example_2.pdf`. */
const inJoinedWords: Boundaries = {
  before: "[\\p{L}\\p{N}]|\\p{L}\\p{M}{1,8}",
  after: `(?!${extensions})(?:[\\p{L}\\p{N}\\p{M}]|\\.[\\p{L}\\p{N}])`
}

/** A letter that ends an escape of a URL, such as `%3D`, is no part of the address. */
const patternOf = (canonical: string, { before, after }: Boundaries): string =>
  `(?:(?<!${before})|(?<=%[0-9a-f]{2}))(?:${[...new Set(spellingsOf(canonical))].map(spellingPattern).join("|")})(?!${after})`

/** The fields of records that hold one address or a list of them. */
const addressFields: ReadonlySet<string> = new Set([
  "address",
  "cc",
  "email",
  "from",
  "recipient",
  "replyTo",
  "to",
  "userId"
])

/** Whether the value is an object whose fields can have texts, and not a list or bytes. */
const hasTexts = (value: unknown): value is Fields => isFields(value) && !ArrayBuffer.isView(value)

/** Makes the redaction of an address in its canonical form. */
export const makeAddressRedaction = (canonical: string): AddressRedaction => {
  const search = (boundaries: Boundaries) => new RegExp(patternOf(canonical, boundaries), "giu")
  const [everyInText, everyInFilename, everyJoined] = [search(inText), search(inFilename), search(inJoinedWords)]
  const isAddress = (text: string): boolean => parseAddress(text)?.canonical === canonical
  /**
   * Whether a field of an address holds the address of another person. In a text, `'brien@x.example` is an address after a quote, but
   * `o'brien@x.example` is another address. Only such a field shows where its address begins.
   */
  const isOther = (text: string, name: string): boolean =>
    addressFields.has(name) && !isAddress(text) && parseAddress(text) !== undefined
  const redactText = (text: string, name: string): string => {
    const redacted = text.replace(name === "filename" ? everyInFilename : everyInText, erasedAddress)
    return redacted !== text && isOther(text, name) ? text : redacted
  }
  const isIn = (value: unknown, name = ""): boolean =>
    typeof value === "string"
      ? redactText(value, name) !== value
      : Array.isArray(value)
        ? value.some((item) => isIn(item, name))
        : hasTexts(value) && Object.entries(value).some(([key, field]) => isIn(key) || isIn(field, key))
  const redact = (value: unknown, name = ""): unknown =>
    typeof value === "string"
      ? redactText(value, name)
      : Array.isArray(value)
        ? value.map((item) => redact(item, name))
        : hasTexts(value)
          ? Object.fromEntries(Object.entries(value).map(([key, field]) => [redact(key), redact(field, key)]))
          : value
  return {
    isIn: (value) => isIn(value),
    redact: <A>(value: A) => redact(value) as A,
    redactJoined: (text) => text.replace(everyJoined, erasedAddress),
    isAddress
  }
}

/**
 * Finds an address in the texts of a record, and replaces it. Source: decision 0051.
 */
import { toUnicode } from "tr46"
import { parseAddress } from "../message/Address.ts"
import { escapeHtml } from "../template/Mustache.ts"
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
  /** Whether the text is the address. */
  readonly isAddress: (text: string) => boolean
}

const escapedForPattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")

/** The domain in A-labels and in Unicode. */
const spellingsOf = (canonical: string): ReadonlyArray<string> => {
  const at = canonical.lastIndexOf("@")
  return [canonical, `${canonical.slice(0, at)}@${toUnicode(canonical.slice(at + 1)).domain}`]
}

/** A pattern for one character: composed or decomposed (Unicode NFC and NFD), in a text, in HTML and in a URL. */
const characterPattern = (character: string): string => {
  const forms = [character, character.normalize("NFD")].flatMap((one) => [
    one,
    escapeHtml(one),
    encodeURIComponent(one)
  ])
  return `(?:${[...new Set(forms)].map(escapedForPattern).join("|")})`
}

const spellingPattern = (spelling: string): string => [...spelling].map(characterPattern).join("")

/**
 * Not within a longer address: `ada@x.example` is not in `zada@x.example` and not in `ada@x.example.org`. A combining mark is part of the letter
 * before the mark. A letter that ends an escape of a URL, such as `%3D`, is no part of the address.
 */
const patternOf = (canonical: string): string =>
  `(?:(?<![\\p{L}\\p{N}._+-]|\\p{L}\\p{M}{1,8})|(?<=%[0-9a-f]{2}))(?:${[...new Set(spellingsOf(canonical))].map(spellingPattern).join("|")})(?![\\p{L}\\p{N}\\p{M}_-]|\\.[\\p{L}\\p{N}])`

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
  const pattern = patternOf(canonical)
  const [one, every] = [new RegExp(pattern, "iu"), new RegExp(pattern, "giu")]
  const isAddress = (text: string): boolean => parseAddress(text)?.canonical === canonical
  /**
   * Whether a field of an address holds the address of another person. In a text, `'brien@x.example` is an address after a quote, but
   * `o'brien@x.example` is another address. Only such a field shows where its address begins.
   */
  const isOther = (text: string, name: string): boolean =>
    addressFields.has(name) && !isAddress(text) && parseAddress(text) !== undefined
  const isIn = (value: unknown, name = ""): boolean =>
    typeof value === "string"
      ? one.test(value) && !isOther(value, name)
      : Array.isArray(value)
        ? value.some((item) => isIn(item, name))
        : hasTexts(value) && Object.entries(value).some(([key, field]) => isIn(key) || isIn(field, key))
  const redact = (value: unknown, name = ""): unknown =>
    typeof value === "string"
      ? one.test(value) && !isOther(value, name)
        ? value.replace(every, erasedAddress)
        : value
      : Array.isArray(value)
        ? value.map((item) => redact(item, name))
        : hasTexts(value)
          ? Object.fromEntries(Object.entries(value).map(([key, field]) => [redact(key), redact(field, key)]))
          : value
  return { isIn: (value) => isIn(value), redact: <A>(value: A) => redact(value) as A, isAddress }
}

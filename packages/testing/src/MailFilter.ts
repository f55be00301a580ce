/**
 * Selects captured mails, and says in words what was selected and what was sent.
 */
import { types } from "node:util"
import { parseAddress } from "@mailkeep/core/binding"
import type { CapturedAttachment, CapturedMail } from "./CapturedMail.ts"

/** A text that must be equal, or a pattern that must match. */
type TextFilter = string | RegExp

/** Selects mails. Each given field must match. */
export interface MailFilter {
  /** The recipient of the envelope. A text matches in any case, and with a domain in either form: `bücher.example` or `xn--bcher-kva.example`. */
  readonly to?: TextFilter | undefined
  /** The sender. A text matches the address as in `to`, or the whole field in any case. */
  readonly from?: TextFilter | undefined
  /** The subject. A text must be equal. */
  readonly subject?: TextFilter | undefined
  /** The plain text. A text must be contained. */
  readonly text?: TextFilter | undefined
  /** The html. A text must be contained. */
  readonly html?: TextFilter | undefined
  /** One of the links. A text must be equal. */
  readonly link?: TextFilter | undefined
  /** Header fields. A text must be equal; `true` means that the field exists. Names in any case. */
  readonly headers?: Readonly<Record<string, TextFilter | true>> | undefined
  /** The names of files that the mail must have, among others. An empty list means that the mail has no file. */
  readonly attachments?: ReadonlyArray<TextFilter> | undefined
}

const isPattern = (filter: TextFilter): filter is RegExp => typeof filter !== "string"

/** Whether the pattern is found, also when the pattern has a position from an earlier match. */
const found = (pattern: RegExp, value: string): boolean => value.search(pattern) !== -1

const equals = (filter: TextFilter, value: string): boolean =>
  isPattern(filter) ? found(filter, value) : value === filter

const equalsInAnyCase = (filter: TextFilter, value: string): boolean =>
  isPattern(filter) ? found(filter, value) : value.toLowerCase() === filter.toLowerCase()

const canonical = (address: string): string => parseAddress(address)?.canonical ?? address.toLowerCase()

const equalsAddress = (filter: TextFilter, address: string): boolean =>
  isPattern(filter) ? found(filter, address) : canonical(address) === canonical(filter)

const contains = (filter: TextFilter, value: string | null): boolean =>
  value !== null && (isPattern(filter) ? found(filter, value) : value.includes(filter))

const addressIn = (mailbox: string): string => /<([^<>]*)>$/.exec(mailbox)?.[1] ?? mailbox

const hasFiles = (filters: ReadonlyArray<TextFilter>, files: ReadonlyArray<CapturedAttachment>): boolean =>
  filters.length === 0
    ? files.length === 0
    : filters.every((filter) => files.some(({ filename }) => equals(filter, filename)))

const hasHeaders = (filters: NonNullable<MailFilter["headers"]>, headers: CapturedMail["headers"]): boolean =>
  Object.entries(filters).every(([name, filter]) => {
    const value = headers[name.toLowerCase()]
    return value !== undefined && (filter === true || equals(filter, value))
  })

type Checks = {
  readonly [Field in keyof MailFilter]-?: (filter: NonNullable<MailFilter[Field]>, mail: CapturedMail) => boolean
}

const checks: Checks = {
  to: (filter, { to }) => equalsAddress(filter, to),
  from: (filter, { from }) => equalsInAnyCase(filter, from) || equalsAddress(filter, addressIn(from)),
  subject: (filter, { subject }) => equals(filter, subject),
  text: (filter, { text }) => contains(filter, text),
  html: (filter, { html }) => contains(filter, html),
  link: (filter, { links }) => links.some((link) => equals(filter, link)),
  headers: (filter, { headers }) => hasHeaders(filter, headers),
  attachments: (filter, { attachments }) => hasFiles(filter, attachments)
}

const isText = (value: unknown): boolean => typeof value === "string" || types.isRegExp(value)

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !types.isRegExp(value)

/** Says what a field of the filter must be. `undefined` when the value is one. */
const problemOf = (name: string, value: unknown): string | undefined => {
  switch (name) {
    case "attachments":
      return Array.isArray(value) && value.every(isText) ? undefined : "a list of texts and patterns"
    case "headers":
      return isObject(value) && Object.values(value).every((one) => isText(one) || one === true)
        ? undefined
        : "an object of texts, patterns and true"
    default:
      return isText(value) ? undefined : "a text or a pattern"
  }
}

/** Throws a `TypeError` for a field that no mail has, and for one of another form: a number would be searched as a pattern. */
export const checkFilter = (filter: MailFilter): void => {
  if (!isObject(filter)) throw new TypeError('A filter must be an object, such as { to: "ada@example.org" }.')
  for (const [name, value] of Object.entries(filter)) {
    if (!Object.hasOwn(checks, name))
      throw new TypeError(`A mail has no "${name}". It has ${Object.keys(checks).join(", ")}.`)
    const problem = value === undefined ? undefined : problemOf(name, value)
    if (problem !== undefined) throw new TypeError(`The field "${name}" of a filter must be ${problem}.`)
  }
}

/** The fields of the filter that the mail does not match. `checkFilter` has checked the filter. */
const mismatches = (filter: MailFilter, mail: CapturedMail): ReadonlyArray<keyof MailFilter> =>
  (Object.keys(filter) as Array<keyof MailFilter>).filter((name) => {
    const check = checks[name] as (filter: unknown, mail: CapturedMail) => boolean
    return filter[name] !== undefined && !check(filter[name], mail)
  })

/** Whether the mail matches the filter. */
export const isMatch = (filter: MailFilter, mail: CapturedMail): boolean => mismatches(filter, mail).length === 0

/** A filter that is an address selects the mails to it. Throws as `checkFilter` does. */
export const toFilter = (filter: MailFilter | TextFilter): MailFilter => {
  if (typeof filter === "string" || types.isRegExp(filter)) return { to: filter }
  checkFilter(filter)
  return filter
}

const shownCharactersMax = 200

const shortened = (text: string): string =>
  text.length <= shownCharactersMax ? text : `${text.slice(0, shownCharactersMax)}… (${text.length} characters)`

const shown = (value: unknown): string => {
  if (types.isRegExp(value)) return shortened(String(value))
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`
  if (typeof value === "object" && value !== null)
    return `{ ${Object.entries(value)
      .map(([name, one]) => `${name}: ${shown(one)}`)
      .join(", ")} }`
  return typeof value === "string" ? JSON.stringify(shortened(value)) : String(value)
}

/** The filter as a test would write it. */
export const describeFilter = (filter: MailFilter): string =>
  Object.keys(filter).length === 0 ? "any mail" : shown(filter)

const valueOf = (mail: CapturedMail, field: keyof MailFilter, filter: MailFilter): unknown => {
  switch (field) {
    case "link":
      return mail.links
    case "attachments":
      return mail.attachments.map(({ filename }) => filename)
    case "headers":
      return Object.fromEntries(
        Object.keys(filter.headers ?? {}).map((name) => [name, mail.headers[name.toLowerCase()] ?? null])
      )
    default:
      return mail[field]
  }
}

const listedMax = 10

/** The mails, one each line, and the fields in which each differs from the filter. The newest come first. */
export const describeMails = (mails: ReadonlyArray<CapturedMail>, filter: MailFilter = {}): string => {
  if (mails.length === 0) return "No mail was handed over."
  const lines = mails
    .toReversed()
    .slice(0, listedMax)
    .map((mail) => {
      const others = mismatches(filter, mail).filter((field) => field !== "to" && field !== "subject")
      const differences = others.map((field) => `\n     ${field}: ${shown(valueOf(mail, field, filter))}`)
      return `  to ${mail.to}, subject ${shown(mail.subject)}${differences.join("")}`
    })
  const rest = mails.length - lines.length
  return ["Handed over, newest first:", ...lines, ...(rest > 0 ? [`  and ${rest} more`] : [])].join("\n")
}

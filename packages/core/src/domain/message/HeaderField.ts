/**
 * Header fields that a product adds to its message. Only Mailkeep and the transport write the fields for
 * sender, recipients, date, trace and content. Source: RFC 5322 §2.2 and §3.6, decision 0030.
 */
import type { Issue } from "../value/Issue.ts"
import { issue } from "../value/Issue.ts"
import { isAscii } from "../value/TextLength.ts"
import { isOneLine } from "../value/oneLine.ts"
import { isSafeKey } from "../value/TextRule.ts"
import { isIdField, isNamedField, isStructuredField } from "./structuredField.ts"

/** Maps names to values. A value is text of one line; the transport encodes it. */
export type HeaderFields = { readonly [name: string]: string }

export const headerFieldsMax = 20
/** With the two fields of the link to unsubscribe. */
const outgoingFieldsMax = headerFieldsMax + 2
/** Characters of the value of a header field that a product gives. */
export const headerValueCharactersMax = 998
/** A line has at most 998 characters and is folded only at a space, which begins the next line. Source: RFC 5322 §2.1.1 and §2.2.3. */
const wordCharactersMax = 997

const nameForm = /^[!-9;-~]{1,76}$/

const ownNames = new Set([
  "authentication-results",
  "bcc",
  "cc",
  "date",
  "delivered-to",
  "dkim-signature",
  "from",
  "message-id",
  "mime-version",
  "received",
  "reply-to",
  "return-path",
  "sender",
  "subject",
  "to"
])
const ownFamilies = ["arc-", "content-", "resent-"]

/** Whether only Mailkeep and the transport write the header field. The name is in lower case. */
export const isOwnHeaderField = (lower: string): boolean =>
  ownNames.has(lower) || ownFamilies.some((family) => lower.startsWith(family))

/** The name before an id or an address in angle brackets. The transport encodes it. */
const nameBefore = /^[^<>]*(?=<[^<>]*>$)/

/**
 * The words of a value as the transport writes them. In a field with ids of messages, it removes the spaces from a `<` to the next `>`, and adds missing
 * angle brackets.
 */
const wordsOf = (lower: string, value: string): ReadonlyArray<string> =>
  isIdField(lower)
    ? value
        .replace(/<[^>]*>/g, (id) => id.replaceAll(" ", ""))
        .split(" ")
        .map((id) => `<${id.replace(/^<|>$/g, "")}>`)
    : value.split(" ")

/**
 * Returns the issues of a field with ids, URLs, addresses or tokens, which the transport does not encode: `List-` fields, `In-Reply-To`, `References`,
 * `Disposition-Notification-To` and `OTP-Token`. Source: RFC 2047 §5; RFC 2369 §2; RFC 2919 §3; RFC 8098 §2.1; RFC 9651 §3.
 */
const structuredIssues = (lower: string, path: ReadonlyArray<string>, value: string): ReadonlyArray<Issue> => {
  if (!isStructuredField(lower)) return []
  const isNamed = isNamedField(lower)
  if (!isAscii(isNamed ? value.replace(nameBefore, "") : value)) {
    const exception = isNamed ? ", except in a name before the angle brackets" : ""
    return [issue(path, "invalid_value", `must have only ASCII characters${exception}`)]
  }
  return wordsOf(lower, value).some(({ length }) => length > wordCharactersMax)
    ? [issue(path, "too_long", `must have no word of more than ${wordCharactersMax} characters`)]
    : []
}

/**
 * Joins ids of messages to a value that a header field may have: the first id, which names the thread, and as many of the last ones as fit. Mail programs
 * need only some of the ids to find the thread. Source: RFC 5322 §3.6.4.
 */
export const joinIds = ([first = "", ...others]: ReadonlyArray<string>): string => {
  const kept: Array<string> = []
  let left = headerValueCharactersMax - first.length
  for (const id of others.toReversed()) {
    left -= id.length + 1
    if (left < 0) break
    kept.unshift(id)
  }
  return [first, ...kept].join(" ")
}

const isPlainId = (word: string): boolean =>
  word.length <= wordCharactersMax && word.startsWith("<") && word.endsWith(">") && isAscii(word) && isOneLine(word)

/** Shortens a field with the ids of a long thread. Leaves another value as it is, for which `headerFieldIssues` has an issue. */
export const withShortThread = (name: string, value: unknown): unknown => {
  if (typeof value !== "string" || value.length <= headerValueCharactersMax || !isIdField(name.toLowerCase()))
    return value
  const words = value.split(" ").filter((word) => word !== "")
  return words.every(isPlainId) ? joinIds(words) : value
}

/** Returns the issues of at most `max` header fields for which they are not safe in a header. */
const safetyIssues = (headers: HeaderFields, max: number): ReadonlyArray<Issue> => {
  const names = Object.keys(headers)
  if (names.length > max) return [issue(["headers"], "too_many_items", `must have at most ${max} fields`)]
  const usedNames = new Set<string>()
  return names.flatMap((name): ReadonlyArray<Issue> => {
    const lower = name.toLowerCase()
    const path = ["headers", name]
    const value: unknown = headers[name]
    const twice = usedNames.has(lower)
    usedNames.add(lower)
    if (!nameForm.test(name)) return [issue(["headers"], "invalid_value", "must have names that RFC 5322 allows")]
    if (!isSafeKey(name)) return [issue(path, "invalid_value", "is a reserved name")]
    if (isOwnHeaderField(lower)) return [issue(path, "not_allowed_here", "is written by Mailkeep")]
    if (twice) return [issue(path, "invalid_value", "is given twice")]
    if (typeof value !== "string") return [issue(path, "invalid_type", "must be a string")]
    if (value.length > headerValueCharactersMax)
      return [issue(path, "too_long", `must have at most ${headerValueCharactersMax} characters`)]
    return value !== "" && isOneLine(value)
      ? []
      : [issue(path, "invalid_value", "must be text of at least one character, without control characters")]
  })
}

/** Returns the issues of the header fields that a product gives, with paths in the options of a send. */
export const headerFieldIssues = (headers: HeaderFields): ReadonlyArray<Issue> => {
  const issues = safetyIssues(headers, headerFieldsMax)
  return issues.length > 0
    ? issues
    : Object.entries(headers).flatMap(([name, value]) => structuredIssues(name.toLowerCase(), ["headers", name], value))
}

/** Whether the header fields of a stored message are safe in a header, with the two fields of the link to unsubscribe. */
export const areSafeHeaderFields = (headers: HeaderFields): boolean =>
  safetyIssues(headers, outgoingFieldsMax).length === 0

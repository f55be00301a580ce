/**
 * Header fields that a product adds to its message. Only Mailkeep and the transport write the fields for
 * sender, recipients, date, trace and content. Source: RFC 5322 §2.2 and §3.6, decision 0030.
 */
import type { Issue } from "../value/Issue.ts"
import { issue } from "../value/Issue.ts"
import { isOneLine, isSafeKey } from "../value/TextRule.ts"

/** Maps names to values. A value is text of one line; the transport encodes it. */
export type HeaderFields = { readonly [name: string]: string }

export const headerFieldsMax = 20
/** With the two fields of the link to unsubscribe. */
export const outgoingFieldsMax = headerFieldsMax + 2
const valueCharactersMax = 998

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

/** Returns the issues of at most `max` header fields, with paths in the options of a send. */
export const headerFieldIssues = (headers: HeaderFields, max = headerFieldsMax): ReadonlyArray<Issue> => {
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
    if (value.length > valueCharactersMax)
      return [issue(path, "too_long", `must have at most ${valueCharactersMax} characters`)]
    return value !== "" && isOneLine(value)
      ? []
      : [issue(path, "invalid_value", "must be text of at least one character, without control characters")]
  })
}

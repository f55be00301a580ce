/**
 * The rules for text fields of requests, each with its code and its JSON Schema.
 * Lengths are in characters (Unicode code points) unless a name says bytes.
 */
import { Schema } from "effect"
import { parseAddress } from "../message/Address.ts"
import { parseInstant } from "./Instant.ts"
import { says } from "./Issue.ts"
import { isOneLine } from "./oneLine.ts"
import { codePoints, utf8Bytes } from "./TextLength.ts"

const atLeast = (min: number) =>
  Schema.makeFilter((text: string) => text.length >= min, {
    ...says("too_short", `must have at least ${min} character${min === 1 ? "" : "s"}`),
    toJsonSchema: () => ({ minLength: min })
  })

/** Whether a text has at most `max` characters. */
export const hasAtMost = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= max * 2 && codePoints(text) <= max)

const atMost = (max: number) =>
  Schema.makeFilter((text: string) => hasAtMost(text, max), {
    ...says("too_long", `must have at most ${max} characters`),
    toJsonSchema: () => ({ maxLength: max })
  })

const bytesAtMost = (max: number) =>
  Schema.makeFilter(
    (text: string) => text.length * 3 <= max || (text.length <= max && utf8Bytes(text) <= max),
    // A character has at least one byte. JSON Schema has no bound in bytes.
    { ...says("too_long", `must be at most ${max} bytes`), toJsonSchema: () => ({ maxLength: max }) }
  )

/** Whether a text has no NUL and no unpaired surrogate. Some stores and relays change or refuse them. */
export const isStorable = (text: string): boolean => !text.includes("\0") && text.isWellFormed()

const storable = Schema.makeFilter(isStorable, says("invalid_value", "must be well-formed Unicode without U+0000"))

const oneLine = Schema.makeFilter(
  isOneLine,
  says("invalid_value", "must be one line of well-formed Unicode without control characters")
)

/** The rule for a text of several lines. `min` and `max` are in characters. */
export const textOf = (bounds: { readonly min?: number; readonly max: number }) =>
  bounds.min === undefined
    ? Schema.String.check(atMost(bounds.max), storable)
    : Schema.String.check(atLeast(bounds.min), atMost(bounds.max), storable)

/** Text of one line, for header fields and for names. */
export const lineOf = (bounds: { readonly min?: number; readonly max: number }) =>
  bounds.min === undefined
    ? Schema.String.check(atMost(bounds.max), oneLine)
    : Schema.String.check(atLeast(bounds.min), atMost(bounds.max), oneLine)

/** A filter by one of several texts, or `null` for no filter. The message is that of the parameter over HTTP, which cannot be `null`. */
export const choiceOrNull = <const A extends string>(choices: ReadonlyArray<A>) => {
  const wrong = says("invalid_value", `must be one of ${choices.join(", ")}`)
  return Schema.NullOr(Schema.Literals(choices).annotate(wrong)).annotate(wrong)
}

export const bodyOf = (bounds: { readonly bytesMax: number }) =>
  Schema.String.check(bytesAtMost(bounds.bytesMax), storable)

/** A bare mailbox. `parseAddress` parses it. */
export const Mailbox = Schema.String.check(
  Schema.makeFilter((text: string) => parseAddress(text) !== undefined, {
    ...says("invalid_value", "must be a bare mailbox such as ada@example.com"),
    toJsonSchema: () => ({ maxLength: 254 })
  })
).annotate({ identifier: "Mailbox", examples: ["ada@example.com"] })

/** An ISO 8601 date and time with an offset. `parseInstant` parses it. */
export const Timestamp = Schema.String.check(
  Schema.makeFilter((text: string) => parseInstant(text) !== undefined, {
    ...says(
      "invalid_value",
      "must be an ISO 8601 date and time with an offset, such as 2026-12-24T18:00:00+01:00, on a date that exists"
    ),
    toJsonSchema: () => ({ format: "date-time" })
  })
).annotate({ identifier: "Timestamp", examples: ["2026-12-24T18:00:00+01:00"] })

/** Whether the name is safe as an object key. Assigning `__proto__`, for example, changes the prototype of the object. */
export const isSafeKey = (key: string): boolean => key !== "__proto__" && key !== "constructor" && key !== "prototype"

/**
 * Query and header parameters as text, with their rules. Source: docs/spec/coverage.md S12; decisions 0009 and 0011.
 */
import {
  cursorCharactersMax,
  IdempotencyKey,
  pageLimitDefault,
  pageLimitMax,
  parseAddress,
  parseInstantOrDay,
  says,
  searchCharactersMax,
  textOf
} from "@mailkeep/core/binding"
import { Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

/** The number, or the nearest number that is exact. A page that far out is empty in any case. */
const safeInteger = (text: string): number =>
  Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, Number(text)))

const whole = (min: number, max: number, description: string) =>
  Schema.String.check(Schema.isPattern(/^-?[0-9]{1,100}$/u, says("invalid_type", "must be an integer"))).pipe(
    Schema.decodeTo(
      Schema.Int.check(
        Schema.isGreaterThanOrEqualTo(min, says("too_small", `must be at least ${min}`)),
        Schema.isLessThanOrEqualTo(max, says("too_large", `must be at most ${max}`))
      ),
      SchemaTransformation.transform({ decode: safeInteger, encode: String })
    ),
    Schema.annotate({ description })
  )

export const Limit = whole(1, pageLimitMax, `Page size, 1 to ${pageLimitMax}; default ${pageLimitDefault}.`).pipe(
  Schema.withDecodingDefaultTypeKey(Effect.succeed(pageLimitDefault))
)

export const PageNumber = whole(1, Number.MAX_SAFE_INTEGER, "Page number, from 1; default 1.").pipe(
  Schema.withDecodingDefaultTypeKey(Effect.succeed(1))
)

/** A version of a template, from 1. */
export const VersionNumber = Schema.optionalKey(whole(1, Number.MAX_SAFE_INTEGER, "A version's number, from 1."))

export const Cursor = Schema.optionalKey(textOf({ max: cursorCharactersMax }))

export const Search = Schema.optionalKey(textOf({ max: searchCharactersMax }))

/** A filter that matches whole values. A value of another form matches nothing, and is not an error. */
export const FilterText = Schema.optionalKey(Schema.String)

export const oneOf = <const L extends ReadonlyArray<string>>(values: L) =>
  Schema.optionalKey(Schema.Literals(values).annotate(says("invalid_value", `must be one of ${values.join(", ")}`)))

/** Whether the text is no address, but is one with a plus sign in place of each inner space. */
const isAddressWithoutPlus = (text: string): boolean =>
  text.includes(" ") && parseAddress(text) === undefined && parseAddress(text.trim().replaceAll(" ", "+")) !== undefined

/** The whole address of a recipient. Another text matches nothing, except an address whose plus sign arrived as a space, which is refused. */
export const Recipient = Schema.optionalKey(
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => !isAddressWithoutPlus(text),
      says("invalid_value", "has a space in place of its +, because + means a space in a query: write %2B")
    )
  )
)

/** A plus sign that is not encoded arrives as a space. */
const offsetWithoutPlus = /[Tt][0-9:.]+ \d{2}(?::?\d{2})?$/

/** A bound of a date filter: a date and time with an offset, or a bare date. A bare date means the start or the end of its day in UTC. */
export const dateBound = (edge: "start" | "end") =>
  Schema.optionalKey(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => !offsetWithoutPlus.test(text),
        says(
          "invalid_value",
          "has a space in place of the + of its offset, because + means a space in a query: write %2B"
        )
      ),
      Schema.makeFilter(
        (text: string) => parseInstantOrDay(text, edge) !== undefined,
        says(
          "invalid_value",
          "must be a date such as 2026-12-24, or a date and time with an offset, on a date that exists"
        )
      )
    ).pipe(
      Schema.decodeTo(
        Schema.Int,
        SchemaTransformation.transform({
          decode: (text: string) => parseInstantOrDay(text, edge)!,
          encode: (instant: number) => new Date(instant).toISOString()
        })
      )
    )
  )

const JsonContent = Schema.String.check(
  Schema.isPattern(/^\s*application\/json\s*(?:;.*)?$/iu, says("unsupported_media_type", "must be application/json"))
)

const NoContentEncoding = Schema.String.check(
  Schema.isPattern(/^(?:\s*identity)?\s*$/iu, says("invalid_value", "is not supported; send the body as it is"))
)

/** Headers of a request with a JSON body. */
const jsonHeaders = { "content-type": JsonContent, "content-encoding": Schema.optionalKey(NoContentEncoding) }

export const sendHeaders = { ...jsonHeaders, "idempotency-key": IdempotencyKey }

/** The id in a path. */
export const idParams = { id: Schema.String }

/** A request without query parameters refuses every parameter. An empty struct would allow them. */
export const noQuery = Schema.Struct({}).check(
  Schema.makeFilter((query, ast) =>
    Object.keys(query).map((key) => ({ path: [key], issue: new SchemaIssue.UnexpectedKey(ast) }))
  )
)

/** A request with a JSON body and without query parameters. */
export const jsonRequest = { headers: jsonHeaders, query: noQuery }

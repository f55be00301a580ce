/**
 * The template variables in a send request and in a preview request. Source: decision 0031.
 */
import { Schema } from "effect"
import { says } from "../value/Issue.ts"
import { Finite } from "../value/NumberRule.ts"
import { utf8Bytes } from "../value/TextLength.ts"
import { bodyOf, isSafeKey } from "../value/TextRule.ts"

/** The maximum number of values in one request. */
export const templateValuesMax = 1000
/** The maximum bytes of one value, in UTF-8. */
const templateValueBytesMax = 256 * 1024
/** The maximum bytes of all names and values of one request together, in UTF-8. */
const templateValuesBytesMax = 1024 * 1024

const bytesOf = (values: Readonly<Record<string, unknown>>): number =>
  Object.entries(values).reduce((sum, [name, value]) => sum + utf8Bytes(name) + utf8Bytes(String(value)), 0)

/** Texts, finite numbers and booleans by name. */
export const TemplateValues = Schema.Record(
  Schema.String,
  Schema.Union([bodyOf({ bytesMax: templateValueBytesMax }), Finite, Schema.Boolean]).annotate(
    says("invalid_type", "must be a string, a number or a boolean")
  )
).check(
  Schema.makeFilter(
    (values) => Object.keys(values).every(isSafeKey),
    says("invalid_value", "must not have the key __proto__, constructor or prototype")
  ),
  Schema.makeFilter(
    (values) => bytesOf(values) <= templateValuesBytesMax,
    says("too_large", `must be at most ${templateValuesBytesMax} bytes together`)
  )
)

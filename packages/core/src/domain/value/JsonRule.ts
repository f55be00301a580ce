/**
 * The rule for fields of requests with any JSON.
 */
import { Schema } from "effect"
import type { JsonBounds } from "./CanonicalJson.ts"
import { checkJson } from "./CanonicalJson.ts"
import { says } from "./Issue.ts"

/** The checks of an object within these bounds, each with its code and its message. A value fails at most one of them. */
export const jsonWithin = (
  bounds: JsonBounds,
  messages: { readonly reservedKey: string; readonly tooLarge: string }
) => {
  const unless = (found: ReturnType<typeof checkJson>, words: ReturnType<typeof says>) =>
    Schema.makeFilter((value: Readonly<Record<string, unknown>>) => checkJson(value, bounds) !== found, words)
  return [
    unless("reserved_key", says("invalid_value", messages.reservedKey)),
    unless("not_json", says("invalid_value", "must be JSON, its text well-formed and without U+0000")),
    unless("too_large", says("too_large", messages.tooLarge))
  ] as const
}

/**
 * Canonical JSON: equal values give the same text, with sorted keys and no white space.
 * Fingerprints and filter digests are computed from this text.
 */

import { utf8Bytes } from "./TextLength.ts"
import { isSafeKey } from "./TextRule.ts"

/** A value of JSON. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

/** Whether the keys of all objects in the value are sorted. `JSON.stringify` then writes the canonical text. */
const isSorted = (value: Json): boolean => {
  if (typeof value !== "object" || value === null) return true
  if (Array.isArray(value)) return value.every(isSorted)
  let before: string | undefined
  for (const [key, field] of Object.entries(value)) {
    if ((before !== undefined && before > key) || !isSorted(field)) return false
    before = key
  }
  return true
}

export const canonicalJson = (value: Json): string => (isSorted(value) ? JSON.stringify(value) : sortedJson(value))

const sortedJson = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const fields = value as { readonly [key: string]: Json }
  let text = ""
  for (const key of Object.keys(fields).toSorted())
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${sortedJson(fields[key]!)}`
  return `{${text}}`
}

/** How large a value may be. */
export interface JsonBounds {
  readonly bytesMax: number
  readonly depthMax: number
}

/** Returns a copy of a value that `checkJson` has checked. A program may change its objects later. */
export const copyOfJson = <A extends Json>(value: A): A => JSON.parse(JSON.stringify(value)) as A

/**
 * Checks that a value is JSON of at most `bytesMax` bytes and `depthMax` levels without reserved keys.
 * Stops at the first violation, so that the work is bounded.
 */
export const checkJson = (value: unknown, bounds: JsonBounds): "fits" | "too_large" | "not_json" | "reserved_key" => {
  let bytes = 0
  const spend = (count: number): void => {
    bytes += count
    if (bytes > bounds.bytesMax) throw tooLarge
  }
  const text = (value: string): void => {
    spend(value.length + 2)
    if (!value.isWellFormed() || value.includes("\0")) throw notJson
    spend(utf8Bytes(JSON.stringify(value)) - value.length - 2)
  }
  const walk = (value: unknown, depth: number): void => {
    if (typeof value === "string") return text(value)
    if (typeof value === "boolean" || value === null || (typeof value === "number" && Number.isFinite(value)))
      return spend(String(value).length)
    if (typeof value !== "object") throw notJson
    if (depth >= bounds.depthMax) throw tooLarge
    if (Array.isArray(value)) {
      spend(2 + Math.max(0, value.length - 1))
      for (const item of value as ReadonlyArray<unknown>) walk(item, depth + 1)
      return
    }
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== Object.prototype && prototype !== null) throw notJson
    const entries = Object.entries(value)
    spend(2 + Math.max(0, entries.length - 1))
    for (const [key, item] of entries) {
      text(key)
      if (!isSafeKey(key)) throw reservedKey
      spend(1)
      walk(item, depth + 1)
    }
  }
  try {
    walk(value, 0)
    return "fits"
  } catch (violation) {
    if (violation === tooLarge) return "too_large"
    if (violation === notJson) return "not_json"
    if (violation === reservedKey) return "reserved_key"
    throw violation
  }
}

const tooLarge = Symbol("too_large")
const notJson = Symbol("not_json")
const reservedKey = Symbol("reserved_key")

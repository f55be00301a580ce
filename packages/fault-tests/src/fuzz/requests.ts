/**
 * Makes requests from the OpenAPI document and then damages them: wrong types, sizes, encodings and depths, duplicate and dangerous
 * keys, invalid Unicode, and random data in every part.
 */
import type { ApiDocument, Operation, Schema } from "@mailkeep/test-support/apiDocument"
import { resolved } from "@mailkeep/test-support/apiDocument"

export interface FuzzRequest {
  readonly method: string
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer | undefined
  /** Whether the request has the method and path of the operation. */
  readonly isRouted: boolean
}

type Random = () => number

const oneOf = <A>(random: Random, values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
const chance = (random: Random, percent: number): boolean => random() * 100 < percent

const ugly: ReadonlyArray<string> = [
  "",
  " ",
  "\u0000",
  "a\r\nBcc: x@example.org",
  "\ud800",
  "\udfff\ud800",
  "\u202e\u2028\ufeff",
  "x".repeat(300),
  "x".repeat(70_000),
  "../../etc/passwd",
  "' OR 1=1 --",
  "{{constructor.constructor('return 1')()}}",
  "%00%ff%zz",
  "İ\u212a\u00adＡ",
  "null",
  "-1",
  "1e400",
  "0x10",
  "2026-02-31T00:00:00Z",
  "9999999999-01-01T00:00:00Z",
  "con_",
  "del_zzzzzzzzzzzzzzzzzzzzzzzzzz"
]

/** Short enough for a path: Node refuses a request head over 16 KiB. */
const uglyShort = ugly.filter(({ length }) => length > 1 && length < 1000)

const numbers: ReadonlyArray<number> = [0, -1, 1, 100, 101, 0.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, Number.MIN_VALUE]

const anything = (random: Random, depth = 0): unknown => {
  const kind = Math.floor(random() * (depth > 3 ? 5 : 7))
  if (kind === 0) return null
  if (kind === 1) return random() < 0.5
  if (kind === 2) return oneOf(random, numbers)
  if (kind < 5) return oneOf(random, ugly)
  if (kind === 5) return Array.from({ length: Math.floor(random() * 4) }, () => anything(random, depth + 1))
  return Object.fromEntries(
    Array.from({ length: Math.floor(random() * 4) }, () => [
      oneOf(random, ["__proto__", "constructor", "prototype", "a", "", "toString"]),
      anything(random, depth + 1)
    ])
  )
}

/** A value that is probably valid for the field with this name. */
const probableValue = (random: Random, name: string): unknown => {
  const person = () => `p${Math.floor(random() * 50)}@example.org`
  switch (name) {
    case "from":
      return "shop@example.com"
    case "to":
      return chance(random, 50) ? person() : Array.from({ length: 1 + Math.floor(random() * 3) }, person)
    case "cc":
    case "bcc":
    case "replyTo":
    case "email":
      return person()
    case "scheduledAt":
      return new Date(Date.now() + Math.floor(random() * 1e9)).toISOString()
    case "metadata":
      return { order: "1" }
    case "properties":
    case "attachments":
      return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
        filename: chance(random, 80) ? "a.pdf" : oneOf(random, ugly),
        content: chance(random, 80)
          ? Buffer.alloc(Math.floor(random() * 80_000), 7).toString("base64")
          : oneOf(random, ugly),
        ...(chance(random, 30) ? { content_id: oneOf(random, ["logo", ...ugly]) } : {})
      }))
    case "templateVariables":
      return {}
    case "emailStatus":
      return oneOf(random, ["subscribed", "unsubscribed"])
    default:
      return `some ${name}`
  }
}

const rarelyIncluded = new Set(["attachments", "templateId", "templateVariables", "cc", "bcc", "properties"])

const instance = (document: ApiDocument, schema: Schema, random: Random): Record<string, unknown> => {
  const { properties = {}, required = [] } = resolved(document, schema)
  return Object.fromEntries(
    Object.keys(properties)
      .filter((name) => required.includes(name) || chance(random, rarelyIncluded.has(name) ? 5 : 85))
      .map((name) => [name, probableValue(random, name)])
  )
}

const damagedFields = (body: Record<string, unknown>, random: Random): Record<string, unknown> => {
  const names = [...Object.keys(body), "unknown"]
  const name = oneOf(random, names)
  if (chance(random, 20)) return Object.fromEntries(Object.entries(body).filter(([other]) => other !== name))
  if (chance(random, 10))
    return { ...body, [name]: Array.from({ length: 2000 }, () => oneOf(random, ugly.slice(0, 7))) }
  return { ...body, [name]: anything(random) }
}

/** Damages the text of a body. */
const damagedText = (text: string, random: Random): Buffer => {
  const variants: ReadonlyArray<() => Buffer> = [
    () => Buffer.from(text.slice(0, Math.floor(random() * text.length))),
    () => Buffer.from(text.replace("{", '{"subject":1,"subject":"twice",')),
    () => Buffer.from(text.replace("{", '{"__proto__":{"admin":true},')),
    () => Buffer.from(text.replace("{", '{"constructor":{"prototype":{"admin":true}},')),
    () => Buffer.from(`{"metadata":${"[".repeat(20_000)}${"]".repeat(20_000)}}`),
    () => Buffer.from(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`),
    () => Buffer.from('{"limit":1e999,"n":123456789012345678901234567890}'),
    () => Buffer.concat([Buffer.from(text.slice(0, -1)), Buffer.from([0xff, 0xfe, 0xc3, 0x28, 0x7d])]),
    () => Buffer.from(text, "utf16le"),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
    () => Buffer.from(text.replace(/"([^"]*)"/, '"\\ud800$1"')),
    () => Buffer.from(oneOf(random, ["", " ", "null", "[]", "1", '"text"', "undefined", "{]", "NaN", "\u0000"])),
    () => Buffer.from(Array.from({ length: 200 }, () => Math.floor(random() * 256)))
  ]
  return oneOf(random, variants)()
}

const bodyOf = (document: ApiDocument, { body }: Operation, random: Random): Buffer | undefined => {
  if (body === undefined) return chance(random, 5) ? Buffer.from("{}") : undefined
  if (chance(random, 0.1)) return Buffer.alloc(11 * 1024 * 1024, " ")
  const good = instance(document, body, random)
  const choice = random()
  if (choice < 0.25) return Buffer.from(JSON.stringify(good))
  if (choice < 0.7) return Buffer.from(JSON.stringify(damagedFields(good, random)))
  return damagedText(JSON.stringify(good), random)
}

const encoded = (random: Random, text: string): string =>
  chance(random, 10) ? text.replaceAll(/[^\w%.~-]/g, "%") : encodeURIComponent(text.toWellFormed())

const targetCharactersMax = 8000

const targetOf = ({ path, pathNames, queryNames }: Operation, random: Random, ids: ReadonlyArray<string>): string => {
  const filled = pathNames.reduce(
    (target, name) =>
      target.replace(
        `{${name}}`,
        encoded(random, chance(random, 50) && ids.length > 0 ? oneOf(random, ids) : oneOf(random, uglyShort)) || "x"
      ),
    path
  )
  const query = [...queryNames, "unknown", "limit"]
    .filter(() => chance(random, queryNames.length === 0 ? 3 : 15))
    .map((name) => {
      const good = { limit: "10", page: "1", status: "queued", source: "api", emailStatus: "subscribed" }[name]
      return `${name}=${encoded(random, good !== undefined && chance(random, 50) ? good : oneOf(random, ugly))}`
    })
  return `${filled}${query.length === 0 ? "" : `?${query.join("&")}`}`.slice(0, targetCharactersMax)
}

const headersOf = ({ needsKey }: Operation, random: Random, key: string, n: number): Record<string, string> => {
  const headers: Record<string, string> = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  if (needsKey) headers["idempotency-key"] = chance(random, 80) ? `k${n}` : `k${Math.floor(random() * 20)}`
  const choice = random()
  if (choice < 0.05)
    headers["authorization"] = oneOf(random, [
      "",
      "Bearer",
      `Basic ${key}`,
      `Bearer ${key}x`,
      "Bearer \u00fc",
      `Bearer ${"k".repeat(3000)}`
    ])
  else if (choice < 0.1 && needsKey)
    headers["idempotency-key"] = oneOf(random, ["", " ", "k".repeat(129), "\u00fc", "a b", "\t"])
  else if (choice < 0.15)
    headers["content-type"] = oneOf(random, [
      "",
      "text/plain",
      "application/json; charset=utf-16",
      "multipart/form-data",
      "application/xml",
      "a/b/c"
    ])
  else if (choice < 0.18) headers["x-request-id"] = oneOf(random, ["", "x".repeat(65), "ok-1", "<script>", "\u00fc"])
  else if (choice < 0.2) headers["content-encoding"] = oneOf(random, ["gzip", "br", "identity"])
  return headers
}

/** Makes a request from the next random numbers. `ids` are identifiers from earlier answers of the server. */
export const fuzzRequest = (
  document: ApiDocument,
  operation: Operation,
  random: Random,
  key: string,
  ids: ReadonlyArray<string>,
  n: number
): FuzzRequest => {
  const isRouted = !chance(random, 3)
  return {
    method: isRouted ? operation.method : oneOf(random, ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
    target: isRouted
      ? targetOf(operation, random, ids)
      : `${operation.path}/${oneOf(random, ["", "x", "..", "%2e%2e"])}`,
    headers: headersOf(operation, random, key, n),
    body: bodyOf(document, operation, random),
    isRouted
  }
}

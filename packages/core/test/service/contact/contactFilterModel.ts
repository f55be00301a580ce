/**
 * A simple model of the filters of contacts: it filters an array by the rules of decisions 0012 and 0026, one operator after another.
 */
import fc from "fast-check"

type Value = string | number

/** A filter of a segment, with the names of lists instead of their ids. */
export type ModelFilter =
  | { readonly all: ReadonlyArray<ModelFilter> }
  | { readonly any: ReadonlyArray<ModelFilter> }
  | { readonly not: ModelFilter }
  | { readonly list: string }
  | { readonly field: string; readonly op: string; readonly value?: Value | ReadonlyArray<Value> }

/** A contact of the model. Its properties are by key in lower case. */
export interface ModelContact {
  readonly id: string
  readonly lists: ReadonlyArray<string>
  readonly texts: Readonly<Record<string, string | null>>
  readonly properties: Readonly<Record<string, Value>>
  readonly times: Readonly<Record<string, number>>
}

/** The properties of the project. */
export const modelProperties = [
  { key: "tier", type: "string", fallbackValue: null },
  { key: "withFallback", type: "string", fallbackValue: "Gold" },
  { key: "Visits", type: "number", fallbackValue: null },
  { key: "score", type: "number", fallbackValue: "7" },
  { key: "born", type: "date", fallbackValue: null },
  { key: "SEEN", type: "date", fallbackValue: "2026-03-01T01:00:00+01:00" }
] as const

const fallbacks: Readonly<Record<string, Value>> = {
  withfallback: "Gold",
  score: 7,
  seen: "2026-03-01T01:00:00+01:00"
}

const letters = ["", "a", "A", "Ann", "ann lee", "ÄNNE", "änne", "Straße", "STRASSE", "İ", "ı", "e\u0301", "é", "🎉"]
const greek = ["ΝΙΚΟΣ", "ΝΙΚΟΣΙΑ", "νικος", "Σ"]
const signs = [
  "%",
  "_",
  "a%b",
  "a_b",
  "axb",
  "'",
  '"',
  "\\",
  "  a  ",
  "0",
  "7",
  "null",
  "true",
  "__proto__",
  "constructor"
]
const text = fc.constantFrom(...letters, ...greek, ...signs)
const number = fc.constantFrom(0, -0, 1, 7, -1.5, 1e21, 2 ** 53, 0.1, 5e-324)
/** Each date with its instant. The clock of a test starts at noon. */
const instants: Readonly<Record<string, number>> = {
  "1815-12-10": Date.UTC(1815, 11, 10),
  "2024-02-29": Date.UTC(2024, 1, 29),
  "2016-12-31T23:59:60Z": Date.UTC(2017, 0, 1),
  "2026-02-28T23:59:59.999Z": Date.UTC(2026, 2, 1) - 1,
  "2026-03-01": Date.UTC(2026, 2, 1),
  "2026-03-01T00:00:00Z": Date.UTC(2026, 2, 1),
  "2026-03-01T01:00:00+01:00": Date.UTC(2026, 2, 1),
  "2026-03-01T05:30+0530": Date.UTC(2026, 2, 1),
  "2026-03-01T00:00:00.001Z": Date.UTC(2026, 2, 1) + 1,
  "2026-11-21": Date.UTC(2026, 10, 21),
  "2026-11-21T12:00:00Z": Date.UTC(2026, 10, 21, 12),
  "2026-11-21T12:00:00.001Z": Date.UTC(2026, 10, 21, 12) + 1,
  "9999-12-31T23:59:59.999-23:59": Date.UTC(10_000, 0) - 1 + (23 * 60 + 59) * 60_000
}
const date = fc.constantFrom(...Object.keys(instants))

const builtInTexts = ["email", "first_name", "last_name", "phone_number", "user_id", "email_status", "source"]
const textFields = [...builtInTexts, "properties.tier", "properties.Tier", "properties.withFallback"]
const numberFields = ["properties.visits", "properties.VISITS", "properties.score"]
const dateFields = ["created_at", "updated_at", "properties.born", "properties.seen"]

const comparison = (fields: ReadonlyArray<string>, ops: ReadonlyArray<string>, value: fc.Arbitrary<Value>) =>
  fc.record({ field: fc.constantFrom(...fields), op: fc.constantFrom(...ops), value })
const choice = (fields: ReadonlyArray<string>, value: fc.Arbitrary<Value>) =>
  fc.record({
    field: fc.constantFrom(...fields),
    op: fc.constant("in"),
    value: fc.array(value, { minLength: 1, maxLength: 4 })
  })
const knownText = fc.oneof(text, fc.constantFrom("subscribed", "UNSUBSCRIBED", "manual", "@x.example", "GOLD"))

const leaf: fc.Arbitrary<ModelFilter> = fc.oneof(
  comparison(textFields, ["eq", "ne", "contains", "starts_with", "ends_with"], knownText),
  choice(textFields, text),
  comparison(numberFields, ["eq", "ne", "lt", "lte", "gt", "gte"], number),
  choice(numberFields, number),
  comparison(dateFields, ["before", "after"], date),
  fc.record({
    field: fc.constantFrom(...textFields, ...numberFields, ...dateFields),
    op: fc.constantFrom("set", "unset")
  }),
  fc.record({ list: fc.constantFrom("first", "second", "deleted", "unknown") })
)

const filter: fc.Arbitrary<ModelFilter> = fc.letrec<{ node: ModelFilter }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({ not: tie("node") }),
    fc.record({ all: fc.array(tie("node"), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie("node"), { maxLength: 3 }) })
  )
})).node

/** A contact to create. */
export const newContact = fc.record(
  {
    texts: fc.record({
      firstName: text,
      lastName: text,
      phoneNumber: text,
      userId: fc.option(text, { nil: undefined })
    }),
    properties: fc.record(
      { tier: text, WITHFALLBACK: text, visits: number, Score: number, born: date, seen: date },
      { requiredKeys: [], noNullPrototype: true }
    ),
    isUnsubscribed: fc.boolean(),
    lists: fc.subarray(["first", "second", "deleted"]),
    /** Contacts can have the same time of creation. */
    waitMillis: fc.constantFrom(0, 0, 1)
  },
  { noNullPrototype: true }
)

/** A listing of contacts. */
export const question = fc.record({
  filter: fc.option(filter),
  search: fc.option(fc.oneof(text, fc.constantFrom("P1@", "x.example", "n l", "nn", "νικ", "ΟΣ", "ς"))),
  emailStatus: fc.option(fc.constantFrom("subscribed", "unsubscribed")),
  list: fc.option(fc.constantFrom("first", "second", "deleted", "unknown")),
  page: fc.constantFrom(1, 1, 1, 2, 3, Number.MAX_SAFE_INTEGER),
  limit: fc.constantFrom(1, 2, 3, 50, 100)
})
export type Question = typeof question extends fc.Arbitrary<infer A> ? A : never

/** Each letter alone, so that no letter changes the small form of another. */
const folded = (value: string): string =>
  Array.from(value, (letter) => letter.toLowerCase())
    .join("")
    .replaceAll("ς", "σ")

const equals = (left: Value, right: Value): boolean =>
  typeof left === "number" ? left === right : folded(left) === folded(String(right))

const compares: Readonly<Record<string, (left: Value, right: Value) => boolean>> = {
  eq: equals,
  contains: (left, right) => folded(String(left)).includes(folded(String(right))),
  starts_with: (left, right) => folded(String(left)).startsWith(folded(String(right))),
  ends_with: (left, right) => folded(String(left)).endsWith(folded(String(right))),
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  before: (left, right) => Number(left) < instants[right]!,
  after: (left, right) => Number(left) > instants[right]!
}

/** The value of a field; `undefined` without one. A date is its instant. */
const valueOf = (contact: ModelContact, field: string): Value | undefined => {
  const key = field.replace("properties.", "").toLowerCase()
  const value = field.startsWith("properties.")
    ? (contact.properties[key] ?? fallbacks[key])
    : (contact.times[field] ?? contact.texts[field])
  if (value === undefined || value === null || value === "") return undefined
  return dateFields.includes(field) && typeof value === "string" ? instants[value] : value
}

const matchesFilter = (contact: ModelContact, node: ModelFilter): boolean => {
  if ("all" in node) return node.all.every((one) => matchesFilter(contact, one))
  if ("any" in node) return node.any.some((one) => matchesFilter(contact, one))
  if ("not" in node) return !matchesFilter(contact, node.not)
  if ("list" in node) return node.list !== "deleted" && contact.lists.includes(node.list)
  const { op, value } = node
  const left = valueOf(contact, node.field)
  if (op === "set" || op === "unset") return (left === undefined) === (op === "unset")
  if (left === undefined) return op === "ne"
  if (op === "in") return (value as ReadonlyArray<Value>).some((one) => equals(left, one))
  return op === "ne" ? !equals(left, value as Value) : compares[op]!(left, value as Value)
}

/** Whether a listing selects a contact, on whatever page. */
export const matches = (contact: ModelContact, { filter, search, emailStatus, list }: Question): boolean => {
  const { texts, lists } = contact
  const names = [
    texts["email"],
    texts["first_name"],
    texts["last_name"],
    `${texts["first_name"]} ${texts["last_name"]}`
  ]
  return (
    (filter === null || matchesFilter(contact, filter)) &&
    (emailStatus === null || texts["email_status"] === emailStatus) &&
    (list === null || (list !== "deleted" && lists.includes(list))) &&
    (search === null || names.some((name) => folded(name!).includes(folded(search))))
  )
}

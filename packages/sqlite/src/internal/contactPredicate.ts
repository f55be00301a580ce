/**
 * A segment's filter as SQL. What it means is in `predicateMatches` of the domain.
 */
import type { ComparedField, ContactPredicate, SegmentOp, SegmentValue } from "@mailkeep/core/domain"
import { folded } from "@mailkeep/core/domain"
import type { Value } from "./recordTable.ts"

/** SQL over a row of `contacts`, and the values of its places. Never NULL. */
export interface Compiled {
  readonly sql: string
  readonly values: ReadonlyArray<Value>
}

const columns = {
  email: "email",
  firstName: "first_name",
  lastName: "last_name",
  phoneNumber: "phone_number",
  userId: "user_id",
  emailStatus: "email_status",
  source: "source",
  createdAt: "contacts.created_at",
  updatedAt: "updated_at"
} as const

const joined = (parts: ReadonlyArray<ContactPredicate>, by: "AND" | "OR", none: "1" | "0"): Compiled => {
  const compiled = parts.map(compilePredicate)
  return {
    sql: parts.length === 0 ? none : `(${compiled.map(({ sql }) => sql).join(` ${by} `)})`,
    values: compiled.flatMap(({ values }) => values)
  }
}

/** The left side, NULL for no value. */
const leftSide = (of: ComparedField, kind: "text" | "number" | "date"): Compiled => {
  const raw: Compiled =
    "field" in of
      ? { sql: columns[of.field], values: [] }
      : {
          sql: "coalesce((SELECT value FROM json_each(properties) WHERE key = ?), ?)",
          values: [of.property, of.fallback]
        }
  const form = { text: `folded(nullif(${raw.sql}, ''))`, number: raw.sql, date: `date_instant(${raw.sql})` }
  return { sql: form[kind], values: raw.values }
}

const operators: Readonly<Partial<Record<SegmentOp, string>>> = {
  eq: "=",
  lt: "<",
  lte: "<=",
  gt: ">",
  gte: ">=",
  before: "<",
  after: ">"
}

const fold = (value: string | number): Value => (typeof value === "string" ? folded(value) : value)

const comparison = (left: Compiled, op: SegmentOp, value: SegmentValue | null): Compiled => {
  if (op === "set" || op === "unset")
    return { sql: `(${left.sql} IS ${op === "set" ? "NOT " : ""}NULL)`, values: left.values }
  if (op === "in") {
    const choices = (value as ReadonlyArray<string | number>).map(fold)
    const sql = `coalesce(${left.sql} IN (${choices.map(() => "?").join(", ")}), 0)`
    return { sql, values: [...left.values, ...choices] }
  }
  const right = fold(value as string | number)
  switch (op) {
    case "ne":
      return { sql: `(${left.sql} IS NOT ?)`, values: [...left.values, right] }
    case "contains":
      return { sql: `coalesce(instr(${left.sql}, ?) > 0, 0)`, values: [...left.values, right] }
    case "starts_with":
      return { sql: `coalesce(instr(${left.sql}, ?) = 1, 0)`, values: [...left.values, right] }
    case "ends_with": {
      const text = String(right)
      if (text === "") return { sql: `(${left.sql} IS NOT NULL)`, values: left.values }
      return {
        sql: `coalesce(substr(${left.sql}, -length(?)) = ?, 0)`,
        values: [...left.values, text, text]
      }
    }
    default:
      return { sql: `coalesce(${left.sql} ${operators[op]!} ?, 0)`, values: [...left.values, right] }
  }
}

export const compilePredicate = (predicate: ContactPredicate): Compiled => {
  switch (predicate._tag) {
    case "All":
      return joined(predicate.of, "AND", "1")
    case "Any":
      return joined(predicate.of, "OR", "0")
    case "Not": {
      const { sql, values } = compilePredicate(predicate.of)
      return { sql: `NOT ${sql}`, values }
    }
    case "OnList":
      return {
        sql: "EXISTS (SELECT 1 FROM contacts_on_lists AS entry WHERE entry.list_id = ? AND entry.created_at = contacts.created_at AND entry.contact_id = contacts.id)",
        values: [predicate.listId]
      }
    case "Compare":
      return comparison(leftSide(predicate.of, predicate.kind), predicate.op, predicate.value)
  }
}

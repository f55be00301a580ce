/**
 * Finds small changes of the SQL in a text: a missing condition, another bound, another order, another comparison of case.
 */
import type { Edit } from "./Mutant.ts"
import type { Found, SqlDialect } from "./sqlDialects.ts"
import { sqlDialects } from "./sqlDialects.ts"

interface Span {
  readonly start: number
  readonly end: number
}

const isNull = /([\w."]+) IS (NOT )?NULL/g
const bounds: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" }

/** Columns of numbers, for which another comparison of case changes nothing. */
const isNumber =
  /_at$|_until$|revision|number|value|fencing_token|row_?id|distributed|version|created_?at|dueAt|instr|rank/i
/** Columns whose words come from a closed list, all in lower case. */
const isWord = /\b(?:status|phase|kind)$/
const isTextOrder = /^[\w.]+$/

const ofComparisons = (text: string, dialect: SqlDialect): ReadonlyArray<Found> =>
  [...text.matchAll(dialect.comparison)].flatMap((match): ReadonlyArray<Found> => {
    const [whole, left, operator, right] = match as unknown as [string, string, string, string]
    const [from, to] = [match.index, match.index + whole.length]
    const before = text.slice(0, from)
    const keyword = [...before.matchAll(/\b(?:WHERE|AND|OR|SET|ON|DO UPDATE|CHECK)\b/g)].at(-1)?.[0]
    if (keyword === "CHECK") return []
    if (keyword === "SET") return dialect.ignoredAssignment(text, match)
    const other = bounds[operator]
    const hasCase = operator === "=" || operator === "<>"
    return [
      ["condition removed", from, to, dialect.alwaysTrue(whole)],
      ...dialect.shortenedRows(match),
      ...(other === undefined ? [] : [["bound", from, to, `${left} ${other} ${right}`] as const]),
      ...(hasCase && dialect.hasCase(left, right) && !isNumber.test(left) && !isWord.test(left)
        ? [["case ignored", from, to, dialect.comparedWithoutCase(match)] as const]
        : [])
    ]
  })

const ofNulls = (text: string, dialect: SqlDialect): ReadonlyArray<Found> =>
  [...text.matchAll(isNull)].flatMap((match): ReadonlyArray<Found> => {
    const [whole, column, not] = match
    const [from, to] = [match.index, match.index + whole.length]
    if (/CREATE (?:UNIQUE )?INDEX[^;]*$|CHECK \([^)]*$/.test(text.slice(0, from))) return []
    return [
      ["condition removed", from, to, dialect.alwaysTrue(whole)],
      ["condition negated", from, to, `${column} IS ${not === undefined ? "NOT " : ""}NULL`]
    ]
  })

const ofOrders = (text: string, dialect: SqlDialect): ReadonlyArray<Found> =>
  [...text.matchAll(dialect.order)].flatMap((match): ReadonlyArray<Found> => {
    const terms = match[1]!.split(", ")
    const [from, to] = [match.index, match.index + match[0].length]
    const by = (ordered: ReadonlyArray<string>) => (ordered.length === 0 ? "" : `ORDER BY ${ordered.join(", ")}`)
    const replacing = (n: number, term: string) => by(terms.with(n, term))
    return terms.flatMap((term, n): ReadonlyArray<Found> => {
      const column = term.replace(/ DESC$/, "")
      const direction = term.slice(column.length)
      return [
        ["order term removed", from, to, by(terms.toSpliced(n, 1))],
        ["order reversed", from, to, replacing(n, direction === "" ? `${column} DESC` : column)],
        ...(isTextOrder.test(column) && isNumber.test(column)
          ? [["ordered as text", from, to, replacing(n, `CAST(${column} AS TEXT)${direction}`)] as const]
          : []),
        ...(isTextOrder.test(column) && !isNumber.test(column)
          ? [["case ignored", from, to, replacing(n, `${dialect.withoutCase(column)}${direction}`)] as const]
          : [])
      ]
    })
  })

const ofPatterns = (text: string, { patterns }: SqlDialect): ReadonlyArray<Found> =>
  patterns.flatMap(([operator, pattern, instead]) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      instead(match).map((other): Found => [operator, match.index, match.index + match[0].length, other])
    )
  )

/** The edits of the SQL in a text of a source file. Leaves out edits that would cut an inserted expression. */
export const sqlEdits = (
  source: string,
  node: Span & { readonly [field: string]: unknown },
  dialectName: keyof typeof sqlDialects
): ReadonlyArray<Edit> => {
  const text = source.slice(node.start, node.end)
  const dialect: SqlDialect = sqlDialects[dialectName]
  if (!dialect.isSql.test(text)) return []
  const inserted = ((node["expressions"] ?? []) as ReadonlyArray<Span>).map(
    ({ start, end }) => [start - node.start - 2, end - node.start + 1] as const
  )
  const cuts = (from: number, to: number) =>
    inserted.some(([start, end]) => (from > start && from < end) || (to > start && to < end))
  return [ofComparisons, ofNulls, ofOrders, ofPatterns]
    .flatMap((find) => find(text, dialect))
    .filter(([, from, to]) => from > 0 && !cuts(from, to))
    .map(([operator, from, to, other]) => ({
      operator: `sql: ${operator}`,
      start: node.start + from,
      end: node.start + to,
      text: other
    }))
}

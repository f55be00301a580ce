/**
 * Finds small changes of the SQL in a text: a missing condition, another bound, another order, another comparison of case.
 */
import type { Edit } from "./Mutant.ts"

interface Span {
  readonly start: number
  readonly end: number
}

const isSql =
  /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY|ON CONFLICT|CREATE)\b|(?:=|<|>|<=|>=|<>) \(?\?|IS (?:NOT )?NULL/

/** A comparison of a column, a row value or an inserted name with a parameter, a constant or another column. */
const comparison =
  /((?:\([\w${}. ]+, [\w${}. ]+\)|instr\([^)]*\)|\$\{[\w.]+\}|[\w."]+)) (<=|>=|<>|=|<|>) (\(\?, \?\)|\?|'\w+'|\d+|\w+\.\w+|delivery_id)/g

const isNull = /([\w."]+) IS (NOT )?NULL/g
const bounds: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" }

/** Columns of numbers, for which another comparison of case changes nothing. */
const isNumber =
  /_at$|_until$|revision|number|value|fencing_token|row_?id|distributed|version|created_?at|dueAt|instr|rank/i
/** Columns whose words come from a closed list, all in lower case. */
const isWord = /\b(?:status|phase|kind)$/
const isTextOrder = /^[\w.]+$/

type Found = readonly [operator: string, from: number, to: number, text: string]

const ofComparisons = (text: string): ReadonlyArray<Found> =>
  [...text.matchAll(comparison)].flatMap((match): ReadonlyArray<Found> => {
    const [whole, left, operator, right] = match as unknown as [string, string, string, string]
    const [from, to] = [match.index, match.index + whole.length]
    const before = text.slice(0, from)
    const keyword = [...before.matchAll(/\b(?:WHERE|AND|OR|SET|ON|DO UPDATE|CHECK)\b/g)].at(-1)?.[0]
    if (keyword === "CHECK") return []
    if (keyword === "SET")
      return right === "?" || right.startsWith("excluded.")
        ? [["assignment ignored", from, to, `${left} = coalesce(${left}, ${right})`]]
        : []
    const other = bounds[operator]
    const hasCase = operator === "=" || operator === "<>"
    return [
      ["condition removed", from, to, `(${whole} OR 1)`],
      ...(other === undefined ? [] : [["bound", from, to, `${left} ${other} ${right}`] as const]),
      ...(hasCase && right !== "1" && right !== "0" && !isNumber.test(left) && !isWord.test(left)
        ? [["case ignored", from, to, `${whole} COLLATE NOCASE`] as const]
        : [])
    ]
  })

const ofNulls = (text: string): ReadonlyArray<Found> =>
  [...text.matchAll(isNull)].flatMap((match): ReadonlyArray<Found> => {
    const [whole, column, not] = match
    const [from, to] = [match.index, match.index + whole.length]
    if (/CREATE (?:UNIQUE )?INDEX[^;]*$|CHECK \([^)]*$/.test(text.slice(0, from))) return []
    return [
      ["condition removed", from, to, `(${whole} OR 1)`],
      ["condition negated", from, to, `${column} IS ${not === undefined ? "NOT " : ""}NULL`]
    ]
  })

const ofOrders = (text: string): ReadonlyArray<Found> =>
  [...text.matchAll(/ORDER BY ([\w.${}]+(?: DESC)?(?:, [\w.${}]+(?: DESC)?)*)/g)].flatMap(
    (match): ReadonlyArray<Found> => {
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
            ? [["case ignored", from, to, replacing(n, `${column} COLLATE NOCASE${direction}`)] as const]
            : [])
        ]
      })
    }
  )

/** Patterns that are replaced wherever they occur. */
const patterns: ReadonlyArray<
  readonly [operator: string, pattern: RegExp, instead: (match: RegExpMatchArray) => ReadonlyArray<string>]
> = [
  ["limit", /(?:LIMIT|OFFSET) \?/g, ([text]) => [`${text} + 1`, `${text} - 1`]],
  ["function", /\bmin\(/g, () => ["max("]],
  ["function", /\bmax\(/g, () => ["min("]],
  ["constant", /\+ 1\b/g, () => ["+ 2", "+ 0"]],
  ["condition negated", /NOT IN \(/g, () => ["IN ("]],
  ["conflict ignored", / ?ON CONFLICT DO NOTHING/g, () => [""]],
  ["constraint removed", / UNIQUE(?=,)/g, () => [""]],
  ["constraint removed", /UNIQUE INDEX/g, () => ["INDEX"]],
  [
    "key shortened",
    /(UNIQUE|PRIMARY KEY) \((\w+), (\w+)(, \w+)?\)/g,
    ([, kind, one, two, three = ""]) => [
      `${kind} (${one}${three})`,
      `${kind} (${two}${three})`,
      ...(three === "" ? [] : [`${kind} (${one}, ${two})`])
    ]
  ],
  [
    "word removed",
    /IN \(('\w+'(?:, '\w+')+)\)/g,
    ([, words]) => {
      const all = words!.split(", ")
      return all.map((_, n) => `IN (${all.toSpliced(n, 1).join(", ")})`)
    }
  ],
  [
    "column compared without case",
    /^ {2}"?\w*(?:id|key|address|domain|name|subscriber|worker|parent|kind)"? TEXT(?: NOT NULL| PRIMARY KEY)?/gm,
    ([text]) => [`${text} COLLATE NOCASE`]
  ],
  ["index option", /case_sensitive 1/g, () => ["case_sensitive 0"]],
  ["set operation", /UNION ALL/g, () => ["UNION"]],
  ["group removed", /GROUP BY \w+/g, () => [""]]
]

const ofPatterns = (text: string): ReadonlyArray<Found> =>
  patterns.flatMap(([operator, pattern, instead]) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      instead(match).map((other): Found => [operator, match.index, match.index + match[0].length, other])
    )
  )

/** The edits of the SQL in a text of a source file. Leaves out edits that would cut an inserted expression. */
export const sqlEdits = (source: string, node: Span & { readonly [field: string]: unknown }): ReadonlyArray<Edit> => {
  const text = source.slice(node.start, node.end)
  if (!isSql.test(text)) return []
  const inserted = ((node["expressions"] ?? []) as ReadonlyArray<Span>).map(
    ({ start, end }) => [start - node.start - 2, end - node.start + 1] as const
  )
  const cuts = (from: number, to: number) =>
    inserted.some(([start, end]) => (from > start && from < end) || (to > start && to < end))
  return [...ofComparisons(text), ...ofNulls(text), ...ofOrders(text), ...ofPatterns(text)]
    .filter(([, from, to]) => from > 0 && !cuts(from, to))
    .map(([operator, from, to, other]) => ({
      operator: `sql: ${operator}`,
      start: node.start + from,
      end: node.start + to,
      text: other
    }))
}

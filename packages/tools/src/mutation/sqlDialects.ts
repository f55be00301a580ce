/**
 * What the finders of SQL changes must know of each database: how its conditions and parameters look, and how a change is written.
 */

export type Found = readonly [operator: string, from: number, to: number, text: string]

type Pattern = readonly [operator: string, pattern: RegExp, instead: (match: RegExpMatchArray) => ReadonlyArray<string>]

export interface SqlDialect {
  /** Whether a text contains SQL. */
  readonly isSql: RegExp
  /** A comparison of a column, a row value or an inserted name with a parameter, a constant or another column: left side, operator, right side. */
  readonly comparison: RegExp
  /** The terms of an order. */
  readonly order: RegExp
  readonly alwaysTrue: (condition: string) => string
  /** A column without regard to the case of its letters. */
  readonly withoutCase: (column: string) => string
  readonly comparedWithoutCase: (comparison: RegExpExecArray) => string
  /** Whether the sides of a comparison can be texts with letters. */
  readonly hasCase: (left: string, right: string) => boolean
  /** An assignment that keeps the former value. */
  readonly ignoredAssignment: (text: string, assignment: RegExpExecArray) => ReadonlyArray<Found>
  /** A comparison of row values without each of their parts. */
  readonly shortenedRows: (comparison: RegExpExecArray) => ReadonlyArray<Found>
  /** Patterns that are replaced wherever they occur. */
  readonly patterns: ReadonlyArray<Pattern>
}

const spanOf = (match: RegExpExecArray): readonly [from: number, to: number] => [
  match.index,
  match.index + match[0].length
]

/** Replaced in both databases. */
const sharedPatterns: ReadonlyArray<Pattern> = [
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
  ["set operation", /UNION ALL/g, () => ["UNION"]],
  ["group removed", /GROUP BY \w+/g, () => [""]]
]

const sqlite: SqlDialect = {
  isSql:
    /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY|ON CONFLICT|CREATE)\b|(?:=|<|>|<=|>=|<>) \(?\?|IS (?:NOT )?NULL/,
  comparison:
    /((?:\([\w${}. ]+, [\w${}. ]+\)|instr\([^)]*\)|\$\{[\w.]+\}|[\w."]+)) (<=|>=|<>|=|<|>) (\(\?, \?\)|\?|'\w+'|\d+|\w+\.\w+|delivery_id)/g,
  order: /ORDER BY ([\w.${}]+(?: DESC)?(?:, [\w.${}]+(?: DESC)?)*)/g,
  alwaysTrue: (condition) => `(${condition} OR 1)`,
  withoutCase: (column) => `${column} COLLATE NOCASE`,
  comparedWithoutCase: ([comparison]) => `${comparison} COLLATE NOCASE`,
  hasCase: (_, right) => right !== "1" && right !== "0",
  ignoredAssignment: (_, match) => {
    const [, left, , right] = match as unknown as [string, string, string, string]
    return right === "?" || right.startsWith("excluded.")
      ? [["assignment ignored", ...spanOf(match), `${left} = coalesce(${left}, ${right})`]]
      : []
  },
  shortenedRows: () => [],
  patterns: [
    ["limit", /(?:LIMIT|OFFSET) \?/g, ([text]) => [`${text} + 1`, `${text} - 1`]],
    ...sharedPatterns,
    [
      "column compared without case",
      /^ {2}"?\w*(?:id|key|address|domain|name|subscriber|worker|parent|kind)"? TEXT(?: NOT NULL| PRIMARY KEY)?/gm,
      ([text]) => [`${text} COLLATE NOCASE`]
    ],
    ["index option", /case_sensitive 1/g, () => ["case_sensitive 0"]]
  ]
}

/** The entry of the mutants creates this collation. It takes texts that differ only in their case for equal. */
const noCase = "public.without_case"

/** The parts of a row value, or `undefined`. No part contains `, `. */
const partsOf = (row: string): ReadonlyArray<string> | undefined =>
  row.startsWith("(") && row.includes(", ") ? row.slice(1, -1).split(", ") : undefined

const postgres: SqlDialect = {
  isSql:
    /\b(?:SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY|ON CONFLICT|CREATE|LIMIT)\b|[\w")}] (?:=|<|>|<=|>=|<>) (?:ANY|ALL|[\w"$('])|IS (?:NOT )?NULL/,
  comparison:
    /(\((?:[\w."]+, )+[\w."]+\)|(?:[\w."]|\$\{[^{}]*\})+(?:::\w+)?) (<=|>=|<>|=|<|>) ((?:ANY|ALL) \((?:[^()]|\([^()]*\))*\)|\((?:(?:\$\{[^{}]*\}|[\w."$])+, )+(?:\$\{[^{}]*\}|[\w."$])+\)|\$\d+(?:::\w+)?|(?:[\w."]|\$\{[^{}]*\})+|'\w+')/g,
  order: /ORDER BY ([\w."]+(?: DESC)?(?:, [\w."]+(?: DESC)?)*)/g,
  alwaysTrue: (condition) => `(${condition} OR true)`,
  withoutCase: (column) => `${column} COLLATE ${noCase}`,
  comparedWithoutCase: (match) => `${match[1]} COLLATE ${noCase} ${match[2]} ${match[3]}`,
  hasCase: (left, right) => !left.startsWith("(") && !left.endsWith("::int") && !/^\d+$/.test(right),
  ignoredAssignment: (text, match) => {
    const [from, to] = spanOf(match)
    const comma = /^,\s+/.exec(text.slice(to))
    return comma === null ? [] : [["assignment ignored", from, to + comma[0].length, ""]]
  },
  shortenedRows: (match) => {
    const [left, right] = [partsOf(match[1]!), partsOf(match[3]!)]
    if (left === undefined || right === undefined) return []
    return left.map((_, n): Found => [
      "condition removed",
      ...spanOf(match),
      `(${left.toSpliced(n, 1).join(", ")}) ${match[2]} (${right.toSpliced(n, 1).join(", ")})`
    ])
  },
  patterns: [
    ["limit", /(?:LIMIT|OFFSET) (?:\$\d+|\$\{[^{}]*\}|\d+)/g, ([text]) => [`${text} + 1`, `${text} - 1`]],
    ...sharedPatterns,
    ["function", /\b(?:least|LEAST)\(/g, () => ["greatest("]],
    ["function", /\b(?:greatest|GREATEST)\(/g, () => ["least("]],
    ["function", /bool_or\(/g, () => ["bool_and("]],
    ["condition negated", /NOT EXISTS \(/g, () => ["EXISTS ("]],
    ["join", /LEFT JOIN/g, () => ["JOIN"]],
    ["set operation", /DISTINCT /g, () => [""]],
    ["lock removed", / FOR (?:NO KEY )?UPDATE(?: OF \w+)?(?: SKIP LOCKED)?/g, () => [""]],
    [
      "column compared otherwise",
      /^ {2}"?\w*(?:id|key|address|domain|name|subscriber|worker|parent|kind)"? text COLLATE "C"/gm,
      ([text]) => [text.replace('"C"', noCase), text.replace(' COLLATE "C"', "")]
    ]
  ]
}

export const sqlDialects = { sqlite, postgres } as const satisfies Readonly<Record<string, SqlDialect>>

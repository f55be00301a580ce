/**
 * Checks that every regular expression of the published packages takes linear time for every input, or that its input has a bound. An input is often
 * the text of a stranger, and an expression that takes the square of its length stops the event loop. Source: invariant I64.
 */
import { fileURLToPath } from "node:url"
import { parseSync, Visitor } from "oxc-parser"
import { check } from "recheck"
import type { BoundedExpression } from "./boundedExpressions.ts"
import { boundedExpressions } from "./boundedExpressions.ts"
import { publishedPackages } from "./releasePackages.ts"
import { files, read } from "./workspace.ts"

/** A regular expression in a source. */
export interface Expression {
  readonly file: string
  readonly line: number
  /** The literal, or the call that builds the expression, on one line. */
  readonly text: string
  /** `null` for an expression that the program builds. */
  readonly regex: { readonly pattern: string; readonly flags: string } | null
}

/** The expressions of a source in their order. */
export const expressionsOf = (file: string, source: string): ReadonlyArray<Expression> => {
  const found: Array<Expression> = []
  const add = ({ start, end }: { readonly start: number; readonly end: number }, regex: Expression["regex"]) => {
    const line = source.slice(0, start).split("\n").length
    found.push({ file, line, text: source.slice(start, end).replaceAll(/\s+/g, " "), regex })
  }
  new Visitor({
    Literal: (node) => {
      if ("regex" in node) add(node, node.regex)
    },
    NewExpression: (node) => {
      if (node.callee.type === "Identifier" && node.callee.name === "RegExp") add(node, null)
    }
  }).visit(parseSync(file, source).program)
  return found
}

/**
 * The search for a slow input begins with the same numbers and ends after as many steps. An input whose match takes 1 s counts as slow, so run the check on an idle
 * machine.
 */
const settings = { randomSeed: 1, maxIteration: 2, timeout: 60_000 } as const

/** Why an expression may be slow; `undefined` if it takes linear time for every input. */
const slowness = async ({ regex }: Expression): Promise<string | undefined> => {
  if (regex === null) return "is built by the program"
  const result = await check(regex.pattern, regex.flags, settings)
  switch (result.status) {
    case "safe":
      return undefined
    case "vulnerable":
      return `takes more than linear time (${result.complexity.summary}), as for ${result.attack.pattern}`
    case "unknown":
      return `could not be checked (${result.error.kind})`
  }
}

const isOf = ({ file, start }: BoundedExpression, expression: Expression): boolean =>
  file === expression.file && expression.text.startsWith(start)

/** One complaint for each expression that may be slow without a bound, and for each bound without such an expression. */
export const expressionComplaints = async (
  expressions: ReadonlyArray<Expression>,
  bounds: ReadonlyArray<BoundedExpression>
): Promise<ReadonlyArray<string>> => {
  const complaints: Array<string> = []
  const slow: Array<Expression> = []
  for (const expression of expressions) {
    const why = await slowness(expression)
    if (why === undefined) continue
    slow.push(expression)
    if (!bounds.some((entry) => isOf(entry, expression)))
      complaints.push(`${expression.file}:${expression.line} ${expression.text} ${why}`)
  }
  const stale = bounds.filter((entry) => !slow.some((expression) => isOf(entry, expression)))
  return [...complaints, ...stale.map(({ file, start }) => `${file}: needs no reason for ${start}`)]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sources = files(...publishedPackages().map(({ folder }) => `${folder}/src/**/*.ts`))
  const expressions = sources.flatMap((file) => expressionsOf(file, read(file)))
  const complaints = await expressionComplaints(expressions, boundedExpressions)
  for (const complaint of complaints) console.error(complaint)
  console.log(`regular expressions: ${expressions.length} checked, ${complaints.length} complaints`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}

/**
 * Finds small changes of TypeScript code: another comparison, a missing condition, statement, element or filter.
 */
import { parseSync } from "oxc-parser"
import type { Edit } from "./Mutant.ts"
import type { sqlDialects } from "./sqlDialects.ts"
import { sqlEdits } from "./sqlEdits.ts"

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { type?: unknown }).type === "string"

const children = (node: Node): ReadonlyArray<Node> => Object.values(node).flat().filter(isNode)

/** The operators that replace each operator of an expression. */
const binary: Readonly<Record<string, ReadonlyArray<string>>> = {
  "===": ["!=="],
  "!==": ["==="],
  "<": ["<=", ">"],
  "<=": ["<"],
  ">": [">=", "<"],
  ">=": [">"],
  "-": ["+"],
  "+": ["-"]
}

const comparisons: ReadonlySet<string> = new Set(["===", "!==", "<", "<=", ">", ">="])
const assignments: Readonly<Record<string, string>> = { "+=": "-=", "-=": "+=" }

/** The methods that a mutant leaves out, and those that it replaces. */
const leftOut: ReadonlySet<string> = new Set(["toSorted", "filter", "slice", "toReversed"])
const replaced: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
  ["find", "findLast"]
])

/** The functions whose call a mutant replaces, each with the code instead. */
const calls: ReadonlyMap<string, (values: ReadonlyArray<string>) => string> = new Map([
  ["caseFold", ([text]) => `(${text})`],
  ["owned", ([record]) => `(${record})`],
  ["ofProject", ([records]) => `all(${records})`],
  ["within", ([, key]) => `within("", ${key})`]
])

const reasons: Readonly<Record<string, string>> = {
  AlreadyExists: "Stale",
  Stale: "NotFound",
  NotFound: "Stale",
  Exhausted: "Stale"
}

type Finder = (node: Node, textOf: (node: Node) => string, source: string) => ReadonlyArray<readonly [string, string]>

const isText = (node: Node) =>
  node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node["value"] === "string")

const ofBinary: Finder = (node, textOf) => {
  const [left, right] = [node["left"] as Node, node["right"] as Node]
  const operator = node["operator"] as string
  if (operator === "+" && (isText(left) || isText(right))) return []
  return [
    ...(binary[operator] ?? []).map((other) => ["operator", `${textOf(left)} ${other} ${textOf(right)}`] as const),
    ...(comparisons.has(operator) ? [["condition removed", "true"] as const] : [])
  ]
}

const ofLogical: Finder = (node, textOf) => {
  const [left, right] = [textOf(node["left"] as Node), textOf(node["right"] as Node)]
  const other = node["operator"] === "&&" ? "||" : "&&"
  return [
    ["left side alone", `(${left})`],
    ["right side alone", `(${right})`],
    ...(node["operator"] === "??" ? [] : [["operator", `((${left}) ${other} (${right}))`] as const])
  ]
}

const ofCall: Finder = (node, textOf) => {
  const callee = node["callee"] as Node
  const values = (node["arguments"] as ReadonlyArray<Node>).map(textOf)
  if (callee.type === "Identifier") {
    const instead = calls.get(callee["name"] as string)
    return instead === undefined ? [] : [["call replaced", instead(values)]]
  }
  if (callee.type !== "MemberExpression" || callee["computed"] === true) return []
  const object = textOf(callee["object"] as Node)
  const name = textOf(callee["property"] as Node)
  const other = replaced.get(name)
  return [
    ...(leftOut.has(name) ? [["call removed", object] as const] : []),
    ...(name === "toSorted" && values.length === 1
      ? [["order reversed", `${object}.toSorted((a, b) => (${values[0]})(b, a))`] as const]
      : []),
    ...(other === undefined ? [] : [["method", `${object}.${other}(${values.join(", ")})`] as const])
  ]
}

/** The node without one of its parts, and without the comma after or before it. */
const withoutEach = (
  node: Node,
  parts: ReadonlyArray<Node>,
  source: string
): ReadonlyArray<readonly [string, string]> =>
  parts.map((part, n) => {
    const [from, to] =
      n + 1 < parts.length ? [part.start, parts[n + 1]!.start] : [n > 0 ? parts[n - 1]!.end : part.start, part.end]
    return ["part removed", source.slice(node.start, from) + source.slice(to, node.end)]
  })

const isFunction = (node: Node) => node.type === "ArrowFunctionExpression" || node.type === "FunctionExpression"

const finders: Readonly<Record<string, Finder>> = {
  BinaryExpression: ofBinary,
  LogicalExpression: ofLogical,
  CallExpression: ofCall,
  ConditionalExpression: (node, textOf) => [
    ["always the first", `(${textOf(node["consequent"] as Node)})`],
    ["always the second", `(${textOf(node["alternate"] as Node)})`]
  ],
  UnaryExpression: (node, textOf) =>
    node["operator"] === "!" ? [["negation removed", textOf(node["argument"] as Node)]] : [],
  UpdateExpression: (node, textOf) => [
    ["operator", textOf(node).replace(/\+\+|--/, (text) => (text === "++" ? "--" : "++"))]
  ],
  AssignmentExpression: (node, textOf) => {
    const other = assignments[node["operator"] as string]
    return other === undefined
      ? []
      : [["operator", `${textOf(node["left"] as Node)} ${other} ${textOf(node["right"] as Node)}`]]
  },
  ExpressionStatement: () => [["statement removed", "{}"]],
  ThrowStatement: () => [["statement removed", "{}"]],
  ForOfStatement: (node, _, source) => [
    ["loop emptied", `${source.slice(node.start, (node["body"] as Node).start)}{}`]
  ],
  ArrayExpression: (node, _, source) => {
    const elements = (node["elements"] as ReadonlyArray<Node | null>).filter((one) => one !== null)
    return elements.length === 0 ? [] : withoutEach(node, elements, source)
  },
  ObjectExpression: (node, _, source) => {
    const parts = node["properties"] as ReadonlyArray<Node>
    const hasFunctions = parts.some((part) => isNode(part["value"]) && isFunction(part["value"]))
    return parts.length === 0 || hasFunctions ? [] : withoutEach(node, parts, source)
  },
  Literal: (node) => {
    const value = node["value"]
    if (typeof value === "boolean") return [["value", String(!value)]]
    if (value === 0) return [["value", "1"]]
    if (value === 1) return [["value", "0"]]
    const reason = typeof value === "string" ? reasons[value] : undefined
    return reason === undefined ? [] : [["reason", JSON.stringify(reason)]]
  }
}

/** The conditions of `if` and `while`, which a mutant makes constant. */
const conditionEdits = (node: Node): ReadonlyArray<Edit> => {
  if (node.type !== "IfStatement") return []
  const { start, end } = node["test"] as Node
  return ["true", "false"].map((text) => ({ operator: `condition always ${text}`, start, end, text }))
}

/** The part of a type, a name or an import is not code that runs. */
const isType = (node: Node) =>
  (node.type.startsWith("TS") &&
    !["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"].includes(node.type)) ||
  node.type === "ImportDeclaration" ||
  (node.type === "ExportNamedDeclaration" && node["source"] !== null)

/** All edits of a TypeScript file. `sql` is the language of its texts, if they contain SQL. */
export const sourceEdits = (
  file: string,
  source: string,
  sql: keyof typeof sqlDialects | null
): ReadonlyArray<Edit> => {
  const { program, errors } = parseSync(file, source)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]!.message}`)
  const textOf = ({ start, end }: Node) => source.slice(start, end)
  const edits: Array<Edit> = []
  const visit = (node: Node): void => {
    if (isType(node)) return
    const { start, end } = node
    for (const [operator, text] of finders[node.type]?.(node, textOf, source) ?? [])
      edits.push({ operator, start, end, text })
    edits.push(...conditionEdits(node))
    if (sql !== null && isText(node)) edits.push(...sqlEdits(source, node, sql))
    for (const child of children(node)) visit(child)
  }
  visit(program as unknown as Node)
  return edits
}

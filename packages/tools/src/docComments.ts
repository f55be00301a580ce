/**
 * Checks the documentation comments that an editor shows: every export of an entry, every method of a service and every field of an input has
 * one on its declaration. Each service and each entry of a published package has an `@example`. With the beginning of a path, prints only the complaints there.
 */
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript-api"
import type { Entry } from "./apiReportProgram.ts"
import { entries, exportsOf, isModule, moduleOf, sourceProgram, targetOf } from "./apiReportProgram.ts"
import { root } from "./workspace.ts"

/** The names of interfaces that a caller fills in, so that each field needs a comment. */
const filledIn = /(?:Options|Input|Listing|Filters|Settings|Limits|Policy|Rules|Capabilities|Request)$/

/** A member that the interface of every failure has. Its class says what it is. */
const failureMembers = new Set(["_tag", "kind", "message"])

interface Search {
  readonly checker: ts.TypeChecker
  /** The complaints by the position and the kind of the problem, so that an inherited member counts once. */
  readonly complaints: Map<string, string>
  readonly seen: Set<ts.Symbol>
}

const positionOf = (node: ts.Node): string => {
  const source = node.getSourceFile()
  const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
  return `${relative(root, source.fileName)}:${line + 1}`
}

/** A declaration of this workspace. The others have the comments of their packages. */
const isOwn = (node: ts.Node): boolean => !node.getSourceFile().fileName.includes("/node_modules/")

const isDocumented = ({ checker }: Search, symbol: ts.Symbol): boolean =>
  ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== ""

const complain = ({ complaints }: Search, node: ts.Node, name: string, problem: string): void => {
  const key = `${positionOf(node)} ${problem}`
  if (!complaints.has(key)) complaints.set(key, `${positionOf(node)} ${name}: ${problem}`)
}

const requireComment = (search: Search, symbol: ts.Symbol, name: string): void => {
  const declaration = symbol.declarations?.find(isOwn)
  if (declaration !== undefined && !isDocumented(search, symbol)) complain(search, declaration, name, "has no comment")
}

const requireMembers = (search: Search, type: ts.Type, name: string): void => {
  for (const member of search.checker.getPropertiesOfType(type))
    if (member.declarations?.some(isOwn) === true) requireComment(search, member, `${name}.${member.name}`)
}

const exampleOf = (comment: string): string | undefined => /@example[\s\S]*?```ts[^\n]*\n[\s\S]*?```/.exec(comment)?.[0]

const commentsBefore = (node: ts.Node): string => {
  const text = node.getSourceFile().text
  return (ts.getLeadingCommentRanges(text, node.pos) ?? []).map(({ pos, end }) => text.slice(pos, end)).join("\n")
}

/** The call `Context.Service<Self, Shape>` in `class A extends Context.Service<A, Shape>()("…") {}`. */
const serviceCall = (node: ts.ClassDeclaration): ts.CallExpression | undefined => {
  let expression: ts.Expression | undefined = node.heritageClauses?.[0]?.types[0]?.expression
  while (expression !== undefined && ts.isCallExpression(expression)) {
    if (expression.expression.getText() === "Context.Service") return expression
    expression = expression.expression
  }
  return undefined
}

const checkClass = (search: Search, node: ts.ClassDeclaration, name: string, isUsable: boolean): void => {
  const { checker } = search
  for (const member of node.members) {
    const symbol = member.name && checker.getSymbolAtLocation(member.name)
    if (symbol !== undefined && !failureMembers.has(symbol.name))
      requireComment(search, symbol, `${name}.${symbol.name}`)
  }
  const call = serviceCall(node)
  if (call === undefined) return
  const shape = call.typeArguments?.[1]
  if (shape !== undefined) requireMembers(search, checker.getTypeFromTypeNode(shape), name)
  if (isUsable && exampleOf(commentsBefore(node)) === undefined)
    complain(search, node, name, "has no @example with a ts block")
}

/** Whether an entry exports only the type, so that nobody can use the service. */
const isTypeExport = (exported: ts.Symbol): boolean =>
  exported.declarations?.some(
    (one) => ts.isExportSpecifier(one) && (one.isTypeOnly || one.parent.parent.isTypeOnly)
  ) === true

/** An interface of functions, such as a port for promises. */
const hasFunctions = ({ checker }: Search, type: ts.Type): boolean =>
  checker.getPropertiesOfType(type).some((member) => checker.getTypeOfSymbol(member).getCallSignatures().length > 0)

const checkSymbol = (search: Search, exported: ts.Symbol, prefix: string): void => {
  const { checker, seen } = search
  const symbol = targetOf(checker, exported)
  const name = prefix + exported.name
  if (seen.has(symbol)) return
  seen.add(symbol)
  if (isModule(symbol)) {
    if (
      !isDocumented(search, exported) &&
      commentsBefore(symbol.declarations!.find(ts.isSourceFile)!.statements[0]!) === ""
    )
      requireComment(search, exported, name)
    for (const inner of exportsOf(checker, symbol)) checkSymbol(search, inner, `${name}.`)
    return
  }
  requireComment(search, symbol, name)
  for (const declaration of symbol.declarations?.filter(isOwn) ?? []) {
    if (ts.isClassDeclaration(declaration)) checkClass(search, declaration, name, !isTypeExport(exported))
    else if (ts.isInterfaceDeclaration(declaration)) {
      const type = checker.getDeclaredTypeOfSymbol(symbol)
      if (filledIn.test(name) || hasFunctions(search, type)) requireMembers(search, type, name)
    } else if (ts.isTypeAliasDeclaration(declaration) && filledIn.test(name) && ts.isTypeLiteralNode(declaration.type))
      requireMembers(search, checker.getDeclaredTypeOfSymbol(symbol), name)
  }
}

/** The comment at the top of an entry needs an example, and every export needs a comment. */
const checkEntry = (search: Search, program: ts.Program, { name, file, isPublished }: Entry): void => {
  const source = program.getSourceFile(join(root, file))
  if (source === undefined) return
  if (isPublished && exampleOf(source.text.slice(0, source.text.indexOf("*/"))) === undefined)
    search.complaints.set(file, `${file}:1 ${name}: its first comment has no @example with a ts block`)
  for (const symbol of exportsOf(search.checker, moduleOf(program, join(root, file)))) checkSymbol(search, symbol, "")
}

/** What is missing in the comments of the entries, one line each: `file:line name: what`. */
export const docComplaints = (program: ts.Program, all: ReadonlyArray<Entry>): ReadonlyArray<string> => {
  const search: Search = { checker: program.getTypeChecker(), complaints: new Map(), seen: new Set() }
  for (const entry of all) checkEntry(search, program, entry)
  return [...search.complaints.values()].toSorted((a, b) => a.localeCompare(b, "en", { numeric: true }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const only = process.argv[2] ?? ""
  const all = entries()
  const complaints = docComplaints(sourceProgram(all).program, all).filter((complaint) => complaint.startsWith(only))
  for (const complaint of complaints) console.error(complaint)
  console.log(`documentation comments: ${complaints.length} complaints`)
  process.exitCode = complaints.length > 0 ? 1 : 0
}

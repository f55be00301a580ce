/**
 * The text of an API report: the names of each entry of a package, their declarations, and what these use without exporting it.
 * API Extractor has no such report of this code: it leaves out the base of a class, and so the methods of every service.
 */
import { join, relative } from "node:path"
import ts from "typescript-api"
import type { Entry } from "./apiReportProgram.ts"
import { exportsOf, isModule, moduleOf, runtimeNames, targetOf } from "./apiReportProgram.ts"
import { root } from "./workspace.ts"

const printer = ts.createPrinter({ removeComments: true })

type Statement = ts.Declaration | ts.VariableStatement

/** The statement that declares a top-level name, or `undefined` for a parameter, a member or a declaration of another package. */
const topLevel = (declaration: ts.Declaration): Statement | undefined => {
  const statement: ts.Node = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration
  if (
    ts.isSourceFile(statement) ||
    !ts.isSourceFile(statement.parent) ||
    statement.getSourceFile().fileName.includes("/node_modules/")
  )
    return undefined
  return ts.isVariableStatement(statement) ? statement : (statement as ts.Declaration)
}

const declarationsOf = (symbol: ts.Symbol): ReadonlyArray<Statement> => [
  ...new Set((symbol.declarations ?? []).flatMap((declaration) => topLevel(declaration) ?? []))
]

const plainText = (node: ts.Node, source: ts.SourceFile): string =>
  printer.printNode(ts.EmitHint.Unspecified, node, source)

/** The declaration with the members of each union sorted. Their order depends on what the compiler has read before. */
const withSortedUnions = (node: ts.Node): ts.Node => {
  const source = node.getSourceFile()
  const { transformed } = ts.transform(node, [
    (context) => (top) => {
      const visit = (inner: ts.Node): ts.Node => {
        const visited = ts.visitEachChild(inner, visit, context)
        if (!ts.isUnionTypeNode(visited)) return visited
        const members = visited.types.map((type) => [plainText(type, source), type] as const)
        const sorted = members.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, type]) => type)
        return context.factory.createUnionTypeNode(sorted)
      }
      return visit(top)
    }
  ])
  return transformed[0]!
}

/**
 * The text of a declaration without comments, without the words `export` and `declare`, and with `Schema.String` in place of
 * `import("effect/Schema").String`.
 */
const textOf = (node: ts.Node): string =>
  plainText(withSortedUnions(node), node.getSourceFile())
    .replace(/^(?:export |default |declare )+/, "")
    .replaceAll(/import\("\.[^"]*"\)\./g, "")
    .replaceAll(/import\("(?:[^"]*\/)?([^"/]+)"\)\./g, "$1.")

/** The top-level names of the workspace that a declaration uses. */
const usesOf = (checker: ts.TypeChecker, node: ts.Node): ReadonlySet<ts.Symbol> => {
  const used = new Set<ts.Symbol>()
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner)) {
      const symbol = checker.getSymbolAtLocation(inner)
      const target = symbol && targetOf(checker, symbol)
      if (target !== undefined && declarationsOf(target).length > 0) used.add(target)
    }
    ts.forEachChild(inner, visit)
  }
  visit(node)
  return used
}

/** The constant that the compiler makes for the base of a class: `const Access_base: …`. */
const isClassBase = (symbol: ts.Symbol): boolean => /_base(?:_\d+)?$/.test(symbol.name)

/** The base of a failure in short: `TaggedError("Conflict")`, or `NotRetryable("ContactNotFound", "not_found")` with its kind. */
const failureBaseOf = (base: string): string | undefined => {
  const fields =
    /^const \w+_base: new <A[\s\S]* readonly _tag: "(\w+)";\n(?: *readonly kind: "(\w+)";\n[\s\S]*)?\} & Readonly<A>;$/
  const [, tag, kind] = fields.exec(base) ?? []
  return tag === undefined
    ? undefined
    : kind === undefined
      ? `TaggedError("${tag}")`
      : `NotRetryable("${tag}", "${kind}")`
}

/** The declarations of a symbol, each behind the base of its class. */
const textsOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ReadonlyArray<string> =>
  declarationsOf(symbol).flatMap((statement) => {
    const bases = [...usesOf(checker, statement)].filter(isClassBase).flatMap(declarationsOf).map(textOf)
    const failureBase = bases.length === 1 ? failureBaseOf(bases[0]!) : undefined
    return failureBase === undefined
      ? [...bases, textOf(statement)]
      : [textOf(statement).replace(/ extends \w+_base(?:_\d+)?/, ` extends ${failureBase}`)]
  })

/** The symbols that an entry exports, with those of its namespaces. */
const reachable = (checker: ts.TypeChecker, module: ts.Symbol): ReadonlyArray<ts.Symbol> =>
  exportsOf(checker, module)
    .map((symbol) => targetOf(checker, symbol))
    .flatMap((target) => (isModule(target) ? [target, ...reachable(checker, target)] : [target]))

interface Forgotten {
  readonly symbol: ts.Symbol
  readonly usedBy: string
}

/** What the exported declarations use, directly or through each other, and no entry exports. */
const forgottenBy = (
  checker: ts.TypeChecker,
  symbols: ReadonlyArray<ts.Symbol>,
  exported: ReadonlySet<ts.Symbol>
): ReadonlyArray<Forgotten> => {
  const found = new Map<ts.Symbol, string>()
  const search = (from: ts.Symbol, usedBy: string): void => {
    for (const symbol of declarationsOf(from).flatMap((statement) => [...usesOf(checker, statement)])) {
      if (symbol === from || exported.has(symbol) || found.has(symbol)) continue
      if (isClassBase(symbol)) search(symbol, usedBy)
      else {
        found.set(symbol, usedBy)
        search(symbol, symbol.name)
      }
    }
  }
  for (const symbol of symbols) search(symbol, symbol.name)
  return [...found]
    .map(([symbol, usedBy]) => ({ symbol, usedBy }))
    .toSorted((a, b) => (a.symbol.name < b.symbol.name ? -1 : 1))
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, "    ")

const declared = (checker: ts.TypeChecker, symbol: ts.Symbol, name: string): string =>
  isModule(symbol)
    ? [
        `namespace ${name} {`,
        ...exportsOf(checker, symbol).map((one) => indented(declared(checker, targetOf(checker, one), one.name))),
        "}"
      ].join("\n")
    : textsOf(checker, symbol).join("\n")

export interface Report {
  /** The number of run-time names of each entry. */
  readonly runtimeNames: ReadonlyMap<string, number>
  /** The names that the report's package uses in declarations and exports nowhere. */
  readonly forgotten: ReadonlyArray<string>
  readonly text: string
}

const namesText = (names: ReadonlyArray<string>, what: string): string =>
  names.length === 0 ? `${what}: none.` : `${what}: ${names.length}.\n\n\`\`\`text\n${names.join("\n")}\n\`\`\``

const entryText = (entry: Entry, values: ReadonlyArray<string>, all: ReadonlyArray<ts.Symbol>): string => {
  const types = all.map(({ name }) => name).filter((name) => !values.includes(name))
  return [`## ${entry.name}`, namesText(values, "Run-time names"), namesText(types, "Types")].join("\n\n")
}

/** The reports of all packages by name. `sources` has the run-time names, `declarations` what they are. */
export const apiReports = (
  sources: ts.Program,
  declarations: ts.Program,
  all: ReadonlyArray<Entry>
): ReadonlyMap<string, Report> => {
  const checker = declarations.getTypeChecker()
  const moduleOfEntry = ({ file }: Entry) => moduleOf(declarations, join(root, file.replace(/\.ts$/, ".d.ts")))
  const exported = new Set(all.flatMap((entry) => reachable(checker, moduleOfEntry(entry))))
  const report = (packageName: string): Report => {
    const own = all.filter((entry) => entry.packageName === packageName)
    const counts = new Map<string, number>()
    const names = new Map<ts.Symbol, string>()
    const parts = own.map((entry) => {
      const symbols = exportsOf(checker, moduleOfEntry(entry))
      const values = runtimeNames(sources, join(root, entry.file))
      counts.set(entry.name, values.length)
      for (const symbol of symbols) names.set(targetOf(checker, symbol), symbol.name)
      return entryText(entry, values, symbols)
    })
    const shown = [...names].toSorted(([, a], [, b]) => (a < b ? -1 : 1))
    const forgotten = forgottenBy(
      checker,
      own.flatMap((entry) => reachable(checker, moduleOfEntry(entry))),
      exported
    )
    const fileOf = (symbol: ts.Symbol) =>
      relative(root, declarationsOf(symbol)[0]!.getSourceFile().fileName).replace(/\.d\.ts$/, ".ts")
    return {
      runtimeNames: counts,
      forgotten: forgotten.map(({ symbol }) => symbol.name),
      text: [
        `<!-- Generated by \`pnpm api\`; CI fails when it is not current. -->`,
        `# API of ${packageName}`,
        ...parts,
        "## Declarations",
        `\`\`\`typescript\n${shown.map(([symbol, name]) => declared(checker, symbol, name)).join("\n\n")}\n\`\`\``,
        ...(forgotten.length === 0
          ? []
          : [
              "## Used above, not exported",
              forgotten
                .map(({ symbol, usedBy }) => `- \`${symbol.name}\` of ${fileOf(symbol)}, used by \`${usedBy}\``)
                .join("\n"),
              `\`\`\`typescript\n${forgotten.map(({ symbol }) => textsOf(checker, symbol).join("\n")).join("\n\n")}\n\`\`\``
            ])
      ]
        .join("\n\n")
        .concat("\n")
    }
  }
  return new Map([...new Set(all.map(({ packageName }) => packageName))].map((name) => [name, report(name)]))
}

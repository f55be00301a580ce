/**
 * The public entries of the packages as programs of the TypeScript compiler: one over the sources, one over their declarations.
 * TypeScript 7 has no JavaScript API, so this file uses TypeScript 6.
 */
import { join, posix } from "node:path"
import ts from "typescript-api"
import type { Package } from "./releasePackages.ts"
import { workspacePackages } from "./releasePackages.ts"
import { root } from "./workspace.ts"

/** An entry of a package, such as `@mailkeep/core/adapter`. */
export interface Entry {
  readonly packageName: string
  /** Whether users install the package. */
  readonly isPublished: boolean
  readonly name: string
  /** The path of its source from the root of the repository. */
  readonly file: string
}

/** The entries of the packages of the workspace, in the order of the manifests. */
export const entries = (packages: ReadonlyArray<Package> = workspacePackages()): ReadonlyArray<Entry> =>
  packages.flatMap(({ folder, manifest }) =>
    Object.entries(manifest.exports ?? {}).flatMap(([subpath, target]) =>
      typeof target === "string" && target.endsWith(".ts")
        ? [
            {
              packageName: manifest.name,
              isPublished: manifest.private !== true,
              name: manifest.name + subpath.slice(1),
              file: posix.join(folder, target)
            }
          ]
        : []
    )
  )

const compilerOptions = (): ts.CompilerOptions => {
  const file = join(root, "tsconfig.json")
  const { config } = ts.readConfigFile(file, ts.sys.readFile) as { config: object }
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root)
  return { ...options, noEmit: false, declaration: true, emitDeclarationOnly: true, removeComments: true }
}

export interface SourceProgram {
  readonly program: ts.Program
  readonly host: ts.CompilerHost
  readonly options: ts.CompilerOptions
}

/** The parsed files of the dependencies, which do not change. Every program of this process uses them. */
const parsedDependencies = new Map<string, ts.SourceFile | undefined>()

/** The program over the sources of the entries. */
export const sourceProgram = (all: ReadonlyArray<Entry>): SourceProgram => {
  const options = compilerOptions()
  const host = ts.createCompilerHost(options)
  const parse = host.getSourceFile.bind(host)
  const parsedSources = new Map<string, ts.SourceFile | undefined>()
  host.getSourceFile = (name, version, onError) => {
    const parsed = name.includes("/node_modules/") ? parsedDependencies : parsedSources
    if (!parsed.has(name)) parsed.set(name, parse(name, version, onError))
    return parsed.get(name)
  }
  const program = ts.createProgram({ rootNames: all.map(({ file }) => join(root, file)), options, host })
  return { program, host, options }
}

const declarationName = (file: string): string => file.replace(/(?:\.d)?\.ts$|\.js$/, ".d.ts")

/**
 * The text of the declarations that the compiler writes for a source of the workspace, by the path of the declarations. Makes them when they are
 * asked for, because most internal modules are in no declaration of an entry.
 */
const declarationTexts = ({ program, host }: SourceProgram): ((file: string) => string | undefined) => {
  const written = new Map<string, string | undefined>()
  return (file) => {
    if (file.includes("/node_modules/") || !file.endsWith(".d.ts")) return undefined
    const source = program.getSourceFile(file.replace(/\.d\.ts$/, ".ts"))
    if (source === undefined) return undefined
    if (!written.has(file)) {
      const { diagnostics } = program.emit(source, (_, text) => written.set(file, text), undefined, true)
      // The compiler writes no declarations of a file with such a problem. The build fails for the same reason.
      if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host))
    }
    return written.get(file)
  }
}

/** The program over the declarations: what a user's compiler sees. */
export const declarationProgram = (sources: SourceProgram, all: ReadonlyArray<Entry>): ts.Program => {
  const textOf = declarationTexts(sources)
  const { host, options } = sources
  const files = new Map<string, ts.SourceFile>()
  const entryFiles = new Map(all.map(({ name, file }) => [name, declarationName(join(root, file))]))
  const cache = ts.createModuleResolutionCache(root, (name) => name, options)
  const workspaceFile = (name: string, from: string): string | undefined =>
    name.startsWith(".") ? declarationName(posix.join(posix.dirname(from), name)) : entryFiles.get(name)

  const declarationHost: ts.CompilerHost = {
    ...host,
    fileExists: (file) => textOf(file) !== undefined || host.fileExists(file),
    readFile: (file) => textOf(file) ?? host.readFile(file),
    getSourceFile: (file, version, onError) => {
      const text = textOf(file)
      if (text === undefined) return host.getSourceFile(file, version, onError)
      if (!files.has(file)) files.set(file, ts.createSourceFile(file, text, version, true))
      return files.get(file)
    },
    resolveModuleNameLiterals: (literals, from, redirected, _, source) =>
      literals.map((literal) => {
        const known = textOf(from) === undefined ? undefined : workspaceFile(literal.text, from)
        if (known !== undefined && textOf(known) !== undefined)
          return { resolvedModule: { resolvedFileName: known, extension: ts.Extension.Dts } }
        const mode = ts.getModeForUsageLocation(source, literal, options)
        return ts.resolveModuleName(literal.text, from, options, host, cache, redirected, mode)
      })
  }
  return ts.createProgram({ rootNames: [...entryFiles.values()], options, host: declarationHost })
}

/** The symbol behind every `export … from` and `import`. */
export const targetOf = (checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol =>
  (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol

/** A module that is exported as a namespace, such as `MailCore`. */
export const isModule = (symbol: ts.Symbol): boolean => symbol.declarations?.some(ts.isSourceFile) === true

/** The exports of a module, sorted by name. */
export const exportsOf = (checker: ts.TypeChecker, module: ts.Symbol): ReadonlyArray<ts.Symbol> =>
  checker.getExportsOfModule(module).toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** The symbol of the module in a file. Throws when the file is not a module. */
export const moduleOf = (program: ts.Program, file: string): ts.Symbol => {
  const source = program.getSourceFile(file)
  const symbol = source && program.getTypeChecker().getSymbolAtLocation(source)
  if (symbol === undefined) throw new Error(`${file} exports nothing`)
  return symbol
}

/** The names that exist at run time in a module of the sources, sorted. */
export const runtimeNames = (program: ts.Program, file: string): ReadonlyArray<string> => {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file)
  if (source === undefined) return []
  const isValue = (symbol: ts.Symbol | undefined) =>
    symbol !== undefined && (targetOf(checker, symbol).flags & ts.SymbolFlags.Value) !== 0
  const starred = (statement: ts.ExportDeclaration): ReadonlyArray<string> => {
    const module = checker.getSymbolAtLocation(statement.moduleSpecifier!)
    return (module?.declarations ?? [])
      .filter(ts.isSourceFile)
      .flatMap(({ fileName }) => runtimeNames(program, fileName))
  }
  const names = source.statements.flatMap((statement): ReadonlyArray<string> => {
    if (ts.isExportDeclaration(statement)) {
      const { isTypeOnly, exportClause } = statement
      if (isTypeOnly) return []
      if (exportClause === undefined) return starred(statement)
      if (ts.isNamespaceExport(exportClause)) return [exportClause.name.text]
      return exportClause.elements
        .filter((element) => !element.isTypeOnly && isValue(checker.getSymbolAtLocation(element.name)))
        .map(({ name }) => name.text)
    }
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true
    if (!isExported) return []
    if (ts.isVariableStatement(statement))
      return statement.declarationList.declarations.map(({ name }) => name.getText(source))
    const isDeclaration = ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
    return isDeclaration && statement.name !== undefined ? [statement.name.text] : []
  })
  return [...new Set(names)].toSorted()
}

/**
 * What the check of the packed packages does: its options, its runs, which product gets which example, and the table of results. Pure functions.
 */
import { parseArgs } from "node:util"
import type { Example } from "../examplesInText.ts"
import type { Package } from "../releasePackages.ts"
import { importsOf } from "../importsOf.ts"

const managers = ["npm", "pnpm"] as const
export type Manager = (typeof managers)[number]

const otherRuntimes = ["bun", "deno"] as const
export type OtherRuntime = (typeof otherRuntimes)[number]

/** One row of the table: a package manager, and what runs the product. */
export interface PackedRun {
  readonly manager: Manager
  readonly runtime: "node" | OtherRuntime
  /** The version of Node to install. `undefined` means the Node of this process. */
  readonly nodeVersion: string | undefined
}

export interface PackedOptions {
  /** A folder with packed packages. `undefined` means to build and pack them now. */
  readonly tarballs: string | undefined
  readonly runs: ReadonlyArray<PackedRun>
  /** Whether to record how many modules a start loads, instead of comparing the number with the budget. */
  readonly record: boolean
}

/** What `--all` runs. */
export const allRuns = (oldestNode: string): ReadonlyArray<PackedRun> => [
  { manager: "npm", runtime: "node", nodeVersion: undefined },
  { manager: "pnpm", runtime: "node", nodeVersion: undefined },
  { manager: "npm", runtime: "node", nodeVersion: `${oldestNode}.0` },
  ...otherRuntimes.map((runtime) => ({ manager: "npm", runtime, nodeVersion: undefined }) as const)
]

const oneOf = <A extends string>(option: string, allowed: ReadonlyArray<A>, value: string): A => {
  const found = allowed.find((one) => one === value)
  if (found === undefined) throw new Error(`--${option} must be ${allowed.join(" or ")}, and not "${value}".`)
  return found
}

/** Reads the arguments of the command. Throws an error that names the wrong option. */
export const readOptions = (args: ReadonlyArray<string>, oldestNode: string): PackedOptions => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      tarballs: { type: "string" },
      manager: { type: "string" },
      node: { type: "string" },
      runtime: { type: "string" },
      all: { type: "boolean", default: false },
      record: { type: "boolean", default: false }
    }
  })
  const { tarballs, manager, node, runtime, all, record } = values
  if (all) {
    if (manager !== undefined || node !== undefined || runtime !== undefined)
      throw new Error("--all has its own managers and runtimes. Leave out --manager, --node and --runtime.")
    return { tarballs, record, runs: allRuns(oldestNode) }
  }
  if (runtime !== undefined && node !== undefined) throw new Error("Use --node or --runtime, not both.")
  if (node !== undefined && !/^\d+\.\d+\.\d+$/.test(node))
    throw new Error(`--node must be a whole version such as 22.19.0, and not "${node}".`)
  return {
    tarballs,
    record,
    runs: [
      {
        manager: oneOf("manager", managers, manager ?? "npm"),
        runtime: runtime === undefined ? "node" : oneOf("runtime", otherRuntimes, runtime),
        nodeVersion: node
      }
    ]
  }
}

/** The package of an imported module: `@mailkeep/core` for `@mailkeep/core/node`. `undefined` for a module of Node. */
const packageOf = (module: string): string | undefined =>
  module.startsWith("node:") ? undefined : module.split("/", module.startsWith("@") ? 2 : 1).join("/")

/** The packages that the code imports, sorted. */
export const importedPackages = (code: string): ReadonlyArray<string> =>
  [...new Set(importsOf(code).flatMap((module) => packageOf(module) ?? []))].toSorted()

/** What a product installs that does not use Effect itself. */
export const packagesWithoutEffect: ReadonlyArray<string> = [
  "mailkeep",
  "@mailkeep/http",
  "@mailkeep/postgres",
  "@mailkeep/testing"
]

const isOurs = (name: string): boolean => name === "mailkeep" || name.startsWith("@mailkeep/")

export interface ExampleGroups {
  /** The examples of a product that installs only `packagesWithoutEffect`. */
  readonly withoutEffect: ReadonlyArray<Example>
  readonly withEffect: ReadonlyArray<Example>
  /** The examples of private packages, and those that import one. A stranger cannot use them. */
  readonly leftOut: ReadonlyArray<Example>
}

/** Assigns each example to a product. `published` maps the folder of each published package to its name. */
export const groupExamples = (
  examples: ReadonlyArray<Example>,
  published: ReadonlyMap<string, string>
): ExampleGroups => {
  const names = new Set(published.values())
  const groupOf = ({ file, code }: Example): keyof ExampleGroups => {
    const [, folder] = /^((?:packages|examples)\/[^/]+)\//.exec(file) ?? []
    const imported = importedPackages(code)
    if (folder !== undefined && !published.has(folder)) return "leftOut"
    if (imported.some((name) => isOurs(name) && !names.has(name))) return "leftOut"
    const needsEffect = imported.some(
      (name) => name === "effect" || (isOurs(name) && !packagesWithoutEffect.includes(name))
    )
    return needsEffect ? "withEffect" : "withoutEffect"
  }
  const examplesOf = (group: keyof ExampleGroups) => examples.filter((example) => groupOf(example) === group)
  return {
    withoutEffect: examplesOf("withoutEffect"),
    withEffect: examplesOf("withEffect"),
    leftOut: examplesOf("leftOut")
  }
}

/** The examples of pages that the packed packages run. Programs of doc comments run in the workspace; a stranger meets pages. */
export const groupPageExamples = (examples: ReadonlyArray<Example>, packages: ReadonlyArray<Package>): ExampleGroups =>
  groupExamples(
    examples.filter(({ file }) => file.endsWith(".md")),
    new Map(packages.map(({ folder, manifest }) => [folder, manifest.name]))
  )

/** The versions in the catalog of `pnpm-workspace.yaml`. */
export const readCatalog = (text: string): ReadonlyMap<string, string> => {
  const [, section = ""] = /^catalog:\n((?: {2}.*\n)*)/m.exec(text) ?? []
  return new Map(
    [...section.matchAll(/^ {2}"?([^":\s]+)"?: (\S+)$/gm)].map(([, name, version]) => [name!, version!] as const)
  )
}

/**
 * The other packages that the examples import, with the types of each and of Node. Throws when the catalog does not name a version.
 */
export const otherPackages = (
  examples: ReadonlyArray<Example>,
  catalog: ReadonlyMap<string, string>
): Readonly<Record<string, string>> => {
  const imported = [...new Set(examples.flatMap(({ code }) => importedPackages(code)))].filter((name) => !isOurs(name))
  const types = [...imported, "node"].map((name) => `@types/${name}`).filter((name) => catalog.has(name))
  return Object.fromEntries(
    [...imported, ...types].toSorted().map((name) => {
      const version = catalog.get(name)
      if (version === undefined) throw new Error(`An example imports ${name}, and the catalog names no version of it.`)
      return [name, version] as const
    })
  )
}

/** The result of one run. */
export interface PackedResult {
  readonly manager: Manager
  /** The name and version of the runtime. */
  readonly runtime: string
  /** The packages and megabytes of a product that installs only `mailkeep`. */
  readonly packages: number
  readonly megabytes: number
  readonly compiled: number
  readonly ran: number
  readonly complaints: ReadonlyArray<string>
}

/** The rows of the table, as aligned text. */
export const tableOf = (results: ReadonlyArray<PackedResult>): string => {
  const rows = [
    ["manager", "runtime", "packages", "MB", "examples compiled", "run", "complaints"],
    ...results.map(({ manager, runtime, packages, megabytes, compiled, ran, complaints }) => [
      manager,
      runtime,
      String(packages),
      megabytes.toFixed(0),
      String(compiled),
      String(ran),
      String(complaints.length)
    ])
  ]
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

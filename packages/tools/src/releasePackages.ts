/**
 * The published packages with their manifests, each after the packages that it depends on.
 */
import { dirname } from "node:path"
import { files, read } from "./workspace.ts"

type Exports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly description?: string
  readonly keywords?: ReadonlyArray<string>
  readonly homepage?: string
  readonly bugs?: unknown
  readonly repository?: unknown
  readonly license?: string
  readonly files?: ReadonlyArray<string>
  readonly type?: string
  readonly engines?: { readonly node?: string }
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly exports?: Exports
  readonly publishConfig?: {
    readonly access?: string
    readonly exports?: Exports
    readonly bin?: Readonly<Record<string, string>>
  }
}

export interface Package {
  /** The path of its folder from the root of the repository. */
  readonly folder: string
  readonly manifest: Manifest
}

/** Sorts the packages so that each comes after its dependencies. Throws when some depend on each other. */
export const inDependencyOrder = (packages: ReadonlyArray<Package>): ReadonlyArray<Package> => {
  const byName = new Map(packages.map((one) => [one.manifest.name, one]))
  const sorted: Array<Package> = []
  const visit = (one: Package, path: ReadonlyArray<string>): void => {
    if (sorted.includes(one)) return
    const { name, dependencies, peerDependencies, optionalDependencies } = one.manifest
    if (path.includes(name)) throw new Error(`These packages depend on each other: ${[...path, name].join(" → ")}.`)
    for (const dependency of Object.keys({
      ...dependencies,
      ...peerDependencies,
      ...optionalDependencies
    }).toSorted()) {
      const needed = byName.get(dependency)
      if (needed !== undefined) visit(needed, [...path, name])
    }
    sorted.push(one)
  }
  for (const one of packages) visit(one, [])
  return sorted
}

const packagesIn = (pattern: string): ReadonlyArray<Package> =>
  files(pattern).map((file) => ({ folder: dirname(file), manifest: JSON.parse(read(file)) as Manifest }))

/** Every package of the workspace except the examples, in the order of the folders. */
export const workspacePackages = (): ReadonlyArray<Package> => packagesIn("packages/*/package.json")

/** The named packages and everything that they depend on. Without names, all of them. */
export const withDependencies = (
  packages: ReadonlyArray<Package>,
  names: ReadonlyArray<string>
): ReadonlyArray<Package> => {
  if (names.length === 0) return packages
  const needed = new Set(names)
  // Each package comes after its dependencies, so one walk from the end finds all of them.
  for (const { manifest } of packages.toReversed())
    if (needed.has(manifest.name))
      for (const name of Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })) needed.add(name)
  const unknown = names.filter((name) => !packages.some(({ manifest }) => manifest.name === name))
  if (unknown.length > 0) throw new Error(`There is no published package ${unknown.join(", ")}.`)
  return packages.filter(({ manifest }) => needed.has(manifest.name))
}

export const publishedPackages = (): ReadonlyArray<Package> =>
  inDependencyOrder(workspacePackages().filter(({ manifest }) => manifest.private !== true))

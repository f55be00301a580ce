/**
 * What a package manager installed into a product: every package with its manifest, its size, and which of them Mailkeep needs.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"

export interface InstalledPackage {
  readonly name: string
  readonly version: string
  readonly folder: string
  readonly exports: ReadonlyArray<string>
  /** The packages that it needs: its dependencies and the peers that are not optional. */
  readonly needs: ReadonlyArray<string>
}

interface InstalledManifest {
  readonly name?: string
  readonly version?: string
  readonly exports?: Readonly<Record<string, unknown>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

const packageIn = (folder: string): ReadonlyArray<InstalledPackage> => {
  const file = join(folder, "package.json")
  if (!existsSync(file)) return []
  const manifest = JSON.parse(readFileSync(file, "utf8")) as InstalledManifest
  const { name = "", version = "", exports = {}, dependencies = {}, peerDependencies = {} } = manifest
  const peers = Object.keys(peerDependencies).filter((peer) => manifest.peerDependenciesMeta?.[peer]?.optional !== true)
  const needs = [...Object.keys(dependencies), ...peers]
  return [{ name, version, folder, exports: Object.keys(exports), needs }]
}

/**
 * Every package below a folder `node_modules`, once for each copy. Follows no link: pnpm keeps the packages in `.pnpm` and links them.
 */
export const installedPackages = (modules: string): ReadonlyArray<InstalledPackage> => {
  if (!existsSync(modules)) return []
  return readdirSync(modules, { withFileTypes: true }).flatMap((entry) => {
    const path = join(modules, entry.name)
    if (!entry.isDirectory()) return []
    if (entry.name === ".pnpm")
      return readdirSync(path).flatMap((copy) =>
        copy === "node_modules" ? [] : installedPackages(join(path, copy, "node_modules"))
      )
    if (entry.name.startsWith("@")) return installedPackages(path)
    if (entry.name.startsWith(".")) return []
    return [...packageIn(path), ...installedPackages(join(path, "node_modules"))]
  })
}

/** The bytes of the files below a folder. Follows no link. */
export const bytesBelow = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sum + bytesBelow(path)
    return sum + (entry.isFile() ? statSync(path).size : 0)
  }, 0)

/** The named packages and every package that they need. */
export const neededPackages = (
  names: ReadonlyArray<string>,
  installed: ReadonlyArray<InstalledPackage>
): ReadonlySet<string> => {
  const needed = new Set(names)
  // A set iterates over what is added meanwhile.
  for (const name of needed)
    for (const one of installed) if (one.name === name) for (const next of one.needs) needed.add(next)
  return needed
}

/** Complaints when a package that must exist once has another number of copies. */
export const copyComplaints = (name: string, installed: ReadonlyArray<InstalledPackage>): ReadonlyArray<string> => {
  const copies = installed.filter((one) => one.name === name)
  if (copies.length === 1) return []
  const versions = copies.map(({ version, folder }) => `${version} in ${folder}`)
  return [`${name} is installed ${copies.length} times${versions.map((copy) => `\n  ${copy}`).join("")}`]
}

/** The package of a file below `node_modules`, or `undefined`. */
export const packageOfFile = (file: string): string | undefined =>
  /.*\bnode_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1]

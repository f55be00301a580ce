/**
 * A product outside of the workspace: its manifest, its installation by a package manager, and the check of its TypeScript.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pnpm } from "../build.ts"
import type { Example } from "../examplesInText.ts"
import { compilerErrors, exampleComplaint, writeExamples } from "../examplesRun.ts"
import type { InstalledPackage } from "./installedPackages.ts"
import { installedPackages, neededPackages, packageOfFile } from "./installedPackages.ts"
import type { Manager } from "./packedPlan.ts"

export interface Product {
  readonly folder: string
  readonly installed: ReadonlyArray<InstalledPackage>
  /** What the package manager complained about. */
  readonly complaints: ReadonlyArray<string>
}

export interface ProductPlan {
  readonly folder: string
  readonly manager: Manager
  /** The Node that runs the package manager. */
  readonly node: string
  /** The names of the published packages that the manifest names. */
  readonly packages: ReadonlyArray<string>
  /** The packages of the registry that the manifest names, with their versions. */
  readonly others: Readonly<Record<string, string>>
  /** The packed file of each published package. */
  readonly tarballs: ReadonlyMap<string, string>
}

/** What a manifest says for each packed package: no registry has the packed versions, so every use of them names a file. */
export const fileSpecifiers = (tarballs: ReadonlyMap<string, string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...tarballs].map(([name, path]) => [name, `file:${path}`]))

/** The manifest of the product, and for pnpm its settings. */
export const productFiles = ({
  manager,
  packages,
  others,
  tarballs
}: Omit<ProductPlan, "folder" | "node">): Readonly<Record<string, string>> => {
  const overrides = fileSpecifiers(tarballs)
  const manifest = {
    name: "product",
    private: true,
    type: "module",
    dependencies: { ...Object.fromEntries(packages.map((name) => [name, overrides[name]])), ...others }
  }
  if (manager === "npm") return { "package.json": JSON.stringify({ ...manifest, overrides }, undefined, 2) }
  // JSON is valid YAML.
  return {
    "package.json": JSON.stringify(manifest, undefined, 2),
    "pnpm-workspace.yaml": JSON.stringify({ overrides }, undefined, 2)
  }
}

/** A warning about the version of Node, a peer, an old package or a script that was not run. npm names the package of an engine in its own line. */
const warning = /EBADENGINE\s+package:|ERESOLVE|deprecated|unmet peer|Unsupported engine(?! \{)|ignored build/i

/** The warnings of a package manager, without those that name only packages which Mailkeep does not need. */
export const installComplaints = (output: string, needed: ReadonlySet<string>): ReadonlyArray<string> =>
  output.split("\n").filter((line) => {
    if (!warning.test(line)) return false
    const names = [...line.matchAll(/(@?[\w./-]+)@\d/g)].map((match) => match[1]!)
    return names.length === 0 || names.some((name) => needed.has(name))
  })

const installMillisMax = 300_000

/** Installs the packages into the folder. Throws when the package manager fails. */
export const installProduct = (plan: ProductPlan): Product => {
  const { folder, manager, node, packages } = plan
  mkdirSync(folder)
  for (const [file, text] of Object.entries(productFiles(plan))) writeFileSync(join(folder, file), text)
  const [command, ...args] = manager === "npm" ? ["npm", "--no-audit", "--no-fund"] : pnpm
  const { status, stdout, stderr } = spawnSync(command, [...args, "install"], {
    cwd: folder,
    encoding: "utf8",
    timeout: installMillisMax,
    env: { ...process.env, PATH: `${dirname(node)}:${process.env["PATH"]}`, NO_COLOR: "1" }
  })
  const output = `${stdout}\n${stderr}`
  if (status !== 0) throw new Error(`${manager} install ended with ${status} in ${folder}:\n${output}`)
  const installed = installedPackages(join(folder, "node_modules"))
  return { folder, installed, complaints: installComplaints(output, neededPackages(packages, installed)) }
}

/** The options of the compiler of a strict product. The libraries are those that the compiler takes without options. */
const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  module: "nodenext",
  types: ["node"],
  allowImportingTsExtensions: true,
  noEmit: true
}

export interface Compiled {
  readonly complaints: ReadonlyArray<string>
  /** The errors in declarations of packages that Mailkeep does not need, by package. */
  readonly foreign: ReadonlyMap<string, number>
}

/** Sorts the errors of the compiler: in an example, in a package that Mailkeep needs, or in another package. */
export const sortErrors = (
  errors: ReadonlyArray<string>,
  examples: ReadonlyArray<Example>,
  needed: ReadonlySet<string>
): Compiled => {
  const foreign = new Map<string, number>()
  const complaints = errors.flatMap((error) => {
    const inExample = exampleComplaint(error, examples)
    if (inExample !== undefined) return [inExample]
    const name = packageOfFile(error.replace(/\(.*/, ""))
    if (name === undefined || needed.has(name)) return [`declarations: ${error}`]
    foreign.set(name, (foreign.get(name) ?? 0) + 1)
    return []
  })
  return { complaints, foreign }
}

/** A module that imports every entry of the packages, so that the compiler reads all their declarations. */
const entriesModule = (packages: ReadonlyArray<string>, installed: ReadonlyArray<InstalledPackage>): string =>
  packages
    .flatMap((name) => (installed.find((one) => one.name === name)?.exports ?? []).map((path) => name + path.slice(1)))
    .map((entry, n) => `export * as entry${n} from "${entry}"\n`)
    .join("")

/** Compiles the examples and every entry of the packages in the product. */
export const compileProduct = (
  { folder, installed }: Product,
  packages: ReadonlyArray<string>,
  examples: ReadonlyArray<Example>
): Compiled => {
  writeExamples(folder, examples)
  writeFileSync(join(folder, "entries.ts"), entriesModule(packages, installed))
  const { errors, status } = compilerErrors(folder, {
    compilerOptions: { ...compilerOptions, moduleDetection: "force" },
    include: ["*.ts"]
  })
  const sorted = sortErrors(errors, examples, neededPackages(packages, installed))
  if (status !== 0 && errors.length === 0) return { ...sorted, complaints: [`the compiler ended with ${status}`] }
  return sorted
}

/**
 * Proves the published packages outside of the workspace, as a stranger uses them. Installs the packed files into an empty product. Compiles the
 * examples of the guides and READMEs under `strict`, with every declaration of the packages. Then runs each example.
 *
 * `--tarballs <folder>` uses packed files; without that option, builds and packs. `--manager npm|pnpm`, `--node <version>` and
 * `--runtime bun|deno` choose a run. `--all` does all of them. Bun and Deno run a small product instead of the examples. On the Node of
 * this process, counts the modules that a start loads, and compares the count with `packed/startBudget.json`. `--record` writes that file.
 */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { arch, execPath, platform } from "node:process"
import { allExamples } from "./examplesInText.ts"
import type { ExampleRuntime } from "./examplesRun.ts"
import { runExamples, runFile } from "./examplesRun.ts"
import { firstMailComplaint, firstMailProgram, firstMailStores } from "./packed/firstMail.ts"
import { bytesBelow, copyComplaints } from "./packed/installedPackages.ts"
import type { OtherRuntime, PackedResult, PackedRun } from "./packed/packedPlan.ts"
import {
  groupPageExamples,
  otherPackages,
  packagesWithoutEffect,
  readCatalog,
  readOptions,
  tableOf
} from "./packed/packedPlan.ts"
import type { Product, ProductPlan } from "./packed/product.ts"
import { compileProduct, installProduct } from "./packed/product.ts"
import { packedTarballs } from "./packed/packedTarballs.ts"
import type { StartBudget } from "./packed/startBudget.ts"
import { budgetComplaints, measureStart } from "./packed/startBudget.ts"
import { oldestNode } from "./releaseManifests.ts"
import { publishedPackages } from "./releasePackages.ts"
import { read, root } from "./workspace.ts"

const options = readOptions(process.argv.slice(2), oldestNode)
const published = publishedPackages()
const catalog = readCatalog(read("pnpm-workspace.yaml"))
const names = published.map(({ manifest }) => manifest.name)
const { withoutEffect, withEffect, leftOut } = groupPageExamples(allExamples(), published)

const temporary = mkdtempSync(join(tmpdir(), "mailkeep-product-"))
process.on("exit", () => rmSync(temporary, { recursive: true, force: true }))

/** The path of another version of Node, which npx installs. */
const nodeOf = (version: string): string => {
  const args = ["--yes", "--package", `node@${version}`, "--", "node", "-p", "process.execPath"]
  const { status, stdout, stderr } = spawnSync("npx", args, { cwd: temporary, encoding: "utf8" })
  if (status !== 0) throw new Error(`npx could not install Node ${version}:\n${stderr}`)
  return stdout.trim()
}

/** The file of each binary in the optional dependency of its package for this platform. */
const binaries: Readonly<Record<OtherRuntime, string>> = {
  bun: `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/bin/bun`,
  deno: `@deno/${platform === "linux" ? `linux-${arch}-glibc` : `${platform}-${arch}`}/deno`
}

/** The binary of Bun or Deno, which the workspace has for its example of frameworks. */
const binaryOf = (runtime: OtherRuntime): string => {
  const fromExample = createRequire(join(root, "examples/frameworks/package.json"))
  return createRequire(fromExample.resolve(`${runtime}/package.json`)).resolve(binaries[runtime])
}

const commandOf = ({ runtime, nodeVersion }: PackedRun): ExampleRuntime["command"] => {
  if (runtime === "bun") return [binaryOf("bun")]
  if (runtime === "deno") return [binaryOf("deno"), "run", "--allow-all", "--no-prompt"]
  return [nodeVersion === undefined ? execPath : nodeOf(nodeVersion)]
}

const versionOf = (command: string): string =>
  /\d+\.\d+\.\d+/.exec(spawnSync(command, ["--version"], { encoding: "utf8" }).stdout)?.[0] ?? "of unknown version"

/** Runs the small product with each store. */
const firstMailComplaints = async (product: Product, runtime: string, command: ExampleRuntime["command"]) => {
  const found: Array<string> = []
  for (const store of firstMailStores) {
    const file = join(product.folder, `first${store}.js`)
    writeFileSync(file, firstMailProgram(store))
    const ran = await runFile(file, { command, modules: join(product.folder, "node_modules") })
    found.push(...firstMailComplaint(runtime, store, ran))
  }
  return found
}

/** The errors in declarations of packages that Mailkeep does not need. */
const foreign = new Map<string, number>()

const inProduct = ({ complaints, installed }: Product): ReadonlyArray<string> => [
  ...complaints,
  ...copyComplaints("effect", installed)
]

const budgetFile = "packages/tools/src/packed/startBudget.json"

const startComplaints = async (product: Product): Promise<ReadonlyArray<string>> => {
  const loaded = await measureStart(product.folder)
  console.log(`modules until the first mail is accepted: openMail ${loaded.openMail}, mailkeep serve ${loaded.serve}`)
  if (options.record) writeFileSync(join(root, budgetFile), `${JSON.stringify(loaded, undefined, 2)}\n`)
  return budgetComplaints(loaded, JSON.parse(read(budgetFile)) as StartBudget)
}

const proveRun = async (
  run: PackedRun,
  folder: string,
  tarballs: ReadonlyMap<string, string>
): Promise<PackedResult> => {
  const command = commandOf(run)
  const runtime = `${run.runtime} ${versionOf(command[0])}`
  mkdirSync(folder)
  const install = (name: string, packages: ProductPlan["packages"], others: ProductPlan["others"]) =>
    installProduct({
      folder: join(folder, name),
      manager: run.manager,
      node: run.runtime === "node" ? command[0] : execPath,
      packages,
      others,
      tarballs
    })
  const small = install("small", ["mailkeep"], {})
  const complaints = [...inProduct(small), ...(await firstMailComplaints(small, runtime, command))]
  const size = { packages: small.installed.length, megabytes: bytesBelow(join(small.folder, "node_modules")) / 1e6 }
  const row = { manager: run.manager, runtime, ...size }
  if (run.runtime !== "node") return { ...row, compiled: 0, ran: 0, complaints }

  let ran = 0
  for (const [name, packages, examples] of [
    ["without-effect", packagesWithoutEffect, withoutEffect],
    ["with-effect", names, withEffect]
  ] as const) {
    const product = install(name, packages, otherPackages(examples, catalog))
    const compiled = compileProduct(product, packages, examples)
    complaints.push(...inProduct(product), ...compiled.complaints)
    if (packages === names && run.nodeVersion === undefined) complaints.push(...(await startComplaints(product)))
    for (const [other, count] of compiled.foreign) foreign.set(other, count)
    const modules = join(product.folder, "node_modules")
    complaints.push(...(await runExamples(product.folder, examples, 2, { command, modules })))
    ran += examples.filter(({ notRunBecause }) => notRunBecause === undefined).length
  }
  return { ...row, compiled: withoutEffect.length + withEffect.length, ran, complaints }
}

const tarballs = await packedTarballs(published, temporary, options.tarballs)
const results: Array<PackedResult> = []
for (const [n, run] of options.runs.entries()) {
  const result = await proveRun(run, join(temporary, `run${n}`), tarballs)
  for (const complaint of result.complaints) console.error(`${result.manager}, ${result.runtime}: ${complaint}`)
  results.push(result)
}

console.log(tableOf(results))
const notRun = [...withoutEffect, ...withEffect].filter(({ notRunBecause }) => notRunBecause !== undefined).length
console.log(`${notRun} examples are compiled and not run, as their fences say; ${leftOut.length} use private packages`)
for (const [name, count] of foreign)
  console.log(`no complaint: the declarations of ${name} have ${count} errors; only examples need it`)
process.exitCode = results.some(({ complaints }) => complaints.length > 0) ? 1 : 0

/**
 * Lets a test start a command as it is published: the default export of `../src/main.ts?bundled` is the path of its bundle. A child process then loads a
 * few files instead of a thousand modules, and starts in a third of the time.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { basename, join, relative } from "node:path"
import type { Vite } from "vitest/node"
import { bundleCommands } from "./bundle.ts"
import { publishedPackages } from "./releasePackages.ts"
import { root } from "./workspace.ts"

const query = "?bundled"

/** The bundles of this run, by the module of the command. */
const bundles = new Map<string, Promise<string>>()

/** Bundles the command into a new folder of its package, where it finds the packages that it imports. Returns the path of the bundle. */
const bundleOf = async (module: string): Promise<string> => {
  const one = publishedPackages().find(({ folder }) => !relative(join(root, folder, "src"), module).startsWith(".."))
  if (one === undefined) throw new Error(`${module} is in no published package.`)
  const parent = join(root, one.folder, "node_modules/.cache")
  mkdirSync(parent, { recursive: true })
  const folder = mkdtempSync(join(parent, "command-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  await bundleCommands(one, folder)
  return join(folder, `${basename(module, ".ts")}.js`)
}

/** Bundles the command when a test imports it first. */
export const bundledCommand: Vite.Plugin = {
  name: "bundled-command",
  enforce: "pre",
  // Vitest keeps modules for later runs, and each run has its own bundle.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id.endsWith(query) ? false : undefined)),
  load: async (id) => {
    if (!id.endsWith(query)) return null
    const module = id.slice(0, -query.length)
    const bundle = bundles.get(module) ?? bundleOf(module)
    bundles.set(module, bundle)
    return `export default ${JSON.stringify(await bundle)}`
  }
}

/**
 * Lets a test start the bundle of a command: the default export of `../src/main.ts?bundled` is its path. A child process then loads a few files instead of
 * a thousand modules, and starts in a third of the time.
 */
import type { Vite } from "vitest/node"
import type { BundledProgram } from "@mailkeep/test-support/bundledProgram"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"

const query = "?bundled"

/** The bundles of this run, by the module of the command. */
const bundles = new Map<string, Promise<BundledProgram>>()

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
    const bundle = bundles.get(module) ?? bundledProgram(module)
    bundles.set(module, bundle)
    return `export default ${JSON.stringify((await bundle).file)}`
  }
}

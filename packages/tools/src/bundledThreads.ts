/**
 * Lets the SQLite store of a test start its threads from bundles, as the published package has them in JavaScript. A thread then starts in two thirds of
 * the time. Most tests of the store start one.
 */
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { Vite } from "vitest/node"
import { bundledThreads as bundle } from "@mailkeep/test-support/bundledProgram"

/** The module that starts the threads from the files next to it. */
const startingModule = "/packages/sqlite/src/internal/thread/workerThread.ts"

let folder: Promise<string> | undefined

export const bundledThreads: Vite.Plugin = {
  name: "bundled-threads",
  enforce: "pre",
  // Vitest keeps modules for later runs, and each run has its own bundle.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (id.endsWith(startingModule) ? false : undefined)),
  transform: async (code, id) => {
    if (!id.endsWith(startingModule)) return null
    const { href } = pathToFileURL(join(await (folder ??= bundle()), "workerThread.js"))
    return code.replaceAll("import.meta.url", JSON.stringify(href))
  }
}

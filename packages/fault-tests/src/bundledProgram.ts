/**
 * Bundles a program of a fault run into a few files. A run starts its program hundreds of times, and each start from the sources loads a
 * thousand modules.
 */
import { mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

/** A folder in which Node finds the packages that stay outside of the bundle. */
const cacheFolder = fileURLToPath(new URL("../node_modules/.cache/programs/", import.meta.url))

/** The threads of the SQLite store. The store starts them from files next to its own file. */
const threads = ["commitWorker", "scanWorker"].map(
  (name) => [name, fileURLToPath(new URL(`../../sqlite/src/internal/thread/${name}.ts`, import.meta.url))] as const
)

/** Native code cannot be in a bundle. */
const nativePackages = ["better-sqlite3"]

export interface BundledProgram extends Disposable {
  /** The JavaScript file to start. */
  readonly file: string
}

/** Bundles the program. Its files exist until the result is disposed. */
export const bundledProgram = async (source: string): Promise<BundledProgram> => {
  mkdirSync(cacheFolder, { recursive: true })
  const folder = newFolder("bundle-", cacheFolder)
  const name = basename(source, ".ts")
  const remove = () => removeFolder(folder)
  try {
    await using bundle = await rolldown({
      input: { [name]: source, ...Object.fromEntries(threads) },
      platform: "node",
      external: nativePackages,
      onLog: (level, { message }) => {
        if (level === "warn") throw new Error(`${source}: ${message}`)
      }
    })
    await bundle.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      keepNames: true
    })
    return { file: join(folder, `${name}.js`), [Symbol.dispose]: remove }
  } catch (cause) {
    remove()
    throw cause
  }
}

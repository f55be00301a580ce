/**
 * Bundles a program into a few files. Tests and fault runs start a program many times, and each start from the sources loads a thousand modules.
 */
import { mkdirSync } from "node:fs"
import { findPackageJSON } from "node:module"
import { basename, dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { newFolder, removeFolder } from "./runEnd.ts"

/** A folder in the package of the source, in which Node finds the packages that stay outside of the bundle. */
const cacheFolderOf = (source: string): string =>
  join(dirname(findPackageJSON(pathToFileURL(source))!), "node_modules/.cache/programs")

const threadsFolder = fileURLToPath(new URL("../../sqlite/src/internal/thread/", import.meta.url))

/** The threads of the SQLite store. The store starts them from files next to its own file. */
const threads = Object.fromEntries(
  ["commitWorker", "scanWorker"].map((name) => [name, join(threadsFolder, `${name}.ts`)])
)

/** Native code cannot be in a bundle. */
const nativePackages = ["better-sqlite3"]

/** The files of a program. */
export interface BundledProgram extends Disposable {
  /** The JavaScript file to start. */
  readonly file: string
}

/** The files exist until the result is disposed, or until this process exits. */
const bundle = async (source: string, input: Readonly<Record<string, string>>) => {
  const cacheFolder = cacheFolderOf(source)
  mkdirSync(cacheFolder, { recursive: true })
  const folder = newFolder("bundle-", cacheFolder)
  const remove = () => removeFolder(folder)
  try {
    await using made = await rolldown({
      input: { ...input },
      platform: "node",
      external: nativePackages,
      onLog: (level, { message }) => {
        if (level === "warn") throw new Error(`${source}: ${message}`)
      }
    })
    await made.write({
      dir: folder,
      format: "esm",
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      keepNames: true
    })
    return { folder, [Symbol.dispose]: remove }
  } catch (cause) {
    remove()
    throw cause
  }
}

/** Bundles the program. Its files exist until the result is disposed, or until this process exits. */
export const bundledProgram = async (source: string): Promise<BundledProgram> => {
  const name = basename(source, ".ts")
  const { folder, [Symbol.dispose]: dispose } = await bundle(source, { [name]: source, ...threads })
  return { file: join(folder, `${name}.js`), [Symbol.dispose]: dispose }
}

/** Bundles the threads of the SQLite store, and returns their folder. It exists until this process exits. */
export const bundledThreads = async (): Promise<string> => (await bundle(threadsFolder, threads)).folder

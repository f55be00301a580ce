/**
 * Keeps the code that Node has compiled, so that the next command starts faster. Source: `docs/guides/operations.md`.
 */
import { chmodSync, mkdirSync, statSync } from "node:fs"
import { enableCompileCache } from "node:module"
import { userInfo } from "node:os"
import { join } from "node:path"

/**
 * The home of the user of the process. It is not taken from `HOME`: with `sudo` this can be the home of another user, who could then give code to an
 * administrator.
 */
const ownHome = (): string => userInfo().homedir

/**
 * Creates the folder for compiled code in the home of a user, and lets only its owner use it. Returns `undefined` when there can be none, for example
 * because the file system is read-only, or because the folder belongs to another user.
 */
export const compileCacheFolder = (homeOf: () => string): string | undefined => {
  try {
    const folder = join(homeOf(), ".cache", "mailkeep", "compiled")
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = statSync(folder)
    if (process.getuid !== undefined && uid !== process.getuid()) return undefined
    if ((mode & 0o077) !== 0) chmodSync(folder, 0o700)
    return folder
  } catch {
    return undefined
  }
}

/** Keeps compiled code from now on. Does nothing when the operator has set `NODE_COMPILE_CACHE` or `NODE_DISABLE_COMPILE_CACHE`. */
export const keepCompiledCode = (homeOf: () => string = ownHome): void => {
  if (process.env["NODE_COMPILE_CACHE"] !== undefined || process.env["NODE_DISABLE_COMPILE_CACHE"] !== undefined) return
  const folder = compileCacheFolder(homeOf)
  if (folder !== undefined) enableCompileCache(folder)
}

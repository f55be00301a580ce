/**
 * The folders and processes of a fault run or a measurement. They end with this process, also when a signal ends it in the middle of a run.
 */
import type { ChildProcess } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { constants, tmpdir } from "node:os"
import { join } from "node:path"

const folders = new Set<string>()
const children = new Set<ChildProcess>()

/** Runs when this process exits, so it does nothing that has to wait. */
const removeAll = (): void => {
  for (const child of children) child.kill("SIGKILL")
  for (const folder of folders) {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    } catch {
      // A process that has not ended yet can still write a file.
    }
  }
}

const watchExit = (): void => {
  if (!process.listeners("exit").includes(removeAll)) process.once("exit", removeAll)
}

/** Makes a temporary folder. It is removed when this process exits. */
export const newFolder = (prefix: string, parent: string = tmpdir()): string => {
  watchExit()
  const folder = mkdtempSync(join(parent, prefix))
  folders.add(folder)
  return folder
}

/** Removes a temporary folder now. */
export const removeFolder = (folder: string): void => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  folders.delete(folder)
}

/** Makes a temporary folder in memory where possible, for runs that write thousands of files. */
export const newMemoryFolder = (prefix: string): string =>
  newFolder(prefix, existsSync("/dev/shm") ? "/dev/shm" : tmpdir())

/** Kills the child when this process exits. Returns the child. */
export const owned = <Child extends ChildProcess>(child: Child): Child => {
  watchExit()
  children.add(child)
  child.once("exit", () => children.delete(child))
  return child
}

/** Lets a signal end this process by `process.exit`, so that the folders and processes of the run end too. */
export const endOnSignals = (): void => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(128 + constants.signals[signal]))
}

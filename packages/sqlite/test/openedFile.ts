/**
 * Opens a store at a path of the test, and mounts a small file system for its file.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { afterEach, beforeEach } from "vitest"
import { SqliteMailStore } from "../src/index.ts"

/** Gives each test of the calling file a folder of its own, and a path in it for a store. */
export const filesOfEachTest = () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mailkeep-sqlite-"))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return { folder: () => folder, file: () => join(folder, "mail.db") }
}

/** Opens and closes a store, and creates its file if there is none. Starts no commit thread, which would take most of the time of a test. */
export const open = (filename: string) => Effect.scoped(SqliteMailStore.make({ filename, commitThread: "caller" }))
export const refusal = (filename: string): Promise<StoreNotOpened> => Effect.runPromise(Effect.flip(open(filename)))

export const put = (name: string) => [{ _tag: "PutSetting", name, value: "1" }] as const

/** A separate file system, or `undefined` if this user may not mount one. */
export const mountTmpfs = (at: string, options: string): (() => void) | undefined => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", at], { stdio: "ignore" })
    return () => execFileSync("umount", ["-l", at])
  } catch {
    return undefined
  }
}

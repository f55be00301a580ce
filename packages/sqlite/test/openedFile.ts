/**
 * Opens a store at a path, and mounts a small file system for its file.
 */
import { execFileSync } from "node:child_process"
import type { StoreNotOpened } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { SqliteMailStore } from "../src/index.ts"

export const open = (filename: string) => Effect.scoped(SqliteMailStore.make({ filename }))
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

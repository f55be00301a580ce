/**
 * Finds and reads the files of the workspace.
 */
import { globSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../..", import.meta.url))

/** The files below the root that match a pattern, as sorted paths with forward slashes. */
export const files = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  globSync(patterns as Array<string>, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" })
    .map((file) => relative(root, join(root, file)).replaceAll("\\", "/"))
    .toSorted()

export const read = (file: string): string => readFileSync(join(root, file), "utf8")

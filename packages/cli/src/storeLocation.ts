/**
 * The location of a store on the command line, such as `sqlite:mail.db`.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { Option } from "effect"
import { storeFileName } from "./dataFolder.ts"

/** The path of the file of a location. A folder means the store in that data folder. */
export const storeFileOf = (location: string): Option.Option<string> => {
  const path = /^sqlite:(.+)$/s.exec(location)?.[1]
  if (path === undefined) return Option.none()
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
  return Option.some(isFolder ? join(path, storeFileName) : path)
}

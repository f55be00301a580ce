/**
 * Finds the Chromium of the system.
 */
import { accessSync, constants } from "node:fs"
import { delimiter, join } from "node:path"

const names = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"]

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The path of Chromium: of `MAILKEEP_CHROMIUM`, or of a known name in `PATH`; `undefined` if there is none. */
export const findChromium = (): string | undefined => {
  const chosen = process.env["MAILKEEP_CHROMIUM"] ?? ""
  if (chosen !== "") return isExecutable(chosen) ? chosen : undefined
  const folders = (process.env["PATH"] ?? "").split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

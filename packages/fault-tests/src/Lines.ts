/**
 * Writes and reads lines of JSON in a file. Each line is written synchronously, so it survives a kill of the process right after.
 */
import { existsSync, openSync, readFileSync, writeSync } from "node:fs"

/** Returns a function that appends one line to the file. Creates the file if it does not exist. */
export const appender = (file: string): ((line: unknown) => void) => {
  const descriptor = openSync(file, "a")
  return (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`)
}

/** Returns every complete line. Ignores a last line that a kill cut off. */
export const readLines = <L>(file: string): ReadonlyArray<L> => {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.slice(0, -1).map((line) => JSON.parse(line) as L)
}

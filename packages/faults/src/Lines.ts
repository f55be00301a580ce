/**
 * Lines of JSON in a file, written at once: what a process has told is there although it is killed in the next instant.
 */
import { existsSync, openSync, readFileSync, writeSync } from "node:fs"

/** Appends to the file, which is made when it does not exist. */
export const appender = (file: string): ((line: unknown) => void) => {
  const descriptor = openSync(file, "a")
  return (line) => void writeSync(descriptor, `${JSON.stringify(line)}\n`)
}

/** Every whole line; what a kill tore off was never told. */
export const readLines = <L>(file: string): ReadonlyArray<L> => {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, "utf8").split("\n")
  return lines.slice(0, -1).map((line) => JSON.parse(line) as L)
}

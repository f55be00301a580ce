/**
 * Writes and reads lines of JSON in a file. Each line is written synchronously, so it survives a kill of the process right after.
 */
import { existsSync, fstatSync, openSync, readFileSync, readSync, writeSync } from "node:fs"

/**
 * Returns a function that appends one line to the file. Creates the file if it does not exist. Each line begins with a line end of its own, because
 * a kill may have cut off the line before it.
 */
export const appender = (file: string): ((line: unknown) => void) => {
  const descriptor = openSync(file, "a")
  return (line) => void writeSync(descriptor, `\n${JSON.stringify(line)}\n`)
}

/** Parses the lines, without those that a kill cut off: the beginning of an object is never JSON. */
const parsed = <L>(lines: ReadonlyArray<string>): ReadonlyArray<L> =>
  lines.flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line) as L]
    } catch {
      return []
    }
  })

/** Returns every complete line. Ignores a line that a kill cut off. */
export const readLines = <L>(file: string): ReadonlyArray<L> => {
  if (!existsSync(file)) return []
  return parsed(readFileSync(file, "utf8").split("\n").slice(0, -1))
}

/** Returns a function that returns the lines since its last call. Each call reads only the new bytes. */
export const newLines = <L>(file: string): (() => ReadonlyArray<L>) => {
  let descriptor: number | undefined
  let position = 0
  let rest = ""
  return () => {
    if (descriptor === undefined && !existsSync(file)) return []
    descriptor ??= openSync(file, "r")
    const bytes = Buffer.alloc(fstatSync(descriptor).size - position)
    position += readSync(descriptor, bytes, 0, bytes.length, position)
    const lines = (rest + bytes.toString("utf8")).split("\n")
    rest = lines.pop()!
    return parsed(lines)
  }
}

/**
 * What a process did to its files, read from what `strace` wrote down: writes, syncs, and what it told the outside.
 */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"

export type SystemCall =
  | { readonly did: "write"; readonly file: string; readonly offset: number; readonly octets: Buffer }
  | { readonly did: "sync"; readonly file: string }
  | { readonly did: "truncate"; readonly file: string; readonly length: number }
  | { readonly did: "unlink"; readonly file: string }
  /** Lines appended to a file that stands for the world outside. */
  | { readonly did: "tell"; readonly file: string; readonly text: string }

const calls = "pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat"

const octetsOf = (hex: string): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex")

/** Calls that another thread's came between are told in two halves. */
const wholeLines = (log: string): ReadonlyArray<string> => {
  const begun = new Map<string, string>()
  return log.split("\n").flatMap((line) => {
    const [, thread = "", rest = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? []
    if (rest.endsWith("<unfinished ...>")) {
      begun.set(thread, rest.slice(0, -"<unfinished ...>".length).trimEnd())
      return []
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/.exec(rest)
    return resumed === null ? [rest] : [`${begun.get(thread) ?? ""}${resumed[1]}`]
  })
}

const parsed = (line: string, folder: string, outside: ReadonlySet<string>): ReadonlyArray<SystemCall> => {
  const [, call, hexPath, rest = ""] = /^(\w+)\(\d+<([^>]*)>(.*)$/.exec(line) ?? []
  if (call === undefined || hexPath === undefined) {
    const unlinked = /^unlink(?:at)?\((?:AT_FDCWD[^,]*, )?"((?:\\x[0-9a-f]{2})*)".*= 0$/.exec(line)
    const file = unlinked === null ? "" : octetsOf(unlinked[1]!).toString()
    return file.startsWith(folder) ? [{ did: "unlink", file: basename(file) }] : []
  }
  const path = octetsOf(hexPath).toString()
  if (!path.startsWith(`${folder}/`)) return []
  const file = basename(path)
  if (file.endsWith("-shm") || !/= \d+$/.test(line)) return []
  const [, hex = "", numbers = ""] = /^, "((?:\\x[0-9a-f]{2})*)"([^"]*)$/.exec(rest) ?? []
  switch (call) {
    case "write":
      return outside.has(file) ? [{ did: "tell", file, text: octetsOf(hex).toString() }] : []
    case "pwrite64": {
      const offset = Number(/, (\d+)\)/.exec(numbers)![1])
      return [{ did: "write", file, offset, octets: octetsOf(hex) }]
    }
    case "fsync":
    case "fdatasync":
      return [{ did: "sync", file }]
    case "ftruncate":
      return [{ did: "truncate", file, length: Number(/^, (\d+)\)/.exec(rest)![1]) }]
    default:
      return []
  }
}

/** Runs a program to its end and gives what it did to files in the folder. `outside` are the names of files that stand for the world. */
export const watched = (
  program: ReadonlyArray<string>,
  folder: string,
  outside: ReadonlyArray<string>
): ReadonlyArray<SystemCall> => {
  const notes = mkdtempSync(join(tmpdir(), "mailkeep-strace-"))
  try {
    const log = join(notes, "log")
    const flags = ["-f", "-qq", "-y", "-xx", "-s", "1000000", "--seccomp-bpf", "-e", `trace=${calls}`, "-o", log]
    const { status, stderr, error } = spawnSync("strace", [...flags, process.execPath, ...program], {
      encoding: "utf8"
    })
    if (status !== 0) throw new Error(`The watched program ended with ${status}: ${error?.message ?? stderr}`)
    const names = new Set(outside)
    return wholeLines(readFileSync(log, "utf8")).flatMap((line) => parsed(line, folder, names))
  } finally {
    rmSync(notes, { recursive: true })
  }
}

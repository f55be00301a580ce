/**
 * Reads the file operations of a process from the output of `strace`: writes, syncs, and reports to files outside of the store.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

/** One operation on a file. */
export type SystemCall =
  | { readonly did: "write"; readonly file: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly did: "sync"; readonly file: string }
  | { readonly did: "truncate"; readonly file: string; readonly length: number }
  | { readonly did: "unlink"; readonly file: string }
  /** Lines appended to a report file. Reports are not lost by a power cut. */
  | { readonly did: "report"; readonly file: string; readonly text: string }

const calls = "pwrite64,write,fsync,fdatasync,ftruncate,unlink,unlinkat"

const bytesOf = (hex: string): Buffer => Buffer.from(hex.replaceAll("\\x", ""), "hex")

/** strace splits a call in two lines when a call of another thread comes between. Joins these lines. */
const joinedLines = (log: string): ReadonlyArray<string> => {
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
    const file = unlinked === null ? "" : bytesOf(unlinked[1]!).toString()
    return file.startsWith(folder) ? [{ did: "unlink", file: basename(file) }] : []
  }
  const path = bytesOf(hexPath).toString()
  if (!path.startsWith(`${folder}/`)) return []
  const file = basename(path)
  if (file.endsWith("-shm") || !/= \d+$/.test(line)) return []
  const [, hex = "", numbers = ""] = /^, "((?:\\x[0-9a-f]{2})*)"([^"]*)$/.exec(rest) ?? []
  switch (call) {
    case "write":
      return outside.has(file) ? [{ did: "report", file, text: bytesOf(hex).toString() }] : []
    case "pwrite64": {
      const offset = Number(/, (\d+)\)/.exec(numbers)![1])
      return [{ did: "write", file, offset, bytes: bytesOf(hex) }]
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

/** Runs a program to its end and returns its operations on files in the folder. `outside` are the names of the report files. */
export const recordCalls = (
  program: ReadonlyArray<string>,
  folder: string,
  outside: ReadonlyArray<string>,
  env: NodeJS.ProcessEnv
): ReadonlyArray<SystemCall> => {
  const logFolder = newFolder("mailkeep-strace-")
  try {
    const log = join(logFolder, "log")
    const flags = ["-f", "-qq", "-y", "-xx", "-s", "1000000", "--seccomp-bpf", "-e", `trace=${calls}`, "-o", log]
    const { status, stderr, error } = spawnSync("strace", [...flags, process.execPath, ...program], {
      encoding: "utf8",
      env
    })
    if (status !== 0) throw new Error(`The traced program ended with ${status}: ${error?.message ?? stderr}`)
    const names = new Set(outside)
    return joinedLines(readFileSync(log, "utf8")).flatMap((line) => parsed(line, folder, names))
  } finally {
    removeFolder(logFolder)
  }
}

/**
 * The programs of PostgreSQL on this machine, run under the user `postgres` when the tests run as root: PostgreSQL refuses root.
 */
import type { ChildProcess, StdioOptions } from "node:child_process"
import { execFile, execFileSync, spawn } from "node:child_process"
import { chownSync, existsSync, readdirSync, readFileSync, realpathSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

const isRoot = process.getuid?.() === 0

/** Debian has the programs of each version in a folder of its own. */
const debianFolder = "/usr/lib/postgresql"

/**
 * The folder with `initdb` and `postgres`, or `undefined`. `MAILKEEP_POSTGRES_BIN` names another folder, to test another version.
 */
const programFolder = (): string | undefined => {
  const folders = [
    ...(process.env["MAILKEEP_POSTGRES_BIN"] === undefined ? [] : [process.env["MAILKEEP_POSTGRES_BIN"]]),
    ...(existsSync(debianFolder)
      ? readdirSync(debianFolder)
          .toSorted((a, b) => Number(b) - Number(a))
          .map((version) => join(debianFolder, version, "bin"))
      : [])
  ]
  return folders.find((folder) => existsSync(join(folder, "initdb")))
}

const succeeds = (program: string, args: ReadonlyArray<string>): boolean => {
  try {
    execFileSync(program, args, { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** What this machine lacks, as names of packages of Debian. */
const missingPackages = (): ReadonlyArray<string> => [
  ...(programFolder() === undefined || (isRoot && !succeeds("id", ["postgres"])) ? ["postgresql"] : []),
  ...(existsSync("/usr/sbin/pgbouncer") ? [] : ["pgbouncer"]),
  ...(isRoot && !succeeds("setpriv", ["--version"]) ? ["util-linux"] : [])
]

/**
 * Whether the tests can start PostgreSQL and pgbouncer. Warns when they cannot, so that a test that is skipped says so. With `CI=true`, throws.
 */
export const hasPostgres = (): boolean => {
  const missing = missingPackages()
  if (missing.length === 0) return true
  const reason = `no PostgreSQL on this machine; install: ${missing.join(", ")}.`
  if (process.env["CI"] === "true") throw new Error(`The tests of the PostgreSQL store cannot run: ${reason}`)
  process.emitWarning(`SKIPPED: the tests of the PostgreSQL store, because there is ${reason}`)
  return false
}

/** The path of a program of PostgreSQL. */
export const postgresProgram = (name: string): string => join(realpathSync(programFolder()!), name)

/** The major version of the server, such as 15. */
export const postgresVersion = (): number => {
  const printed = execFileSync(postgresProgram("postgres"), ["--version"], { encoding: "utf8" })
  return Number(/ (\d+)/.exec(printed)![1])
}

/** The command that runs a program as a user whom PostgreSQL accepts. */
const asServerUser = (program: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  isRoot
    ? ["setpriv", ["--reuid", "postgres", "--regid", "postgres", "--init-groups", program, ...args]]
    : [program, args]

const environment = { PATH: process.env["PATH"] ?? "", LC_ALL: "C.UTF-8" }

/** Runs a program to its end. Rejects with its output when it fails. */
export const runProgram = async (program: string, args: ReadonlyArray<string>, folder: string): Promise<void> => {
  const [command, parameters] = asServerUser(program, args)
  await promisify(execFile)(command, parameters, { cwd: folder, env: environment })
}

/** Starts a server program in a session of its own, so that an interrupt from the terminal does not reach it. */
export const startProgram = (
  program: string,
  args: ReadonlyArray<string>,
  folder: string,
  stdio: StdioOptions
): ChildProcess => {
  const [command, parameters] = asServerUser(program, args)
  const child = spawn(command, parameters, { cwd: folder, env: environment, stdio, detached: true })
  child.unref()
  return child
}

/** Gives a folder to the user of the server. */
export const giveToServerUser = (folder: string): void => {
  if (!isRoot) return
  const id = (flag: string) => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))
  chownSync(folder, id("-u"), id("-g"))
}

/** The process ids of a process and of all processes that it started. */
export const processTree = (pid: number): ReadonlyArray<number> => {
  const children = (parent: number): ReadonlyArray<number> => {
    try {
      return readFileSync(`/proc/${parent}/task/${parent}/children`, "utf8").split(" ").filter(Boolean).map(Number)
    } catch {
      return []
    }
  }
  return [pid, ...children(pid).flatMap(processTree)]
}

/** Whether a process runs. A process that ended can remain in the list of processes until its parent has read its result. */
export const isRunning = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

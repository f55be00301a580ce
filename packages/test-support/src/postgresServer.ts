/**
 * A real PostgreSQL server for tests: a fresh data folder, a port of its own, and nothing left behind. The servers of one test process share a
 * watchdog: a process that stops them and deletes their folder when the test process ends, also when it is killed.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync
} from "node:fs"
import { once } from "node:events"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { Client } from "pg"
import { startOnFreePort } from "./freePort.ts"
import {
  giveToServerUser,
  isRunning,
  postgresProgram,
  postgresVersion,
  processTree,
  runProgram,
  startProgram
} from "./postgresPrograms.ts"

export { hasPostgres, postgresVersion } from "./postgresPrograms.ts"

/** The name of the only user. The server accepts it without a password, and only from this machine. */
export const userName = "mailkeep"

/** A running server. Every call that changes its state ends when the new state is reached. */
export interface PostgresServer {
  /** The TCP port on 127.0.0.1. It stays the same when the server starts again. */
  readonly port: number
  /** The folder that contains the data folder; other servers of the test can keep theirs here. */
  readonly folder: string
  /** The folder with the data and the file `log`. */
  readonly dataFolder: string
  /** The address of a database, for the driver. Without a role, for the superuser. */
  readonly urlOf: (database: string, role?: string) => string
  /** Runs statements in a database as they are, without a transaction. */
  readonly run: (database: string, ...statements: ReadonlyArray<string>) => Promise<void>
  /** Creates a database with a new name and returns the name. `template` is an existing database that no connection uses; its content is copied. */
  readonly createDatabase: (template?: string) => Promise<string>
  /** Deletes a database, and ends its connections. */
  readonly dropDatabase: (database: string) => Promise<void>
  /** Starts the stopped server again, on the same port. */
  readonly start: () => Promise<void>
  /** Ends every connection and stops the server. Nothing that was committed is lost. */
  readonly stop: () => Promise<void>
  /** Kills all processes of the server with SIGKILL at once. */
  readonly kill: () => Promise<void>
  /** Changes a setting, and lets the running server read it. */
  readonly set: (name: string, value: string) => Promise<void>
}

const watchdogScript = `
trap '' INT TERM HUP
cat > /dev/null
alive() { case "$(cut -d ' ' -f 2,3 "/proc/$1/stat" 2>/dev/null)" in *' Z') return 1;; '(postgres)'*|'(pgbouncer)'*) return 0;; esac; return 1; }
each() { for file in "$folder"/running/*; do pid=\${file##*/}; alive "$pid" && "$@" "$pid"; done; return 0; }
folder=$1
each kill -QUIT
tries=0
while [ $tries -lt 50 ] && [ -n "$(each echo)" ]; do sleep 0.1; tries=$((tries + 1)); done
each kill -KILL
sleep 0.1
rm -rf "$folder"
`

/** A folder for the servers of this process, and the process that ends them. */
export interface Watched {
  /** The temporary folder. */
  readonly folder: string
  /** Lets the watchdog end a started program, and waits until the program runs no longer to forget it. */
  readonly watch: (child: ChildProcess) => void
  /** Ends everything now. */
  readonly close: () => Promise<void>
}

/** A file system in memory. */
const memoryFolder = "/dev/shm"
const memoryBytesMin = 2 ** 30

const hasMemoryFolder = (): boolean => {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder)
    return bavail * bsize >= memoryBytesMin
  } catch {
    return false
  }
}

/**
 * Makes the folder. A server in memory syncs as on a disk, but a sync takes no time. It suits tests of the meaning of statements: they see no
 * difference, unless the machine itself stops. Without enough memory, the servers are on the disk.
 */
export const openWatched = ({ isInMemory = false }: { readonly isInMemory?: boolean } = {}): Watched => {
  const parent = isInMemory && hasMemoryFolder() ? memoryFolder : tmpdir()
  const folder = mkdtempSync(join(parent, "mailkeep-postgres-"))
  giveToServerUser(folder)
  const running = join(folder, "running")
  mkdirSync(running)
  const watchdog = spawn("sh", ["-c", watchdogScript, "sh", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true
  })
  watchdog.unref()
  ;(watchdog.stdin as unknown as { readonly unref: () => void }).unref()
  return {
    folder,
    watch: (child) => {
      const file = join(running, String(child.pid))
      writeFileSync(file, "")
      child.once("exit", () => rmSync(file, { force: true }))
    },
    close: async () => {
      if (watchdog.exitCode !== null) return
      watchdog.ref()
      const ended = once(watchdog, "exit")
      watchdog.stdin.end()
      await ended
    }
  }
}

const settingsDefault = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "100",
  shared_buffers: "64MB",
  // In the data folder, so that a killed server leaves nothing elsewhere.
  dynamic_shared_memory_type: "mmap",
  max_wal_senders: "4"
}

const settingLine = (name: string, value: string): string => `${name} = '${value}'\n`

/** The eighth line of this file is the state of the server. */
const stateOf = (dataFolder: string): string => {
  try {
    return readFileSync(join(dataFolder, "postmaster.pid"), "utf8").split("\n")[7]?.trim() ?? ""
  } catch {
    return ""
  }
}

const startMillisMax = 60_000

/** Starts the server of a data folder. Returns `undefined` when the server ended before it was ready. */
const startServer = async (watched: Watched, dataFolder: string, port: number): Promise<ChildProcess | undefined> => {
  // The file of a killed server would look like a server that is ready.
  rmSync(join(dataFolder, "postmaster.pid"), { force: true })
  const args = ["-D", dataFolder, "-p", String(port)]
  const log = openSync(join(dataFolder, "log"), "a")
  const child = startProgram(postgresProgram("postgres"), args, dataFolder, ["ignore", log, log])
  closeSync(log)
  watched.watch(child)
  const until = performance.now() + startMillisMax
  while (performance.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) return undefined
    if (stateOf(dataFolder) === "ready") return child
    await pause(10)
  }
  throw new Error(`PostgreSQL did not start within ${startMillisMax} ms.`)
}

const ended = (child: ChildProcess): Promise<unknown> =>
  child.exitCode === null && child.signalCode === null ? once(child, "exit") : Promise.resolve()

/** Whether a new connection sees the value of a setting. */
const hasSetting = async (url: string, name: string, value: string): Promise<boolean> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query("SELECT current_setting($1) AS value", [name])
    return (rows as ReadonlyArray<{ readonly value: string }>)[0]?.value === value
  } finally {
    await client.end()
  }
}

/** Starts the server of an existing data folder on a free port. */
export const serveFolder = async (watched: Watched, dataFolder: string): Promise<PostgresServer> => {
  const started = await startOnFreePort(async (port) => {
    const child = await startServer(watched, dataFolder, port)
    return child && { port, child }
  })
  if (started === undefined)
    throw new Error(`PostgreSQL did not start: ${readFileSync(join(dataFolder, "log"), "utf8")}`)
  const { port, child } = started
  let server = child
  let made = 0
  const urlOf = (database: string, role: string = userName) => `postgres://${role}@127.0.0.1:${port}/${database}`
  const run = async (database: string, ...statements: ReadonlyArray<string>) => {
    const client = new Client({ connectionString: urlOf(database) })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  return {
    port,
    folder: watched.folder,
    dataFolder,
    urlOf,
    run,
    createDatabase: async (template = "template0") => {
      const name = `test_${process.pid}_${(made += 1)}`
      await run("postgres", `CREATE DATABASE ${name} TEMPLATE ${template}`)
      return name
    },
    dropDatabase: (database) => run("postgres", `DROP DATABASE ${database} WITH (FORCE)`),
    start: async () => {
      const again = await startServer(watched, dataFolder, port)
      if (again === undefined) throw new Error("PostgreSQL did not start again.")
      server = again
    },
    stop: async () => {
      server.kill("SIGINT")
      await ended(server)
    },
    kill: async () => {
      const tree = server.pid === undefined ? [] : processTree(server.pid)
      for (const pid of tree) {
        try {
          process.kill(pid, "SIGKILL")
        } catch {
          // A session can have ended in the meantime.
        }
      }
      await ended(server)
      // The memory that the processes share is free only after the last of them has ended.
      while (tree.some(isRunning)) await pause(10)
    },
    set: async (name, value) => {
      appendFileSync(join(dataFolder, "postgresql.conf"), settingLine(name, value))
      await run("postgres", "SELECT pg_reload_conf()")
      while (!(await hasSetting(urlOf("postgres"), name, value))) await pause(10)
    }
  }
}

/** The first version whose databases can have an order of ICU by default. */
const icuVersionMin = 15

/**
 * The default order of texts is that of American English, so that a column without `COLLATE "C"` fails a test. Older servers need a locale of the system
 * for that, so they have the order of C.
 */
const localeOptions = (): ReadonlyArray<string> => [
  "--encoding=UTF8",
  "--locale=C.UTF-8",
  ...(postgresVersion() < icuVersionMin ? [] : ["--locale-provider=icu", "--icu-locale=en-US"])
]

/** Starts a new server with more settings of `postgresql.conf`. `watched` closes it. */
export const startPostgres = async (
  watched: Watched,
  settings: Readonly<Record<string, string>> = {}
): Promise<PostgresServer> => {
  const dataFolder = mkdtempSync(join(watched.folder, "data-"))
  giveToServerUser(dataFolder)
  const args = ["-D", dataFolder, "--no-sync", "--auth=trust", `--username=${userName}`, ...localeOptions()]
  await runProgram(postgresProgram("initdb"), args, dataFolder)
  const lines = Object.entries({ ...settingsDefault, ...settings }).map(([name, value]) => settingLine(name, value))
  appendFileSync(join(dataFolder, "postgresql.conf"), lines.join(""))
  return serveFolder(watched, dataFolder)
}

let shared: Promise<PostgresServer> | undefined

/** The server in memory that all tests of this process share. It ends with the process. Create a database for each test. */
export const sharedPostgres = (): Promise<PostgresServer> =>
  (shared ??= startPostgres(openWatched({ isInMemory: true })))

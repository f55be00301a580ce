/**
 * Redis and PostgreSQL for one round: each with its own folder and port, and with every acknowledged write on the disk.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { chownSync, existsSync, globSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { Pool } from "pg"
import { freePort } from "@mailkeep/test-support/freePort"
import { untilListening } from "../untilListening.ts"
import type { Tool } from "../Row.ts"

/** The folder of the programs of PostgreSQL. Debian keeps them out of the path. */
const postgresPrograms = (): string | undefined => globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1)

/** Whether the program is installed. */
export const isInstalled = (tool: Tool): boolean =>
  tool === "postgres"
    ? postgresPrograms() !== undefined
    : spawnSync("sh", ["-c", `command -v ${tool}`], { stdio: "ignore" }).status === 0

/** The Debian package of each program. */
export const debianPackages: Readonly<Record<Tool, string>> = {
  "redis-server": "redis-server",
  postgres: "postgresql",
  "smtp-sink": "postfix"
}

/** A running server. */
interface Server {
  readonly port: number
  readonly stop: () => Promise<void>
}

const stopped = (child: ReturnType<typeof spawn>, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    child.once("exit", () => resolve())
    child.kill(signal)
  })

/** Starts Redis. It syncs its log before each answer. */
export const startRedis = async (folder: string): Promise<Server> => {
  const port = await freePort()
  const settings = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction"]
  const server = spawn("redis-server", ["--port", String(port), "--bind", "127.0.0.1", "--dir", folder, ...settings], {
    stdio: "ignore"
  })
  await untilListening(port, "redis-server")
  return { port, stop: () => stopped(server, "SIGKILL") }
}

/** PostgreSQL refuses to run as root, so it runs as its own user then. */
const asPostgres = (command: string, args: ReadonlyArray<string>): readonly [string, ReadonlyArray<string>] =>
  process.getuid?.() === 0
    ? ["setpriv", ["--reuid=postgres", "--regid=postgres", "--clear-groups", command, ...args]]
    : [command, args]

/** The id of a user of the system. */
const userId = (name: string): number => Number(execFileSync("id", ["-u", name], { encoding: "utf8" }))

/** A pool of `pg`. The server can end its connections before it has closed them, and `graphile-worker` warns of a pool without both listeners. */
export const poolAt = (connectionString: string, max: number): Pool => {
  const pool = new Pool({ connectionString, max })
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  return pool
}

/** Starts PostgreSQL with its defaults, under which a commit is synced before its answer. */
export const startPostgres = async (folder: string): Promise<Server & { readonly url: string }> => {
  const programs = postgresPrograms()!
  const port = await freePort()
  const data = join(folder, "postgres")
  if (!existsSync(data)) mkdirSync(data)
  if (process.getuid?.() === 0) {
    chownSync(folder, userId("postgres"), -1)
    chownSync(data, userId("postgres"), -1)
  }
  // A folder of an earlier round keeps its database.
  const isNew = !existsSync(join(data, "PG_VERSION"))
  const init = asPostgres(join(programs, "initdb"), [
    "-D",
    data,
    "-A",
    "trust",
    "-U",
    "postgres",
    "--no-sync",
    "-E",
    "UTF8"
  ])
  if (isNew) execFileSync(init[0], init[1], { stdio: "ignore", cwd: folder })
  const [command, args] = asPostgres(join(programs, "postgres"), [
    "-D",
    data,
    "-p",
    String(port),
    "-h",
    "127.0.0.1",
    "-k",
    data
  ])
  const server = spawn(command, args, { stdio: "ignore", cwd: folder })
  await untilListening(port, "postgres")
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  // It listens before it accepts connections.
  while (spawnSync(join(programs, "pg_isready"), ["-q", "-d", url]).status !== 0) await wait(50)
  return {
    port,
    url,
    // Ends the connections, and writes everything to its files.
    stop: () => stopped(server, "SIGINT")
  }
}

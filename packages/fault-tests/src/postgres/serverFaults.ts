/**
 * Four products on one database under load, two of them through pgbouncer, and one fault after the other. A fault is a killed product, connections
 * that the server ends, a killed server, or the promotion of the synchronous standby. After each fault every product must send again. At the end
 * nothing acknowledged is lost.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import type { PostgresServer, Watched } from "@mailkeep/test-support/postgres"
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import { startBouncer } from "@mailkeep/test-support/postgresBouncer"
import type { DatabaseProxy } from "@mailkeep/test-support/postgresProxy"
import { startProxy } from "@mailkeep/test-support/postgresProxy"
import { startStandby } from "@mailkeep/test-support/postgresStandby"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"
import { endChild } from "../childEnd.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import type { WorkerOptions } from "../kill/worker.ts"
import { newLines } from "../Lines.ts"
import type { WorkerReport } from "../workerReports.ts"
import { finalCheck } from "./finalCheck.ts"
import { makeOrphans } from "./orphans.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const worker = fileURLToPath(new URL("../kill/worker.ts", import.meta.url))

/** The number of products on the database. */
const processCount = 4
/** Each fault interrupts some calls of each product, and the recovery at the end stays short. */
const callersOfProcess = 4
/** How long a product may take to send again after a fault. The lease of a killed product is shorter. */
const recoveryMillisMax = 45_000

/** The servers and products of a run. */
interface Load {
  readonly watched: Watched
  readonly proxy: DatabaseProxy
  /** The server that is the primary now. */
  server: PostgresServer
  /** Kills one product and starts another. */
  readonly replaceProduct: (index: number) => Promise<void>
}

/** Injects the N-th fault. */
type Inject = (load: Load, n: number) => Promise<void>

/** The database of the run. */
const database = "mailkeep"

const killProduct: Inject = ({ replaceProduct }, n) => replaceProduct(n % processCount)

const terminateConnections: Inject = ({ server }) =>
  server.run(
    database,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
  )

const killServer: Inject = async ({ server }) => {
  await server.kill()
  await server.start()
}

/** Every second fault ends the connections, and every second one kills the server. */
const endOrKill: Inject = (load, n) => (n % 2 === 0 ? terminateConnections : killServer)(load, n)

/** At every second promotion, the host of the old primary disappears: its connections stay open and silent. */
const promoteStandby: Inject = async (load, n) => {
  const { watched, server, proxy } = load
  const standby = await startStandby(watched, server)
  // Gives the products time to commit while the standby follows.
  await wait(200 + Math.random() * 300)
  if (n % 2 === 1) proxy.silenceAll()
  await server.kill()
  await standby.promote()
  // The new primary has no standby yet, and must not wait for one.
  await standby.set("synchronous_standby_names", "")
  proxy.setTarget(standby.port)
  if (n % 2 === 0) proxy.cutAll()
  load.server = standby
}

/** The kinds of faults, each with what one of them is called. */
export const serverFaults = {
  product: { inject: killProduct, name: "products killed" },
  server: { inject: endOrKill, name: "times that all connections were ended or the server was killed" },
  failover: { inject: promoteStandby, name: "promotions of the synchronous standby" }
} as const satisfies Readonly<Record<string, { readonly inject: Inject; readonly name: string }>>

/** Starts the products, every second one behind a pooler, and reports which of them have not sent since the last call. */
const makeProducts = (program: string, folder: string, urls: { readonly direct: string; readonly pooled: string }) => {
  const errors: Array<string> = []
  const running: Array<{ readonly name: string; readonly child: ChildProcess }> = []
  const lines = newLines<WorkerReport>(filesIn(folder).reports)
  let started = 0

  const start = (index: number): void => {
    const name = `p${started++}`
    const options: WorkerOptions = {
      folder,
      startAt: Date.now(),
      name,
      callers: callersOfProcess,
      relay: null,
      database: index % 2 === 0 ? urls.direct : urls.pooled,
      listen: urls.direct
    }
    const child = owned(
      spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe"] })
    )
    child.stderr.on("data", (chunk) => errors.push(`${name}: ${String(chunk)}`))
    running[index] = { name, child }
  }
  const kill = (index: number): Promise<void> => endChild(running[index]!.child, "SIGKILL")
  /** Waits until every product has got an answer. Returns the names of those that have not in time. */
  const haveSent = async (): Promise<ReadonlyArray<string>> => {
    lines()
    const missing = new Set(running.map(({ name }) => name))
    const until = performance.now() + recoveryMillisMax
    while (missing.size > 0 && errors.length === 0 && performance.now() < until) {
      await wait(20)
      for (const line of lines()) if (line.kind === "sent") missing.delete(line.key.split("-")[0]!)
    }
    return [...missing]
  }
  const killAll = async (): Promise<void> => {
    await Promise.all(running.map((_, index) => kill(index)))
  }
  return { start, kill, killAll, haveSent, errors }
}

/** A server with an empty database, behind a proxy, in a folder of its own. Everything ends with `cleanUp`. */
export const startDatabase = async (cleanUp: AsyncDisposableStack) => {
  const folder = newFolder("mailkeep-database-")
  cleanUp.defer(() => removeFolder(folder))
  const watched = openWatched()
  cleanUp.defer(() => watched.close())
  const server = await startPostgres(watched)
  await server.run("postgres", `CREATE DATABASE ${database}`)
  const proxy = cleanUp.use(await startProxy(server.port))
  const urlAt = (port: number) => server.urlOf(database).replace(`:${server.port}/`, `:${port}/`)
  return { folder, watched, server, proxy, url: urlAt(proxy.port) }
}

/** Runs one kind of fault. */
export const serverFaultRun = async (kind: keyof typeof serverFaults, faults: number): Promise<FaultRun> => {
  await using cleanUp = new AsyncDisposableStack()
  const { inject, name } = serverFaults[kind]
  const { folder, url, ...servers } = await startDatabase(cleanUp)
  using program = await bundledProgram(worker)
  const bouncer = await startBouncer(servers.watched, servers.proxy)
  const products = makeProducts(program.file, folder, { direct: url, pooled: bouncer.urlOf(database) })
  cleanUp.defer(products.killAll)
  const replaceProduct = async (index: number) => {
    await products.kill(index)
    products.start(index)
  }
  const load: Load = { ...servers, replaceProduct }
  const orphans = makeOrphans(() => load.server.urlOf(database))
  const failures: Array<string> = []
  const expectAllSent = async (when: string) => {
    const missing = await products.haveSent()
    failures.push(
      ...products.errors.splice(0),
      ...missing.map((product) => `${when}: ${product} sent nothing for ${recoveryMillisMax / 1000} s`)
    )
  }
  for (let index = 0; index < processCount; index++) products.start(index)
  await expectAllSent("at the start")
  let injected = 0
  for (; injected < faults && failures.length === 0; injected++) {
    await wait(Math.random() * 300)
    await inject(load, injected)
    await orphans.remember()
    await expectAllSent(`after fault ${injected}`)
  }
  failures.push(...(await orphans.recovered()))
  await products.killAll()
  const counts = {
    [name]: injected,
    "seconds at most, until a delivery that was under way at a fault was claimed again": orphans.longestSeconds()
  }
  return await finalCheck(folder, url, counts, failures)
}

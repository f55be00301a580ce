/**
 * Kills a product at random instants, again and again on the same file. After each kill, checks that acknowledged results are kept.
 */
import { spawn } from "node:child_process"
import { existsSync, statSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"
import { endChild, hasEnded } from "../childEnd.ts"
import type { Copies } from "../copies.ts"
import { explainedCopies } from "../copies.ts"
import type { Transport } from "@mailkeep/core"
import type { Layer } from "effect"
import { drain } from "../drain.ts"
import { commitThreads, environmentWith, filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import { noRelayFaults, recordingTransport } from "../RecordingTransport.ts"
import type { WorkerReport } from "../workerReports.ts"
import { contradictedReports, reportCounts, unanswered } from "../workerReports.ts"
import type { WorkerOptions, WorkerRelay } from "./worker.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))

export interface KillOptions {
  readonly cycles: number
  /** Number of processes that use the file at the same time. */
  readonly processes: number
}

/** What a relay has received, compared with the attempts in the store. */
export interface Arrived extends Copies {
  /** The deliveries of which the relay has a copy. */
  readonly deliveryIds: ReadonlySet<string>
}

/** The relay that the workers use, and how to see what it received. */
export interface KillRelay {
  /** How many callers each worker has. */
  readonly callers: number
  /** The relay of the workers in a cycle. `null`: each worker uses the transport that records. */
  readonly ofWorkers: (cycle: number) => WorkerRelay | null
  /** For the recovery after the kill. */
  readonly transport: Layer.Layer<Transport>
  /** Whether the relay has got anything from the workers in this cycle. Before that, a kill interrupts no hand-off. */
  readonly isInUse: () => boolean
  readonly arrived: (store: string) => Promise<Arrived>
}

/** The transport that records in a file of the folder. */
const recordingRelay = (folder: string): KillRelay => {
  const { received } = filesIn(folder)
  return {
    callers: 6,
    ofWorkers: () => null,
    isInUse: () => true,
    transport: recordingTransport(received, noRelayFaults),
    arrived: (store) => {
      const copies = readLines<ReceivedCopy>(received)
      const deliveryIds = new Set(copies.map(({ deliveryId }) => deliveryId))
      return Promise.resolve({ ...explainedCopies(store, copies), deliveryIds })
    }
  }
}

/** Runs workers under load for a short time, then kills them all. Returns what they wrote to stderr. */
const oneCrash = async (
  program: string,
  folder: string,
  cycle: number,
  startAt: number,
  processes: number,
  relay: KillRelay
): Promise<string> => {
  const { reports } = filesIn(folder)
  const size = () => (existsSync(reports) ? statSync(reports).size : 0)
  const before = size()
  const errorOutput: Array<string> = []
  const children = Array.from({ length: processes }, (_, n) => {
    const options: WorkerOptions = {
      folder,
      startAt,
      name: `c${cycle}w${n}`,
      callers: relay.callers,
      relay: relay.ofWorkers(cycle),
      database: null
    }
    const child = owned(
      spawn(process.execPath, [program, JSON.stringify(options)], {
        stdio: ["ignore", "ignore", "pipe"],
        env: environmentWith(commitThreads[(cycle + n) % commitThreads.length]!)
      })
    )
    child.stderr.on("data", (chunk) => errorOutput.push(String(chunk)))
    return child
  })
  // Waits for the first report: before it, a kill cannot lose anything.
  while ((size() === before || !relay.isInUse()) && errorOutput.length === 0 && !children.every(hasEnded))
    await wait(10)
  if (children.every(hasEnded)) errorOutput.push("every worker ended before it was killed")
  await wait(30 + Math.random() * 400)
  await Promise.all(children.map((child) => endChild(child, "SIGKILL")))
  return errorOutput.join("")
}

/**
 * Deliveries that failed or were suppressed without a reason. The workers add no suppressions and the plan has no limits, so every
 * delivery is delivered, rejected, canceled or ambiguous.
 */
export const wronglyUnsent = (filename: string): ReadonlyArray<string> => {
  const database = new Database(filename, { readonly: true })
  const rows = database
    .prepare(
      "SELECT id, status, reason FROM mailkeep_deliveries WHERE status = 'suppressed' OR (status = 'failed' AND reason <> 'delivery_uncertain' AND worker_deaths < 3)"
    )
    .all() as ReadonlyArray<{ readonly id: string; readonly status: string; readonly reason: string }>
  database.close()
  return rows.map(
    ({ id, status, reason }) => `${id} is ${status} with reason ${reason}, which cannot occur in this test`
  )
}

export const killLoop = async (
  { cycles, processes }: KillOptions,
  relayIn: (folder: string) => KillRelay = recordingRelay
): Promise<FaultRun> => {
  using program = await bundledProgram(worker)
  const folder = newFolder("killed-product-")
  const files = filesIn(folder)
  const relay = relayIn(folder)
  const failures: Array<string> = []
  let clock = Date.now()
  let checked = 0
  let cycle = 0
  try {
    for (; cycle < cycles && failures.length === 0; cycle++) {
      const errorOutput = await oneCrash(program.file, folder, cycle, clock, processes, relay)
      if (errorOutput !== "") failures.push(`cycle ${cycle}: ${errorOutput}`)
      failures.push(...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, after the kill: ${broken}`))
      const reports = readLines<WorkerReport>(files.reports)
      const newReports = reports.slice(checked)
      checked = reports.length
      clock = 1000 + (await drain(folder, clock + 1000, unanswered(newReports), () => true, relay.transport))
      const { deliveryIds, unexplained } = await relay.arrived(files.store)
      failures.push(
        ...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, after recovery: ${broken}`),
        ...contradictedReports(folder, newReports, deliveryIds),
        ...unexplained,
        ...wronglyUnsent(files.store)
      )
    }
    const reports = readLines<WorkerReport>(files.reports)
    const { duplicates, ambiguous, deliveryIds } = await relay.arrived(files.store)
    return {
      counts: {
        kills: cycle * processes,
        ...reportCounts(reports),
        "deliveries at the relay": deliveryIds.size,
        "ambiguous attempts": ambiguous,
        "duplicates, each after an ambiguous attempt": duplicates,
        "problems: lost, stuck, or duplicated without an ambiguous attempt": failures.length
      },
      failures
    }
  } finally {
    removeFolder(folder)
  }
}

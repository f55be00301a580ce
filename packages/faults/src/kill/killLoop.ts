/**
 * Kills a product without warning at random instants, again and again on one file, and looks each time whether it kept its word.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { TakenCopy } from "../RecordingTransport.ts"
import type { Told } from "../told.ts"
import { brokenWords, unanswered } from "../told.ts"
import type { WorkerOptions } from "./worker.ts"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))

export interface KillOptions {
  readonly cycles: number
  /** Processes at once on the file. */
  readonly processes: number
}

/** Lets workers run for a moment under load, then kills them all. */
const oneCrash = async (folder: string, cycle: number, startAt: number, processes: number): Promise<string> => {
  const { told } = filesIn(folder)
  const size = () => (existsSync(told) ? statSync(told).size : 0)
  const before = size()
  const words: Array<string> = []
  const children = Array.from({ length: processes }, (_, n) => {
    const options: WorkerOptions = { folder, startAt, name: `c${cycle}w${n}`, callers: 6 }
    const child = spawn(process.execPath, [worker, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe"] })
    child.stderr.on("data", (chunk) => words.push(String(chunk)))
    return child
  })
  // From the first word on, or there would be nothing to lose.
  while (size() === before && words.length === 0) await wait(10)
  await wait(30 + Math.random() * 400)
  await Promise.all(
    children.map(async (child) => {
      if (child.exitCode !== null) return
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
    })
  )
  return words.join("")
}

/** Nobody suppresses anybody here, nothing is limited: what did not arrive was refused, canceled, or may have arrived. */
const needlesslyUnsent = (filename: string): ReadonlyArray<string> => {
  const database = new Database(filename, { readonly: true })
  const rows = database
    .prepare(
      "SELECT id, status, reason FROM deliveries WHERE status = 'suppressed' OR (status = 'failed' AND reason <> 'delivery_uncertain' AND crashes < 3)"
    )
    .all() as ReadonlyArray<{ readonly id: string; readonly status: string; readonly reason: string }>
  database.close()
  return rows.map(({ id, status, reason }) => `${id} is ${status} for ${reason}, and had no reason to`)
}

export const killLoop = async ({ cycles, processes }: KillOptions): Promise<FaultRun> => {
  const folder = mkdtempSync(join(tmpdir(), "killed-product-"))
  const files = filesIn(folder)
  const failures: Array<string> = []
  let clock = Date.now()
  let checked = 0
  try {
    for (let cycle = 0; cycle < cycles && failures.length === 0; cycle++) {
      const words = await oneCrash(folder, cycle, clock, processes)
      if (words !== "") failures.push(`cycle ${cycle}: ${words}`)
      failures.push(...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, found: ${broken}`))
      const told = readLines<Told>(files.told)
      const fresh = told.slice(checked)
      checked = told.length
      clock = 1000 + (await drain(folder, clock + 1000, unanswered(fresh)))
      const taken = readLines<TakenCopy>(files.taken)
      failures.push(
        ...brokenInvariants(files.store).map((broken) => `cycle ${cycle}, left: ${broken}`),
        ...brokenWords(folder, fresh, new Set(taken.map(({ deliveryId }) => deliveryId))),
        ...explainedCopies(files.store, taken).unexplained,
        ...needlesslyUnsent(files.store)
      )
    }
    const told = readLines<Told>(files.told)
    const { doubles, uncertain } = explainedCopies(files.store, readLines<TakenCopy>(files.taken))
    const count = (what: Told["told"]) => told.filter((line) => line.told === what).length
    return {
      counts: {
        kills: cycles * processes,
        "sends acknowledged": count("sent"),
        "cancels acknowledged": count("canceled"),
        "contact writes acknowledged": count("contact"),
        "sends unanswered, and told the truth on a retry": count("trySend") - count("sent"),
        "outcomes marked uncertain": uncertain,
        "doubles, each after a marked attempt": doubles,
        "lost, stuck or doubled without a mark": failures.length
      },
      failures
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

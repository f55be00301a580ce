/**
 * Freezes one of two products on one file for longer than its lease, again and again, and counts what was handed over twice.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
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
import type { FrozenWorkerOptions } from "./worker.ts"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))
const leaseMillis = 1000

const started = (folder: string, name: string) => {
  const options: FrozenWorkerOptions = { folder, name, leaseMillis }
  return spawn(process.execPath, [worker, JSON.stringify(options)], { stdio: ["ignore", "ignore", "inherit"] })
}

const terminated = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return
  const ended = once(child, "exit")
  child.kill("SIGTERM")
  await ended
}

const deliveriesIn = (filename: string): number => {
  const database = new Database(filename, { readonly: true })
  const count = database.prepare("SELECT count(*) FROM deliveries").pluck().get() as number
  database.close()
  return count
}

export const freezeLoop = async ({ cycles }: { readonly cycles: number }): Promise<FaultRun> => {
  const folder = mkdtempSync(join(tmpdir(), "frozen-product-"))
  const { store, taken } = filesIn(folder)
  const children = ["a", "b"].map((name) => started(folder, name))
  try {
    while (readLines(taken).length < 100) await wait(50)
    for (let cycle = 0; cycle < cycles; cycle++) {
      const frozen = children[cycle % 2]!
      frozen.kill("SIGSTOP")
      await wait(2.5 * leaseMillis)
      frozen.kill("SIGCONT")
      await wait(0.3 * leaseMillis + Math.random() * leaseMillis)
    }
    await Promise.all(children.map(terminated))
    await drain(folder, Date.now() + leaseMillis)
    const { doubles, uncertain, unexplained } = explainedCopies(store, readLines<TakenCopy>(taken))
    const failures = [...unexplained, ...brokenInvariants(store)]
    return {
      counts: {
        freezes: cycles,
        deliveries: deliveriesIn(store),
        "outcomes marked uncertain": uncertain,
        "doubles, each after a marked attempt": doubles
      },
      failures
    }
  } finally {
    for (const child of children) child.kill("SIGKILL")
    rmSync(folder, { recursive: true, force: true })
  }
}

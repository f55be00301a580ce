/**
 * Runs two products on one file and repeatedly freezes one of them for longer than its lease. Counts the deliveries handed off twice.
 */
import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { endChild } from "../childEnd.ts"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import type { FrozenWorkerOptions } from "./worker.ts"
import { newFolder, owned, removeFolder } from "../runEnd.ts"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))
const leaseMillis = 1000

const started = (folder: string, name: string) => {
  const options: FrozenWorkerOptions = { folder, name, leaseMillis }
  return owned(spawn(process.execPath, [worker, JSON.stringify(options)], { stdio: ["ignore", "ignore", "inherit"] }))
}

const deliveriesIn = (filename: string): number => {
  const database = new Database(filename, { readonly: true })
  const count = database.prepare("SELECT count(*) FROM mailkeep_deliveries").pluck().get() as number
  database.close()
  return count
}

export const freezeLoop = async ({ cycles }: { readonly cycles: number }): Promise<FaultRun> => {
  const folder = newFolder("frozen-product-")
  const { store, received } = filesIn(folder)
  const children = ["a", "b"].map((name) => started(folder, name))
  try {
    while (readLines(received).length < 100) await wait(50)
    for (let cycle = 0; cycle < cycles; cycle++) {
      const frozen = children[cycle % 2]!
      frozen.kill("SIGSTOP")
      await wait(2.5 * leaseMillis)
      frozen.kill("SIGCONT")
      await wait(0.3 * leaseMillis + Math.random() * leaseMillis)
    }
    await Promise.all(children.map((child) => endChild(child, "SIGTERM")))
    await drain(folder, Date.now() + leaseMillis)
    const { duplicates, ambiguous, unexplained } = explainedCopies(store, readLines<ReceivedCopy>(received))
    const failures = [...unexplained, ...brokenInvariants(store)]
    return {
      counts: {
        freezes: cycles,
        deliveries: deliveriesIn(store),
        "ambiguous attempts": ambiguous,
        "duplicates, each after an ambiguous attempt": duplicates
      },
      failures
    }
  } finally {
    for (const child of children) child.kill("SIGKILL")
    removeFolder(folder)
  }
}

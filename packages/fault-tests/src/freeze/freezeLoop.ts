/**
 * Runs two products on one file and repeatedly freezes one of them for longer than its lease. Counts the deliveries handed off twice.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { endChild, hasEnded } from "../childEnd.ts"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import type { FrozenWorkerOptions } from "./worker.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))
const leaseMillis = 1000

const startProduct = (program: string, folder: string, name: string) => {
  const options: FrozenWorkerOptions = { folder, name, leaseMillis }
  const child = owned(
    spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe"] })
  )
  let errorOutput = ""
  child.stderr.on("data", (chunk) => (errorOutput += String(chunk)))
  return { name, child, closed: once(child, "close"), errorOutput: () => errorOutput }
}
type Product = ReturnType<typeof startProduct>

/** A sentence for each product that has ended. The products run until the loop ends them. */
const endedProducts = (products: ReadonlyArray<Product>): Promise<ReadonlyArray<string>> =>
  Promise.all(
    products
      .filter(({ child }) => hasEnded(child))
      .map(async ({ name, child, closed, errorOutput }) => {
        await closed
        return `the product ${name} ended with ${child.exitCode ?? child.signalCode} in the middle of the run: ${errorOutput()}`
      })
  )

const deliveriesIn = (filename: string): number => {
  const database = new Database(filename, { readonly: true })
  const count = database.prepare("SELECT count(*) FROM mailkeep_deliveries").pluck().get() as number
  database.close()
  return count
}

export const freezeLoop = async (
  { cycles }: { readonly cycles: number },
  program: string = worker
): Promise<FaultRun> => {
  const folder = newFolder("frozen-product-")
  const { store, received } = filesIn(folder)
  const products = ["a", "b"].map((name) => startProduct(program, folder, name))
  const haveEnded = () => products.some(({ child }) => hasEnded(child))
  try {
    while (readLines(received).length < 100 && !haveEnded()) await wait(50)
    let freezes = 0
    for (; freezes < cycles && !haveEnded(); freezes++) {
      const { child } = products[freezes % 2]!
      child.kill("SIGSTOP")
      await wait(2.5 * leaseMillis)
      child.kill("SIGCONT")
      await wait(0.3 * leaseMillis + Math.random() * leaseMillis)
    }
    const ended = await endedProducts(products)
    await Promise.all(products.map(({ child }) => endChild(child, "SIGTERM")))
    await drain(folder, Date.now() + leaseMillis)
    const { duplicates, ambiguous, unexplained } = explainedCopies(store, readLines<ReceivedCopy>(received))
    const failures = [...ended, ...unexplained, ...brokenInvariants(store)]
    return {
      counts: {
        freezes,
        deliveries: deliveriesIn(store),
        "ambiguous attempts": ambiguous,
        "duplicates, each after an ambiguous attempt": duplicates
      },
      failures
    }
  } finally {
    for (const { child } of products) child.kill("SIGKILL")
    removeFolder(folder)
  }
}

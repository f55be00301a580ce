/**
 * Kills a product that sends mail in its own transactions. What was rolled back is never sent; what was committed is sent once.
 */
import { spawn } from "node:child_process"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { openMail, sqlite } from "mailkeep"
import { bundledProgram } from "@mailkeep/test-support/bundledProgram"
import { endChild, hasEnded } from "../childEnd.ts"
import { explainedCopies } from "../copies.ts"
import { drain } from "../drain.ts"
import { filesIn, project } from "../embeddedMail.ts"
import type { FaultRun } from "../FaultRun.ts"
import { brokenInvariants } from "../fileInvariants.ts"
import { readLines } from "../Lines.ts"
import type { ReceivedCopy } from "../RecordingTransport.ts"
import { noRelayFaults, recordingTransport } from "../RecordingTransport.ts"
import type { TransactionWay } from "./product.ts"
import { openOutbox, openProduct, transactionWays } from "./product.ts"
import type { OrderDelivery, TransactionsLeft } from "./transactionVerdict.ts"
import { transactionFailures } from "./transactionVerdict.ts"
import type { TransactionWorkerOptions } from "./worker.ts"
import { newFolder, owned, removeFolder } from "@mailkeep/test-support/runEnd"

const worker = fileURLToPath(new URL("worker.ts", import.meta.url))

/** The kills on one file before it is checked. */
const killsPerFile = 4

/** Runs the product until some of its transactions have ended, and kills it. Returns what it wrote to stderr. */
const oneKill = async (program: string, folder: string, way: TransactionWay, name: string): Promise<string> => {
  const { reports } = filesIn(folder)
  const before = readLines(reports).length
  const options: TransactionWorkerOptions = { folder, way, name }
  const child = owned(
    spawn(process.execPath, [program, JSON.stringify(options)], { stdio: ["ignore", "ignore", "pipe"] })
  )
  const errorOutput: Array<string> = []
  child.stderr.on("data", (chunk) => errorOutput.push(String(chunk)))
  while (readLines(reports).length < before + 3 && !hasEnded(child)) await wait(10)
  await wait(Math.random() * 300)
  await endChild(child, "SIGKILL")
  return errorOutput.join("")
}

/** Moves the rows of the outbox to the store, as the next start of the product does. */
const drainOutbox = async (folder: string): Promise<void> => {
  const { store, received } = filesIn(folder)
  const { db, filename } = openProduct(folder, "outbox")
  db.close()
  const outbox = openOutbox(filename)
  const mail = await openMail({
    store: sqlite(store),
    transport: recordingTransport(received, noRelayFaults),
    projectId: project,
    background: false,
    outbox,
    onLog: () => {}
  })
  await mail.outbox.drain()
  await mail.close()
  outbox.close()
}

const leftBehind = (folder: string, way: TransactionWay, copies: ReadonlyArray<ReceivedCopy>): TransactionsLeft => {
  const { store } = filesIn(folder)
  const product = openProduct(folder, way)
  const committed = product.db.prepare("SELECT recipient FROM orders").pluck().all() as ReadonlyArray<string>
  const outboxRows =
    way === "outbox" ? (product.db.prepare("SELECT count(*) FROM mailkeep_outbox").pluck().get() as number) : 0
  product.db.close()
  const database = new Database(store)
  const deliveries = database
    .prepare("SELECT id, recipient FROM mailkeep_deliveries WHERE recipient NOT LIKE '%direct%'")
    .all() as ReadonlyArray<OrderDelivery>
  database.close()
  return {
    committed: new Set(committed),
    deliveries,
    received: new Set(copies.map(({ deliveryId }) => deliveryId)),
    outboxRows
  }
}

interface OneFile {
  readonly failures: ReadonlyArray<string>
  readonly transactions: number
  readonly committed: number
  readonly copies: number
  readonly duplicates: number
}

const oneFile = async (program: string, way: TransactionWay, kills: number): Promise<OneFile> => {
  const folder = newFolder("killed-transactions-")
  const files = filesIn(folder)
  try {
    const failures: Array<string> = []
    for (let n = 0; n < kills; n++) {
      const errorOutput = await oneKill(program, folder, way, `k${n}`)
      if (errorOutput !== "") failures.push(`${way}: ${errorOutput}`)
      failures.push(...brokenInvariants(files.store).map((broken) => `${way}, after a kill: ${broken}`))
    }
    if (way === "outbox") await drainOutbox(folder)
    await drain(folder, Date.now() + 1000)
    const copies = readLines<ReceivedCopy>(files.received)
    const left = leftBehind(folder, way, copies)
    const { duplicates, unexplained } = explainedCopies(files.store, copies)
    failures.push(...[...transactionFailures(left), ...unexplained].map((failure) => `${way}: ${failure}`))
    return {
      failures,
      transactions: readLines(files.reports).length,
      committed: left.committed.size,
      copies: left.received.size,
      duplicates
    }
  } finally {
    removeFolder(folder)
  }
}

/** Alternates between the ways to send, with a new file for every fourth kill. */
export const transactionRun = async ({ kills }: { readonly kills: number }): Promise<FaultRun> => {
  using program = await bundledProgram(worker)
  const runs: Array<OneFile> = []
  for (let done = 0, n = 0; done < kills; n++) {
    const onFile = Math.min(killsPerFile, kills - done)
    const run = await oneFile(program.file, transactionWays[n % transactionWays.length]!, onFile)
    runs.push(run)
    done += onFile
    if (run.failures.length > 0) break
  }
  const sum = (field: Exclude<keyof OneFile, "failures">) => runs.reduce((total, run) => total + run[field], 0)
  const failures = runs.flatMap((run) => run.failures)
  return {
    counts: {
      kills,
      "transactions that ended": sum("transactions"),
      "orders committed with their mail": sum("committed"),
      "deliveries at the relay": sum("copies"),
      "duplicates, each after an ambiguous attempt": sum("duplicates"),
      "mails lost, doubled, or sent without a commit": failures.length
    },
    failures
  }
}

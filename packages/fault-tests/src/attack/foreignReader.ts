/**
 * Another program that reads the file of the store. Its open read transaction prevents SQLite from shrinking the write-ahead log.
 */
import Database from "better-sqlite3"
import type { AnswerCounts } from "./Attack.ts"
import { pause } from "./Attack.ts"
import { foreignReaderAttack } from "./everyAttack.ts"

export interface ForeignReaderOptions {
  readonly file: string
  readonly seconds: number
}

const { file, seconds } = JSON.parse(process.argv[2]!) as ForeignReaderOptions

const transactionMillisMax = 60_000
const endsAt = Date.now() + seconds * 1000
const stopping = new AbortController()
process.on("SIGTERM", () => stopping.abort())
let transactions = 0

const database = new Database(file, { readonly: true })
const { signal } = stopping
while (Date.now() < endsAt && !signal.aborted) {
  database.exec("BEGIN")
  database.prepare("SELECT count(*) FROM sqlite_master").get()
  transactions++
  await pause(Math.min(transactionMillisMax, endsAt - Date.now()), signal)
  database.exec("COMMIT")
  await pause(Math.max(0, Math.min(transactionMillisMax, endsAt - Date.now())), signal)
}
database.close()
const counts: AnswerCounts = { [foreignReaderAttack.name]: { transactions } }
process.stdout.write(`${JSON.stringify(counts)}\n`)

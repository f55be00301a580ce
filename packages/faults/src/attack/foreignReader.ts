/**
 * A program that is not Mailkeep and reads its file: holds a read transaction, so that the write-ahead log cannot be taken back meanwhile.
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

const holdMillisMax = 60_000
const endsAt = Date.now() + seconds * 1000
const stopping = new AbortController()
process.on("SIGTERM", () => stopping.abort())
let held = 0

const database = new Database(file, { readonly: true })
const { signal } = stopping
while (Date.now() < endsAt && !signal.aborted) {
  database.exec("BEGIN")
  database.prepare("SELECT count(*) FROM sqlite_master").get()
  held++
  await pause(Math.min(holdMillisMax, endsAt - Date.now()), signal)
  database.exec("COMMIT")
  await pause(Math.max(0, Math.min(holdMillisMax, endsAt - Date.now())), signal)
}
database.close()
const counts: AnswerCounts = { [foreignReaderAttack.name]: { "transactions held": held } }
process.stdout.write(`${JSON.stringify(counts)}\n`)

/**
 * A program that is not Mailkeep and reads its file: holds a read transaction, so that the write-ahead log cannot be taken back meanwhile.
 */
import { setTimeout as wait } from "node:timers/promises"
import Database from "better-sqlite3"
import type { AnswerCounts } from "./Attack.ts"
import { foreignReaderAttack } from "./everyAttack.ts"

export interface ForeignReaderOptions {
  readonly file: string
  readonly seconds: number
}

const { file, seconds } = JSON.parse(process.argv[2]!) as ForeignReaderOptions

const holdMillisMax = 60_000
const endsAt = Date.now() + seconds * 1000
let held = 0

const database = new Database(file, { readonly: true })
while (Date.now() < endsAt) {
  database.exec("BEGIN")
  database.prepare("SELECT count(*) FROM sqlite_master").get()
  held++
  await wait(Math.min(holdMillisMax, endsAt - Date.now()))
  database.exec("COMMIT")
  await wait(Math.max(0, Math.min(holdMillisMax, endsAt - Date.now())))
}
database.close()
const counts: AnswerCounts = { [foreignReaderAttack.name]: { "transactions held": held } }
process.stdout.write(`${JSON.stringify(counts)}\n`)

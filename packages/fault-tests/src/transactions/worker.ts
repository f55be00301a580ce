/**
 * A product that sends mail in its own transactions, which the run kills. Some transactions roll back, some only a part of them, and some stay open
 * over several turns of the event loop. Each recipient is a row of `orders`, written in the same transaction as its mail.
 */
import { setTimeout as wait } from "node:timers/promises"
import { openMail, outboxSql, sqlite, StoreUnavailable } from "mailkeep"
import { filesIn, project } from "../embeddedMail.ts"
import { appender } from "../Lines.ts"
import { recordingTransport } from "../RecordingTransport.ts"
import { openOutbox, openProduct } from "./product.ts"
import type { TransactionWay } from "./product.ts"

export interface TransactionWorkerOptions {
  readonly folder: string
  readonly way: TransactionWay
  /** Prefix of its recipients. */
  readonly name: string
}

const { folder, way, name } = JSON.parse(process.argv[2]!) as TransactionWorkerOptions
const { store, received, reports } = filesIn(folder)
const report = appender(reports)
const { db, filename } = openProduct(folder, way)

const relayDelays = { deferred: 5, rejected: 0, lostBefore: 5, lostAfter: 0, delayMillisMax: 4 }

const mail = await openMail({
  store: sqlite(store),
  transport: recordingTransport(received, relayDelays),
  projectId: project,
  domains: ["example.com"],
  from: "shop@example.com",
  outbox: way === "outbox" ? openOutbox(filename) : undefined,
  onLog: () => {}
})

const chance = (percent: number) => Math.random() * 100 < percent

const send = (to: string): void => {
  const message = { to, subject: "An order", text: "Thanks" }
  if (way === "within") {
    mail.within(db).send(message)
    return
  }
  const { id, payload } = mail.outbox.row(message)
  db.prepare(outboxSql.sqlite.insert).run(id, payload)
}

/** Writes the row and the mail of one order, in any order. */
const order = (recipient: string): void => {
  const insert = () => db.prepare("INSERT INTO orders (recipient) VALUES (?)").run(recipient)
  const steps = [insert, () => send(recipient)]
  for (const step of chance(50) ? steps : steps.toReversed()) step()
}

/** The inner transaction of an order, of which sometimes only the inner part rolls back. */
const nested = db.transaction((recipient: string, fails: boolean) => {
  order(recipient)
  if (fails) throw new Error("undone")
})

const transact = async (unique: string): Promise<void> => {
  db.exec("BEGIN IMMEDIATE")
  order(`${unique}a@example.org`)
  if (chance(30)) {
    try {
      nested(`${unique}b@example.org`, chance(50))
    } catch {
      // Only the inner part is undone.
    }
  }
  if (chance(20)) await wait(Math.random() * 20)
  if (chance(30)) order(`${unique}c@example.org`)
  db.exec(chance(30) ? "ROLLBACK" : "COMMIT")
}

/** Sends of other callers, whose commits wait for the transactions. */
const sendDirectly = async (): Promise<never> => {
  for (let n = 0; ; n++) {
    try {
      await mail.send({ to: `${name}direct${n}@example.org`, subject: "Direct", text: "Hello" })
    } catch (failure) {
      if (!(failure instanceof StoreUnavailable)) throw failure
    }
    await wait(Math.random() * 4)
  }
}

void sendDirectly()
for (let n = 0; ; n++) {
  try {
    await transact(`${name}n${n}`)
  } catch (failure) {
    // Another process or the store itself has the lock.
    if (db.inTransaction) db.exec("ROLLBACK")
    if (!(failure instanceof StoreUnavailable) && (failure as { readonly code?: string }).code !== "SQLITE_BUSY")
      throw failure
  }
  report({ transaction: n })
  await wait(Math.random() * 4)
}

/**
 * Row: the bytes on the disk for each delivered message.
 */
import { statSync } from "node:fs"
import { join } from "node:path"
import { Dispatcher, Sending } from "@mailkeep/core"
import Database from "better-sqlite3"
import { Effect } from "effect"
import type { Row } from "../Row.ts"
import { coreOver, message, numbers, prepareProject, project, senders } from "../workload.ts"

const count = 5000

export const disk: Row = {
  name: "disk",
  title: "Bytes on the disk for each delivered message",
  about:
    "The size of the closed file divided by the number of delivered messages, each with one recipient and a body of 2 KB. It has the message, the delivery, the attempt, the events, the idempotency key and the indexes. The peer keeps only the message and its recipient, in one table of SQLite without an index.",
  metrics: [{ name: "bytes", unit: "bytes per message", better: "lower" }],
  ours: {
    name: "mailkeep",
    run: async ({ folder }) => {
      const filename = join(folder, "mail.db")
      await Effect.gen(function* () {
        yield* prepareProject
        const sending = yield* Sending
        yield* Effect.forEach(
          numbers(count),
          (n) => sending.send(project, message(n), { idempotencyKey: `key-${n}` }),
          { concurrency: senders, discard: true }
        )
        const { tick } = yield* Dispatcher
        while ((yield* tick).handedOver > 0) yield* Effect.void
      }).pipe(Effect.provide(coreOver(filename)), Effect.runPromise)
      return { bytes: statSync(filename).size / count }
    }
  },
  peers: [
    {
      name: "body and row",
      run: async ({ folder }) => {
        const filename = join(folder, "rows.db")
        const database = new Database(filename)
        database.exec(
          "CREATE TABLE messages (id TEXT, sender TEXT, recipient TEXT, subject TEXT, html TEXT, key TEXT, status TEXT, created_at INTEGER)"
        )
        const insert = database.prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
        database.transaction(() => {
          for (const n of numbers(count)) {
            const { from, to, subject, html } = message(n)
            insert.run(
              `msg_${String(n).padStart(26, "0")}`,
              from,
              to,
              subject,
              html,
              `key-${n}`,
              "delivered",
              Date.now()
            )
          }
        })()
        database.close()
        return { bytes: statSync(filename).size / count }
      }
    }
  ],
  goals: [{ metric: "bytes", is: "at most", ratio: 1.6, peer: "body and row" }],
  disks: ["as-is"],
  roundsMax: 1
}

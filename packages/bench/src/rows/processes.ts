/**
 * Rows: several processes accept and settle on one PostgreSQL, beside queues of jobs.
 */
import type { ChildProcess } from "node:child_process"
import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import Database from "better-sqlite3"
import { makeWorkerUtils } from "graphile-worker"
import { migratePostgres } from "mailkeep/postgres"
import { PgBoss } from "pg-boss"
import type { QueueKind, QueueShare } from "../peers/queueProcess.ts"
import { poolAt, startPostgres } from "../peers/servers.ts"
import type { Figures, RoundContext, Row, Side } from "../Row.ts"
import { bySize, numbers, secondsSince, senders, warmUp } from "../workload.ts"

const program = fileURLToPath(new URL("../peers/queueProcess.ts", import.meta.url))
/** How many hand-offs or jobs are under way at once, in all processes of a side. */
const workers = 128
const pollMillis = 10
const countOf = ({ size }: RoundContext) => bySize(size, 4000, 40_000)

/** Creates the tables once, before the processes start. */
const migrations: Readonly<Record<Exclude<QueueKind, "mailkeep-sqlite">, (url: string) => Promise<unknown>>> = {
  mailkeep: migratePostgres,
  "pg-boss": async (url) => {
    const boss = new PgBoss({ connectionString: url })
    await boss.start()
    await boss.createQueue("mail")
    await boss.stop({ graceful: false })
  },
  "graphile-worker": async (url) => {
    const utils = await makeWorkerUtils({ connectionString: url })
    await utils.migrate()
    await utils.release()
  }
}

/** A message is settled after its hand-off or its job, so the end is read from the table. */
const unsettledSql: Readonly<Record<QueueKind, string>> = {
  mailkeep: "SELECT 1 FROM mailkeep.deliveries WHERE due_at IS NOT NULL LIMIT 1",
  "mailkeep-sqlite": "SELECT 1 FROM mailkeep_deliveries WHERE due_at IS NOT NULL LIMIT 1",
  "pg-boss": "SELECT 1 FROM pgboss.job WHERE name = 'mail' AND state < 'completed' LIMIT 1",
  "graphile-worker": "SELECT 1 FROM graphile_worker._private_jobs LIMIT 1"
}

const said = async (children: ReadonlyArray<ChildProcess>, word: string): Promise<void> => {
  await Promise.all(
    children.map(async (child) => {
      const [answer] = (await Promise.race([
        once(child, "message"),
        once(child, "exit").then(([code]) => Promise.reject(new Error(`A process ended with ${code}.`)))
      ])) as [unknown]
      if (answer !== word) throw new Error(`The process said ${String(answer)} instead of ${word}.`)
    })
  )
}

/** Starts the processes, and measures from the first message after the warm-up until all are settled. */
const throughProcesses = async (
  kind: QueueKind,
  place: string,
  processes: number,
  count: number,
  isSettled: () => Promise<boolean>
): Promise<Figures> => {
  const children = numbers(processes).map((n) => {
    const share: QueueShare = {
      kind,
      place,
      first: n * (warmUp + count / processes),
      senders: senders / processes,
      workers: workers / processes
    }
    return fork(program, [JSON.stringify(share)])
  })
  try {
    const accept = (total: number) => {
      const accepted = said(children, "accepted")
      for (const child of children) child.send(total / processes)
      return accepted
    }
    const settled = async () => {
      while (!(await isSettled())) await wait(pollMillis)
    }
    await said(children, "ready")
    await accept(warmUp * processes)
    await settled()
    const started = performance.now()
    await accept(count)
    const acceptedSeconds = secondsSince(started)
    await settled()
    return { "per second": count / secondsSince(started), accepted: count / acceptedSeconds }
  } finally {
    for (const child of children) child.kill("SIGKILL")
  }
}

const onPostgres = (kind: Exclude<QueueKind, "mailkeep-sqlite">, processes: number): Side => ({
  name: kind,
  needs: "postgres",
  run: async (context) => {
    const { url, stop } = await startPostgres(context.folder)
    await migrations[kind](url)
    const pool = poolAt(url, 1)
    const isSettled = async () => (await pool.query(unsettledSql[kind])).rows.length === 0
    const figures = await throughProcesses(kind, url, processes, countOf(context), isSettled)
    await pool.end()
    await stop()
    return figures
  }
})

const onSqlite = (processes: number): Side => ({
  name: "mailkeep on SQLite",
  run: async (context) => {
    const file = join(context.folder, "mail.db")
    const isSettled = async () => {
      const database = new Database(file, { readonly: true })
      const row: unknown = database.prepare(unsettledSql["mailkeep-sqlite"]).get()
      database.close()
      return row === undefined
    }
    return throughProcesses("mailkeep-sqlite", file, processes, countOf(context), isSettled)
  }
})

const rowOf = (processes: number): Row => ({
  name: `processes-${processes}`,
  title: `Accept and settle on one PostgreSQL, with ${processes === 1 ? "one process" : `${processes} processes`}`,
  about: `${processes === 1 ? "One process accepts" : `${processes} processes accept`} messages for 64 senders in all, and settle${processes === 1 ? "s" : ""} them with ${workers} workers in all and a transport that does nothing. Every side syncs each acknowledged write. PostgreSQL runs beside the processes on the same machine with its defaults. The queues write a job, a claim and an end; Mailkeep also writes the delivery log. The last peer is Mailkeep on one SQLite file.`,
  metrics: [
    { name: "per second", unit: "settled/s", better: "higher" },
    { name: "accepted", unit: "accepted/s", better: "higher" }
  ],
  ours: onPostgres("mailkeep", processes),
  peers: [onPostgres("pg-boss", processes), onPostgres("graphile-worker", processes), onSqlite(processes)],
  goals: ["pg-boss", "graphile-worker"].map(
    (peer) => ({ metric: "per second", is: "at least", ratio: 1, peer }) as const
  ),
  disks: ["as-is"]
})

/** One row for each number of processes. */
export const processes: ReadonlyArray<Row> = [1, 4, 8].map(rowOf)

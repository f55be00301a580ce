/**
 * Row: accept, claim and settle, beside queues of jobs.
 */
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import Database from "better-sqlite3"
import { Queue, Worker } from "bullmq"
import { Logger, makeWorkerUtils, run } from "graphile-worker"
import { openMail, sqlite } from "mailkeep"
import { PgBoss } from "pg-boss"
import { better, defineQueue, defineWorker } from "plainjob"
import { poolAt, startPostgres, startRedis } from "../peers/servers.ts"
import type { RoundContext, Row, Side } from "../Row.ts"
import { bySize, message, noTransportLayer, project, secondsSince, senders, together, warmUp } from "../workload.ts"

/** How many hand-offs or jobs are under way at once, on each side. */
const workers = 128
const countOf = ({ size }: RoundContext) => bySize(size, 3000, 30_000)

const pollMillis = 2

/** Counts jobs that are done. */
const counter = () => {
  let done = 0
  const areDone = (count: number) => done >= count
  return {
    one: () => void done++,
    settled: async (count: number) => {
      while (!areDone(count)) await wait(pollMillis)
    }
  }
}

/**
 * The rate from the first accepted job to the last settled one, after a warm-up of the same work. `settled` waits for the end of the first `count`
 * jobs.
 */
const rateOf = async (
  count: number,
  add: (n: number) => Promise<unknown>,
  settled: (count: number) => Promise<unknown>
) => {
  await together(warmUp, senders, add)
  await settled(warmUp)
  const started = performance.now()
  await together(count, senders, (n) => add(warmUp + n))
  const accepted = secondsSince(started)
  await settled(warmUp + count)
  return { "per second": count / secondsSince(started), accepted: count / accepted }
}

const ours: Side = {
  name: "mailkeep",
  run: async (context) => {
    const count = countOf(context)
    const mail = await openMail({
      store: sqlite(join(context.folder, "mail.db")),
      transport: noTransportLayer,
      domains: ["example.com"],
      projectId: project,
      onLog: () => {},
      dispatcher: { concurrency: workers }
    })
    const settled = async () => {
      while (true) {
        const { queued, sending } = await mail.health()
        if (queued === 0 && sending === 0) return
        await wait(10)
      }
    }
    const figures = await rateOf(count, (n) => mail.send({ ...message(n), idempotencyKey: `key-${n}` }), settled)
    await mail.close()
    return figures
  }
}

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} }

const plainjob: Side = {
  name: "plainjob",
  run: async (context) => {
    const database = new Database(join(context.folder, "jobs.db"))
    const queue = defineQueue({ connection: better(database as never), logger: silent })
    // The queue chooses `NORMAL`, with which a power cut loses accepted jobs.
    database.pragma("synchronous = FULL")
    const { settled, one } = counter()
    const worker = defineWorker("mail", () => {}, { queue, logger: silent, pollIntervall: 5, onCompleted: one })
    const working = worker.start()
    const figures = await rateOf(countOf(context), async (n) => queue.add("mail", message(n)), settled)
    await worker.stop()
    await working
    return figures
  }
}

const bullmq: Side = {
  name: "BullMQ",
  needs: "redis-server",
  run: async (context) => {
    const { port, stop } = await startRedis(context.folder)
    const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null }
    const queue = new Queue("mail", { connection })
    const { settled, one } = counter()
    const worker = new Worker("mail", async () => {}, { connection, concurrency: workers })
    worker.on("completed", one)
    await worker.waitUntilReady()
    const figures = await rateOf(countOf(context), (n) => queue.add("mail", message(n)), settled)
    await worker.close(true)
    await queue.close()
    await stop()
    return figures
  }
}

/** Asks again until the query finds no row. */
const untilNoRows = async (query: () => Promise<{ readonly rows: ReadonlyArray<unknown> }>): Promise<void> => {
  while ((await query()).rows.length > 0) await wait(10)
}

const pgBoss: Side = {
  name: "pg-boss",
  needs: "postgres",
  run: async (context) => {
    const { url, stop } = await startPostgres(context.folder)
    const pool = poolAt(url, 1)
    const boss = new PgBoss({ connectionString: url, max: 40, connectionTimeoutMillis: 60_000 })
    boss.on("error", () => {})
    await boss.start()
    await boss.createQueue("mail")
    const count = countOf(context)
    // A job is settled after its handler, so the end is read from the table.
    await boss.work(
      "mail",
      { batchSize: workers / 4, localConcurrency: 4, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true },
      async () => {}
    )
    const settled = () =>
      untilNoRows(() => pool.query("SELECT 1 FROM pgboss.job WHERE name = 'mail' AND state < 'completed' LIMIT 1"))
    const figures = await rateOf(count, (n) => boss.send("mail", message(n)), settled)
    await boss.stop({ graceful: false })
    await pool.end()
    await stop()
    return figures
  }
}

const graphileWorker: Side = {
  name: "graphile-worker",
  needs: "postgres",
  run: async (context) => {
    const { url, stop } = await startPostgres(context.folder)
    const logger = new Logger(() => () => {})
    const pgPool = poolAt(url, 20)
    const utils = await makeWorkerUtils({ pgPool, logger })
    await utils.migrate()
    // A job is deleted after its handler, so the end is read from the table.
    const settled = () =>
      untilNoRows(() => utils.withPgClient((client) => client.query("SELECT 1 FROM graphile_worker.jobs LIMIT 1")))
    const runner = await run({
      pgPool,
      logger,
      concurrency: workers,
      noHandleSignals: true,
      taskList: { mail: async () => {} }
    })
    const figures = await rateOf(countOf(context), (n) => utils.addJob("mail", message(n)), settled)
    await runner.stop()
    await utils.release()
    await pgPool.end()
    await stop()
    return figures
  }
}

export const queue: Row = {
  name: "queue",
  title: "Accept, claim and settle, beside job queues",
  about:
    "64 senders accept messages, and 128 workers settle them with a transport that does nothing. Mailkeep writes the delivery log, and two commits for each hand-off. For a transport that signals the end of data, as SMTP does, it writes three. The queues write a job with the same content, a claim and an end. All sync each acknowledged write to the disk: plainjob with `synchronous = FULL`, Redis with `appendfsync always`, PostgreSQL with its defaults. Redis and PostgreSQL run beside the process on the same machine.",
  metrics: [
    { name: "per second", unit: "settled/s", better: "higher" },
    { name: "accepted", unit: "accepted/s", better: "higher" }
  ],
  ours,
  peers: [plainjob, bullmq, pgBoss, graphileWorker],
  goals: ["plainjob", "BullMQ", "pg-boss", "graphile-worker"].map(
    (peer) => ({ metric: "per second", is: "at least", ratio: 1, peer }) as const
  )
}

/**
 * One of several processes that accept messages and work on them, on one database. Says `ready`. For each
 * number that the parent sends, it accepts so many messages and says `accepted`. It works until the parent ends.
 */
import { Logger, makeWorkerUtils, run } from "graphile-worker"
import type { StoreAdapter } from "mailkeep"
import { openMail, sqlite } from "mailkeep"
import { postgres } from "mailkeep/postgres"
import { Pool } from "pg"
import { PgBoss } from "pg-boss"
import { poolAt } from "./servers.ts"
import { message, noTransportLayer, project, together } from "../workload.ts"

/** What a process runs. */
export type QueueKind = "mailkeep" | "mailkeep-sqlite" | "pg-boss" | "graphile-worker"

/** The arguments of a process. */
export interface QueueShare {
  readonly kind: QueueKind
  /** The URL of the database, or the file. */
  readonly place: string
  /** The number of its first message. */
  readonly first: number
  /** How many messages are accepted at once. */
  readonly senders: number
  /** How many hand-offs or jobs are under way at once. */
  readonly workers: number
}

type Accept = (n: number) => Promise<unknown>

const openMailkeep = async (store: StoreAdapter, { workers }: QueueShare): Promise<Accept> => {
  const mail = await openMail({
    store,
    transport: noTransportLayer,
    domains: ["example.com"],
    projectId: project,
    onLog: () => {},
    dispatcher: { concurrency: workers }
  })
  return (n) => mail.send({ ...message(n), idempotencyKey: `key-${n}` })
}

const openers: Readonly<Record<QueueKind, (share: QueueShare) => Promise<Accept>>> = {
  mailkeep: (share) =>
    openMailkeep(postgres(new Pool({ connectionString: share.place, max: 10, pipeline: true })), share),
  "mailkeep-sqlite": (share) => openMailkeep(sqlite(share.place), share),
  "pg-boss": async ({ place, workers }) => {
    const boss = new PgBoss({ connectionString: place, max: 10, connectionTimeoutMillis: 60_000, schedule: false })
    boss.on("error", () => {})
    await boss.start()
    await boss.createQueue("mail")
    const options = { batchSize: workers, pollingIntervalSeconds: 0.5, burstWhenBatchFull: true }
    await boss.work("mail", options, async () => {})
    return (n) => boss.send("mail", message(n))
  },
  "graphile-worker": async ({ place, workers }) => {
    const logger = new Logger(() => () => {})
    const pgPool = poolAt(place, 10)
    const utils = await makeWorkerUtils({ pgPool, logger })
    await run({
      pgPool,
      logger,
      concurrency: workers,
      noHandleSignals: true,
      taskList: { mail: async () => {} }
    })
    return (n) => utils.addJob("mail", message(n))
  }
}

const share = JSON.parse(process.argv[2]!) as QueueShare
process.once("disconnect", () => process.exit())
const accept = await openers[share.kind](share)
let next = share.first
process.on("message", async (count: number) => {
  const first = next
  next += count
  await together(count, share.senders, (n) => accept(first + n))
  process.send!("accepted")
})
process.send!("ready")

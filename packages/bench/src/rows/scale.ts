/**
 * Row: the same work in a large and in a small store.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import type { StoreNotOpened } from "@mailkeep/core"
import { MailStore, Sending } from "@mailkeep/core"
import type { Change, Delivery, LogFilters, Message } from "@mailkeep/core/adapter"
import { freshState, inCommitOrder, noLogFilters, wholeRotation } from "@mailkeep/core/adapter"
import { PostgresMailStore } from "@mailkeep/postgres"
import { Effect } from "effect"
import { copiedCount, copyInPostgres, copyInSqlite } from "../copiedMail.ts"
import { median } from "../machine.ts"
import { startPostgres } from "../peers/servers.ts"
import type { Figures, Row, Size, Tool } from "../Row.ts"
import { bySize, coreOn, coreOver, message, numbers, prepareProject, project } from "../workload.ts"

const smallCount = 10_000
/** The sizes between the small and the large store. */
const middleCounts = [100_000, 1_000_000]
const largeCount = (size: Size) => bySize(size, 200_000, 10_000_000)
const readings = 15
const base = 1_790_000_000_000
/** Every hundredth delivery is due; the others have ended. */
const isDue = (n: number) => n % 100 === 0

/** One delivery a second. One in ten has bounced. A recipient has ten deliveries in a store of any size. */
export const acceptedAt = (n: number, count: number): ReadonlyArray<Change> => {
  const name = String(n).padStart(26, "0")
  const createdAt = base + n * 1000
  const { html, subject } = message(n)
  const stored: Message = {
    id: `msg_${name}`,
    projectId: project,
    apiKeyId: null,
    source: "embedded",
    from: "hello@example.com",
    fromName: null,
    replyTo: null,
    domain: "example.com",
    templateId: null,
    subject: `${subject} ${n}`,
    html: html.slice(0, 200),
    text: null,
    to: [],
    cc: [],
    attachments: [],
    headers: {},
    listUnsubscribe: false,
    metadata: {},
    idempotencyKey: name,
    onAmbiguous: null,
    expiresAt: null,
    createdAt
  }
  const address = `r${n % (count / 10)}@example.org`
  const ended =
    n % 10 === 1
      ? ({ status: "bounced", bouncedAt: createdAt } as const)
      : ({ status: "delivered", deliveredAt: createdAt } as const)
  const delivery: Delivery = {
    ...freshState,
    ...(isDue(n) ? { dueAt: createdAt, dueSetAt: createdAt, queuedAt: createdAt } : ended),
    id: `del_${name}`,
    projectId: project,
    messageId: stored.id,
    kind: "to",
    recipient: address,
    address,
    contactId: null,
    source: "embedded",
    bulk: false,
    createdAt
  }
  return [
    { _tag: "InsertMessage", message: stored },
    { _tag: "InsertDelivery", delivery }
  ]
}

/** Writes the deliveries of which the database copies the others. */
const writeFirst = <E>(core: ReturnType<typeof coreOn<never, E>>, count: number): Promise<void> =>
  Effect.gen(function* () {
    yield* prepareProject
    const store = yield* MailStore
    yield* store.commit(inCommitOrder(numbers(copiedCount).flatMap((n) => acceptedAt(n, count))))
  }).pipe(Effect.provide(core), Effect.runPromise)

const createdAtSql = (number: string): string => `${base} + ${number} * 1000`

/** Makes a file of SQLite with deliveries. */
export const fill = async (filename: string, count: number): Promise<void> => {
  await writeFirst(coreOver(filename), count)
  await copyInSqlite(filename, count, createdAtSql)
}

const timed = <E, R>(work: (n: number) => Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const millis: Array<number> = []
    for (const n of numbers(readings)) {
      const started = performance.now()
      yield* work(n)
      millis.push(performance.now() - started)
    }
    return median(millis)
  })

const measure = <E>(core: ReturnType<typeof coreOn<never, E>>, count: number) =>
  Effect.gen(function* () {
    yield* prepareProject
    const store = yield* MailStore
    const sending = yield* Sending
    const pageAfter = (after: number | null, filters: Partial<LogFilters> = {}) =>
      timed(() =>
        store.read([
          {
            _tag: "LogPage",
            projectId: project,
            filters: { ...noLogFilters, ...filters },
            after:
              after === null ? null : { createdAt: base + after * 1000, id: `del_${String(after).padStart(26, "0")}` },
            limit: 50,
            scanLimit: 10_000
          }
        ])
      )
    const round = performance.now()
    return {
      "first page": yield* pageAfter(count),
      "middle page": yield* pageAfter(count / 2),
      "last page": yield* pageAfter(60),
      status: yield* pageAfter(count, { status: "bounced" }),
      recipient: yield* pageAfter(null, { address: "r17@example.org" }),
      dates: yield* pageAfter(null, { startDate: base + 1_000_000, endDate: base + 2_000_000 }),
      search: yield* pageAfter(count, { search: `receipt ${count - 500}` }),
      claim: yield* timed((n) =>
        store.claim({
          kind: "dueQueued",
          now: base + count * 2000,
          limit: 32,
          worker: `wrk_${round}_${n}`,
          // The lease ends at once, so that each claim finds the same deliveries.
          leaseUntil: base + count * 2000,
          rotation: wholeRotation
        })
      ),
      accept: yield* timed((n) => sending.send(project, message(n), { idempotencyKey: `${round}-${n}` }))
    }
  }).pipe(Effect.provide(core), Effect.runPromise)

const operations = [
  "first page",
  "middle page",
  "last page",
  "status",
  "recipient",
  "dates",
  "search",
  "claim",
  "accept"
]
/** Where the stores of a row are. */
interface Place {
  readonly name: string
  readonly title: string
  readonly needs?: Tool
  /** Makes a store with so many deliveries in the folder of the row. */
  readonly fill: (rowFolder: string, count: number) => Promise<void>
  /** Measures the store with so many deliveries. */
  readonly measure: (rowFolder: string, count: number) => Promise<Figures>
}

const onSqlite: Place = {
  name: "scale",
  title: "A large log in comparison with a small one",
  fill: (rowFolder, count) => fill(join(rowFolder, `${count}.db`), count),
  measure: (rowFolder, count) => measure(coreOver(join(rowFolder, `${count}.db`)), count)
}

/** Uses the server in the folder of this store. */
const withPostgres = async <A>(
  rowFolder: string,
  count: number,
  use: (core: ReturnType<typeof coreOn<never, StoreNotOpened>>, url: string) => Promise<A>
): Promise<A> => {
  const folder = join(rowFolder, String(count))
  mkdirSync(folder, { recursive: true })
  const { url, stop } = await startPostgres(folder)
  try {
    return await use(coreOn(PostgresMailStore.layer({ connectionString: url })), url)
  } finally {
    await stop()
  }
}

const onPostgres: Place = {
  name: "scale-postgres",
  title: "A large log in comparison with a small one, on PostgreSQL",
  needs: "postgres",
  fill: (rowFolder, count) =>
    withPostgres(rowFolder, count, async (core, url) => {
      await writeFirst(core, count)
      await copyInPostgres(url, count, createdAtSql)
    }),
  measure: (rowFolder, count) => withPostgres(rowFolder, count, (core) => measure(core, count))
}

const rowOf = ({ name, title, fill, measure, ...needs }: Place): Row => ({
  name,
  title,
  about:
    "One operation at a time in a store with many deliveries: 200,000 (small run) or 10 million (full run). The peers are the same in smaller stores. The pages of the log have 50 items and are read with the query of the store. They are at the beginning, in the middle and at the end, or have a filter. A claim takes 32 deliveries, and every hundredth is due. A value is the median of 15.",
  metrics: operations.map((operation) => ({
    name: operation,
    unit: "ms",
    better: "lower" as const
  })) as unknown as Row["metrics"],
  ours: { name: "mailkeep", ...needs, run: ({ rowFolder, size }) => measure(rowFolder, largeCount(size)) },
  peers: [smallCount, ...middleCounts].map((count) => ({
    name: `${count.toLocaleString("en")} deliveries`,
    ...needs,
    // A store between the others is part of the curve only.
    ...(count === smallCount ? {} : { sizes: ["full"] as const }),
    run: ({ rowFolder }) => measure(rowFolder, count)
  })),
  goals: operations.map((metric) => ({ metric, is: "at most", ratio: 1.5, peer: "10,000 deliveries" }) as const),
  disks: ["as-is"],
  curve: {
    records: "deliveries",
    countOf: (side, size) => (side === "mailkeep" ? largeCount(size) : Number(side.replaceAll(/\D/g, "")))
  },
  prepare: async ({ rowFolder, size }) => {
    const counts = [smallCount, ...(size === "full" ? middleCounts : []), largeCount(size)]
    for (const count of counts) await fill(rowFolder, count)
  }
})

export const scale = rowOf(onSqlite)
export const scalePostgres = rowOf(onPostgres)

/**
 * `pnpm bench:soak`: a product sends at half of its highest rate for an hour, and deletes old messages meanwhile. Records its memory and the size of
 * its store.
 */
import { execFileSync, spawn } from "node:child_process"
import { chmodSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"
import { linePlot } from "./linePlot.ts"
import { machine, machineText, median } from "./machine.ts"
import { installProduct } from "./packedProduct.ts"
import { startPostgres } from "./peers/servers.ts"
import { numberText, withSoak } from "./performancePage.ts"

const docs = (file: string): string => fileURLToPath(new URL(`../../../docs/${file}`, import.meta.url))
const plotFile = (kind: StoreKind): string => `images/performance-soak-${kind}.svg`
const storeNames = { sqlite: "SQLite", postgres: "PostgreSQL" } as const
const retentionMinutes = 10

const stores = ["sqlite", "postgres"] as const
type StoreKind = (typeof stores)[number]

/** What is read of the product and its store. */
const readings = {
  sqlite: { memory: "memory of the process, MB", file: "file, MB", log: "write-ahead log, MB" },
  postgres: { memory: "memory of the process, MB", file: "tables and indexes, MB", log: "dead rows, thousands" }
} as const satisfies Readonly<Record<StoreKind, Readonly<Record<Reading, string>>>>
type Reading = "memory" | "file" | "log"
const readingNames: ReadonlyArray<Reading> = ["memory", "file", "log"]

interface Sample extends Readonly<Record<Reading, number>> {
  readonly minutes: number
  readonly accepted: number
  readonly handedOver: number
}

/** The program of the product. It prints its rate, then a sample every 10 s. */
const program = `import { statSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { openMail, sqlite, stub } from "mailkeep"
import { postgres } from "mailkeep/postgres"
import { Pool } from "pg"

const { kind, place, minutes, retentionMinutes, share } = JSON.parse(process.argv[2])
const html = "<p>Thank you.</p>" + "<p>One more line of the receipt.</p>".repeat(55)
let [accepted, handedOver] = [0, 0]
const pool = kind === "postgres" ? new Pool({ connectionString: place, pipeline: true }) : undefined
const mail = await openMail({
  store: pool === undefined ? sqlite(place) : postgres(pool),
  transport: stub({ keep: 100, onCaptured: () => handedOver++ }),
  domains: ["example.com"],
  retention: { messagesMillis: retentionMinutes * 60_000, eventsMillis: retentionMinutes * 60_000 }
})
const send = async (n) => {
  await mail.send({ from: "hello@example.com", to: "r" + (n % 50_000) + "@example.org", subject: "Your receipt", html })
  accepted++
}

const megabytes = (path) => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6
const readStore = async () => {
  if (pool === undefined) return { file: megabytes(place), log: megabytes(place + "-wal") }
  const { rows } = await pool.query(
    "SELECT sum(pg_total_relation_size(relid))::float / 1e6 AS file, sum(n_dead_tup)::float / 1000 AS log FROM pg_stat_user_tables WHERE schemaname = 'mailkeep'"
  )
  return rows[0]
}

const total = 20_000
let next = 0
const began = performance.now()
await Promise.all(Array.from({ length: 64 }, async () => { while (next < total) await send(next++) }))
while (handedOver < total) await wait(10)
const perSecond = Math.round((total / ((performance.now() - began) / 1000)) * share)
console.log(JSON.stringify({ perSecond }))

const started = performance.now()
const seconds = () => (performance.now() - started) / 1000
const sample = async () => {
  const store = await readStore()
  const memory = process.memoryUsage.rss() / 1e6
  console.log(JSON.stringify({ minutes: seconds() / 60, memory, ...store, accepted, handedOver }))
}
await sample()
const sampling = setInterval(sample, 10_000)
for (let sent = 0; seconds() < minutes * 60; await wait(20)) {
  const due = Math.floor(seconds() * perSecond)
  // A product has no more than 64 sends under way.
  while (sent < due) {
    const group = Array.from({ length: Math.min(64, due - sent) }, () => send(next++))
    sent += group.length
    await Promise.all(group)
  }
}
clearInterval(sampling)
await sample()
await mail.close()
await pool?.end()
`

interface Result {
  readonly perSecond: number
  readonly samples: ReadonlyArray<Sample>
}

/** Runs the product, and returns its rate and its samples. */
const run = async (folder: string, options: object): Promise<Result> => {
  const cwd = join(folder, "product")
  writeFileSync(join(cwd, "soak.js"), program)
  const args = ["soak.js", JSON.stringify({ retentionMinutes, ...options })]
  const product = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] })
  process.once("exit", () => product.kill("SIGKILL"))
  let perSecond: number | undefined
  const samples: Array<Sample> = []
  for await (const line of createInterface({ input: product.stdout })) {
    if (perSecond === undefined) ({ perSecond } = JSON.parse(line) as { readonly perSecond: number })
    else samples.push(JSON.parse(line) as Sample)
    console.log(line)
  }
  if (perSecond === undefined || samples.length < 2) throw new Error("The product ended without samples.")
  return { perSecond, samples }
}

const medianBetween = (samples: ReadonlyArray<Sample>, from: number, to: number, of: keyof Sample): number =>
  median(samples.filter(({ minutes }) => minutes >= from && minutes <= to).map((sample) => sample[of]))

const resultText = (kind: StoreKind, share: number, { perSecond, samples }: Result): string => {
  const last = samples.at(-1)!
  const third = last.minutes / 3
  const row = (name: Reading) =>
    `| ${[
      readings[kind][name],
      ...[
        ...[0, 1, 2].map((n) => medianBetween(samples, n * third, (n + 1) * third, name)),
        Math.max(...samples.map((sample) => sample[name]))
      ].map(numberText)
    ].join(" | ")} |`
  return [
    `A product sends ${numberText(perSecond)} messages of 2 KB a second for ${numberText(last.minutes)} minutes: ${numberText(share)} of its highest rate with hand-off at the start. It keeps messages for ${retentionMinutes} minutes after they have ended. Expired records are deleted every 10 minutes, so the store has the messages of up to 20 minutes. The sends have no idempotency key. ${numberText(last.accepted)} messages were accepted and ${numberText(last.handedOver)} handed over.`,
    [
      "| Reading | first third, median | second third | last third | maximum |",
      "| --- | --- | --- | --- | --- |",
      ...readingNames.map(row)
    ].join("\n"),
    `![${readingNames.map((name) => readings[kind][name]).join("; ")}: over the minutes](${plotFile(kind)})`,
    `Measured on ${machineText(machine())}. \`pnpm bench:soak --store ${kind}\``
  ].join("\n\n")
}

const writeResult = (kind: StoreKind, text: string, samples: ReadonlyArray<Sample>): void => {
  const plot = linePlot({
    title: `An hour under load, ${storeNames[kind]}`,
    subtitle: "over the minutes",
    x: { name: "minutes", scale: "value" },
    panels: readingNames.map((name) => ({
      name: readings[kind][name],
      lines: [{ name: readings[kind][name], points: samples.map((sample) => [sample.minutes, sample[name]] as const) }]
    }))
  })
  writeFileSync(docs(plotFile(kind)), plot)
  writeFileSync(docs("performance.md"), withSoak(readFileSync(docs("performance.md"), "utf8"), kind, text))
  execFileSync("oxfmt", [docs("performance.md")], { stdio: "ignore" })
}

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "60" },
    store: { type: "string", default: "sqlite" },
    share: { type: "string", default: "0.5" },
    write: { type: "boolean", default: false }
  }
})
const kind = stores.find((one) => one === values.store)
if (kind === undefined) throw new Error(`--store must be one of ${stores.join(", ")}.`)
const [minutes, share] = [Number(values.minutes), Number(values.share)]
const folder = newFolder("mailkeep-soak-")
chmodSync(folder, 0o755)
const server = kind === "postgres" ? await startPostgres(folder) : undefined
try {
  await installProduct({ rowFolder: folder })
  const result = await run(folder, { kind, place: server?.url ?? join(folder, "mail.db"), minutes, share })
  const text = resultText(kind, share, result)
  console.log(text)
  if (values.write) writeResult(kind, text, result.samples)
} finally {
  await server?.stop()
  removeFolder(folder)
}

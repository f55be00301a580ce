/**
 * Accepted sends per second: 64 senders in one process on SQLite with full durability. The baseline is a hand-written loop that inserts the
 * same rows into the same tables, 100 sends per transaction. It reads, validates and answers nothing. Both sync every transaction to disk.
 *
 * The command `pnpm bench` runs the rounds, and counts the disk syncs if strace is installed.
 * With `--count N` it makes N sends once, so that another program can count the syncs.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Domains, MailCore, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import Database from "better-sqlite3"
import { Effect, Layer } from "effect"
import { machine, median } from "./machine.ts"

const senders = 64
const sendsPerRound = 20_000
const rounds = 5
const handWrittenGroup = 100

interface Rate {
  readonly perSecond: number
  readonly perSync: number
}

const inFolder = async <A>(use: (filename: string) => Promise<A> | A): Promise<A> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-bench-"))
  try {
    return await use(join(folder, "mail.db"))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const body = (i: number) => ({
  from: "hello@example.com",
  to: `r${i}@example.org`,
  subject: "Your receipt",
  html: "<p>Thank you.</p>",
  text: "Thank you."
})

/** The complete path of a send: validate, load facts, decide, commit, and acknowledge after the sync. */
const mailkeep = (filename: string, count: number): Promise<Rate> =>
  Effect.gen(function* () {
    yield* (yield* Domains).create("prj_bench", { domain: "example.com", verified: true })
    const sending = yield* Sending
    const store = yield* SqliteMailStore.SqliteMailStore
    const before = store.groupCounts()
    const started = performance.now()
    yield* Effect.forEach(
      Array.from({ length: count }, (_, i) => i),
      (i) => sending.send("prj_bench", body(i), { idempotencyKey: `key-${i}` }),
      { concurrency: senders, discard: true }
    )
    const seconds = (performance.now() - started) / 1000
    const { groups } = store.groupCounts()
    return { perSecond: count / seconds, perSync: count / (groups - before.groups) }
  }).pipe(
    Effect.provide(
      MailCore.layer.pipe(
        Layer.provideMerge(
          Layer.mergeAll(
            SqliteMailStore.layer({ filename }),
            StubTransport.layer(),
            PlanSource.layerFixed({}),
            NodeCrypto.layer
          )
        )
      )
    ),
    Effect.runPromise
  )

/** The baseline: the same rows in the same tables, so that the cost of disk and indexes is the same. */
const handWritten = async (filename: string, count: number): Promise<Rate> => {
  await Effect.runPromise(Effect.scoped(SqliteMailStore.make({ filename })))
  const database = new Database(filename)
  database.pragma("synchronous = FULL")
  const insert = {
    message: database.prepare(
      `INSERT INTO mailkeep_messages (id, project_id, source, "from", domain, subject, html, text, "to", cc, headers, attachments, list_unsubscribe, metadata, idempotency_key, created_at)
       VALUES (?, 'prj_bench', 'embedded', ?, 'example.com', ?, ?, ?, '[]', '[]', '{}', '[]', 0, '{}', ?, ?)`
    ),
    delivery: database.prepare(
      `INSERT INTO mailkeep_deliveries (id, project_id, message_id, kind, recipient, address, source, bulk, created_at, status, due_at, due_set_at, queued_at,
         fencing_token, attempt_count, deferrals, ambiguous_attempts, worker_deaths, reached_relay, counted_day, charged_at, sequence)
       VALUES (?, 'prj_bench', ?, 'to', ?, ?, 'embedded', 0, ?, 'queued', ?, ?, ?, 1, 0, 0, 0, 0, 0, '2026-11-21', ?, 0)`
    ),
    idempotency: database.prepare(
      "INSERT INTO mailkeep_idempotency (project_id, key, fingerprint, result, expires_at) VALUES ('prj_bench', ?, ?, ?, ?)"
    ),
    counter: database.prepare(
      `INSERT INTO mailkeep_counters (project_id, name, value) VALUES ('prj_bench', ?, 1)
       ON CONFLICT (project_id, name) DO UPDATE SET value = value + 1`
    )
  }
  const fingerprint = "0".repeat(64)
  const group = database.transaction((from: number, to: number) => {
    for (let i = from; i < to; i++) {
      const { from: sender, to: recipient, subject, html, text } = body(i)
      const [message, delivery] = [`msg_${String(i).padStart(26, "0")}`, `del_${String(i).padStart(26, "0")}`]
      insert.idempotency.run(`key-${i}`, fingerprint, JSON.stringify({ message, delivery }), i)
      insert.message.run(message, sender, subject, html, text, `key-${i}`, i)
      insert.delivery.run(delivery, message, recipient, recipient, i, i, i, i, i)
      insert.counter.run("allowance")
      insert.counter.run("daily:2026-11-21")
    }
  })
  const started = performance.now()
  for (let i = 0; i < count; i += handWrittenGroup) group(i, Math.min(count, i + handWrittenGroup))
  const seconds = (performance.now() - started) / 1000
  database.close()
  return { perSecond: count / seconds, perSync: handWrittenGroup }
}

/** Counts every `fsync` and `fdatasync` system call of a run of `count` sends. `undefined` without strace. */
const syncsOf = (count: number): number | undefined =>
  (() => {
    const folder = mkdtempSync(join(tmpdir(), "mailkeep-strace-"))
    const log = join(folder, "log")
    try {
      const self = fileURLToPath(import.meta.url)
      const trace = ["-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", log]
      execFileSync("strace", [...trace, process.execPath, self, "--count", String(count)], { stdio: "ignore" })
      return readFileSync(log, "utf8").match(/\bf(?:data)?sync\(/g)?.length ?? 0
    } catch {
      return undefined
    } finally {
      rmSync(folder, { recursive: true })
    }
  })()

const countAt = process.argv.indexOf("--count")
if (countAt >= 0) {
  await inFolder((filename) => mailkeep(filename, Number(process.argv[countAt + 1])))
} else {
  console.log(machine())
  const ours: Array<Rate> = []
  const theirs: Array<Rate> = []
  for (let round = 0; round < rounds; round++) {
    ours.push(await inFolder((filename) => mailkeep(filename, sendsPerRound)))
    theirs.push(await inFolder((filename) => handWritten(filename, sendsPerRound)))
  }
  const rate = (rates: ReadonlyArray<Rate>) => Math.round(median(rates.map(({ perSecond }) => perSecond)))
  const ratio = median(ours.map(({ perSecond }, i) => perSecond / theirs[i]!.perSecond))
  console.log(`mailkeep, ${senders} senders:       ${rate(ours)} accepted sends per second (median of ${rounds})`)
  console.log(`by hand, groups of ${handWrittenGroup}:       ${rate(theirs)}`)
  console.log(`ratio:                      ${ratio.toFixed(2)}`)
  console.log(`sends per commit group:     ${median(ours.map(({ perSync }) => perSync)).toFixed(1)}`)
  const counted = 5000
  const syncs = syncsOf(counted)
  console.log(
    syncs === undefined
      ? "disk syncs: not counted, because strace is not installed"
      : `disk syncs for ${counted} sends:   ${syncs} (${(counted / syncs).toFixed(1)} sends per sync)`
  )
}

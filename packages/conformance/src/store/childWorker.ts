/**
 * The program of a child process: for each job, opens the store that a law checks, does the job, and reports each result in a line.
 */
import { wholeRotation } from "@mailkeep/core/adapter"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Change, MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { aTurn } from "../awaiting.ts"
import { commit, commitResult, insert, put, spend } from "./changes.ts"
import type { Job, JobRequest } from "./childProtocol.ts"
import { endOfJob } from "./childProtocol.ts"
import * as sample from "./sampleRecords.ts"
import { noon } from "./sampleIds.ts"
import type { Place } from "./StoreSubject.ts"
import { openAt } from "./StoreSubject.ts"

/** A separate channel, because the adapter may write to the standard streams. */
const channel = 3

/** Writes synchronously, so that a killed process has reported everything that it knew. */
const report = (line: string) => Effect.sync(() => writeSync(channel, `${line}\n`))

const committing = (store: MailStoreShape, name: string) => {
  let next = 0
  const one = Effect.suspend(() => {
    const n = next++
    const each = `${name}-${n}`
    const written = commit(store, put.setting(each), spend(1), insert.event(sample.event({ id: `evt_${each}` })))
    const reported = Effect.andThen(written, report(each))
    if (n % 10 !== 0) return reported
    const claiming = Effect.gen(function* () {
      yield* commit(store, insert.delivery(sample.delivery({ id: `del_${each}` })))
      const rows = yield* store.claim({
        kind: "dueQueued",
        rotation: wholeRotation,
        now: noon,
        limit: 1,
        worker: name,
        leaseUntil: noon + 60_000
      })
      for (const { id } of rows) yield* report(id)
    })
    return Effect.andThen(reported, claiming)
  })
  return Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(one)),
    { concurrency: "unbounded", discard: true }
  )
}

const claiming = (store: MailStoreShape, worker: string, now: number) =>
  Effect.gen(function* () {
    while (true) {
      const rows = yield* store.claim({
        kind: "dueQueued",
        rotation: wholeRotation,
        now,
        limit: 7,
        worker,
        leaseUntil: now + 60_000
      })
      if (rows.length === 0) return
      yield* report(rows.map(({ id }) => id).join("\n"))
    }
  })

const spending = (store: MailStoreShape, count: number, max: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.flatMap(commitResult(store, spend(1, max)), report), {
    concurrency: 7,
    discard: true
  })

const parentLines = createInterface({ input: process.stdin })
const nextLines = parentLines[Symbol.asyncIterator]()

/** Waits for the next line from the parent. */
const nextLine = Effect.promise(async () => (await nextLines.next()).value as string)

/**
 * The parent begins each round in all processes. In a round, one process can record the key, create the contact and
 * replace the revision.
 */
const racing = (store: MailStoreShape, name: string, rounds: number) =>
  Effect.forEach(
    Array.from({ length: rounds }, (_, n) => n),
    (n) => {
      const races: Readonly<Record<string, Change>> = {
        key: put.idempotency(sample.idempotencyRecord({ key: `k${n}`, fingerprint: name })),
        contact: put.contact(sample.contact({ id: `con_${n}_${name}`, address: `c${n}@example.org` })),
        revision: put.suppression(sample.suppression({ reasons: { manual: noon + n }, revision: n + 2 }), n + 1)
      }
      const run = Effect.forEach(Object.entries(races), ([race, change]) =>
        Effect.flatMap(commitResult(store, change), (result) => report(`${race} ${n} ${result}`))
      )
      return n === 0 ? run : Effect.andThen(nextLine, run)
    },
    { discard: true }
  )

const pairing = (store: MailStoreShape) =>
  Effect.gen(function* () {
    const stopping = yield* Effect.forkChild(nextLine)
    const spendBoth = commit(store, spend(1, null, "scheduledRecipients"), spend(1, null, "allowance"))
    const untilStopped = Effect.whileLoop({
      while: () => stopping.pollUnsafe() === undefined,
      // A store whose commits do not wait would keep the event loop from reading the line.
      body: () => Effect.andThen(spendBoth, aTurn),
      step: () => {}
    })
    yield* Effect.all(
      Array.from({ length: 4 }, () => untilStopped),
      { concurrency: "unbounded", discard: true }
    )
  })

const work = (store: MailStoreShape, job: Job): Effect.Effect<unknown, unknown> => {
  switch (job.job) {
    case "commit":
      return committing(store, job.name)
    case "claim":
      return claiming(store, job.name, job.now)
    case "spend":
      return spending(store, job.count, job.max)
    case "race":
      return racing(store, job.name, job.rounds)
    case "pairs":
      return pairing(store)
  }
}

const [module] = process.argv.slice(2) as [string]
const { open } = (await import(module)) as { readonly open: (argument: string) => Place["layer"] }
// The parent has ended, or needs no other job.
parentLines.on("close", () => process.exit())

const runJob = ({ argument, job }: JobRequest) =>
  Effect.gen(function* () {
    yield* report("ready")
    // Waits for the parent, so that processes with different start times begin at the same time.
    yield* nextLine
    yield* Effect.scoped(Effect.flatMap(openAt({ layer: open(argument) }), (store) => work(store, job)))
    yield* report(endOfJob)
  })

while (true) await Effect.runPromise(runJob(JSON.parse(await Effect.runPromise(nextLine)) as JobRequest))

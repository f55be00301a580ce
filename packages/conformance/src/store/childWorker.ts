/**
 * A process of its own on the store under a law: opens it as the author says, does one job, and tells what it was told, a line each.
 */
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Change } from "@mailkeep/core/domain"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import { fateOf } from "../expectation.ts"
import { commit, contact, delivery, event, insert, noon, put, remembered, spend, suppression } from "./records.ts"
import type { Place } from "./StoreSubject.ts"
import { openAt } from "./StoreSubject.ts"

export type Job =
  /** Commits `NAME-0`, `NAME-1`, … for ever, each a setting, a unit and an event; claims now and then. Tells each name and each claimed id. */
  | { readonly job: "commit"; readonly name: string }
  /** Claims until nothing is left, and tells each delivery it got. */
  | { readonly job: "claim"; readonly name: string; readonly now: number }
  /** Spends one unit of the allowance at a time, and tells the fate of each try. */
  | { readonly job: "spend"; readonly tries: number; readonly max: number }
  /** Tries to be the one, in so many rounds of each kind of race, and tells the fate of each. Waits for a word before each round after the first. */
  | { readonly job: "race"; readonly name: string; readonly rounds: number }
  /** Spends two units together, so often. */
  | { readonly job: "pairs"; readonly tries: number }

/** Beside the standard streams, which are for whatever the adapter prints. */
const channel = 3

/** At once, so that a killed process has told what it knew. */
const tell = (line: string) => Effect.sync(() => writeSync(channel, `${line}\n`))

const committing = (store: MailStoreShape, name: string) => {
  let next = 0
  const one = Effect.suspend(() => {
    const n = next++
    const each = `${name}-${n}`
    const written = commit(store, put.setting(each), spend(1), insert.event(event({ id: `evt_${each}` })))
    const told = Effect.andThen(written, tell(each))
    if (n % 10 !== 0) return told
    const claiming = Effect.gen(function* () {
      yield* commit(store, insert.delivery(delivery({ id: `del_${each}` })))
      const rows = yield* store.claim({
        kind: "dueQueued",
        now: noon,
        limit: 1,
        worker: name,
        leaseUntil: noon + 60_000
      })
      for (const { id } of rows) yield* tell(id)
    })
    return Effect.andThen(told, claiming)
  })
  return Effect.all(
    Array.from({ length: 8 }, () => Effect.forever(one)),
    { concurrency: "unbounded", discard: true }
  )
}

const claiming = (store: MailStoreShape, worker: string, now: number) =>
  Effect.gen(function* () {
    while (true) {
      const rows = yield* store.claim({ kind: "dueQueued", now, limit: 7, worker, leaseUntil: now + 60_000 })
      if (rows.length === 0) return
      yield* tell(rows.map(({ id }) => id).join("\n"))
    }
  })

const spending = (store: MailStoreShape, tries: number, max: number) =>
  Effect.forEach(Array.from({ length: tries }), () => Effect.flatMap(fateOf(commit(store, spend(1, max))), tell), {
    concurrency: 4,
    discard: true
  })

const heardFrom = createInterface({ input: process.stdin })[Symbol.asyncIterator]()

/** Waits until the parent says the next word. */
const word = Effect.promise(() => heardFrom.next())

/** In each round, which the parent begins for all, one process can record the key, create the contact, replace the revision. */
const racing = (store: MailStoreShape, name: string, rounds: number) =>
  Effect.forEach(
    Array.from({ length: rounds }, (_, n) => n),
    (n) => {
      const races: Readonly<Record<string, Change>> = {
        key: { _tag: "RecordIdempotency", record: remembered({ key: `k${n}`, fingerprint: name }), now: noon },
        contact: put.contact(contact({ id: `con_${n}_${name}`, address: `c${n}@example.org` })),
        revision: put.suppression(suppression({ reasons: { manual: noon + n }, revision: n + 2 }), n + 1)
      }
      const run = Effect.forEach(Object.entries(races), ([race, change]) =>
        Effect.flatMap(fateOf(commit(store, change)), (fate) => tell(`${race} ${n} ${fate}`))
      )
      return n === 0 ? run : Effect.andThen(word, run)
    },
    { discard: true }
  )

const pairing = (store: MailStoreShape, tries: number) =>
  Effect.forEach(
    Array.from({ length: tries }),
    () => commit(store, spend(1, null, "waiting"), spend(1, null, "allowance")),
    { concurrency: 4, discard: true }
  )

const work = (store: MailStoreShape, job: Job): Effect.Effect<unknown, unknown> => {
  switch (job.job) {
    case "commit":
      return committing(store, job.name)
    case "claim":
      return claiming(store, job.name, job.now)
    case "spend":
      return spending(store, job.tries, job.max)
    case "race":
      return racing(store, job.name, job.rounds)
    case "pairs":
      return pairing(store, job.tries)
  }
}

const [module, argument, job] = process.argv.slice(2) as [string, string, string]
const { open } = (await import(module)) as { readonly open: (argument: string) => Place["layer"] }
// Both at once: a start that takes its time must not keep the processes apart.
writeSync(channel, "ready\n")
await heardFrom.next()
await Effect.runPromise(
  Effect.scoped(Effect.flatMap(openAt({ layer: open(argument) }), (store) => work(store, JSON.parse(job) as Job)))
)
process.stdin.destroy()

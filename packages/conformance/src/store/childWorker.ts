/**
 * A process of its own on the store under a law: opens it as the author says, does one job, and tells what it was told, a line each.
 */
import { writeSync } from "node:fs"
import type { MailStoreShape } from "@mailkeep/core/port"
import { Effect } from "effect"
import { fateOf } from "../expectation.ts"
import { commit, put, spend } from "./records.ts"
import type { Place } from "./StoreSubject.ts"
import { openAt } from "./StoreSubject.ts"

export type Job =
  /** Commits settings `NAME-0`, `NAME-1`, … for ever, and tells each that was acknowledged. */
  | { readonly job: "commit"; readonly name: string }
  /** Claims until nothing is left, and tells each delivery it got. */
  | { readonly job: "claim"; readonly name: string; readonly now: number }
  /** Spends one unit of the allowance at a time, and tells the fate of each try. */
  | { readonly job: "spend"; readonly tries: number; readonly max: number }

/** At once, so that a killed process has told what it knew. */
const tell = (line: string) => Effect.sync(() => writeSync(1, `${line}\n`))

const committing = (store: MailStoreShape, name: string) => {
  let next = 0
  const one = Effect.suspend(() => {
    const setting = `${name}-${next++}`
    return Effect.andThen(commit(store, put.setting(setting)), tell(setting))
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

const work = (store: MailStoreShape, job: Job): Effect.Effect<unknown, unknown> => {
  switch (job.job) {
    case "commit":
      return committing(store, job.name)
    case "claim":
      return claiming(store, job.name, job.now)
    case "spend":
      return spending(store, job.tries, job.max)
  }
}

const [module, argument, job] = process.argv.slice(2) as [string, string, string]
const { open } = (await import(module)) as { readonly open: (argument: string) => Place["layer"] }
// Both at once: a start that takes its time must not keep the processes apart.
writeSync(1, "ready\n")
await new Promise((resolve) => process.stdin.once("data", resolve))
process.stdin.destroy()
await Effect.runPromise(
  Effect.scoped(Effect.flatMap(openAt({ layer: open(argument) }), (store) => work(store, JSON.parse(job) as Job)))
)

/**
 * Opens the stores of changed copies of the sources, starts only the thread of others, and prints the failure of each. In one process, because each process
 * loads all of Effect.
 */
import { Effect } from "effect"
import type { SqliteMailStore } from "../src/index.ts"
import type { makeWorkerThread } from "../src/internal/thread/workerThread.ts"

/** The folders of the copies, by their names in the tests. */
export interface Copies {
  readonly opened: Readonly<Record<string, string>>
  readonly started: Readonly<Record<string, string>>
}

const failureOf = async (effect: Effect.Effect<unknown, { readonly _tag: string }>) => {
  const failure = await Effect.runPromise(Effect.flip(effect))
  const { reason, message } = failure as { readonly reason?: string; readonly message?: string }
  return { _tag: failure._tag, reason, message }
}

const { opened, started } = JSON.parse(process.argv[2]!) as Copies
const failures: Record<string, unknown> = {}
for (const [name, folder] of Object.entries(opened)) {
  const copy = (await import(`${folder}/src/index.ts`)) as { readonly SqliteMailStore: typeof SqliteMailStore }
  failures[name] = await failureOf(Effect.scoped(copy.SqliteMailStore.make({ filename: `${folder}/mail.db` })))
}
for (const [name, folder] of Object.entries(started)) {
  const copy = (await import(`${folder}/src/internal/thread/workerThread.ts`)) as {
    readonly makeWorkerThread: typeof makeWorkerThread
  }
  const thread = copy.makeWorkerThread({ module: "commitWorker", workerData: {}, pendingMax: 1, idleMillis: 1000 })
  failures[name] = await failureOf(Effect.scoped(Effect.flatMap(thread, ({ request }) => request(1))))
}
process.stdout.write(JSON.stringify(failures))

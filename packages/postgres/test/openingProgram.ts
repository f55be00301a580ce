/**
 * The program of a child process: opens the store when the parent sends a message, commits, and closes the store after the next message.
 */
import { once } from "node:events"
import { Effect } from "effect"
import { PostgresMailStore } from "../src/index.ts"

const [connectionString] = process.argv.slice(2) as [string]

/** Reports a step, and waits for the parent. */
const report = (step: string) =>
  Effect.promise(() => {
    const answer = once(process, "message")
    process.send!(step)
    return answer
  })

const program = Effect.gen(function* () {
  yield* report("ready")
  const store = yield* PostgresMailStore.make({ connectionString, connectionsMax: 2 })
  yield* store.commit([{ _tag: "AddToCounter", projectId: "prj_1" as never, name: "allowance", by: 1, max: null }])
  yield* report("opened")
})

await Effect.runPromise(Effect.scoped(program))
process.disconnect()

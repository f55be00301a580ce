/**
 * Opens the store at the path of its first argument, and commits on the commit thread. Prints the failure of the opening, or `written`.
 */
import { Effect, Result } from "effect"
import { SqliteMailStore } from "../src/index.ts"

const [, , filename = ""] = process.argv

const written = Effect.scoped(
  Effect.gen(function* () {
    const opened = yield* Effect.result(SqliteMailStore.make({ filename }))
    if (Result.isFailure(opened)) {
      const { _tag, reason, message } = opened.failure
      return { _tag, reason, message }
    }
    const store = opened.success
    yield* store.commitThreadStarted
    yield* store.commit([{ _tag: "PutSetting", name: `process ${process.pid}`, value: "1" }])
    return "written"
  })
)

process.stdout.write(JSON.stringify(await Effect.runPromise(written)))

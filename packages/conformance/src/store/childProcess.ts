/**
 * Starts processes on a store, and hears what they tell.
 */
import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { extname } from "node:path"
import { createInterface } from "node:readline"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import type { Job } from "./childWorker.ts"
import type { ChildModule } from "./StoreSubject.ts"

export interface Child {
  /** What it has told so far. */
  readonly told: () => ReadonlyArray<string>
  /** Waits until it has told so many lines, or has ended. */
  readonly heard: (count: number) => Effect.Effect<void>
  /** The word that it waits for, before it begins and wherever its job waits for another. */
  readonly begin: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Fails with its words when it ended otherwise than well. */
  readonly ended: Effect.Effect<void, Error>
}

const program = fileURLToPath(new URL(`./childWorker${extname(import.meta.url)}`, import.meta.url))

const hearing = (child: ChildProcess) => {
  const lines: Array<string> = []
  const waiting = new Set<{ readonly count: number; readonly done: () => void }>()
  createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
    lines.push(line)
    for (const one of waiting) if (lines.length >= one.count) one.done()
  })
  return { lines, waiting }
}

/** A process that waits for `begin`; killed with the scope. */
export const startChild = ({ module, argument }: ChildModule, job: Job): Effect.Effect<Child, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const child = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawn(process.execPath, [program, module.href, argument, JSON.stringify(job)], {
          stdio: ["pipe", "ignore", "pipe", "pipe"]
        })
      ),
      (child) =>
        Effect.callback<void>((resume) => {
          if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
            return resume(Effect.void)
          child.once("exit", () => resume(Effect.void))
          child.kill("SIGKILL")
        })
    )
    const { lines, waiting } = hearing(child)
    let words = ""
    child.on("error", (cause) => (words += String(cause)))
    child.stderr!.on("data", (chunk) => (words += String(chunk)))
    child.stdin!.on("error", () => {})
    const end = yield* Deferred.make<number | null>()
    child.on("close", (code) => {
      Deferred.doneUnsafe(end, Effect.succeed(code))
      for (const one of waiting) one.done()
    })
    const heard = (count: number) =>
      Effect.callback<void>((resume) => {
        const one = { count, done: () => (waiting.delete(one), resume(Effect.void)) }
        if (lines.length >= count || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        waiting.add(one)
        return Effect.sync(() => waiting.delete(one))
      })
    yield* heard(1)
    if (lines[0] !== "ready") return yield* Effect.fail(new Error(`The process did not start: ${words}`))
    return {
      told: () => lines.slice(1),
      heard: (count) => heard(count + 1),
      begin: Effect.sync(() => child.stdin!.write("begin\n")),
      kill: Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        Deferred.await(end)
      ),
      ended: Effect.flatMap(Deferred.await(end), (code) =>
        code === 0 ? Effect.void : Effect.fail(new Error(`A process ended with ${code}: ${words}`))
      )
    }
  })

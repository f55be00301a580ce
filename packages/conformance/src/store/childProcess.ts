/**
 * Starts child processes on a store and reads the lines that they report.
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
  /** The lines that the process has reported so far. */
  readonly reportedLines: () => ReadonlyArray<string>
  /** Waits until the process has reported that number of lines, or has ended. */
  readonly waitForLines: (count: number) => Effect.Effect<void>
  /** Sends a line. The process waits for one before it begins, and its job says for which others it waits. */
  readonly proceed: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Waits for the end of the process. Fails with its error output if its exit code is not 0. */
  readonly ended: Effect.Effect<void, Error>
}

const program = fileURLToPath(new URL(`./childWorker${extname(import.meta.url)}`, import.meta.url))

const readLines = (child: ChildProcess) => {
  const lines: Array<string> = []
  const waiting = new Set<{ readonly count: number; readonly done: () => void }>()
  createInterface({ input: child.stdio[3] as Readable }).on("line", (line) => {
    lines.push(line)
    for (const one of waiting) if (lines.length >= one.count) one.done()
  })
  return { lines, waiting }
}

/** Starts a process that waits for `proceed`. The scope kills it. */
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
    const { lines, waiting } = readLines(child)
    let errorOutput = ""
    child.on("error", (cause) => (errorOutput += String(cause)))
    child.stderr!.on("data", (chunk) => (errorOutput += String(chunk)))
    child.stdin!.on("error", () => {})
    const end = yield* Deferred.make<number | null>()
    child.on("close", (code) => {
      Deferred.doneUnsafe(end, Effect.succeed(code))
      for (const one of waiting) one.done()
    })
    const waitForLines = (count: number) =>
      Effect.callback<void>((resume) => {
        const one = { count, done: () => (waiting.delete(one), resume(Effect.void)) }
        if (lines.length >= count || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
        waiting.add(one)
        return Effect.sync(() => waiting.delete(one))
      })
    yield* waitForLines(1)
    if (lines[0] !== "ready") return yield* Effect.fail(new Error(`The process did not start: ${errorOutput}`))
    return {
      reportedLines: () => lines.slice(1),
      waitForLines: (count) => waitForLines(count + 1),
      proceed: Effect.sync(() => child.stdin!.write("proceed\n")),
      kill: Effect.andThen(
        Effect.sync(() => child.kill("SIGKILL")),
        Deferred.await(end)
      ),
      ended: Effect.flatMap(Deferred.await(end), (code) =>
        code === 0 ? Effect.void : Effect.fail(new Error(`A process ended with ${code}: ${errorOutput}`))
      )
    }
  })

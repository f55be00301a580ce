/**
 * Runs jobs on a store in other processes and reads the lines that they report.
 */
import type { Scope } from "effect"
import { Deferred, Effect } from "effect"
import type { Job, JobRequest } from "./childProtocol.ts"
import { giveBack, takeProcess } from "./processPool.ts"
import type { ChildModule } from "./StoreSubject.ts"

export interface Child {
  /** The id of the process that does the job; `undefined` if it could not be started. */
  readonly processId: number | undefined
  /** The lines that the process has reported so far. */
  readonly reportedLines: () => ReadonlyArray<string>
  /** Waits until the process has reported that number of lines, or has ended its job. */
  readonly waitForLines: (count: number) => Effect.Effect<void>
  /** Sends a line. The process waits for one before it begins, and its job says for which others it waits. */
  readonly proceed: Effect.Effect<void>
  readonly kill: Effect.Effect<void>
  /** Waits for the end of the job. Fails with the error output if the process ended before. */
  readonly ended: Effect.Effect<void, Error>
}

/** Starts a job that waits for `proceed`. The scope kills the process, unless the job has ended: then another job can use the process. */
export const startChild = ({ module, argument }: ChildModule, job: Job): Effect.Effect<Child, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const waiting = new Set<{ readonly count: number; readonly done: () => void }>()
    const end = yield* Deferred.make<boolean>()
    let isEnded = false
    const finish = (isDone: boolean): void => {
      isEnded = true
      Deferred.doneUnsafe(end, Effect.succeed(isDone))
      for (const one of waiting) one.done()
    }
    const process = yield* Effect.acquireRelease(
      Effect.sync(() =>
        takeProcess(module.href, {
          onLine: (line) => {
            lines.push(line)
            for (const one of waiting) if (lines.length >= one.count) one.done()
          },
          onEnd: finish
        })
      ),
      (process) =>
        Effect.suspend(() => {
          if (isEnded && process.isAlive()) return Effect.sync(() => giveBack(module.href, process))
          return Effect.promise(process.kill)
        })
    )
    const waitForLines = (count: number) =>
      Effect.callback<void>((resume) => {
        const one = { count, done: () => (waiting.delete(one), resume(Effect.void)) }
        if (lines.length >= count || isEnded) return resume(Effect.void)
        waiting.add(one)
        return Effect.sync(() => waiting.delete(one))
      })
    process.write(JSON.stringify({ argument, job } satisfies JobRequest))
    yield* waitForLines(1)
    if (lines[0] !== "ready")
      return yield* Effect.fail(new Error(`The process did not start: ${process.errorOutput()}`))
    return {
      processId: process.id,
      reportedLines: () => lines.slice(1),
      waitForLines: (count) => waitForLines(count + 1),
      proceed: Effect.sync(() => process.write("proceed")),
      kill: Effect.promise(process.kill),
      ended: Effect.flatMap(Deferred.await(end), (isDone) =>
        isDone ? Effect.void : Effect.fail(new Error(`A process ended: ${process.errorOutput()}`))
      )
    }
  })

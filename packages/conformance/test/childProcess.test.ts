/**
 * Jobs in other processes: which job gets a new process, and what a job reports when its process fails or is killed.
 */
import type { Scope } from "effect"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Child } from "../src/store/childProcess.ts"
import { startChild } from "../src/store/childProcess.ts"
import type { ChildModule } from "../src/store/StoreSubject.ts"
import { place } from "./example/storeUnderTest.ts"

/** Runs on one store, whose module other processes import. */
const onStore = <A>(use: (child: ChildModule) => Effect.Effect<A, unknown, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(place, ({ child }) => use(child!))))

const spend = { job: "spend", count: 2, max: 3 } as const

const untilEnd = (child: Child) =>
  Effect.gen(function* () {
    yield* child.proceed
    yield* child.ended
    return child.reportedLines()
  })

/** The id of the process that a scope of its own takes for a job. */
const idAfter = (child: ChildModule, use: (started: Child) => Effect.Effect<unknown, unknown>) =>
  Effect.scoped(Effect.flatMap(startChild(child, spend), (started) => Effect.as(use(started), started.processId)))

describe("startChild", () => {
  it("reports the lines of the job, and gives the process to the next job", () =>
    onStore((child) =>
      Effect.gen(function* () {
        const lines: Array<ReadonlyArray<string>> = []
        const record = (started: Child) => Effect.map(untilEnd(started), (reported) => lines.push(reported))
        const first = yield* idAfter(child, record)
        const second = yield* idAfter(child, record)
        expect(lines).toEqual([
          ["applied", "applied"],
          ["applied", "Exhausted"]
        ])
        expect(second).toBe(first)
      })
    ))

  it("gives jobs at the same time processes of their own", () =>
    onStore((child) =>
      Effect.gen(function* () {
        const [one, two] = [yield* startChild(child, spend), yield* startChild(child, spend)]
        expect(one.processId).not.toBe(two.processId)
        yield* untilEnd(one)
        yield* untilEnd(two)
      })
    ))

  it.each<[string, (started: Child) => Effect.Effect<unknown>]>([
    ["was killed", ({ kill }) => kill],
    ["has not ended when its scope closes", () => Effect.void]
  ])("gives no other job the process of a job that %s", (_, use) =>
    onStore((child) =>
      Effect.gen(function* () {
        const first = yield* idAfter(child, use)
        const second = yield* idAfter(child, untilEnd)
        expect(second).not.toBe(first)
      })
    )
  )

  it("fails with the error output when the store cannot be opened, and then starts another process", () =>
    onStore((child) =>
      Effect.gen(function* () {
        const started = yield* startChild({ ...child, argument: "/no/such/folder/journal" }, spend)
        yield* started.proceed
        expect(String(yield* Effect.flip(started.ended))).toContain("/no/such/folder")
        expect(yield* Effect.flatMap(startChild(child, spend), untilEnd)).toEqual(["applied", "applied"])
      })
    ))

  it("fails when the module does not exist", () =>
    onStore((child) =>
      Effect.gen(function* () {
        const module = new URL("./noSuchStore.ts", import.meta.url)
        const failure = yield* Effect.flip(startChild({ ...child, module }, spend))
        expect(failure.message).toContain("noSuchStore.ts")
      })
    ))
})

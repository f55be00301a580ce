import { Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change } from "../../../src/domain/store/Change.ts"
import { Conflict } from "../../../src/domain/store/Conflict.ts"
import { makeMeasuredStore } from "../../../src/internal/store/measuredStore.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { StoreUnavailable } from "../../../src/port/MailStore.ts"
import { message } from "../../decide/fixtures.ts"

type Answer = Effect.Effect<void, Conflict | StoreUnavailable>

const changes: ReadonlyArray<Change> = [{ _tag: "InsertMessage", message: message() }]
const fails = (reason: StoreUnavailable["reason"]): Answer => Effect.fail(new StoreUnavailable({ reason }))
const conflict: Answer = Effect.fail(new Conflict({ at: 0, change: "InsertMessage", reason: "AlreadyExists" }))

/** Commits once for each answer, and returns the last failure of a write after each. */
const commits = (...answers: ReadonlyArray<Answer>) =>
  Effect.gen(function* () {
    let next = 0
    const { store, writeStatus } = makeMeasuredStore({ commit: () => answers[next++]! } as unknown as MailStoreShape)
    return yield* Effect.forEach(answers, () =>
      Effect.andThen(Effect.ignore(store.commit(changes)), writeStatus.lastWriteFailure)
    )
  })

const run = <A>(test: Effect.Effect<A>): Promise<A> =>
  Effect.runPromise(
    test.pipe(Effect.provide(TestClock.layer()), Effect.provideService(Metric.MetricRegistry, new Map()))
  )

const seriesNamed = (name: string) =>
  Effect.map(Metric.snapshot, (all) =>
    Object.fromEntries(
      all.flatMap(({ id, attributes, state }) => (id === name ? [[Object.values(attributes ?? {}).join(), state]] : []))
    )
  )

describe("makeMeasuredStore", () => {
  it("counts commits by their result, and their facts only when they were applied", () =>
    run(
      Effect.gen(function* () {
        yield* commits(Effect.void, conflict, fails("full"), Effect.void)
        expect(yield* seriesNamed("mailkeep_commits_total")).toMatchObject({
          applied: { count: 2 },
          conflict: { count: 1 },
          full: { count: 1 }
        })
        expect(yield* seriesNamed("mailkeep_sends_total")).toMatchObject({ api: { count: 2 } })
      })
    ))

  it("counts a commit that a bug ended, such as a row that a constraint of the operator refuses", () =>
    run(
      Effect.gen(function* () {
        yield* Effect.exit(commits(Effect.die(new Error("refused"))))
        expect(yield* seriesNamed("mailkeep_commits_total")).toMatchObject({ bug: { count: 1 } })
      })
    ))

  it("measures the time of an applied commit in seconds", () =>
    run(
      Effect.gen(function* () {
        yield* commits(TestClock.adjust("250 millis"), Effect.andThen(TestClock.adjust("1 second"), conflict))
        expect(yield* seriesNamed("mailkeep_commit_seconds")).toMatchObject({ "": { count: 1, sum: 0.25 } })
      })
    ))

  it.each<[name: string, answers: ReadonlyArray<Answer>, last: string | null]>([
    ["a failed write", [Effect.void, fails("full")], "full"],
    ["a write after the failure", [fails("full"), Effect.void], null],
    ["a conflict after the failure", [fails("unreachable"), conflict], "unreachable"],
    ["a store under load", [fails("overloaded")], null]
  ])("remembers the last failure of a write: %s", (_, answers, last) =>
    run(
      Effect.map(commits(...answers), (failures) => {
        expect(failures.at(-1)?.reason ?? null).toBe(last)
      })
    )
  )
})

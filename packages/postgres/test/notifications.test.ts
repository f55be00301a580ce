import type { Change, DeliveryState } from "@mailkeep/core/adapter"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { PostgresMailStore } from "../src/index.ts"
import { makesWork } from "../src/internal/notifications.ts"
import { testServer } from "./testServer.ts"

const append = (id: string): ReadonlyArray<Change> => [
  {
    _tag: "AppendEvent",
    event: { id, projectId: "prj_1", occurredAt: 0, kind: "contact.deleted", data: { contactId: "con_1" } } as never
  }
]

const put = (name: string): ReadonlyArray<Change> => [{ _tag: "PutSetting", name, value: "x" }]

const transition = (status: DeliveryState["status"], dueAt: number | null): Change => ({
  _tag: "TransitionDelivery",
  projectId: "prj_1",
  id: "del_1",
  from: "queued",
  fencingToken: 1,
  next: { status, dueAt } as DeliveryState
})

describe("makesWork", () => {
  it.each<[string, Change, boolean]>([
    ["an event", append("evt_1")[0]!, true],
    ["a delivery that waits for its retry", transition("queued", 1), true],
    ["a delivery whose hand-off begins", transition("sending", 1), false],
    ["a delivery that has ended", transition("delivered", null), false],
    ["a setting", put("a")[0]!, false]
  ])("says whether %s is a reason to notify other processes", (_, change, expected) => {
    expect(makesWork(change)).toBe(expected)
  })
})

/** Two stores of one database, as two processes open them. The clock of the test does not move. */
const withTwoStores = async <A, E>(
  options: Pick<PostgresMailStore.PostgresOptions, "listen" | "schema">,
  use: (
    reader: PostgresMailStore.PostgresMailStoreShape,
    writer: PostgresMailStore.PostgresMailStoreShape
  ) => Effect.Effect<A, E>
) => {
  const server = await testServer()
  const connectionString = server.urlOf(await server.createDatabase())
  const open = PostgresMailStore.make({ connectionString, ...options })
  return Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        return yield* use(yield* open, yield* open)
      })
    ).pipe(Effect.provide(TestClock.layer()))
  )
}

/** Repeats `step` until the stream has emitted. Each step lets the server answer. */
const until = (fiber: Fiber.Fiber<unknown, unknown>, step: (n: number) => Effect.Effect<unknown, unknown>) =>
  Effect.gen(function* () {
    for (let n = 0; fiber.pollUnsafe() === undefined; n++) yield* step(n)
    return yield* Fiber.join(fiber)
  })

const firstEmission = (store: PostgresMailStore.PostgresMailStoreShape) =>
  Effect.forkChild(Stream.runHead(store.commitsOfOtherProcesses), { startImmediately: true })

describe("commitsOfOtherProcesses", () => {
  it.each([
    ["mailkeep", "mailkeep"],
    ["with 63 bytes", "ä".repeat(31).padEnd(32, "x")]
  ])(
    "emits after a commit of another process that appends an event when it listens, although no time passes, with a schema %s",
    async (_, schema) => {
      const emitted = await withTwoStores({ listen: true, schema }, (reader, writer) =>
        Effect.gen(function* () {
          const fiber = yield* firstEmission(reader)
          yield* until(fiber, (n) => writer.commit(append(`evt_${n}`)))
          return "emitted"
        })
      )
      expect(emitted).toBe("emitted")
    }
  )

  it("emits within a second after a commit of another process when it does not listen", async () => {
    const emitted = await withTwoStores({ listen: false }, (reader, writer) =>
      Effect.gen(function* () {
        const fiber = yield* firstEmission(reader)
        yield* until(fiber, (n) => Effect.andThen(writer.commit(put(`s${n}`)), TestClock.adjust("1 second")))
        return "emitted"
      })
    )
    expect(emitted).toBe("emitted")
  })

  it("does not emit after commits of this process", async () => {
    const isEmitted = await withTwoStores({ listen: false }, (reader) =>
      Effect.gen(function* () {
        const fiber = yield* firstEmission(reader)
        for (let n = 0; n < 20; n++) {
          yield* reader.commit(put(`s${n}`))
          yield* TestClock.adjust("1 second")
        }
        return fiber.pollUnsafe() !== undefined
      })
    )
    expect(isEmitted).toBe(false)
  })
})

/**
 * The drains of the outbox in the background: how often a row that stays is tried again.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { PlanLimitReached, Sending } from "@mailkeep/core"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "vitest"
import type { OutboxSource, StoredOutboxRow } from "../src/index.ts"
import { drainForever } from "../src/outbox/drainOutbox.ts"
import { beforeIdsOf, makeOutboxRow } from "../src/outbox/outboxRow.ts"

const startMillis = Date.UTC(2026, 10, 21, 12)

/** Inserts a row whose id was made in a second of the test. */
const insert = (rows: Map<string, StoredOutboxRow>, name: string, second: number): void => {
  const id = `${beforeIdsOf(startMillis + second * 1000)}-${name}`
  const message = { to: "ada@example.org", subject: name, text: "Hi." }
  rows.set(id, { ...makeOutboxRow(message, "prj_a", "hi@acme.example"), id })
}

/** A table in memory. */
const tableOf = (rows: Map<string, StoredOutboxRow>): OutboxSource => ({
  take: (after, limit) =>
    [...rows.values()]
      .filter(({ id }) => id > after)
      .toSorted((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit),
  remove: (ids) => ids.forEach((id) => rows.delete(id)),
  refuse: () => undefined
})

/** The seconds in which a drain tries to send each row. `isFull`: a limit of the plan refuses the send. */
const triesOf = (
  rows: Map<string, StoredOutboxRow>,
  isFull: (name: string) => boolean,
  seconds: number,
  inSecond: (second: number) => void = () => {}
) =>
  Effect.gen(function* () {
    const tries: Record<string, Array<number>> = {}
    const send = (_: unknown, { subject = "" }: { readonly subject?: string }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now): Effect.Effect<unknown, PlanLimitReached> => {
        ;(tries[subject] ??= []).push((now - startMillis) / 1000)
        return isFull(subject)
          ? Effect.fail(new PlanLimitReached({ code: "daily_sending_limit_exceeded" }))
          : Effect.succeed({})
      })
    yield* TestClock.setTime(startMillis)
    const draining = Effect.provideService(drainForever(tableOf(rows)), Sending, { send } as never)
    yield* Effect.forkScoped(draining)
    for (let second = 0; second < seconds; second++) {
      inSecond(second)
      // The functions of the product are promises.
      for (let turn = 0; turn < 5; turn++) yield* Effect.promise(() => nextTurn())
      yield* TestClock.adjust("1 second")
    }
    return tries
  }).pipe(Effect.scoped, Effect.provide(TestClock.layer()), Effect.runPromise)

const upTo = (second: number) => Array.from({ length: second + 1 }, (_, n) => n)

it("tries a row above a limit more and more seldom, and a row that comes later at once", async () => {
  const rows = new Map<string, StoredOutboxRow>()
  insert(rows, "b", 0)
  const tries = await triesOf(
    rows,
    (name) => name === "b",
    200,
    (second) => {
      if (second === 100) insert(rows, "c", 100)
    }
  )
  expect(tries).toEqual({ b: [...upTo(10), 14, 30, 62, 122, 182], c: [101] })
  expect(rows.size).toBe(1)
})

it("tries a row at once that a transaction commits after a row with a higher id", async () => {
  const rows = new Map<string, StoredOutboxRow>()
  insert(rows, "b", 0)
  const tries = await triesOf(
    rows,
    (name) => name !== "a",
    60,
    (second) => {
      insert(rows, `limit${second}`, second)
      if (second === 47) insert(rows, "a", 40)
    }
  )
  expect(tries["a"]).toEqual([48])
  expect(tries["b"]).toEqual([...upTo(10), 14, 30])
})

it("tries a row of a process whose clock is late with the next drain from the beginning", async () => {
  const rows = new Map<string, StoredOutboxRow>()
  insert(rows, "b", 0)
  const tries = await triesOf(
    rows,
    (name) => name === "b",
    40,
    (second) => {
      if (second === 20) insert(rows, "a", -60)
    }
  )
  expect(tries["a"]).toEqual([30])
})

it("drains all rows each second again after a limit was raised", async () => {
  const rows = new Map<string, StoredOutboxRow>()
  insert(rows, "b", 0)
  let isRaised = false
  const tries = await triesOf(
    rows,
    (name) => name === "b" && !isRaised,
    40,
    (second) => {
      if (second === 20) isRaised = true
      if (second === 32) insert(rows, "a", -60)
    }
  )
  expect(tries).toEqual({ b: [...upTo(10), 14, 30], a: [33] })
})

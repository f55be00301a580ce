/**
 * A move of records with large bodies: how much the target gets at once, and that an interrupted move leaves the target closed and can be resumed.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { stores } from "@mailkeep/test-support"
import { Context, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change, Crypto, MailStoreShape, Query, StoredRecordOf } from "../../../src/adapter.ts"
import { MailStore, StoreUnavailable } from "../../../src/adapter.ts"
import { bytesOfChanges } from "../../../src/domain/store/evaluation.ts"
import { readClosure } from "../../../src/internal/store/closableStore.ts"
import { digestStore, moveStore } from "../../../src/move.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"
import { contact, message } from "../../decide/fixtures.ts"

const mebibyte = 1024 * 1024

const run = <A, E>(effect: Effect.Effect<A, E, Crypto>) =>
  Effect.runPromise(effect.pipe(Effect.provide(NodeCrypto.layer), Effect.provide(TestClock.layer())))

interface Messages {
  readonly projects: number
  readonly count: number
  readonly bodyLength: number
  /** The beginning of the ids, by which messages are ordered. */
  readonly prefix: string
}

/** Writes so many messages into each project. Each has a body of this length. */
const writeMessages = (
  store: MailStoreShape,
  { projects = 1, count = 1, bodyLength = 10, prefix = "a" }: Partial<Messages>
) =>
  Effect.gen(function* () {
    const text = "x".repeat(bodyLength)
    for (let project = 0; project < projects; project++)
      for (let n = 0; n < count; n++)
        yield* store.commit([
          {
            _tag: "InsertMessage",
            message: message({ id: `msg_${prefix}_${project}_${n}`, projectId: `prj_${project}`, html: null, text })
          }
        ])
  })

/** A store with these messages. */
const messages = (records: Partial<Messages>) =>
  Effect.gen(function* () {
    const store = yield* MemoryMailStore.make
    yield* writeMessages(store, records)
    return store
  })

/** An empty store that lets each commit take a turn, and records the commits and the largest sums of those under way. */
const watchedStore = Effect.gen(function* () {
  const store = yield* MemoryMailStore.make
  const seen = { commits: 0, commitsAtOnce: 0, bytesAtOnce: 0 }
  let commits = 0
  let bytes = 0
  const commit = (changes: ReadonlyArray<Change>) =>
    Effect.suspend(() => {
      const own = bytesOfChanges(changes)
      commits++
      bytes += own
      seen.commits++
      seen.commitsAtOnce = Math.max(seen.commitsAtOnce, commits)
      seen.bytesAtOnce = Math.max(seen.bytesAtOnce, bytes)
      return Effect.andThen(Effect.yieldNow, store.commit(changes)).pipe(
        Effect.ensuring(
          Effect.sync(() => {
            commits--
            bytes -= own
          })
        )
      )
    })
  const watched: MailStoreShape = { ...store, commit }
  return { store: watched, seen }
})

/** The store, but the process is killed at this commit. */
const killedAt = (store: MailStoreShape, at: number): MailStoreShape => {
  let commits = 0
  return {
    ...store,
    commit: (changes) => (commits++ < at ? store.commit(changes) : Effect.die("the process was killed"))
  }
}

describe("moveStore with large records", () => {
  it("moves messages of 4 MiB in several projects between two stores that bound what waits and what a page has", () =>
    run(
      Effect.gen(function* () {
        const open = Effect.map(Layer.build(Layer.fresh(stores[1].layer)), Context.get(MailStore))
        const [from, to] = [yield* open, yield* open]
        // Together more than the 64 MiB that may wait.
        yield* writeMessages(from, { projects: 2, count: 9, bodyLength: 4 * mebibyte })
        const { digest, written } = yield* moveStore(from, to)
        expect(written).toBe(18)
        expect(yield* digestStore(to)).toEqual(digest)
      }).pipe(Effect.scoped, Effect.orDie)
    ))

  it("reads a page again with fewer records when the store has too little memory for it", () =>
    run(
      Effect.gen(function* () {
        const from = yield* messages({ count: 300 })
        yield* writeMessages(from, { count: 30, bodyLength: 3 * mebibyte, prefix: "b" })
        const pages: Array<number> = []
        const tooLarge: Array<number> = []
        const bounded: MailStoreShape = {
          ...from,
          read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
            Effect.flatMap(from.read(queries), (answers) => {
              const [query] = queries
              if (query?._tag !== "Records" || query.kind !== "Message") return Effect.succeed(answers)
              const found = answers[0] as ReadonlyArray<StoredRecordOf<"Message">>
              const fits = found.reduce((sum, { record }) => sum + record.text!.length, 0) <= 32 * mebibyte
              void (fits ? pages : tooLarge).push(found.length)
              return fits ? Effect.succeed(answers) : Effect.fail(new StoreUnavailable({ reason: "unreachable" }))
            })
        }
        expect((yield* digestStore(bounded)).kinds.Message.count).toBe(330)
        // After 224 messages, a page of 100 has 24 large ones. After that of 48, the next is for 7 messages of 9 MiB, because their sum is at most 64 MiB.
        expect(tooLarge).toEqual([100])
        expect(pages).toEqual([4, 8, 16, 32, 64, 100, 12, 24, 48, 7, 7, 7, 1, 0])
      })
    ))

  it("reads and commits fewer contacts at once when they have many long properties", () =>
    run(
      Effect.gen(function* () {
        const from = yield* MemoryMailStore.make
        const properties = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`prop_${n}`, "x".repeat(500)]))
        for (let n = 0; n < 80; n++) {
          const one = contact({ id: `con_${n}`, projectId: "prj_0", address: `c${n}@example.org`, properties })
          yield* from.commit([{ _tag: "PutContact", contact: one, replaces: null }])
        }
        const limits: Array<number> = []
        const watched: MailStoreShape = {
          ...from,
          read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) => {
            const [query] = queries
            if (query?._tag === "Records" && query.kind === "Contact") limits.push(query.limit)
            return from.read(queries)
          }
        }
        yield* digestStore(watched)
        expect(limits).toEqual([4, 8, 16, 32, 64, 128])
        const { store, seen } = yield* watchedStore
        yield* moveStore(from, store)
        // A batch has at most 27 contacts of 100,000 characters.
        expect(seen.commits).toBe(1 + 1 + 1 + 2 + 1)
      })
    ))

  it("fails when the store cannot be reached", () =>
    run(
      Effect.gen(function* () {
        const from = yield* messages({})
        const failure = new StoreUnavailable({ reason: "unreachable" })
        expect(yield* Effect.flip(digestStore({ ...from, read: () => Effect.fail(failure) }))).toEqual(failure)
      })
    ))

  it.each([
    ["at most 8 MiB of several records", { projects: 3, count: 9, bodyLength: mebibyte }, 6],
    ["one record that has 12 MiB", { count: 3, bodyLength: 4 * mebibyte }, 12]
  ])("commits %s at once", (_, records, mebibytes) =>
    run(
      Effect.gen(function* () {
        const { store, seen } = yield* watchedStore
        yield* moveStore(yield* messages(records), store)
        expect(Math.floor(seen.bytesAtOnce / mebibyte)).toBe(mebibytes)
      })
    )
  )

  it("commits a page of small records at once", () =>
    run(
      Effect.gen(function* () {
        const { store, seen } = yield* watchedStore
        yield* moveStore(yield* messages({ count: 324, bodyLength: 10_000 }), store)
        // Pages of 4, 8, 16, 32, 64, 100 and 100 messages.
        expect(seen).toMatchObject({ commits: 7, commitsAtOnce: 1 })
      })
    ))

  it("runs at most 200 commits at once when a page has records of more projects", () =>
    run(
      Effect.gen(function* () {
        const from = yield* MemoryMailStore.make
        const projectIds = Array.from({ length: 500 }, (_, n) => `prj_${n}` as const)
        for (const projectId of projectIds)
          yield* from.commit([{ _tag: "AddToCounter", projectId, name: "contacts", by: 1, max: null }])
        const { store, seen } = yield* watchedStore
        expect((yield* moveStore(from, store)).written).toBe(500)
        expect(seen).toMatchObject({ commits: 500, commitsAtOnce: 200 })
      })
    ))

  it("resumes after an interruption at every commit of a page", () =>
    run(
      Effect.gen(function* () {
        const from = yield* messages({ projects: 2, count: 3, bodyLength: mebibyte })
        const expected = yield* digestStore(from)
        for (const [at, existing] of [0, 2, 3, 4].entries()) {
          const to = yield* MemoryMailStore.make
          yield* Effect.exit(moveStore(from, killedAt(to, at)))
          expect((yield* digestStore(to)).kinds.Message.count).toBe(existing)
          const { digest, written } = yield* moveStore(from, to, { resume: true })
          expect(digest).toEqual(expected)
          expect(written).toBe(6 - existing)
        }
      })
    ))
})

describe("moveStore with closeSource and large records", () => {
  it("keeps the target closed when only a part of the first page was written", () =>
    run(
      Effect.gen(function* () {
        const from = yield* messages({ count: 4, bodyLength: mebibyte })
        const to = yield* MemoryMailStore.make
        // The first commit closes the target.
        const move = Effect.exit(moveStore(from, killedAt(to, 2), { closeSource: "sqlite:new.db" }))
        const fiber = yield* Effect.forkChild(move, { startImmediately: true })
        yield* TestClock.adjust("2 seconds")
        yield* Fiber.join(fiber)
        expect((yield* digestStore(to)).kinds.Message.count).toBe(2)
        expect(yield* readClosure(to)).toEqual({ reason: "incomplete" })
      })
    ))

  it("keeps the source closed while the commits of one page last longer than the lease of the move", () =>
    run(
      Effect.gen(function* () {
        const from = yield* messages({ count: 4, bodyLength: 3 * mebibyte })
        const to = yield* MemoryMailStore.make
        const slow: MailStoreShape = {
          ...to,
          commit: (changes) =>
            changes.some(({ _tag }) => _tag === "InsertMessage")
              ? Effect.andThen(Effect.sleep("30 seconds"), to.commit(changes))
              : to.commit(changes)
        }
        const fiber = yield* Effect.forkChild(moveStore(from, slow, { closeSource: "sqlite:new.db" }), {
          startImmediately: true
        })
        for (let second = 0; second < 115; second++) {
          yield* TestClock.adjust("1 second")
          expect(yield* readClosure(from)).toEqual({ reason: "moving" })
        }
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(fiber)).written).toBe(4)
      })
    ))
})

/**
 * A move between stores: what it copies, what it refuses, and that the copy answers as the original does.
 */
import { answersOf, arbitraries } from "@mailkeep/conformance"
import { MemoryMailStore } from "@mailkeep/memory"
import { stores } from "@mailkeep/test-support"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Change, Crypto, MailStoreShape, Query } from "../../../src/adapter.ts"
import type { MoveOptions, MoveProgress } from "../../../src/move.ts"
import { MailStore } from "../../../src/adapter.ts"
import { digestStore, moveStore } from "../../../src/move.ts"
import { recordPage } from "../../../src/internal/store/recordPages.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"

const settings = (count: number): ReadonlyArray<Change> =>
  Array.from({ length: count }, (_, n) => ({ _tag: "PutSetting", name: `s${n}`, value: String(n) }))

const event = (id: `evt_${string}`): Change => ({
  _tag: "AppendEvent",
  event: { id, projectId: "prj", occurredAt: 1, kind: "contact.deleted", data: { contactId: "con_1" } }
})

/** Two empty stores, of which the first gets the changes, one commit each. */
const twoStores = (changes: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const [from, to] = [yield* MemoryMailStore.make, yield* MemoryMailStore.make]
    for (const change of changes) yield* from.commit([change])
    return { from, to }
  })

const run = <A, E>(effect: Effect.Effect<A, E, Crypto>) =>
  Effect.runPromise(effect.pipe(Effect.provide(NodeCrypto.layer), Effect.provide(TestClock.layer())))

const refusal = (from: MailStoreShape, to: MailStoreShape, options: MoveOptions = {}) =>
  Effect.map(Effect.flip(moveStore(from, to, options)), (failure) =>
    failure._tag === "MoveRefused" ? { reason: failure.reason, kinds: failure.kinds } : failure._tag
  )

/** Runs an effect before the answer to the query with this number. */
const interleaved = (store: MailStoreShape, at: number, effect: Effect.Effect<unknown, unknown>): MailStoreShape => {
  let reads = 0
  return {
    ...store,
    read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
      Effect.suspend(() => Effect.andThen(++reads === at ? Effect.ignore(effect) : Effect.void, store.read(queries)))
  }
}

describe("moveStore", () => {
  it("copies any store so that its digest and all later answers are the same", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraries.script, arbitraries.script, (before, after) =>
        run(
          Effect.gen(function* () {
            const { from, to } = yield* twoStores([])
            yield* answersOf(from, before)
            const report = yield* moveStore(from, to, { force: true })
            expect(yield* digestStore(to)).toEqual(report.digest)
            expect(yield* digestStore(from)).toEqual(report.digest)
            expect(yield* answersOf(to, after)).toEqual(yield* answersOf(from, after))
          })
        )
      ),
      { numRuns: 60 }
    )
  })

  it("copies from the reference store into a file and back so that nothing differs", async () => {
    const file = Layer.fresh(stores[1].layer)
    await fc.assert(
      fc.asyncProperty(arbitraries.script, arbitraries.script, (before, after) =>
        run(
          Effect.gen(function* () {
            const { from, to } = yield* twoStores([])
            yield* answersOf(from, before)
            const middle = Context.get(yield* Layer.build(file), MailStore)
            const { digest } = yield* moveStore(from, middle, { force: true })
            expect((yield* moveStore(middle, to, { force: true })).digest).toEqual(digest)
            const expected = yield* answersOf(from, after)
            expect(yield* answersOf(middle, after)).toEqual(expected)
            expect(yield* answersOf(to, after)).toEqual(expected)
          }).pipe(Effect.scoped, Effect.orDie)
        )
      ),
      { numRuns: 6 }
    )
  }, 60_000)

  it("copies more records than a page has, and reports its progress page by page", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores(settings(4500))
        const seen: Array<MoveProgress> = []
        const report = yield* moveStore(from, to, { onProgress: (one) => Effect.sync(() => void seen.push(one)) })
        expect(report).toMatchObject({ records: 4500, written: 4500, digest: { kinds: { Setting: { count: 4500 } } } })
        expect(seen.filter(({ phase }) => phase === "copy").map(({ records }) => records)).toEqual([2000, 4000, 4500])
        expect(new Set(seen.map(({ phase }) => phase))).toEqual(new Set(["copy", "checkTarget", "checkSource"]))
      })
    ))

  it("refuses a target that has a record, and writes nothing", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores(settings(1))
        yield* to.commit([{ _tag: "RenewLease", worker: "w", renewedAt: 0, leaseUntil: 1 }])
        const before = yield* digestStore(to)
        expect(yield* refusal(from, to)).toEqual({ reason: "target_not_empty", kinds: ["Lease"] })
        expect(yield* digestStore(to)).toEqual(before)
      })
    ))

  it("refuses a source with a live lease, unless it is forced", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores([{ _tag: "RenewLease", worker: "w", renewedAt: 0, leaseUntil: 1 }])
        expect(yield* refusal(from, to)).toEqual({ reason: "source_in_use", kinds: ["Lease"] })
        expect((yield* moveStore(from, to, { force: true })).records).toBe(1)
      })
    ))

  it("moves a source whose lease has ended", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores([{ _tag: "RenewLease", worker: "w", renewedAt: 0, leaseUntil: 1 }])
        yield* TestClock.adjust("1 millis")
        expect((yield* moveStore(from, to)).records).toBe(1)
      })
    ))

  it("fails when the source changes after its records were copied", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores(settings(1))
        // The 10th read is after the copy of the settings, and before the source is read again.
        const changing = interleaved(from, 10, from.commit([{ _tag: "PutSetting", name: "late", value: "1" }]))
        expect(yield* refusal(changing, to)).toEqual({ reason: "source_changed", kinds: ["Setting"] })
      })
    ))

  it("fails when the target has other records at the end", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores(settings(2))
        const forgetful: MailStoreShape = { ...to, commit: (changes) => to.commit(changes.slice(1)) }
        expect(yield* refusal(from, forgetful)).toEqual({ reason: "target_differs", kinds: ["Setting"] })
      })
    ))

  it(
    "resumes after an interruption at every commit, and writes only what the target lacks",
    () =>
      run(
        Effect.gen(function* () {
          const changes: ReadonlyArray<Change> = [
            ...settings(4500),
            { _tag: "AddToCounter", projectId: "prj", name: "contacts", by: 3, max: null },
            event("evt_1"),
            event("evt_2"),
            { _tag: "DistributeEvent", projectId: "prj", id: "evt_1" }
          ]
          for (let at = 0; at <= 6; at++) {
            const { from, to } = yield* twoStores(changes)
            let commits = 0
            const failing: MailStoreShape = {
              ...to,
              commit: (all) => (commits++ < at ? to.commit(all) : Effect.die("the process was killed"))
            }
            yield* Effect.exit(moveStore(from, failing))
            const had = yield* digestStore(to)
            const { digest, records, written } = yield* moveStore(from, to, { resume: true })
            expect(digest).toEqual(yield* digestStore(from))
            expect(records).toBe(4503)
            const undistributed = at === 5 ? 1 : 0
            const existing = Object.values(had.kinds).reduce((sum, { count }) => sum + count, 0)
            expect(written).toBe(4503 - existing + undistributed)
          }
        })
      ),
    60_000
  )

  it("refuses to resume a move of another source", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores(settings(3))
        yield* to.commit([{ _tag: "PutSetting", name: "s1", value: "other" }])
        expect(yield* refusal(from, to, { resume: true })).toEqual({ reason: "target_not_empty", kinds: ["Setting"] })
      })
    ))

  it.each([1, 2, 3, 10])(
    "dies when the store returns %i pages of records again and again, so that the move ends",
    async (count) => {
      const endless = Effect.gen(function* () {
        const { from } = yield* twoStores(settings(count))
        let pages = 0
        const repeating: MailStoreShape = {
          ...from,
          read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
            Effect.map(
              from.read(queries),
              (answers) =>
                answers.map((all, n) => {
                  const query = queries[n]!
                  if (query._tag !== "Records" || query.kind !== "Setting") return all
                  return [{ kind: "Setting", record: { name: `s${pages++ % count}`, value: "" } }]
                }) as never
            )
        }
        return yield* digestStore(repeating)
      })
      await expect(run(endless)).rejects.toThrow("records/by-key-after-a-key")
    }
  )

  it("dies when the store returns a record of another project", async () => {
    const { from } = await run(twoStores([event("evt_1")]))
    const foreign = recordPage(from, { kind: "Event", projectId: "prj" })
    expect(await run(foreign)).toHaveLength(1)
    const confused: MailStoreShape = {
      ...from,
      read: <const Qs extends ReadonlyArray<Query>>(queries: Qs) =>
        from.read(queries.map((query) => (query._tag === "Records" ? { ...query, projectId: null } : query)) as never)
    }
    await expect(run(recordPage(confused, { kind: "Event", projectId: "prj_other" }))).rejects.toThrow(
      "records/by-key-after-a-key"
    )
  })
})

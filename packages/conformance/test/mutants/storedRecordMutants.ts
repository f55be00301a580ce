/**
 * Mutants of the reference store for the laws of whole records.
 */
import type { Attempt, Change, ChangeOf, Delivery, StoredRecord } from "@mailkeep/core/adapter"
import { isSameRecord, recordKeyOf, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Mutation } from "./mutating.ts"
import { answering, asking, changing, preparing } from "./mutating.ts"

/** Says of each event that it waits for its distribution. */
const distributionForgotten = (record: StoredRecord): StoredRecord =>
  record.kind === "Event" ? { ...record, record: { ...record.record, isDistributed: false } } : record

/** Rewrites the stored record although it differs from the one that was read. */
const unguarded: Mutation = preparing((store, change): Effect.Effect<Change> => {
  if (change._tag !== "RewriteRecord" || change.after === null) return Effect.succeed(change)
  return Effect.map(
    Effect.orDie(store.read([{ _tag: "Records", kind: change.before.kind, projectId: null, after: null, limit: 100 }])),
    ([all]) => {
      const existing = all.find((one) => keyOf(one) === recordKeyOf(change))
      return existing === undefined ? change : { ...change, before: existing as ChangeOf<"RewriteRecord">["before"] }
    }
  )
})

/** Removes the stored record although it differs from the one that was read. */
const removedUnguarded: Mutation = preparing((store, change): Effect.Effect<Change> => {
  if (change._tag !== "RemoveRecord") return Effect.succeed(change)
  const { kind } = change.record
  const query = { _tag: "RecordsByKey", kind, keys: [storedRecordKey(change.record)] } as const
  return Effect.map(Effect.orDie(store.read([query])), ([[existing]]) =>
    existing ? { ...change, record: existing as typeof change.record } : change
  )
})

const keyOf = (record: StoredRecord): string =>
  recordKeyOf({ _tag: "RewriteRecord", before: record as ChangeOf<"RewriteRecord">["before"], after: null })

/** Compares the record with the one that was read first, and rewrites later whatever record has the key then. */
const rewrittenLate: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "RewriteRecord") return yield* store.commit(changes)
      const { before } = change
      const [[existing]] = yield* store.read([
        { _tag: "RecordsByKey", kind: before.kind, keys: [storedRecordKey(before)] }
      ])
      if (!existing || !isSameRecord(existing, before)) return yield* store.commit(changes)
      yield* Effect.yieldNow
      yield* unguarded(store).commit(changes)
    })
})

/** Writes the attempts of a deleted delivery again when a delivery with its id is inserted. */
const attemptsKept: Mutation = (store) => {
  const kept = new Map<string, ReadonlyArray<Attempt>>()
  const keyOfDelivery = ({ projectId, id }: Delivery) => `${projectId}/${id}`
  return {
    ...store,
    commit: (changes) =>
      Effect.gen(function* () {
        for (const change of changes) {
          if (change._tag !== "RewriteRecord" || change.before.kind !== "Delivery" || change.after !== null) continue
          const { projectId, id } = change.before.record
          const [attempts] = yield* store.read([{ _tag: "Attempts", projectId, deliveryId: id }])
          kept.set(keyOfDelivery(change.before.record), attempts)
        }
        const returned = changes.flatMap((change) =>
          change._tag === "InsertDelivery" ? (kept.get(keyOfDelivery(change.delivery)) ?? []) : []
        )
        yield* store.commit([...changes, ...returned.map((attempt): Change => ({ _tag: "InsertAttempt", attempt }))])
      })
  }
}

/** Keeps the contents of rewritten messages: their deletion is not seen. */
const contentsKept: Mutation = (store) => {
  const kept = new Map<string, StoredRecord>()
  return {
    ...answering("Records", (answer, { kind }) => {
      if (kind !== "Content") return answer
      for (const one of answer) kept.set(JSON.stringify([one.record]), one)
      return [...kept.values()]
    })(store)
  }
}

/** Applies the first rewrite and the first removal of each kind in a commit, and no other. */
const onlyFirstOfKind: Mutation = (store) => ({
  ...store,
  commit: (changes) => {
    const kinds = new Set<string>()
    return store.commit(
      changes.filter((change) => {
        if (change._tag !== "RewriteRecord" && change._tag !== "RemoveRecord") return true
        const { kind } = change._tag === "RewriteRecord" ? change.before : change.record
        const isFirst = !kinds.has(kind)
        kinds.add(kind)
        return isFirst
      })
    )
  }
})

export const storedRecordMutants: Readonly<Record<string, Mutation>> = {
  "records/every-record-unchanged": answering("Records", (answer) => answer.map(distributionForgotten)),
  "records/by-key-after-a-key": asking("Records", (query) => ({ ...query, after: query.after?.slice(0, 1) ?? null })),
  "records/of-one-project": asking("Records", (query) => ({ ...query, projectId: null })),
  "records/found-by-their-keys": answering("RecordsByKey", (records) => records.toReversed()),
  "records/contents-of-their-own": asking("RecordsByKey", (query) => ({
    ...query,
    keys: query.keys.map(() => query.keys[0]!)
  })),
  "records/rewrites-what-was-read": unguarded,
  "records/rewritten-events-wait": changing("RewriteRecord", (change) =>
    change.after?.kind === "Event"
      ? [{ ...change, after: distributionForgotten(change.after) as typeof change.after }]
      : [change]
  ),
  "records/rewritten-among-others": changing("RewriteRecord", () => []),
  "records/rewritten-beside-a-transition": rewrittenLate,
  "records/changed-together": onlyFirstOfKind,
  "records/deletes-what-was-read": changing("RewriteRecord", (change) => (change.after === null ? [] : [change])),
  "records/removes-what-was-read": removedUnguarded,
  "records/written-again-after-a-removal": changing("RemoveRecord", () => []),
  "records/contents-with-the-last-message": contentsKept,
  "records/attempts-with-their-delivery": attemptsKept
}

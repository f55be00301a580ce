/**
 * Law of the commits that rewrite, delete and remove many records: an erasure and the deletion of a project.
 */
import type { Change, RemovableKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { projectIdOf, recordKinds, removableKinds } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commitResult, remove } from "./changes.ts"
import { isSameKey, readWithOneOther, rewrite, rewrites } from "./recordRewrites.ts"
import { projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { allOf, recordsOf, writeAll } from "./wholeRecords.ts"

const deletes = storeLawsFor("decisions/0101-delete-a-project.md")

const isOfProject = (record: StoredRecord): boolean => projectIdOf(record) === projectId

/** The other records of the project with the kind of a record that is rewritten. */
const othersOf = (before: (typeof rewrites)[number][0]) =>
  (recordsOf(before.kind) as ReadonlyArray<typeof before>).filter((one) => isOfProject(one) && !isSameKey(one, before))

const removed = removableKinds.flatMap((kind) =>
  (recordsOf(kind) as ReadonlyArray<StoredRecordOf<RemovableKind>>).filter(isOfProject)
)

/** Rewrites one record of each kind, deletes the others of the project, and removes its records of the other kinds. */
const changes: ReadonlyArray<Change> = [
  ...rewrites.flatMap(([before, after]) => [
    rewrite(before, after),
    ...othersOf(before).map((other) => rewrite(other, null))
  ]),
  ...removed.map(remove.record)
]

/** The records of a kind afterwards. */
const recordsAfter = (kind: StoredRecord["kind"]): ReadonlyArray<StoredRecord> => {
  const pair = rewrites.find(([before]) => before.kind === kind)
  const gone: ReadonlyArray<StoredRecord> = pair === undefined ? removed : othersOf(pair[0])
  return recordsOf(kind)
    .filter((one) => !gone.some((other) => other.kind === kind && isSameKey(one, other)))
    .map((one) => (pair !== undefined && isSameKey(one, pair[0]) ? pair[1] : one))
}

const together = deletes(
  "records/changed-together",
  "A commit that rewrites, deletes and removes records of every kind applies all of these changes. If one record differs from the one that was read, it applies none.",
  function* (store) {
    yield* writeAll(store)
    const kinds = recordKinds.filter((kind) => kind !== "Content")
    for (const [before, after] of rewrites) {
      const [read] = readWithOneOther([before, after])
      const others = changes.filter((change) => change._tag !== "RewriteRecord" || change.before !== before)
      const result = yield* commitResult(store, ...others, rewrite(read!, after))
      yield* same(`the result with another ${before.kind}`, result, "Stale")
      for (const kind of kinds) yield* same(`the records of ${kind}`, yield* allOf(store, kind), recordsOf(kind))
    }
    yield* same("the result of all changes", yield* commitResult(store, ...changes), "applied")
    for (const kind of kinds)
      yield* same(`the records of ${kind} afterwards`, yield* allOf(store, kind), recordsAfter(kind))
  }
)

export const recordsTogetherLaws: ReadonlyArray<StoreLaw> = [together]

/**
 * Laws of removals: the deletion of a project removes the records that it has read.
 */
import type { Change, RemovableKind, StoredRecordOf } from "@mailkeep/core/adapter"
import { compareRecordKeys, removableKinds, storedRecordKey } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, commitResult, expectRevision, insert, put, remove, spend } from "./changes.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { allOf, recordsOf, writeAll } from "./wholeRecords.ts"

const deletes = storeLawsFor("decisions/0101-delete-a-project.md")

type Removable = StoredRecordOf<RemovableKind>

/** A field of each kind with another value than the records of `writeAll` have. */
const otherField: { readonly [K in RemovableKind]: Partial<StoredRecordOf<K>["record"]> } = {
  Project: { listUnsubscribe: true },
  ApiKey: { lastUsedAt: noon + 7 },
  Suppression: { revision: 9 },
  Counter: { value: 77 },
  EventDelivery: { fencingToken: 9 }
}

const removing = deletes(
  "records/removes-what-was-read",
  "A removal deletes the record that was read, and no other. It is refused as stale if a field differs, and the record is then not found.",
  function* (store) {
    yield* writeAll(store)
    for (const kind of removableKinds) {
      const [first, other] = recordsOf(kind) as ReadonlyArray<Removable>
      const changed = { kind, record: { ...first!.record, ...otherField[kind] } } as Removable
      yield* same(`the removal of another ${kind}`, yield* commitResult(store, remove.record(changed)), "Stale")
      yield* same(`the removal of the ${kind}`, yield* commitResult(store, remove.record(first!)), "applied")
      yield* same(`the second removal of the ${kind}`, yield* commitResult(store, remove.record(first!)), "NotFound")
      yield* same(`the records of ${kind} that are left`, yield* allOf(store, kind), [other])
    }
    const absent = expectRevision({ kind: "ApiKey", projectId, id: "key_1" }, null)
    yield* same("the guard that the API key is absent", yield* commitResult(store, absent), "applied")
  }
)

/** One record of each kind, as a project has it. */
const recordsIn = (project: string): ReadonlyArray<readonly [Change, Removable]> => {
  const apiKey = sample.apiKey({ projectId: project, id: `key_${project}`, publicId: project })
  const eventDelivery = sample.eventDelivery({ projectId: project, id: `evd_${project}` })
  return [
    [put.project(sample.project({ id: project })), { kind: "Project", record: sample.project({ id: project }) }],
    [put.apiKey(apiKey), { kind: "ApiKey", record: apiKey }],
    [
      put.suppression(sample.suppression({ projectId: project })),
      { kind: "Suppression", record: sample.suppression({ projectId: project }) }
    ],
    [
      spend(5, null, "allowance", project),
      { kind: "Counter", record: { projectId: project, name: "allowance", value: 5 } }
    ],
    [insert.eventDelivery(eventDelivery), { kind: "EventDelivery", record: eventDelivery }]
  ]
}

/** The records of a kind, in the order of their keys. */
const ofKind = (kind: RemovableKind, written: ReturnType<typeof recordsIn>): ReadonlyArray<Removable> =>
  written
    .flatMap(([, one]) => (one.kind === kind ? [one] : []))
    .toSorted((a, b) => compareRecordKeys(storedRecordKey(a), storedRecordKey(b)))

const writingAgain = deletes(
  "records/written-again-after-a-removal",
  "After its removal, a record can be written as a new one, and a record of another project with the same key is unchanged.",
  function* (store) {
    const own = recordsIn(projectId)
    const foreign = [otherId, projectId.toUpperCase()].flatMap(recordsIn)
    for (const [change] of [...own, ...foreign]) yield* commit(store, change)
    yield* commit(store, ...own.map(([, record]) => remove.record(record)))
    for (const kind of removableKinds)
      yield* same(`the records of ${kind} of other projects`, yield* allOf(store, kind), ofKind(kind, foreign))
    for (const [change] of own)
      yield* same(`the result of ${change._tag}`, yield* commitResult(store, change), "applied")
    for (const kind of removableKinds)
      yield* same(`the records of ${kind}`, yield* allOf(store, kind), ofKind(kind, [...own, ...foreign]))
  }
)

export const recordRemovalLaws: ReadonlyArray<StoreLaw> = [removing, writingAgain]

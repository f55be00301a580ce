/**
 * Laws of whole records: a move between stores and an erasure read every record.
 */
import type { StoredRecord } from "@mailkeep/core/adapter"
import { projectIdOf, recordKinds, storedRecordKey } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { commit, put, renewLease } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { allOf, ofOther, page, recordsOf, writeAll } from "./wholeRecords.ts"

const moves = storeLawsFor("decisions/0050-move-between-stores.md")
const erases = storeLawsFor("decisions/0051-erasure.md")

const everyRecord = moves(
  "records/every-record-unchanged",
  "The store returns every record of each kind as it was written, and says of each event whether it was distributed.",
  function* (store) {
    yield* writeAll(store)
    for (const kind of recordKinds) yield* same(`the records of ${kind}`, yield* allOf(store, kind), recordsOf(kind))
  }
)

const byKey = moves(
  "records/by-key-after-a-key",
  "The records of a kind are listed after a given key, up to the requested number, each once and always in the same order.",
  function* (store) {
    yield* writeAll(store)
    for (const kind of recordKinds) {
      const all = yield* page(store, kind)
      const last = all.at(-1)!
      yield* same(`the first record of ${kind}`, yield* page(store, kind, null, 1), all.slice(0, 1))
      for (const [index, record] of all.entries())
        yield* same(
          `the record of ${kind} after ${JSON.stringify(storedRecordKey(record))}`,
          yield* page(store, kind, record, 1),
          all.slice(index + 1, index + 2)
        )
      yield* same(`the records of ${kind} after the last`, yield* page(store, kind, last), [])
    }
  }
)

const ofOneProject = erases(
  "records/of-one-project",
  "The records of one project are those whose key names the project. A setting and a lease are of no project.",
  function* (store) {
    yield* writeAll(store)
    yield* commit(store, ...ofOther)
    yield* commit(store, put.setting(projectId), renewLease(projectId, noon))
    for (const kind of recordKinds) {
      const all = yield* page(store, kind)
      for (const project of [projectId, otherId, projectId.slice(0, -1), projectId.toUpperCase()])
        yield* same(
          `the records of ${kind} of ${project}`,
          yield* page(store, kind, null, 100, project),
          all.filter((one) => projectIdOf(one) === project)
        )
    }
  }
)

const lookedUp = moves(
  "records/found-by-their-keys",
  "A record is found by its key, and only by its own. The answers are in the order of the keys.",
  function* (store) {
    yield* writeAll(store)
    for (const kind of recordKinds) {
      const records = recordsOf(kind) as ReadonlyArray<StoredRecord>
      const found = records.toReversed().map((record) => ({ key: storedRecordKey(record), record }))
      const missing = found.map(({ key: [first, ...rest] }) => ({ key: [`${first}x`, ...rest], record: null }))
      const asked = [...found, ...missing]
      yield* same(
        `the records of ${kind} by their keys`,
        yield* ask(store, { _tag: "RecordsByKey", kind, keys: asked.map(({ key }) => key) }),
        asked.map(({ record }) => record)
      )
    }
    yield* same("no keys", yield* ask(store, { _tag: "RecordsByKey", kind: "Message", keys: [] }), [])
  }
)

const contentsApart = moves(
  "records/contents-of-their-own",
  "The record of a content has the chunks of its own project and hash, where others have the same hash or one that differs only in case.",
  function* (store) {
    const contents = [projectId, otherId, projectId.toUpperCase()].flatMap((project) =>
      ["h", "H"].map((hash) => ({
        projectId: project,
        hash,
        chunks: [1, 2].map((n) => new TextEncoder().encode(`${n} of ${hash} of ${project}`))
      }))
    )
    for (const { projectId: project, hash, chunks } of contents)
      yield* commit(store, put.content(hash, chunks, project))
    const keys = contents.map(({ projectId: project, hash }) => [project, hash])
    yield* same(
      "the contents by their keys",
      yield* ask(store, { _tag: "RecordsByKey", kind: "Content", keys }),
      contents.map((record) => ({ kind: "Content", record }))
    )
  }
)

export const storedRecordLaws: ReadonlyArray<StoreLaw> = [everyRecord, byKey, ofOneProject, lookedUp, contentsApart]

/**
 * Laws of rewrites: an erasure rewrites or deletes a record that it has read.
 */
import type { Change, RewritableKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { compareRecordKeys, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, commitResult, insert, put } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { allOf, bytes, ended, page, recordsOf, second, writeAll } from "./wholeRecords.ts"

const erases = storeLawsFor("decisions/0051-erasure.md")

/** Each record that can be rewritten, with another record under the same key. */
const rewrites: ReadonlyArray<readonly [StoredRecordOf<RewritableKind>, StoredRecordOf<RewritableKind>]> = [
  [
    { kind: "Message", record: sample.message({ id: "msg_2", attachments: [] }) },
    { kind: "Message", record: sample.message({ id: "msg_2", attachments: [], to: ["x@example.org"], html: null }) }
  ],
  [
    { kind: "Attempt", record: ended },
    { kind: "Attempt", record: { ...ended, statusMessage: "later" } }
  ],
  [
    { kind: "Delivery", record: sample.delivery() },
    { kind: "Delivery", record: sample.delivery({ recipient: "x", address: "x@example.org", contactId: null }) }
  ],
  [
    { kind: "Event", record: { event: second, isDistributed: true } },
    { kind: "Event", record: { event: { ...second, occurredAt: noon + 4 }, isDistributed: false } }
  ],
  [
    { kind: "Idempotency", record: sample.idempotencyRecord() },
    { kind: "Idempotency", record: sample.idempotencyRecord({ fingerprint: "b" }) }
  ]
]

const rewrite = (before: StoredRecordOf<RewritableKind>, after: StoredRecordOf<RewritableKind> | null): Change => ({
  _tag: "RewriteRecord",
  before,
  after
})

const isSameKey = (a: StoredRecord, b: StoredRecord): boolean =>
  compareRecordKeys(storedRecordKey(a), storedRecordKey(b)) === 0

const rewriting = erases(
  "records/rewrites-what-was-read",
  "A rewrite replaces a record that is equal to the one that was read. Otherwise it is refused as stale, or as not found.",
  function* (store) {
    yield* writeAll(store)
    for (const [before, after] of rewrites) {
      const { kind } = before
      yield* same(`the rewrite of another ${kind}`, yield* commitResult(store, rewrite(after, before)), "Stale")
      yield* same(`the rewrite of the ${kind}`, yield* commitResult(store, rewrite(before, after)), "applied")
      yield* same(`the second rewrite of the ${kind}`, yield* commitResult(store, rewrite(before, after)), "Stale")
      const expected = recordsOf(kind).map((one) => (isSameKey(one, before) ? after : one))
      yield* same(`the records of ${kind}`, yield* allOf(store, kind), expected)
    }
    yield* same("the events to distribute", yield* ask(store, { _tag: "UndistributedEvents", limit: 9 }), [
      sample.event(),
      { ...second, occurredAt: noon + 4 }
    ])
  }
)

const deleting = erases(
  "records/deletes-what-was-read",
  "A rewrite to nothing deletes the record that was read, and no other, except the attempts of a delivery. The record is then not found.",
  function* (store) {
    yield* writeAll(store)
    for (const [before, after] of rewrites) {
      const { kind } = before
      const later = yield* page(store, kind, before)
      yield* same(`the deletion of another ${kind}`, yield* commitResult(store, rewrite(after, null)), "Stale")
      yield* same(`the deletion of the ${kind}`, yield* commitResult(store, rewrite(before, null)), "applied")
      yield* same(`the second deletion of the ${kind}`, yield* commitResult(store, rewrite(before, null)), "NotFound")
      const others = recordsOf(kind).filter((one) => !isSameKey(one, before))
      yield* same(`the records of ${kind} that are left`, yield* allOf(store, kind), others)
      yield* same(`the records of ${kind} after the deleted one`, yield* page(store, kind, before), later)
    }
    yield* same("the attempts of the deleted delivery", yield* page(store, "Attempt"), [])
    const undistributed = yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })
    yield* same("the events to distribute", undistributed, [sample.event()])
  }
)

const contents = erases(
  "records/contents-with-the-last-message",
  "When a message is rewritten or deleted, the store deletes the contents to which no message of the project refers any more.",
  function* (store) {
    const files = (...hashes: ReadonlyArray<string>) => hashes.map((hash) => sample.attachment({ hash }))
    const [one, two] = [
      sample.message({ id: "msg_1", attachments: files("a", "b", "c") }),
      sample.message({ id: "msg_2", attachments: files("b") })
    ]
    const chunks = [bytes(1)]
    yield* commit(store, ...["a", "b", "c"].map((hash) => put.content(hash, chunks)), insert.message(one))
    yield* commit(store, put.content("a", chunks, otherId), insert.message(two))
    const kept = Effect.map(allOf(store, "Content"), (records) =>
      records.map((record) => storedRecordKey(record).join("/"))
    )
    const shorter = { kind: "Message", record: { ...one, attachments: files("a") } } as const
    yield* commit(store, rewrite({ kind: "Message", record: one }, shorter))
    yield* same("the contents after the rewrite", yield* kept, [`${projectId}/a`, `${projectId}/b`, `${otherId}/a`])
    yield* commit(store, rewrite(shorter, null))
    yield* same("the contents after the deletion", yield* kept, [`${projectId}/b`, `${otherId}/a`])
    yield* commit(store, rewrite({ kind: "Message", record: two }, null))
    yield* same("the contents after the last deletion", yield* kept, [`${otherId}/a`])
  }
)

const attemptsOfDelivery = erases(
  "records/attempts-with-their-delivery",
  "When a delivery is deleted, the store deletes its attempts, and those of no other delivery. A rewrite of the delivery keeps them.",
  function* (store) {
    const ids = ["del_a", "del_A", "del_b"] as const
    const [first] = ids
    const deliveries = ids.map((id) => sample.delivery({ id }))
    yield* commit(
      store,
      ...deliveries.map(insert.delivery),
      ...ids.map((deliveryId) => insert.attempt(sample.attempt({ deliveryId })))
    )
    const attempts = Effect.map(
      store.read(ids.map((deliveryId) => ({ _tag: "Attempts", projectId, deliveryId }) as const)),
      (all) => all.map(({ length }) => length)
    )
    const before = { kind: "Delivery", record: deliveries[0]! } as const
    const after = { kind: "Delivery", record: { ...before.record, recipient: "x" } } as const
    yield* commit(store, rewrite(before, after))
    yield* same("the attempts after a rewrite", yield* attempts, [1, 1, 1])
    yield* commit(store, rewrite(after, null))
    yield* same("the attempts after the deletion", yield* attempts, [0, 1, 1])
    yield* commit(store, insert.delivery(sample.delivery({ id: first })))
    yield* same("the attempts of a new delivery with the id", yield* attempts, [0, 1, 1])
    const attempt = insert.attempt(sample.attempt({ deliveryId: first }))
    yield* same("an attempt of the new delivery", yield* commitResult(store, attempt), "applied")
  }
)

export const recordRewriteLaws: ReadonlyArray<StoreLaw> = [rewriting, deleting, contents, attemptsOfDelivery]

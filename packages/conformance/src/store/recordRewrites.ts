/**
 * Laws of rewrites: an erasure rewrites or deletes a record that it has read.
 */
import { isDeepStrictEqual } from "node:util"
import type { Change, RewritableKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { compareRecordKeys, deliveryState, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultsOf, same } from "../expectation.ts"
import { commit, commitResult, insert, transition, put } from "./changes.ts"
import { ask, deliveryOf } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { allOf, bytes, ended, page, recordsOf, second, writeAll } from "./wholeRecords.ts"

const erases = storeLawsFor("decisions/0051-erasure.md")

const otherMessage = sample.message({
  id: "msg_2",
  apiKeyId: null,
  source: "smtp",
  from: "other@b.example",
  fromName: null,
  replyTo: null,
  domain: "b.example",
  templateId: null,
  subject: "Other",
  html: null,
  text: null,
  to: ["x@example.org"],
  cc: [],
  headers: {},
  attachments: [],
  listUnsubscribe: false,
  metadata: {},
  idempotencyKey: "",
  onAmbiguous: null,
  expiresAt: null,
  createdAt: noon + 1
})

const otherDelivery = sample.delivery({
  messageId: "msg_9",
  kind: "cc",
  recipient: "x",
  address: "x@example.org",
  contactId: null,
  source: "smtp",
  bulk: true,
  createdAt: noon + 1,
  status: "bounced",
  reason: "hard_bounce",
  statusMessage: "No such user",
  scheduledAt: noon + 2,
  dueAt: null,
  dueSetAt: noon + 3,
  queuedAt: null,
  worker: "w",
  fencingToken: 2,
  attemptCount: 3,
  deferrals: 4,
  ambiguousAttempts: 5,
  workerDeaths: 6,
  reachedRelay: true,
  countedDay: "2026-11-21",
  chargedAt: noon + 4,
  sequence: 7,
  bounceType: "hard",
  canceledAt: noon + 5,
  acceptedAt: noon + 6,
  deliveredAt: noon + 7,
  bouncedAt: noon + 8,
  complainedAt: noon + 9,
  failedAt: noon + 10,
  suppressedAt: noon + 11
})

const otherEvent = {
  ...second,
  occurredAt: noon + 4,
  data: { ...second.data, recipient: "x@example.org" }
} as typeof second

/** Each record that can be rewritten, with another record under the same key, of which every other field differs. */
export const rewrites: ReadonlyArray<readonly [StoredRecordOf<RewritableKind>, StoredRecordOf<RewritableKind>]> = [
  [
    { kind: "Message", record: sample.message({ id: "msg_2", attachments: [] }) },
    { kind: "Message", record: otherMessage }
  ],
  [
    { kind: "Attempt", record: ended },
    {
      kind: "Attempt",
      record: {
        ...ended,
        startedAt: noon + 1,
        phase: "finalizing",
        outcome: null,
        smtpCode: null,
        enhancedCode: "4.2.1",
        statusMessage: "later",
        durationMillis: null
      }
    }
  ],
  [
    { kind: "Delivery", record: sample.delivery() },
    { kind: "Delivery", record: otherDelivery }
  ],
  [
    { kind: "Event", record: { event: second, isDistributed: true } },
    { kind: "Event", record: { event: otherEvent, isDistributed: false } }
  ],
  [
    { kind: "Idempotency", record: sample.idempotencyRecord() },
    {
      kind: "Idempotency",
      record: sample.idempotencyRecord({
        fingerprint: "b",
        result: { messageId: "msg_9", deliveryIds: [], totalQueued: 0, scheduledAt: noon },
        expiresAt: noon + 9000
      })
    }
  ]
]

/** The record that was read, with one field of the other record each time. */
export const readWithOneOther = ([before, after]: (typeof rewrites)[number]): ReadonlyArray<
  StoredRecordOf<RewritableKind>
> =>
  Object.entries(after.record)
    .filter(([field, value]) => !isDeepStrictEqual(value, (before.record as unknown as Record<string, unknown>)[field]))
    .map(([field, value]) => ({ ...before, record: { ...before.record, [field]: value } }) as typeof before)

export const rewrite = (
  before: StoredRecordOf<RewritableKind>,
  after: StoredRecordOf<RewritableKind> | null
): Change => ({
  _tag: "RewriteRecord",
  before,
  after
})

export const isSameKey = (a: StoredRecord, b: StoredRecord): boolean =>
  compareRecordKeys(storedRecordKey(a), storedRecordKey(b)) === 0

const rewriting = erases(
  "records/rewrites-what-was-read",
  "A rewrite replaces every field of a record that is equal to the one that was read. If one field differs, it is refused as stale.",
  function* (store) {
    yield* writeAll(store)
    for (const [before, after] of rewrites) {
      const { kind } = before
      for (const read of readWithOneOther([before, after]))
        yield* same(`the rewrite of ${JSON.stringify(read)}`, yield* commitResult(store, rewrite(read, after)), "Stale")
      yield* same(`the rewrite of the ${kind}`, yield* commitResult(store, rewrite(before, after)), "applied")
      yield* same(`the second rewrite of the ${kind}`, yield* commitResult(store, rewrite(before, after)), "Stale")
      const expected = recordsOf(kind).map((one) => (isSameKey(one, before) ? after : one))
      yield* same(`the records of ${kind}`, yield* allOf(store, kind), expected)
    }
    yield* same("the events to distribute", yield* ask(store, { _tag: "UndistributedEvents", limit: 9 }), [
      sample.event(),
      otherEvent
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

const besideTransition = erases(
  "records/rewritten-beside-a-transition",
  "A rewrite of a delivery undoes no transition that commits at the same time: it is refused as stale, or the transition changes the rewritten delivery.",
  function* (store) {
    for (const n of Array.from({ length: 20 }, (_, n) => n)) {
      const before = sample.delivery({ id: `del_${n}`, status: "sending", worker: "w", fencingToken: 3 })
      const after = { ...before, recipient: "rewritten" }
      const next = { ...deliveryState(before), status: "accepted", dueAt: null, worker: null, fencingToken: 4 } as const
      yield* commit(store, insert.delivery(before))
      const both = [
        commit(store, rewrite({ kind: "Delivery", record: before }, { kind: "Delivery", record: after })),
        commit(store, transition.delivery(before.id, "sending", 3, next))
      ]
      // Alternates which of the two begins.
      const isFirst = n % 2 === 0
      const results = yield* resultsOf(isFirst ? both : both.toReversed())
      const [rewritten, moved] = isFirst ? results : results.toReversed()
      yield* same(`the result of the transition of ${before.id}`, moved, "applied")
      yield* same("whether its rewrite is applied or stale", ["applied", "Stale"].includes(rewritten!), true)
      const expected = { ...(rewritten === "applied" ? after : before), ...next }
      yield* same(`the delivery ${before.id}`, yield* deliveryOf(store, before.id), expected)
    }
  }
)

export const recordRewriteLaws: ReadonlyArray<StoreLaw> = [
  rewriting,
  deleting,
  contents,
  attemptsOfDelivery,
  besideTransition
]

/**
 * Laws of whole records: a move between stores and an erasure read every record, and an erasure rewrites or deletes a record that it has read.
 */
import type {
  Change,
  MailStoreShape,
  RecordKind,
  RewritableKind,
  StoredRecord,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { compareRecordKeys, projectIdOf, recordKinds, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { commit, commitResult, distributeEvent, insert, put, renewLease, spend } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const moves = storeLawsFor("decisions/0050-move-between-stores.md")
const erases = storeLawsFor("decisions/0051-erasure.md")

const page = (
  store: MailStoreShape,
  kind: RecordKind,
  after: StoredRecord | null = null,
  limit = 100,
  project: string | null = null
) =>
  ask(store, {
    _tag: "Records",
    kind,
    projectId: project,
    after: after === null ? null : storedRecordKey(after),
    limit
  })

/** All records of a kind, in the order of their keys. The store has its own order. */
const allOf = (store: MailStoreShape, kind: RecordKind) =>
  Effect.map(page(store, kind), (records) =>
    records.toSorted((a, b) => compareRecordKeys(storedRecordKey(a), storedRecordKey(b)))
  )

const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

const sending = sample.delivery({ id: "del_2", status: "sending", worker: "w", fencingToken: 3, attemptCount: 2 })
const ended = sample.attempt({ number: 2, phase: "ended", outcome: "deferred", smtpCode: 451, durationMillis: 7 })
const second = sample.event({ id: "evt_2" })

/** Changes that write two records of each kind, and those records in the order of their keys. */
const written: {
  readonly [K in RecordKind]: readonly [ReadonlyArray<Change>, ReadonlyArray<StoredRecordOf<K>["record"]>]
} = {
  Setting: [
    [put.setting("b", "2"), put.setting("a")],
    [
      { name: "a", value: "1" },
      { name: "b", value: "2" }
    ]
  ],
  Project: [
    [put.project(sample.project({ id: otherId })), put.project(sample.project())],
    [sample.project(), sample.project({ id: otherId })]
  ],
  ApiKey: [
    [put.apiKey(sample.apiKey({ id: "key_2", publicId: "other" })), put.apiKey(sample.apiKey())],
    [sample.apiKey(), sample.apiKey({ id: "key_2", publicId: "other" })]
  ],
  Domain: [
    [put.domain(sample.senderDomain({ id: "dom_0", domain: "b.example" })), put.domain(sample.senderDomain())],
    [sample.senderDomain(), sample.senderDomain({ id: "dom_0", domain: "b.example" })]
  ],
  Resource: [
    [put.resource(sample.resource({ id: "lst_2", name: null })), put.resource(sample.resource())],
    [sample.resource(), sample.resource({ id: "lst_2", name: null })]
  ],
  Contact: [
    [put.contact(sample.contact({ id: "con_2", address: "b@example.org" })), put.contact(sample.contact())],
    [sample.contact(), sample.contact({ id: "con_2", address: "b@example.org" })]
  ],
  Suppression: [
    [put.suppression(sample.suppression({ addressKey: "z", address: null })), put.suppression(sample.suppression())],
    [sample.suppression(), sample.suppression({ addressKey: "z", address: null })]
  ],
  Idempotency: [
    [put.idempotency(sample.idempotencyRecord({ key: "l" })), put.idempotency(sample.idempotencyRecord())],
    [sample.idempotencyRecord(), sample.idempotencyRecord({ key: "l" })]
  ],
  Content: [
    [put.content("h", [bytes(0, 255), bytes(1)]), put.content("g", [bytes()])],
    [
      { projectId, hash: "g", chunks: [bytes()] },
      { projectId, hash: "h", chunks: [bytes(0, 255), bytes(1)] }
    ]
  ],
  Message: [
    [insert.message(sample.message({ id: "msg_2", attachments: [] })), insert.message(sample.message())],
    [sample.message(), sample.message({ id: "msg_2", attachments: [] })]
  ],
  Delivery: [
    [insert.delivery(sending), insert.delivery(sample.delivery())],
    [sample.delivery(), sending]
  ],
  // The numbers 2 and 10 have another order than their texts.
  Attempt: [
    [insert.attempt(sample.attempt({ number: 10 })), insert.attempt(ended)],
    [ended, sample.attempt({ number: 10 })]
  ],
  Counter: [
    [spend(5), spend(-2, null, "contacts", otherId)],
    [
      { projectId, name: "allowance", value: 5 },
      { projectId: otherId, name: "contacts", value: -2 }
    ]
  ],
  Event: [
    [insert.event(second), insert.event(sample.event())],
    [
      { event: sample.event(), isDistributed: false },
      { event: second, isDistributed: true }
    ]
  ],
  EventDelivery: [
    [
      insert.eventDelivery(sample.eventDelivery({ id: "evd_2", worker: "w" })),
      insert.eventDelivery(sample.eventDelivery())
    ],
    [sample.eventDelivery(), sample.eventDelivery({ id: "evd_2", worker: "w" })]
  ],
  Lease: [
    [renewLease("w", noon + 5), renewLease("v", noon + 9, noon + 1)],
    [
      { worker: "v", renewedAt: noon + 1, leaseUntil: noon + 9 },
      { worker: "w", renewedAt: noon, leaseUntil: noon + 5 }
    ]
  ]
}

/** Records of another project. */
const ofOther: ReadonlyArray<Change> = [
  put.apiKey(sample.apiKey({ id: "key_3", projectId: otherId, publicId: "another" })),
  put.resource(sample.resource({ id: "lst_3", projectId: otherId })),
  put.contact(sample.contact({ id: "con_3", projectId: otherId })),
  insert.message(sample.message({ id: "msg_3", projectId: otherId, attachments: [] })),
  insert.delivery(sample.delivery({ id: "del_3", projectId: otherId })),
  insert.attempt(sample.attempt({ deliveryId: "del_3", projectId: otherId })),
  insert.event(sample.event({ id: "evt_3", projectId: otherId })),
  insert.eventDelivery(sample.eventDelivery({ id: "evd_3", projectId: otherId }))
]

const recordsOf = <K extends RecordKind>(kind: K) =>
  written[kind][1].map((record) => ({ kind, record }) as unknown as StoredRecordOf<K>)

/** Writes the records of all kinds. */
const writeAll = Effect.fnUntraced(function* (store: MailStoreShape) {
  for (const kind of recordKinds) for (const change of written[kind][0]) yield* commit(store, change)
  yield* commit(store, distributeEvent("evt_2"))
})

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

export const storedRecordLaws: ReadonlyArray<StoreLaw> = [
  everyRecord,
  byKey,
  ofOneProject,
  lookedUp,
  rewriting,
  deleting,
  contents
]

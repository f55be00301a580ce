/**
 * Records of every kind, written by changes and read as whole records.
 */
import type { Change, MailStoreShape, RecordKind, StoredRecord, StoredRecordOf } from "@mailkeep/core/adapter"
import { compareRecordKeys, recordKinds, storedRecordKey } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { commit, distributeEvent, insert, put, renewLease, spend } from "./changes.ts"
import { ask } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

export const page = (
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
export const allOf = (store: MailStoreShape, kind: RecordKind) =>
  Effect.map(page(store, kind), (records) =>
    records.toSorted((a, b) => compareRecordKeys(storedRecordKey(a), storedRecordKey(b)))
  )

export const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

const sending = sample.delivery({ id: "del_2", status: "sending", worker: "w", fencingToken: 3, attemptCount: 2 })
export const ended = sample.attempt({
  number: 2,
  phase: "ended",
  outcome: "deferred",
  smtpCode: 451,
  durationMillis: 7
})
export const second = sample.event({ id: "evt_2" })

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
export const ofOther: ReadonlyArray<Change> = [
  put.apiKey(sample.apiKey({ id: "key_3", projectId: otherId, publicId: "another" })),
  put.resource(sample.resource({ id: "lst_3", projectId: otherId })),
  put.contact(sample.contact({ id: "con_3", projectId: otherId })),
  insert.message(sample.message({ id: "msg_3", projectId: otherId, attachments: [] })),
  insert.delivery(sample.delivery({ id: "del_3", projectId: otherId })),
  insert.attempt(sample.attempt({ deliveryId: "del_3", projectId: otherId })),
  insert.event(sample.event({ id: "evt_3", projectId: otherId })),
  insert.eventDelivery(sample.eventDelivery({ id: "evd_3", projectId: otherId }))
]

export const recordsOf = <K extends RecordKind>(kind: K) =>
  written[kind][1].map((record) => ({ kind, record }) as unknown as StoredRecordOf<K>)

/** Writes the records of all kinds. */
export const writeAll = Effect.fnUntraced(function* (store: MailStoreShape) {
  for (const kind of recordKinds) for (const change of written[kind][0]) yield* commit(store, change)
  yield* commit(store, distributeEvent("evt_2"))
})

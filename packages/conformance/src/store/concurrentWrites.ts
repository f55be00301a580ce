/**
 * Laws of commits that arrive together: each has the result that it would have in some order.
 */
import type {
  Change,
  Delivery,
  MailStoreShape,
  RecordRef,
  RewritableKind,
  StoredRecordOf
} from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState } from "@mailkeep/core/adapter"
import { resultsOf, same, tally } from "../expectation.ts"
import { commit, distributeEvent, expectRevision, finalizing, insert, transition, put, remove } from "./changes.ts"
import { ask } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0037-one-commit.md")

const message = sample.message({ attachments: [] })
const sending = sample.delivery({ status: "sending", worker: "w", fencingToken: 3 })

const inserts: ReadonlyArray<Change> = [
  put.setting("color"),
  put.project(sample.project()),
  put.apiKey(sample.apiKey()),
  put.domain(sample.senderDomain()),
  put.resource(sample.resource()),
  put.contact(sample.contact()),
  put.suppression(sample.suppression()),
  put.idempotency(sample.idempotencyRecord()),
  insert.message(message),
  insert.delivery(sending),
  insert.attempt(sample.attempt()),
  insert.event(sample.event()),
  insert.eventDelivery(sample.eventDelivery())
]

const oneInserted = law(
  "commit/one-of-many-inserted",
  "Of many concurrent commits that insert one record, exactly one is applied, for each kind of record.",
  function* (store) {
    for (const change of inserts) {
      const results = yield* resultsOf(Array.from({ length: 12 }, () => commit(store, change)))
      yield* same(`the results of ${change._tag}`, tally(results), { applied: 1, AlreadyExists: 11 })
    }
  }
)

const accepted = { ...sending, status: "accepted", dueAt: null, worker: null, fencingToken: 4 } as const
const recorded = sample.idempotencyRecord({ expiresAt: noon + 9000 })
const posted = { ...sample.eventDelivery(), status: "delivered", dueAt: null, endedAt: noon } as const

/** The records after the changes that are no rewrites. Each has another record with its key. */
const rewrites: ReadonlyArray<readonly [StoredRecordOf<RewritableKind>, StoredRecordOf<RewritableKind>]> = [
  [
    { kind: "Message", record: message },
    { kind: "Message", record: { ...message, subject: "rewritten" } }
  ],
  [
    { kind: "Attempt", record: { ...sample.attempt(), ...finalizing } },
    { kind: "Attempt", record: { ...sample.attempt(), ...finalizing, statusMessage: "rewritten" } }
  ],
  [
    { kind: "Delivery", record: accepted },
    { kind: "Delivery", record: { ...accepted, recipient: "rewritten" } }
  ],
  [
    { kind: "Event", record: { event: sample.event(), isDistributed: true } },
    { kind: "Event", record: { event: sample.event({ occurredAt: noon + 1 }), isDistributed: true } }
  ],
  [
    { kind: "Idempotency", record: recorded },
    { kind: "Idempotency", record: { ...recorded, fingerprint: "rewritten" } }
  ]
]

/** Changes of the records as they were read, each with the result of those that come too late. */
const changesOfInserted: ReadonlyArray<readonly [change: Change, late: string]> = [
  [put.project(sample.project({ revision: 2 }), 1), "Stale"],
  [put.apiKey(sample.apiKey({ revision: 2 }), 1), "Stale"],
  [put.domain(sample.senderDomain({ revision: 2 }), 1), "Stale"],
  [put.resource(sample.resource({ revision: 2 }), 1), "Stale"],
  [put.contact(sample.contact({ revision: 2 }), 1), "Stale"],
  [put.suppression(sample.suppression({ revision: 2 }), 1), "Stale"],
  // The record has expired at this time.
  [put.idempotency(recorded, noon + 1000), "AlreadyExists"],
  [transition.attempt("del_1", 1, "started", 3, finalizing), "Stale"],
  [transition.delivery("del_1", "sending", 3, deliveryState(accepted)), "Stale"],
  [distributeEvent("evt_1"), "Stale"],
  [transition.eventDelivery("evd_1", "pending", 0, eventDeliveryState(posted)), "Stale"],
  ...rewrites.flatMap(([before, after]): ReadonlyArray<readonly [Change, string]> => [
    [{ _tag: "RewriteRecord", before, after }, "Stale"],
    [{ _tag: "RewriteRecord", before: after, after: null }, "NotFound"]
  ]),
  [remove.domain("a.example", 2), "NotFound"],
  [remove.resource("lst_1", 2), "NotFound"],
  [remove.contact("con_1", 2), "NotFound"],
  [remove.record({ kind: "Project", record: sample.project({ revision: 2 }) }), "NotFound"],
  [remove.record({ kind: "ApiKey", record: sample.apiKey({ revision: 2 }) }), "NotFound"],
  [remove.record({ kind: "Suppression", record: sample.suppression({ revision: 2 }) }), "NotFound"],
  [remove.record({ kind: "EventDelivery", record: posted }), "NotFound"]
]

/** Checks that one of many commits through these stores is applied, for each kind of change. */
export const checkChanges = function* (stores: readonly [MailStoreShape, ...Array<MailStoreShape>]) {
  yield* commit(stores[0], ...inserts)
  for (const [change, late] of changesOfInserted) {
    const commits = Array.from({ length: 12 }, (_, n) => commit(stores[n % stores.length]!, change))
    const results = yield* resultsOf(commits)
    yield* same(`the results of ${JSON.stringify(change)}`, tally(results), { applied: 1, [late]: 11 })
  }
}

const oneChanged = law(
  "commit/one-of-many-changed",
  "Of many concurrent commits that change, rewrite or remove one record as they read it, exactly one is applied, for each kind of change.",
  (store) => checkChanges([store])
)

/** A delivery, its attempt, and whether the delivery is sent with the fencing token 3. */
const attemptsTogether: ReadonlyArray<readonly [id: `del_${string}`, change: Partial<Delivery>, result: string]> = [
  ["del_1", {}, "applied"],
  ["del_2", { fencingToken: 4 }, "Stale"],
  ["del_3", { status: "queued" }, "Stale"],
  ["del_4", { projectId: otherId, fencingToken: 4 }, "Stale"],
  ["del_5", { projectId: otherId }, "applied"]
]

const attemptsApart = law(
  "guards/attempts-change-apart",
  "Of concurrent commits that change attempts of different deliveries, each is applied under the status and the fencing token of its own delivery.",
  function* (store) {
    for (const [id, change] of attemptsTogether) {
      const delivery = { ...sending, ...change, id }
      const attempt = sample.attempt({ projectId: delivery.projectId, deliveryId: id })
      yield* commit(store, insert.delivery(delivery), insert.attempt(attempt))
    }
    const results = yield* resultsOf(
      attemptsTogether.map(([id, { projectId: project }]) =>
        commit(store, transition.attempt(id, 1, "started", 3, finalizing, project))
      )
    )
    const expected = attemptsTogether.map(([, , result]) => result)
    yield* same("the results", results, expected)
  }
)

/** Records with a name that no other of their kind may have. */
const named = (n: number, name: string, replaces: number | null = null): ReadonlyArray<Change> => {
  const revision = replaces === null ? 1 : replaces + 1
  return [
    put.apiKey(sample.apiKey({ id: `key_${n}`, publicId: name, revision }), replaces),
    put.resource(sample.resource({ id: `lst_${n}`, name, revision }), replaces),
    put.contact(sample.contact({ id: `con_${n}`, address: name, revision }), replaces)
  ]
}

const oneNamed = law(
  "guards/one-of-many-gets-a-name",
  "Of many concurrent commits that give one name to a record each, exactly one is applied, for new records and for records that had other names.",
  function* (store) {
    const numbers = Array.from({ length: 12 }, (_, n) => n)
    yield* commit(store, ...numbers.flatMap((n) => named(n, `own ${n}`)))
    for (const [kind, { _tag }] of named(0, "").entries())
      for (const [name, changeOf] of [
        ["new", (n: number) => named(20 + n, "new")],
        ["changed", (n: number) => named(n, "changed", 1)]
      ] as const) {
        const results = yield* resultsOf(numbers.map((n) => commit(store, changeOf(n)[kind]!)))
        yield* same(`the results of ${_tag} with the name ${name}`, tally(results), { applied: 1, AlreadyExists: 11 })
      }
  }
)

/** Records that a commit can expect, each with the change that makes the record or its next revision. */
const expectable = (name: string, replaces: number | null = null): ReadonlyArray<readonly [RecordRef, Change]> => {
  const revision = replaces === null ? 1 : replaces + 1
  return [
    [
      { kind: "ApiKey", projectId, id: `key_${name}` },
      put.apiKey(sample.apiKey({ id: `key_${name}`, publicId: name, revision }), replaces)
    ],
    [
      { kind: "Resource", projectId, id: `lst_${name}` },
      put.resource(sample.resource({ id: `lst_${name}`, name, revision }), replaces)
    ],
    [
      { kind: "Domain", projectId, domain: name },
      put.domain(sample.senderDomain({ id: `dom_${name}`, domain: name, revision }), replaces)
    ],
    [
      { kind: "Suppression", projectId, addressKey: name },
      put.suppression(sample.suppression({ addressKey: name, revision }), replaces)
    ],
    [
      { kind: "ContactAddress", projectId, address: `${name}@example.org` },
      put.contact(sample.contact({ id: `con_${name}`, address: `${name}@example.org`, revision }), replaces)
    ]
  ]
}

/** Checks that one of two commits is applied, of which each expects the other's record. One is made through each store. */
export const checkExpectations = function* (one: MailStoreShape, other: MailStoreShape) {
  for (let round = 0; round < 12; round++)
    for (const [revision, late] of [
      [null, "AlreadyExists"],
      [1, "Stale"]
    ] as const) {
      const [oneName, otherName] = [`one${round}_${late}`, `other${round}_${late}`]
      if (revision !== null)
        yield* commit(one, ...[oneName, otherName].flatMap((name) => expectable(name).map(([, make]) => make)))
      const others = expectable(otherName, revision)
      for (const [n, [ref, make]] of expectable(oneName, revision).entries()) {
        const [otherRef, makeOther] = others[n]!
        const results = yield* resultsOf([
          commit(one, expectRevision(otherRef, revision), make),
          commit(other, expectRevision(ref, revision), makeOther)
        ])
        yield* same(`the results with ${ref.kind} at ${revision}`, tally(results), { applied: 1, [late]: 1 })
      }
    }
}

const expectedOfEachKind = law(
  "guards/each-kind-is-expected-in-a-race",
  "Of two concurrent commits that each expect the other's record to be absent, or to have the revision that was read, exactly one is applied, for each kind of record.",
  (store) => checkExpectations(store, store)
)

const rewrittenAmongOthers = law(
  "records/rewritten-among-others",
  "Of many commits that arrive together, some of which rewrite a record, each is applied.",
  function* (store) {
    const records = Array.from({ length: 9 }, (_, n) => sample.idempotencyRecord({ key: `k${n}` }))
    yield* commit(store, ...records.map((record) => put.idempotency(record)))
    const rewritten = records.map((record) => ({ ...record, fingerprint: "rewritten" }))
    const results = yield* resultsOf(
      records.flatMap((record, n) => [
        commit(store, put.setting(`before${n}`)),
        commit(store, {
          _tag: "RewriteRecord",
          before: { kind: "Idempotency", record },
          after: { kind: "Idempotency", record: rewritten[n]! }
        }),
        commit(store, put.setting(`after${n}`))
      ])
    )
    yield* same("the results", tally(results), { applied: 27 })
    for (const record of rewritten)
      yield* same(
        `the record ${record.key}`,
        yield* ask(store, { _tag: "Idempotency", projectId, key: record.key }),
        record
      )
  }
)

export const concurrentWriteLaws: ReadonlyArray<StoreLaw> = [
  oneInserted,
  oneChanged,
  oneNamed,
  attemptsApart,
  expectedOfEachKind,
  rewrittenAmongOthers
]

/**
 * Laws of single writes: a change writes to one record only, and a commit that fails with a defect writes to none.
 */
import type { Change, MailStoreShape, Query } from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState, freshAttempt, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import { ask, setting } from "./queries.ts"
import {
  checkResult,
  commit,
  distributeEvent,
  endLease,
  extendIdempotency,
  insert,
  transition,
  put,
  remove,
  renewLease,
  spend,
  touchApiKey
} from "./changes.ts"
import { noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

/** Three records of each kind, of which the changes write to the second. */
const threeOfEach = (store: MailStoreShape) =>
  Effect.forEach([1, 2, 3] as const, (n) =>
    commit(
      store,
      put.setting(`s${n}`),
      put.project(sample.project({ id: `prj_${n}` })),
      put.apiKey(sample.apiKey({ id: `key_${n}`, publicId: `public00000${n}` })),
      put.domain(sample.senderDomain({ id: `dom_${n}`, domain: `d${n}.example` })),
      put.contact(sample.contact({ id: `con_${n}`, address: `c${n}@example.org` })),
      put.resource(sample.resource({ id: `lst_${n}`, name: `list ${n}` })),
      put.suppression(sample.suppression({ addressKey: `key ${n}`, address: `c${n}@example.org` })),
      put.idempotency(sample.idempotencyRecord({ key: `k${n}` })),
      insert.message(sample.message({ id: `msg_${n}` })),
      insert.delivery(sample.delivery({ id: `del_${n}`, status: "sending", fencingToken: 1, worker: `w${n}` })),
      ...[1, 2, 3].map((number) => insert.attempt(sample.attempt({ deliveryId: `del_${n}`, number }))),
      insert.event(sample.event({ id: `evt_${n}` })),
      insert.eventDelivery(sample.eventDelivery({ id: `evd_${n}`, fencingToken: 1, worker: `w${n}` })),
      spend(n, null, `list:${n}`),
      renewLease(`w${n}`, noon + 10)
    )
  )

/** Queries of all records of one number. */
const queriesOf = (n: number): ReadonlyArray<Query> => [
  { _tag: "Setting", name: `s${n}` },
  { _tag: "Project", id: `prj_${n}` },
  { _tag: "ApiKey", projectId, id: `key_${n}` },
  { _tag: "Domain", projectId, domain: `d${n}.example` },
  { _tag: "Contact", projectId, id: `con_${n}` },
  { _tag: "Resource", projectId, id: `lst_${n}` },
  { _tag: "Suppressions", projectId, addressKeys: [`key ${n}`] },
  { _tag: "Idempotency", projectId, key: `k${n}` },
  { _tag: "Message", projectId, id: `msg_${n}` },
  { _tag: "Delivery", projectId, id: `del_${n}` },
  { _tag: "Attempts", projectId, deliveryId: `del_${n}` },
  { _tag: "Event", projectId, id: `evt_${n}` },
  { _tag: "EventDelivery", projectId, id: `evd_${n}` },
  { _tag: "Counters", projectId, names: [`list:${n}`] }
]

const moved = { ...deliveryState(sample.delivery()), status: "queued", worker: null, fencingToken: 2 } as const
const ended = { ...freshAttempt, phase: "ended", outcome: "delivered" } as const

/** Changes of the second record of each kind. */
const changesOfSecond: ReadonlyArray<Change> = [
  put.project(sample.project({ id: "prj_2", onAmbiguous: "fail", revision: 2 }), 1),
  put.apiKey(sample.apiKey({ id: "key_2", publicId: "public00000x", revision: 2 }), 1),
  touchApiKey("key_2", noon + 3),
  put.domain(sample.senderDomain({ id: "dom_2", domain: "d2.example", status: "failed", revision: 2 }), 1),
  remove.domain("d2.example", 2),
  put.resource(sample.resource({ id: "lst_2", name: "renamed", revision: 2 }), 1),
  remove.resource("lst_2", 2),
  put.contact(sample.contact({ id: "con_2", address: "x@example.org", revision: 2 }), 1),
  remove.contact("con_2", 2),
  put.suppression(sample.suppression({ addressKey: "key 2", reasons: {}, revision: 2 }), 1),
  extendIdempotency("k2", noon + 5),
  put.idempotency(sample.idempotencyRecord({ key: "k2", fingerprint: "x" }), noon + 5),
  transition.attempt("del_2", 2, "started", 1, ended),
  transition.delivery("del_2", "sending", 1, moved),
  spend(5, null, "list:2"),
  spend(1, 99, "list:2"),
  spend(1, 1, "list:9"),
  distributeEvent("evt_2"),
  transition.eventDelivery("evd_2", "pending", 1, {
    ...eventDeliveryState(sample.eventDelivery()),
    status: "failed",
    dueAt: null,
    worker: null,
    fencingToken: 2,
    attemptCount: 7,
    latestAttempts: [{ at: noon, status: null, error: "no answer", durationMillis: 3 }],
    endedAt: noon + 1
  }),
  renewLease("w2", noon + 20),
  endLease("w2")
]

const othersKept = law(
  "values/a-change-writes-one-record",
  "A change of a record leaves all other records of its kind unchanged.",
  function* (store) {
    yield* threeOfEach(store)
    const others = [...queriesOf(1), ...queriesOf(3)]
    const before = yield* store.read(others)
    for (const change of changesOfSecond) {
      const label = JSON.stringify(change)
      yield* checkResult(store, change, "applied")
      const after = yield* store.read(others)
      for (const [n, query] of others.entries())
        yield* same(`the answer to ${JSON.stringify(query)} after ${label}`, after[n], before[n])
    }
    const [attempts, second, waiting, lease] = yield* store.read([
      { _tag: "Attempts", projectId, deliveryId: "del_2" },
      { _tag: "EventDelivery", projectId, id: "evd_2" },
      { _tag: "UndistributedEvents", limit: 9 },
      { _tag: "NextDue", worker: "w1", now: noon + 9 }
    ])
    yield* same(
      "the attempts of the second delivery",
      attempts,
      [1, 2, 3].map((number) => sample.attempt({ deliveryId: "del_2", number, ...(number === 2 ? ended : {}) }))
    )
    yield* same("the attempts of the second event delivery", [second?.attemptCount, second?.endedAt], [7, noon + 1])
    yield* same("the latest attempts", second?.latestAttempts, [
      { at: noon, status: null, error: "no answer", durationMillis: 3 }
    ])
    yield* same(
      "the undistributed events",
      waiting.map(({ id }) => id),
      ["evt_1", "evt_3"]
    )
    yield* same("the next due time of the second delivery", lease, noon)
    const lapsed = {
      kind: "abandonedSending",
      rotation: wholeRotation,
      now: noon + 9,
      limit: 9,
      worker: "w9",
      leaseUntil: noon + 99
    } as const
    yield* same("the deliveries of the workers with their leases", yield* store.claim(lapsed), [])
  }
)

const defectKeepsNothing = law(
  "commit/defect-keeps-nothing",
  "A commit that ends with a defect, because a value of it throws when it is read, keeps nothing and disturbs no other commit.",
  function* (store) {
    const broken = {
      ...spend(1),
      get by(): number {
        throw new Error("this value cannot be read")
      }
    }
    const commits = [
      commit(store, put.setting("before"), spend(1)),
      store.commit([put.setting("broken"), insert.message(sample.message()), broken]),
      commit(store, put.setting("after"), spend(1))
    ]
    const exits = yield* Effect.forEach(commits, Effect.exit, { concurrency: "unbounded" })
    yield* same(
      "the results of the three commits",
      exits.map(({ _tag }) => _tag),
      ["Success", "Failure", "Success"]
    )
    yield* same("the setting of the broken commit", yield* setting(store, "broken"), null)
    yield* same("its message", yield* ask(store, { _tag: "Message", projectId, id: "msg_1" }), null)
    const answers = yield* store.read([
      { _tag: "Setting", name: "before" },
      { _tag: "Setting", name: "after" },
      { _tag: "Counters", projectId, names: ["allowance"] }
    ])
    yield* same("what the other commits wrote", answers, ["1", "1", [2]])
  }
)

export const singleWriteLaws: ReadonlyArray<StoreLaw> = [othersKept, defectKeepsNothing]

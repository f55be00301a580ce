/**
 * Laws of updates: a new revision replaces every field of its record, and its guards give one reason.
 */
import type { Change, Delivery, Query } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, finalizing, insert, transition, put } from "./changes.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

/** Changes of each kind of record to other values in every field, and back. Each has a query of the record. */
const updates: ReadonlyArray<readonly [first: Change, second: Change, query: Query, answer: unknown]> = (() => {
  const key = sample.apiKey({
    publicId: "public000002",
    secretHash: "e".repeat(64),
    name: "Another name",
    permissions: ["email.send", "email.full_access"],
    domainScope: null,
    createdAt: noon + 1,
    expiresAt: null,
    revokedAt: noon + 2,
    lastUsedAt: noon + 3,
    revision: 2
  })
  const domain = sample.senderDomain({
    status: "failed",
    manuallyVerified: true,
    dkim: null,
    records: [],
    verificationError: null,
    verificationAttempts: 0,
    verificationAttemptedAt: null,
    lastVerifiedAt: null,
    failingSince: null,
    nextCheckAt: null,
    createdAt: noon + 1,
    updatedAt: noon + 2,
    revision: 2
  })
  const person = sample.contact({
    email: "Grace@example.net",
    address: "grace@example.net",
    userId: null,
    firstName: "Grace",
    lastName: "Hopper",
    phoneNumber: null,
    emailStatus: "unsubscribed",
    source: "import",
    properties: { prop_9: -7 },
    listIds: [],
    createdAt: noon + 1,
    updatedAt: noon + 2,
    revision: 2
  })
  const list = sample.resource({
    parent: "lst_9",
    name: null,
    content: { name: "Others", description: "" },
    createdAt: noon + 1,
    updatedAt: noon + 2,
    revision: 2
  })
  const reasons = sample.suppression({ address: null, reasons: { complaint: noon + 1 }, revision: 2 })
  const keyed = { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada"] } as const
  const changed = sample.project({ onAmbiguous: "fail", listUnsubscribe: true, createdAt: noon + 1, revision: 2 })
  return [
    [put.project(sample.project()), put.project(changed, 1), { _tag: "Project", id: projectId }, changed],
    [put.apiKey(sample.apiKey()), put.apiKey(key, 1), { _tag: "ApiKey", projectId, id: "key_1" }, key],
    [put.domain(sample.senderDomain()), put.domain(domain, 1), { _tag: "DomainById", projectId, id: "dom_1" }, domain],
    [put.contact(sample.contact()), put.contact(person, 1), { _tag: "Contact", projectId, id: "con_1" }, person],
    [put.resource(sample.resource()), put.resource(list, 1), { _tag: "Resource", projectId, id: "lst_1" }, list],
    [put.suppression(sample.suppression()), put.suppression(reasons, 1), keyed, [reasons]]
  ]
})()

/** The record of a change at another revision. */
const atRevision = (change: Change, revision: number, replaces: number): Change => {
  const [field, record] = Object.entries(change).find(([, value]) => typeof value === "object" && value !== null)!
  return { ...change, [field]: { ...(record as object), revision }, replaces } as Change
}

const recordIn = (change: Change): unknown => Object.values(change).find((value) => typeof value === "object")

const updatesKept = law(
  "values/updates-replace-every-field",
  "A new revision of a record replaces every field, with a value or with null, and back again.",
  function* (store) {
    for (const [first, second, query, answer] of updates) {
      yield* commit(store, first)
      yield* commit(store, second)
      yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), answer)
      const again = atRevision(first, 3, 2)
      yield* commit(store, again)
      const record = recordIn(again)
      const expected = Array.isArray(answer) ? [record] : record
      yield* same(`the first values again, for ${JSON.stringify(query)}`, yield* ask(store, query), expected)
    }
    yield* same(
      "the API key of the public id that the second revision had",
      yield* ask(store, { _tag: "ApiKeyByPublicId", publicId: "public000002" }),
      null
    )
  }
)

const replacedWhole = law(
  "idempotency/replaced-whole",
  "A record that replaces an expired idempotency record replaces each of its fields.",
  function* (store) {
    const second = sample.idempotencyRecord({
      fingerprint: "b".repeat(64),
      result: { messageId: "msg_2", deliveryIds: ["del_2", "del_3"], totalQueued: 0, scheduledAt: noon + 5 },
      expiresAt: noon + 9000
    })
    yield* commit(store, put.idempotency(sample.idempotencyRecord()))
    yield* commit(store, put.idempotency(second, noon + 2000))
    yield* same("the record", yield* ask(store, { _tag: "Idempotency", projectId, key: "k" }), second)
  }
)

const revisionFirst = law(
  "guards/revision-before-name",
  "If the revision of a change is wrong and its name or address is taken, the conflict gives the reason of the revision.",
  function* (store) {
    yield* commit(
      store,
      put.apiKey(sample.apiKey()),
      put.apiKey(sample.apiKey({ id: "key_2", publicId: "public000002" })),
      put.contact(sample.contact()),
      put.contact(sample.contact({ id: "con_2", address: "bob@example.org" })),
      put.resource(sample.resource()),
      put.resource(sample.resource({ id: "lst_2", name: "others" }))
    )
    const again: ReadonlyArray<Change> = [
      put.apiKey(sample.apiKey({ publicId: "public000009" })),
      put.contact(sample.contact({ address: "free@example.org" })),
      put.resource(sample.resource({ name: "free" })),
      put.resource(sample.resource({ name: null }))
    ]
    for (const change of again) {
      const label = `a new record with an existing id and a free name, ${JSON.stringify(change)}`
      yield* same(label, yield* commitResult(store, change), "AlreadyExists")
    }
    const taking: ReadonlyArray<(n: number, replaces: number) => Change> = [
      (n, replaces) => put.apiKey(sample.apiKey({ id: `key_${n}`, publicId: "public000001", revision: 2 }), replaces),
      (n, replaces) => put.contact(sample.contact({ id: `con_${n}`, revision: 2 }), replaces),
      (n, replaces) => put.resource(sample.resource({ id: `lst_${n}`, revision: 2 }), replaces)
    ]
    for (const make of taking) {
      const { _tag } = make(2, 1)
      yield* same(`${_tag} of a stale revision`, yield* commitResult(store, make(2, 9)), "Stale")
      yield* same(`${_tag} of no record`, yield* commitResult(store, make(3, 1)), "NotFound")
      yield* same(`${_tag} of a taken name`, yield* commitResult(store, make(2, 1)), "AlreadyExists")
    }
  }
)

const resourceRevisions = law(
  "guards/resource-replaces-what-was-read",
  "A resource replaces exactly the revision that its change names, for every kind of resource.",
  function* (store) {
    const at = (kind: string, revision: number, replaces: number | null) =>
      commitResult(store, {
        _tag: "PutResource",
        resource: { ...sample.resource({ id: `lst_${kind}`, revision }), kind } as never,
        replaces
      })
    for (const kind of ["list", "segment", "property", "template"]) {
      yield* same(`a ${kind} that does not exist`, yield* at(kind, 2, 1), "NotFound")
      yield* same(`a new ${kind} with a name that other kinds have`, yield* at(kind, 1, null), "applied")
      yield* same(`a ${kind} that exists`, yield* at(kind, 1, null), "AlreadyExists")
      yield* same(`a ${kind} at another revision`, yield* at(kind, 3, 2), "Stale")
      yield* same(`a ${kind} at its revision`, yield* at(kind, 2, 1), "applied")
      yield* same(`a ${kind} at its earlier revision`, yield* at(kind, 2, 1), "Stale")
      const below = { projectId, kind: kind as "list", parent: "" }
      yield* same(`the number of ${kind} records`, yield* ask(store, { _tag: "ResourceCount", ...below }), 1)
      const page = yield* ask(store, { _tag: "ResourcePage", ...below, page: { page: 1, limit: 9 } })
      const listed = yield* ask(store, { _tag: "Resources", ...below, after: null, limit: 9 })
      const named = yield* ask(store, { _tag: "ResourceNamed", ...below, name: "friends" })
      yield* same(
        `the ${kind} by page, list and name`,
        [page.total, ...page.items, ...listed, named].map((one) => (typeof one === "object" ? one?.id : one)),
        [1, `lst_${kind}`, `lst_${kind}`, `lst_${kind}`]
      )
    }
  }
)

const attemptOfItsDelivery = law(
  "guards/attempt-uses-its-own-delivery",
  {
    statement:
      "The guard of an attempt reads its own delivery, which must exist, whatever status and fencing token other deliveries have.",
    why: "decisions/0006-hand-off.md"
  },
  function* (store) {
    const rows: ReadonlyArray<Delivery> = [
      sample.delivery({ id: "del_1", status: "sending", fencingToken: 3 }),
      sample.delivery({ id: "del_2", status: "sending", fencingToken: 4 }),
      sample.delivery({ id: "del_3", status: "queued", fencingToken: 3 }),
      sample.delivery({ id: "del_x", status: "queued", fencingToken: 3 }),
      sample.delivery({ id: "del_X", status: "sending", fencingToken: 3 })
    ]
    yield* commit(
      store,
      ...rows.map(insert.delivery),
      ...rows.map(({ id }) => insert.attempt(sample.attempt({ deliveryId: id })))
    )
    const moveResult = (deliveryId: Delivery["id"]) =>
      commitResult(store, transition.attempt(deliveryId, 1, "started", 3, finalizing))
    yield* same("a delivery with another fencing token", yield* moveResult("del_2"), "Stale")
    yield* same("a delivery that is not sending", yield* moveResult("del_3"), "Stale")
    yield* same("a delivery whose id is that of another in another case", yield* moveResult("del_x"), "Stale")
    yield* same("the delivery with the fencing token", yield* moveResult("del_1"), "applied")
    const ofNoDelivery = insert.attempt(sample.attempt({ deliveryId: "del_4" }))
    yield* same("a new attempt of no delivery", yield* commitResult(store, ofNoDelivery), "NotFound")
    const ofOther = insert.attempt(sample.attempt({ projectId: otherId, number: 2 }))
    yield* same("a new attempt of another project's delivery", yield* commitResult(store, ofOther), "NotFound")
    yield* same("an attempt that does not exist", yield* moveResult("del_4"), "NotFound")
  }
)

export const recordUpdateLaws: ReadonlyArray<StoreLaw> = [
  updatesKept,
  replacedWhole,
  revisionFirst,
  resourceRevisions,
  attemptOfItsDelivery
]

/**
 * Laws of updates: a new revision replaces every field of its record, and its guards give one reason.
 */
import type { Change, Delivery, Query } from "@mailkeep/core/adapter"
import { freshAttempt } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  delivery,
  idempotencyRecord,
  insert,
  noon,
  project,
  projectId,
  put,
  resource,
  senderDomain,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0001-core-decides.md"

/** Changes of each kind of record to other values in every field, and back. Each has a query of the record. */
const updates: ReadonlyArray<readonly [first: Change, second: Change, query: Query, answer: unknown]> = (() => {
  const key = apiKey({
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
  const domain = senderDomain({
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
  const person = contact({
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
  const list = resource({
    parent: "lst_9",
    name: null,
    content: { name: "Others", description: "" },
    createdAt: noon + 1,
    updatedAt: noon + 2,
    revision: 2
  })
  const reasons = suppression({ address: null, reasons: { complaint: noon + 1 }, revision: 2 })
  const keyed = { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada"] } as const
  const changed = project({ onAmbiguous: "fail", createdAt: noon + 1, revision: 2 })
  return [
    [put.project(project()), put.project(changed, 1), { _tag: "Project", id: projectId }, changed],
    [put.apiKey(apiKey()), put.apiKey(key, 1), { _tag: "ApiKey", id: "key_1" }, key],
    [put.domain(senderDomain()), put.domain(domain, 1), { _tag: "DomainOfId", projectId, id: "dom_1" }, domain],
    [put.contact(contact()), put.contact(person, 1), { _tag: "Contact", projectId, id: "con_1" }, person],
    [put.resource(resource()), put.resource(list, 1), { _tag: "Resource", projectId, id: "lst_1" }, list],
    [put.suppression(suppression()), put.suppression(reasons, 1), keyed, [reasons]]
  ]
})()

/** The record of a change at another revision. */
const atRevision = (change: Change, revision: number, replaces: number): Change => {
  const [field, record] = Object.entries(change).find(([, value]) => typeof value === "object" && value !== null)!
  return { ...change, [field]: { ...(record as object), revision }, replaces } as Change
}

const recordIn = (change: Change): unknown => Object.values(change).find((value) => typeof value === "object")

const updatesKept = storeLaw(
  "values/updates-replace-every-field",
  { statement: "A new revision of a record replaces every field, with a value or with null, and back again.", why },
  (store) =>
    Effect.gen(function* () {
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
    })
)

const replacedWhole = storeLaw(
  "idempotency/replaced-whole",
  { statement: "A record that replaces an expired idempotency record replaces each of its fields.", why },
  (store) =>
    Effect.gen(function* () {
      const second = idempotencyRecord({
        fingerprint: "b".repeat(64),
        result: { messageId: "msg_2", deliveryIds: ["del_2", "del_3"], totalQueued: 0, scheduledAt: noon + 5 },
        expiresAt: noon + 9000
      })
      yield* commit(store, { _tag: "RecordIdempotency", record: idempotencyRecord(), now: noon })
      yield* commit(store, { _tag: "RecordIdempotency", record: second, now: noon + 2000 })
      yield* same("the record", yield* ask(store, { _tag: "Idempotency", projectId, key: "k" }), second)
    })
)

const revisionFirst = storeLaw(
  "guards/revision-before-name",
  {
    statement:
      "If the revision of a change is wrong and its name or address is taken, the conflict gives the reason of the revision.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(
        store,
        put.apiKey(apiKey()),
        put.apiKey(apiKey({ id: "key_2", publicId: "public000002" })),
        put.contact(contact()),
        put.contact(contact({ id: "con_2", address: "bob@example.org" })),
        put.resource(resource()),
        put.resource(resource({ id: "lst_2", name: "others" }))
      )
      const again: ReadonlyArray<Change> = [
        put.apiKey(apiKey({ publicId: "public000009" })),
        put.contact(contact({ address: "free@example.org" })),
        put.contact(contact({ address: "free@example.org", projectId: "prj_other" })),
        put.resource(resource({ name: "free" })),
        put.resource(resource({ name: "free", projectId: "prj_other" })),
        put.resource(resource({ name: null }))
      ]
      for (const change of again) {
        const label = `a new record with an existing id and a free name, ${JSON.stringify(change)}`
        yield* same(label, yield* resultOf(commit(store, change)), "AlreadyExists")
      }
      const taking: ReadonlyArray<(n: number, replaces: number) => Change> = [
        (n, replaces) => put.apiKey(apiKey({ id: `key_${n}`, publicId: "public000001", revision: 2 }), replaces),
        (n, replaces) => put.contact(contact({ id: `con_${n}`, revision: 2 }), replaces),
        (n, replaces) => put.resource(resource({ id: `lst_${n}`, revision: 2 }), replaces)
      ]
      for (const make of taking) {
        const { _tag } = make(2, 1)
        yield* same(`${_tag} of a stale revision`, yield* resultOf(commit(store, make(2, 9))), "Stale")
        yield* same(`${_tag} of no record`, yield* resultOf(commit(store, make(3, 1))), "NotFound")
        yield* same(`${_tag} of a taken name`, yield* resultOf(commit(store, make(2, 1))), "AlreadyExists")
      }
    })
)

const resourceRevisions = storeLaw(
  "guards/resource-replaces-what-was-read",
  { statement: "A resource replaces exactly the revision that its change names, for every kind of resource.", why },
  (store) =>
    Effect.gen(function* () {
      const at = (kind: string, revision: number, replaces: number | null) =>
        resultOf(
          commit(store, {
            _tag: "PutResource",
            resource: { ...resource({ id: `lst_${kind}`, revision }), kind } as never,
            replaces
          })
        )
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
    })
)

const attemptOfItsDelivery = storeLaw(
  "guards/attempt-uses-its-own-delivery",
  {
    statement:
      "The guard of an attempt reads its own delivery, whatever status and fencing token other deliveries have.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const rows: ReadonlyArray<Delivery> = [
        delivery({ id: "del_1", status: "sending", fencingToken: 3 }),
        delivery({ id: "del_2", status: "sending", fencingToken: 4 }),
        delivery({ id: "del_3", status: "queued", fencingToken: 3 }),
        delivery({ id: "del_x", status: "queued", fencingToken: 3 }),
        delivery({ id: "del_X", status: "sending", fencingToken: 3 })
      ]
      yield* commit(
        store,
        ...rows.map(insert.delivery),
        ...rows.map(({ id }) => insert.attempt(attempt({ deliveryId: id })))
      )
      const move = (deliveryId: Delivery["id"]) =>
        resultOf(
          commit(store, {
            _tag: "MoveAttempt",
            deliveryId,
            number: 1,
            fencingToken: 3,
            from: "started",
            next: { ...freshAttempt, phase: "finalizing" }
          })
        )
      yield* same("a delivery with another fencing token", yield* move("del_2"), "Stale")
      yield* same("a delivery that is not sending", yield* move("del_3"), "Stale")
      yield* same("a delivery whose id is that of another in another case", yield* move("del_x"), "Stale")
      yield* same("the delivery with the fencing token", yield* move("del_1"), "applied")
      yield* commit(store, insert.attempt(attempt({ deliveryId: "del_4" })))
      yield* same("an attempt of no delivery", yield* move("del_4"), "Stale")
    })
)

export const recordUpdateLaws: ReadonlyArray<StoreLaw> = [
  updatesKept,
  replacedWhole,
  revisionFirst,
  resourceRevisions,
  attemptOfItsDelivery
]

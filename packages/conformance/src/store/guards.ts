/**
 * Laws of guards: a change is applied only if the facts of its decision are still true.
 */
import type { Change, RecordRef } from "@mailkeep/core/adapter"
import { deliveryState, freshAttempt } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, resultsOf, same, tally } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  resource,
  delivery,
  deliveryOf,
  event,
  insert,
  message,
  noon,
  project,
  projectId,
  put,
  senderDomain,
  setting,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0001-core-decides.md"

const insertOnce = storeLaw(
  "guards/inserted-once",
  { statement: "A new record is refused if the record exists, and the existing record stays unchanged.", why },
  (store) =>
    Effect.gen(function* () {
      const [first, second] = ["first", "second"].map((word): ReadonlyArray<Change> => [
        put.setting("s", word),
        insert.message(message({ subject: word })),
        insert.delivery(delivery({ statusMessage: word })),
        insert.attempt(attempt({ message: word })),
        insert.event(event({ occurredAt: word === "first" ? noon : noon + 1 }))
      ])
      yield* commit(store, ...first!)
      for (const change of second!)
        yield* same(`a second ${change._tag}`, yield* resultOf(commit(store, change)), "AlreadyExists")
      const [value, sent, inserted, attempts, events] = yield* store.read([
        { _tag: "Setting", name: "s" },
        { _tag: "Message", projectId, id: "msg_1" },
        { _tag: "Delivery", projectId, id: "del_1" },
        { _tag: "Attempts", deliveryId: "del_1" },
        { _tag: "Events", projectId, after: null, limit: 9 }
      ])
      yield* same(
        "the existing records",
        [
          value,
          sent?.subject,
          inserted?.statusMessage,
          attempts.map((one) => one.message),
          events.map((one) => one.occurredAt)
        ],
        ["first", "first", "first", ["first"], [noon]]
      )
    })
)

/** Makes a record of each kind at a revision. */
const revisioned: Readonly<Record<string, (revision: number, replaces: number | null) => Change>> = {
  Project: (revision, replaces) => put.project(project({ revision }), replaces),
  ApiKey: (revision, replaces) => put.apiKey(apiKey({ revision }), replaces),
  Domain: (revision, replaces) => put.domain(senderDomain({ revision }), replaces),
  Contact: (revision, replaces) => put.contact(contact({ revision }), replaces),
  Suppression: (revision, replaces) => put.suppression(suppression({ revision }), replaces)
}

const revisionReplaced = storeLaw(
  "guards/replaces-what-was-read",
  {
    statement:
      "A record replaces exactly the revision that its change names. If the change names none, the record must not exist.",
    why
  },
  (store) =>
    Effect.forEach(
      Object.entries(revisioned),
      ([kind, at]) =>
        Effect.gen(function* () {
          const cases: ReadonlyArray<readonly [revision: number, replaces: number | null, result: string]> = [
            [2, 1, "NotFound"],
            [1, null, "applied"],
            [1, null, "AlreadyExists"],
            [3, 2, "Stale"],
            [2, 1, "applied"],
            [2, 1, "Stale"],
            [3, 2, "applied"]
          ]
          for (const [revision, replaces, result] of cases)
            yield* same(
              `${kind} ${revision} in place of ${replaces}`,
              yield* resultOf(commit(store, at(revision, replaces))),
              result
            )
        }),
      { discard: true }
    )
)

const expectStands = storeLaw(
  "guards/expected-is-unchanged",
  {
    statement:
      "Expect holds if the record is at the expected revision, or is absent if none is expected. It writes nothing.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const refs: ReadonlyArray<readonly [RecordRef, Change]> = [
        [{ kind: "ApiKey", id: "key_1" }, put.apiKey(apiKey({ revision: 5 }))],
        [{ kind: "Domain", projectId, domain: "a.example" }, put.domain(senderDomain({ revision: 5 }))],
        [{ kind: "Suppression", projectId, addressKey: "key-of-ada" }, put.suppression(suppression({ revision: 5 }))],
        [{ kind: "Resource", id: "lst_1" }, put.resource(resource({ revision: 5 }))],
        [{ kind: "ContactAddress", projectId, address: "ada@example.org" }, put.contact(contact({ revision: 5 }))]
      ]
      const expect = (record: RecordRef, revision: number | null) =>
        resultOf(commit(store, { _tag: "Expect", record, revision }))
      for (const [record, make] of refs) {
        yield* same(`no ${record.kind}, none expected`, yield* expect(record, null), "applied")
        yield* same(`no ${record.kind}, one expected`, yield* expect(record, 5), "NotFound")
        yield* commit(store, make)
        yield* same(`a ${record.kind}, as expected`, yield* expect(record, 5), "applied")
        yield* same(`a ${record.kind}, another expected`, yield* expect(record, 4), "Stale")
        yield* same(`a ${record.kind}, none expected`, yield* expect(record, null), "AlreadyExists")
      }
    })
)

const expectGuards = storeLaw(
  "guards/expect-keeps-the-rest-out",
  { statement: "When an Expect fails, nothing of its commit is kept.", why },
  (store) =>
    Effect.gen(function* () {
      const record = { kind: "Suppression", projectId, addressKey: "key-of-ada" } as const
      yield* commit(store, put.suppression(suppression()))
      yield* resultOf(commit(store, { _tag: "Expect", record, revision: null }, put.setting("sent")))
      yield* same("the setting of the refused commit", yield* setting(store, "sent"), null)
    })
)

const oneWinner = storeLaw(
  "guards/one-writer-wins",
  { statement: "Of many concurrent writers of one revision exactly one wins. The others fail as stale.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.suppression(suppression()))
      const results = yield* resultsOf(
        Array.from({ length: 50 }, () => commit(store, put.suppression(suppression({ revision: 2 }), 1)))
      )
      yield* same("the results", tally(results), { applied: 1, Stale: 49 })
    })
)

const expectRaced = storeLaw(
  "guards/expected-is-unchanged-in-a-race",
  {
    statement: "Of two concurrent commits that each expect the other's record to be absent, exactly one is applied.",
    why
  },
  (store) =>
    Effect.forEach(
      Array.from({ length: 40 }, (_, n) => n),
      (n) =>
        Effect.gen(function* () {
          const [one, other] = [`one${n}`, `other${n}`]
          const unless = (absent: string, made: string) =>
            commit(
              store,
              { _tag: "Expect", record: { kind: "Suppression", projectId, addressKey: absent }, revision: null },
              put.suppression(suppression({ addressKey: made }))
            )
          const results = yield* resultsOf([unless(one, other), unless(other, one)])
          yield* same("the results", tally(results), { applied: 1, AlreadyExists: 1 })
        }),
      { discard: true }
    )
)

const tokenFences = storeLaw(
  "guards/delivery-moves-under-its-token",
  {
    statement: "A delivery changes only from the status and with the fencing token that the change names.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const inserted = delivery({ fencingToken: 7 })
      const next = { ...deliveryState(inserted), fencingToken: 8, statusMessage: "moved" }
      const move = (id: "del_1" | "del_9", from: "queued" | "sending", fencingToken: number) =>
        resultOf(commit(store, { _tag: "MoveDelivery", id, from, fencingToken, next }))
      yield* commit(store, insert.delivery(inserted))
      yield* same("a change of no delivery", yield* move("del_9", "queued", 7), "NotFound")
      yield* same("a change with an older fencing token", yield* move("del_1", "queued", 6), "Stale")
      yield* same("a change with a newer fencing token", yield* move("del_1", "queued", 8), "Stale")
      yield* same("a change from another status", yield* move("del_1", "sending", 7), "Stale")
      yield* same("the delivery", yield* deliveryOf(store, "del_1"), inserted)
      yield* same("the change with the current values", yield* move("del_1", "queued", 7), "applied")
      yield* same("the same change again", yield* move("del_1", "queued", 7), "Stale")
    })
)

const attemptFences = storeLaw(
  "guards/attempt-moves-under-its-delivery",
  {
    statement:
      "An attempt changes only from the phase that the change names, and while its delivery is sending with the named fencing token.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", worker: "w", fencingToken: 3 })
      const next = { ...freshAttempt, phase: "finalizing" } as const
      const move = (number: number, fencingToken: number, from: "started" | "finalizing") =>
        resultOf(commit(store, { _tag: "MoveAttempt", deliveryId: "del_1", number, fencingToken, from, next }))
      yield* commit(store, insert.delivery(sending), insert.attempt(attempt()))
      yield* same("an attempt that does not exist", yield* move(2, 3, "started"), "NotFound")
      yield* same("with another fencing token", yield* move(1, 2, "started"), "Stale")
      yield* same("from another phase", yield* move(1, 3, "finalizing"), "Stale")
      yield* same("with the current values", yield* move(1, 3, "started"), "applied")
      yield* same("the attempts", yield* ask(store, { _tag: "Attempts", deliveryId: "del_1" }), [
        { ...attempt(), ...next }
      ])
      const queued = { ...deliveryState(sending), status: "queued", worker: null } as const
      yield* commit(store, { _tag: "MoveDelivery", id: "del_1", from: "sending", fencingToken: 3, next: queued })
      yield* same("after its delivery left sending", yield* move(1, 3, "finalizing"), "Stale")
    })
)

const movedTogether = storeLaw(
  "guards/attempt-and-delivery-move-together",
  {
    statement:
      "An attempt and its delivery change in one commit. The guard of the attempt uses the delivery as it was before the commit.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", worker: "w", fencingToken: 3 })
      yield* commit(store, insert.delivery(sending), insert.attempt(attempt()))
      const result = yield* resultOf(
        commit(
          store,
          {
            _tag: "MoveDelivery",
            id: "del_1",
            from: "sending",
            fencingToken: 3,
            next: { ...deliveryState(sending), status: "delivered", worker: null, dueAt: null, fencingToken: 4 }
          },
          {
            _tag: "MoveAttempt",
            deliveryId: "del_1",
            number: 1,
            fencingToken: 3,
            from: "started",
            next: { ...freshAttempt, phase: "ended", outcome: "delivered" }
          }
        )
      )
      yield* same("the result of the commit", result, "applied")
    })
)

const publicIdUnique = storeLaw(
  "guards/public-id-is-unique",
  { statement: "No two API keys have the same public id, in any project.", why: "decisions/0014-api-keys.md" },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.apiKey(apiKey()))
      const second = apiKey({ id: "key_2", projectId: "prj_other" })
      yield* same(
        "a second API key with the public id",
        yield* resultOf(commit(store, put.apiKey(second))),
        "AlreadyExists"
      )
      yield* commit(store, put.apiKey({ ...second, publicId: "public000002" }))
      const clash = put.apiKey({ ...second, revision: 2 }, 1)
      yield* same(
        "an API key that changes to the public id of another",
        yield* resultOf(commit(store, clash)),
        "AlreadyExists"
      )
    })
)

const touchIsLight = storeLaw(
  "guards/touched-key-keeps-its-revision",
  {
    statement:
      "Recording the use of an API key changes only that field. It is no conflict if the API key does not exist.",
    why: "decisions/0014-api-keys.md"
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.apiKey(apiKey()))
      yield* commit(store, { _tag: "TouchApiKey", id: "key_1", lastUsedAt: noon + 5 })
      yield* same("the key", yield* ask(store, { _tag: "ApiKey", id: "key_1" }), apiKey({ lastUsedAt: noon + 5 }))
      yield* commit(store, { _tag: "TouchApiKey", id: "key_1", lastUsedAt: noon + 9 })
      yield* same("the key later", yield* ask(store, { _tag: "ApiKey", id: "key_1" }), apiKey({ lastUsedAt: noon + 9 }))
      const nobody = commit(store, { _tag: "TouchApiKey", id: "key_9", lastUsedAt: noon })
      yield* same("the use of an API key that does not exist", yield* resultOf(nobody), "applied")
      yield* same("no key", yield* ask(store, { _tag: "ApiKey", id: "key_9" }), null)
    })
)

export const guardLaws: ReadonlyArray<StoreLaw> = [
  insertOnce,
  revisionReplaced,
  expectStands,
  expectGuards,
  oneWinner,
  expectRaced,
  tokenFences,
  attemptFences,
  movedTogether,
  publicIdUnique,
  touchIsLight
]

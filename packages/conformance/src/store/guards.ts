/**
 * Laws of the guards: a change is applied only to what its decision saw.
 */
import type { Change, RecordRef } from "@mailkeep/core/domain"
import { deliveryState, freshAttempt } from "@mailkeep/core/domain"
import { Effect } from "effect"
import { fateOf, fatesOf, same, tally } from "../expectation.ts"
import {
  apiKey,
  ask,
  attempt,
  commit,
  contact,
  definition,
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
  { says: "A record that must be new is refused where one stands, and the one that stands stays as it is.", why },
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
        yield* same(`a second ${change._tag}`, yield* fateOf(commit(store, change)), "AlreadyExists")
      const [value, sent, held, attempts, events] = yield* store.read([
        { _tag: "Setting", name: "s" },
        { _tag: "Message", projectId, id: "msg_1" },
        { _tag: "Delivery", projectId, id: "del_1" },
        { _tag: "Attempts", deliveryId: "del_1" },
        { _tag: "Events", projectId, after: null, limit: 9 }
      ])
      yield* same(
        "what stands",
        [
          value,
          sent?.subject,
          held?.statusMessage,
          attempts.map((one) => one.message),
          events.map((one) => one.occurredAt)
        ],
        ["first", "first", "first", ["first"], [noon]]
      )
    })
)

/** A revisioned record of each kind, at a revision. */
const revisioned: Readonly<Record<string, (revision: number, replaces: number | null) => Change>> = {
  Project: (revision, replaces) => put.project(project({ revision }), replaces),
  ApiKey: (revision, replaces) => put.apiKey(apiKey({ revision }), replaces),
  Domain: (revision, replaces) => put.domain(senderDomain({ revision }), replaces),
  Contact: (revision, replaces) => put.contact(contact({ revision }), replaces),
  Suppression: (revision, replaces) => put.suppression(suppression({ revision }), replaces)
}

const revisionReplaced = storeLaw(
  "guards/replaces-what-was-read",
  { says: "A record replaces exactly the revision it names, or none when it names none.", why },
  (store) =>
    Effect.forEach(
      Object.entries(revisioned),
      ([kind, at]) =>
        Effect.gen(function* () {
          const tries: ReadonlyArray<readonly [revision: number, replaces: number | null, fate: string]> = [
            [2, 1, "NotFound"],
            [1, null, "applied"],
            [1, null, "AlreadyExists"],
            [3, 2, "Stale"],
            [2, 1, "applied"],
            [2, 1, "Stale"],
            [3, 2, "applied"]
          ]
          for (const [revision, replaces, fate] of tries)
            yield* same(
              `${kind} ${revision} in place of ${replaces}`,
              yield* fateOf(commit(store, at(revision, replaces))),
              fate
            )
        }),
      { discard: true }
    )
)

const expectStands = storeLaw(
  "guards/expected-still-stands",
  {
    says: "Expect holds while the record stands at the revision, or does not stand where none was; it writes nothing.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const refs: ReadonlyArray<readonly [RecordRef, Change]> = [
        [{ kind: "ApiKey", id: "key_1" }, put.apiKey(apiKey({ revision: 5 }))],
        [{ kind: "Domain", projectId, domain: "a.example" }, put.domain(senderDomain({ revision: 5 }))],
        [{ kind: "Suppression", projectId, addressKey: "key-of-ada" }, put.suppression(suppression({ revision: 5 }))],
        [{ kind: "Definition", id: "lst_1" }, put.definition(definition({ revision: 5 }))],
        [{ kind: "ContactAddress", projectId, address: "ada@example.org" }, put.contact(contact({ revision: 5 }))]
      ]
      const expect = (record: RecordRef, revision: number | null) =>
        fateOf(commit(store, { _tag: "Expect", record, revision }))
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
  { says: "An Expect that fails keeps the other changes of its commit out.", why },
  (store) =>
    Effect.gen(function* () {
      const record = { kind: "Suppression", projectId, addressKey: "key-of-ada" } as const
      yield* commit(store, put.suppression(suppression()))
      yield* fateOf(commit(store, { _tag: "Expect", record, revision: null }, put.setting("sent")))
      yield* same("the setting of the refused commit", yield* setting(store, "sent"), null)
    })
)

const oneWinner = storeLaw(
  "guards/one-writer-wins",
  { says: "Of many writers of one revision at once exactly one wins; the others are stale.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.suppression(suppression()))
      const fates = yield* fatesOf(
        Array.from({ length: 50 }, () => commit(store, put.suppression(suppression({ revision: 2 }), 1)))
      )
      yield* same("the fates", tally(fates), { applied: 1, Stale: 49 })
    })
)

const expectRaced = storeLaw(
  "guards/expected-still-stands-in-a-race",
  { says: "Of two commits at once that each expect what the other writes not to stand, exactly one is applied.", why },
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
          const fates = yield* fatesOf([unless(one, other), unless(other, one)])
          yield* same("the fates", tally(fates), { applied: 1, AlreadyExists: 1 })
        }),
      { discard: true }
    )
)

const tokenFences = storeLaw(
  "guards/delivery-moves-under-its-token",
  {
    says: "A delivery moves only from the status and under the token that the change names.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const held = delivery({ token: 7 })
      const next = { ...deliveryState(held), token: 8, statusMessage: "moved" }
      const move = (id: "del_1" | "del_9", from: "queued" | "sending", token: number) =>
        fateOf(commit(store, { _tag: "MoveDelivery", id, from, token, next }))
      yield* commit(store, insert.delivery(held))
      yield* same("a move of nothing", yield* move("del_9", "queued", 7), "NotFound")
      yield* same("a move under an older token", yield* move("del_1", "queued", 6), "Stale")
      yield* same("a move under a newer token", yield* move("del_1", "queued", 8), "Stale")
      yield* same("a move from another status", yield* move("del_1", "sending", 7), "Stale")
      yield* same("the delivery", yield* deliveryOf(store, "del_1"), held)
      yield* same("the move it names", yield* move("del_1", "queued", 7), "applied")
      yield* same("the same move again", yield* move("del_1", "queued", 7), "Stale")
    })
)

const attemptFences = storeLaw(
  "guards/attempt-moves-under-its-delivery",
  {
    says: "An attempt moves only from the phase named, while its delivery is sending under the token named.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", worker: "w", token: 3 })
      const next = { ...freshAttempt, phase: "dot" } as const
      const move = (number: number, token: number, from: "started" | "dot") =>
        fateOf(commit(store, { _tag: "MoveAttempt", deliveryId: "del_1", number, token, from, next }))
      yield* commit(store, insert.delivery(sending), insert.attempt(attempt()))
      yield* same("of no attempt", yield* move(2, 3, "started"), "NotFound")
      yield* same("under another token", yield* move(1, 2, "started"), "Stale")
      yield* same("from another phase", yield* move(1, 3, "dot"), "Stale")
      yield* same("as it is", yield* move(1, 3, "started"), "applied")
      yield* same("the attempts", yield* ask(store, { _tag: "Attempts", deliveryId: "del_1" }), [
        { ...attempt(), ...next }
      ])
      const queued = { ...deliveryState(sending), status: "queued", worker: null } as const
      yield* commit(store, { _tag: "MoveDelivery", id: "del_1", from: "sending", token: 3, next: queued })
      yield* same("once its delivery has left", yield* move(1, 3, "dot"), "Stale")
    })
)

const movedTogether = storeLaw(
  "guards/attempt-and-delivery-move-together",
  { says: "An attempt and its delivery move in one commit: the attempt is judged by the delivery as it was.", why },
  (store) =>
    Effect.gen(function* () {
      const sending = delivery({ status: "sending", worker: "w", token: 3 })
      yield* commit(store, insert.delivery(sending), insert.attempt(attempt()))
      const fate = yield* fateOf(
        commit(
          store,
          {
            _tag: "MoveDelivery",
            id: "del_1",
            from: "sending",
            token: 3,
            next: { ...deliveryState(sending), status: "delivered", worker: null, dueAt: null, token: 4 }
          },
          {
            _tag: "MoveAttempt",
            deliveryId: "del_1",
            number: 1,
            token: 3,
            from: "started",
            next: { ...freshAttempt, phase: "ended", outcome: "delivered" }
          }
        )
      )
      yield* same("the commit's fate", fate, "applied")
    })
)

const publicIdUnique = storeLaw(
  "guards/public-id-is-unique",
  { says: "No two API keys have one public id, in whatever project.", why: "decisions/0014-api-keys.md" },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.apiKey(apiKey()))
      const second = apiKey({ id: "key_2", projectId: "prj_other" })
      yield* same("a second key", yield* fateOf(commit(store, put.apiKey(second))), "AlreadyExists")
      yield* commit(store, put.apiKey({ ...second, publicId: "public000002" }))
      const clash = put.apiKey({ ...second, revision: 2 }, 1)
      yield* same("a key that takes the other's", yield* fateOf(commit(store, clash)), "AlreadyExists")
    })
)

const touchIsLight = storeLaw(
  "guards/touched-key-keeps-its-revision",
  {
    says: "Noting a key's use changes that alone, and is no conflict where no key is.",
    why: "decisions/0014-api-keys.md"
  },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.apiKey(apiKey()))
      yield* commit(store, { _tag: "TouchApiKey", id: "key_1", lastUsedAt: noon + 5 })
      yield* same("the key", yield* ask(store, { _tag: "ApiKey", id: "key_1" }), apiKey({ lastUsedAt: noon + 5 }))
      const nobody = commit(store, { _tag: "TouchApiKey", id: "key_9", lastUsedAt: noon })
      yield* same("the use of no key", yield* fateOf(nobody), "applied")
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

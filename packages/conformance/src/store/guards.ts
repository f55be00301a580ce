/**
 * Laws of guards: a change is applied only if the facts of its decision are still true.
 */
import type { Change, RecordRef } from "@mailkeep/core/adapter"
import { resultOf, resultsOf, same, tally } from "../expectation.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"
import { commit, commitResult, expectRevision, insert, put, touchApiKey } from "./changes.ts"
import { ask, setting } from "./queries.ts"
import { noon, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"

const law = storeLawsFor("decisions/0001-core-decides.md")

const insertOnce = law(
  "guards/inserted-once",
  "A new record is refused if the record exists, and the existing record stays unchanged.",
  function* (store) {
    const [first, second] = ["first", "second"].map((word): ReadonlyArray<Change> => [
      put.setting("s", word),
      insert.message(sample.message({ subject: word })),
      insert.delivery(sample.delivery({ statusMessage: word })),
      insert.attempt(sample.attempt({ statusMessage: word })),
      insert.event(sample.event({ occurredAt: word === "first" ? noon : noon + 1 }))
    ])
    yield* commit(store, ...first!)
    for (const change of second!)
      yield* same(`a second ${change._tag}`, yield* commitResult(store, change), "AlreadyExists")
    const [value, sent, inserted, attempts, events] = yield* store.read([
      { _tag: "Setting", name: "s" },
      { _tag: "Message", projectId, id: "msg_1" },
      { _tag: "Delivery", projectId, id: "del_1" },
      { _tag: "Attempts", projectId, deliveryId: "del_1" },
      { _tag: "Events", projectId, after: null, limit: 9 }
    ])
    yield* same(
      "the existing records",
      [
        value,
        sent?.subject,
        inserted?.statusMessage,
        attempts.map((one) => one.statusMessage),
        events.map((one) => one.occurredAt)
      ],
      ["first", "first", "first", ["first"], [noon]]
    )
  }
)

/** Makes a record of each kind at a revision. */
const revisioned: Readonly<Record<string, (revision: number, replaces: number | null) => Change>> = {
  Project: (revision, replaces) => put.project(sample.project({ revision }), replaces),
  ApiKey: (revision, replaces) => put.apiKey(sample.apiKey({ revision }), replaces),
  Domain: (revision, replaces) => put.domain(sample.senderDomain({ revision }), replaces),
  Contact: (revision, replaces) => put.contact(sample.contact({ revision }), replaces),
  Suppression: (revision, replaces) => put.suppression(sample.suppression({ revision }), replaces)
}

const revisionReplaced = law(
  "guards/replaces-what-was-read",
  "A record replaces exactly the revision that its change names. If the change names none, the record must not exist.",
  function* (store) {
    for (const [kind, at] of Object.entries(revisioned)) {
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
          yield* commitResult(store, at(revision, replaces)),
          result
        )
    }
  }
)

const expectStands = law(
  "guards/expected-is-unchanged",
  "Expect holds if the record is at the expected revision, or is absent if none is expected. It writes nothing.",
  function* (store) {
    const refs: ReadonlyArray<readonly [RecordRef, Change]> = [
      [{ kind: "ApiKey", projectId, id: "key_1" }, put.apiKey(sample.apiKey({ revision: 5 }))],
      [{ kind: "Domain", projectId, domain: "a.example" }, put.domain(sample.senderDomain({ revision: 5 }))],
      [
        { kind: "Suppression", projectId, addressKey: "key-of-ada" },
        put.suppression(sample.suppression({ revision: 5 }))
      ],
      [{ kind: "Resource", projectId, id: "lst_1" }, put.resource(sample.resource({ revision: 5 }))],
      [{ kind: "ContactAddress", projectId, address: "ada@example.org" }, put.contact(sample.contact({ revision: 5 }))]
    ]
    const expect = (record: RecordRef, revision: number | null) => commitResult(store, expectRevision(record, revision))
    for (const [record, make] of refs) {
      yield* same(`no ${record.kind}, none expected`, yield* expect(record, null), "applied")
      yield* same(`no ${record.kind}, one expected`, yield* expect(record, 5), "NotFound")
      yield* commit(store, make)
      yield* same(`a ${record.kind}, as expected`, yield* expect(record, 5), "applied")
      yield* same(`a ${record.kind}, another expected`, yield* expect(record, 4), "Stale")
      yield* same(`a ${record.kind}, none expected`, yield* expect(record, null), "AlreadyExists")
    }
  }
)

const expectGuards = law(
  "guards/expect-keeps-the-rest-out",
  "When an Expect fails, nothing of its commit is kept.",
  function* (store) {
    const record = { kind: "Suppression", projectId, addressKey: "key-of-ada" } as const
    yield* commit(store, put.suppression(sample.suppression()))
    yield* commitResult(store, expectRevision(record, null), put.setting("sent"))
    yield* same("the setting of the refused commit", yield* setting(store, "sent"), null)
  }
)

const oneWinner = law(
  "guards/one-writer-wins",
  "Of many concurrent writers of one revision exactly one wins. The others fail as stale.",
  function* (store) {
    yield* commit(store, put.suppression(sample.suppression()))
    const results = yield* resultsOf(
      Array.from({ length: 50 }, () => commit(store, put.suppression(sample.suppression({ revision: 2 }), 1)))
    )
    yield* same("the results", tally(results), { applied: 1, Stale: 49 })
  }
)

const expectRaced = law(
  "guards/expected-is-unchanged-in-a-race",
  "Of two concurrent commits that each expect the other's record to be absent, exactly one is applied.",
  function* (store) {
    for (const n of Array.from({ length: 40 }, (_, n) => n)) {
      const [one, other] = [`one${n}`, `other${n}`]
      const unless = (absent: string, made: string) =>
        commit(
          store,
          expectRevision({ kind: "Suppression", projectId, addressKey: absent }, null),
          put.suppression(sample.suppression({ addressKey: made }))
        )
      const results = yield* resultsOf([unless(one, other), unless(other, one)])
      yield* same("the results", tally(results), { applied: 1, AlreadyExists: 1 })
    }
  }
)

const publicIdUnique = law(
  "guards/public-id-is-unique",
  { statement: "No two API keys of a project have the same public id.", why: "decisions/0014-api-keys.md" },
  function* (store) {
    yield* commit(store, put.apiKey(sample.apiKey()))
    const second = sample.apiKey({ id: "key_2" })
    yield* same("a second API key with the public id", yield* commitResult(store, put.apiKey(second)), "AlreadyExists")
    yield* commit(store, put.apiKey({ ...second, publicId: "public000002" }))
    const clash = put.apiKey({ ...second, revision: 2 }, 1)
    yield* same(
      "an API key that changes to the public id of another",
      yield* commitResult(store, clash),
      "AlreadyExists"
    )
  }
)

const touchIsLight = law(
  "guards/touched-key-keeps-its-revision",
  {
    statement:
      "Recording the use of an API key changes only that field. It is no conflict if the API key does not exist.",
    why: "decisions/0014-api-keys.md"
  },
  function* (store) {
    yield* commit(store, put.apiKey(sample.apiKey()))
    yield* commit(store, touchApiKey("key_1", noon + 5))
    yield* same(
      "the key",
      yield* ask(store, { _tag: "ApiKey", projectId, id: "key_1" }),
      sample.apiKey({ lastUsedAt: noon + 5 })
    )
    yield* commit(store, touchApiKey("key_1", noon + 9))
    yield* same(
      "the key later",
      yield* ask(store, { _tag: "ApiKey", projectId, id: "key_1" }),
      sample.apiKey({ lastUsedAt: noon + 9 })
    )
    const nobody = commit(store, touchApiKey("key_9", noon))
    yield* same("the use of an API key that does not exist", yield* resultOf(nobody), "applied")
    yield* same("no key", yield* ask(store, { _tag: "ApiKey", projectId, id: "key_9" }), null)
  }
)

export const guardLaws: ReadonlyArray<StoreLaw> = [
  insertOnce,
  revisionReplaced,
  expectStands,
  expectGuards,
  oneWinner,
  expectRaced,
  publicIdUnique,
  touchIsLight
]

/**
 * Laws of commits that arrive together: each has the result that it would have in some order.
 */
import type { Change, RecordRef } from "@mailkeep/core/adapter"
import { resultsOf, same, tally } from "../expectation.ts"
import { commit, expectRevision, insert, put } from "./changes.ts"
import { ask } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0037-one-commit.md")

const inserts: ReadonlyArray<Change> = [
  put.setting("color"),
  put.project(sample.project()),
  put.apiKey(sample.apiKey()),
  put.domain(sample.senderDomain()),
  put.resource(sample.resource()),
  put.contact(sample.contact()),
  put.suppression(sample.suppression()),
  put.idempotency(sample.idempotencyRecord()),
  insert.message(sample.message({ attachments: [] })),
  insert.delivery(sample.delivery()),
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

/** Records that a commit can expect to be absent, each with the change that makes it. */
const expectable = (name: string): ReadonlyArray<readonly [RecordRef, Change]> => [
  [{ kind: "ApiKey", projectId, id: `key_${name}` }, put.apiKey(sample.apiKey({ id: `key_${name}`, publicId: name }))],
  [{ kind: "Resource", projectId, id: `lst_${name}` }, put.resource(sample.resource({ id: `lst_${name}`, name }))],
  [{ kind: "Domain", projectId, domain: name }, put.domain(sample.senderDomain({ id: `dom_${name}`, domain: name }))],
  [{ kind: "Suppression", projectId, addressKey: name }, put.suppression(sample.suppression({ addressKey: name }))],
  [
    { kind: "ContactAddress", projectId, address: `${name}@example.org` },
    put.contact(sample.contact({ id: `con_${name}`, address: `${name}@example.org` }))
  ]
]

const expectedOfEachKind = law(
  "guards/each-kind-is-expected-in-a-race",
  "Of two concurrent commits that each expect the other's record to be absent, exactly one is applied, for each kind of record.",
  function* (store) {
    for (let round = 0; round < 12; round++) {
      const others = expectable(`other${round}`)
      for (const [n, [one, makeOne]] of expectable(`one${round}`).entries()) {
        const [other, makeOther] = others[n]!
        const results = yield* resultsOf([
          commit(store, expectRevision(other, null), makeOne),
          commit(store, expectRevision(one, null), makeOther)
        ])
        yield* same(`the results with ${one.kind}`, tally(results), { applied: 1, AlreadyExists: 1 })
      }
    }
  }
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

export const concurrentWriteLaws: ReadonlyArray<StoreLaw> = [oneInserted, expectedOfEachKind, rewrittenAmongOthers]

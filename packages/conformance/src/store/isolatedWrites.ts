/**
 * Laws of isolation for writes: a guard sees only the records of its project, and a change writes only to its project.
 */
import type { Change, MailStoreShape, RecordRef } from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { queriesByName, queriesOf } from "./isolation.ts"
import {
  checkResult,
  commit,
  commitResult,
  distributeEvent,
  expectRevision,
  extendIdempotency,
  finalizing,
  insert,
  transition,
  put,
  remove,
  spend,
  touchApiKey
} from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { ask, counter } from "./queries.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0014-api-keys.md")

/** The records of a project that can have the same name in another project. */
const namedRecords = (project: string, name: string, revision: number) => ({
  domain: sample.senderDomain({ id: `dom_${project}${name}`, projectId: project, domain: `${name}.example`, revision }),
  contact: sample.contact({
    id: `con_${project}${name}`,
    projectId: project,
    address: `${name}@example.org`,
    revision
  }),
  suppression: sample.suppression({ projectId: project, addressKey: name, address: `${name}@example.org`, revision }),
  list: sample.resource({ id: `lst_${project}${name}`, projectId: project, name, revision }),
  idempotency: sample.idempotencyRecord({ projectId: project, key: name })
})

const insertAll = (store: MailStoreShape, project: string, name: string, revision = 1) => {
  const { domain, contact: person, suppression: reasons, list, idempotency } = namedRecords(project, name, revision)
  return commit(
    store,
    put.domain(domain),
    put.contact(person),
    put.suppression(reasons),
    put.resource(list),
    put.idempotency(idempotency),
    spend(1, null, "allowance", project),
    spend(1, null, `list:${name}`, project)
  )
}

const refsOf = (name: string): ReadonlyArray<RecordRef> => [
  { kind: "Domain", projectId, domain: `${name}.example` },
  { kind: "Suppression", projectId, addressKey: name },
  { kind: "ContactAddress", projectId, address: `${name}@example.org` }
]

/** Other projects. The id of one of them differs only in case. */
const foreignIds = [otherId, projectId.toUpperCase()]

const expectsWithin = law(
  "isolation/expect-reads-one-project",
  "Expect compares only the record of its own project, whatever other projects have.",
  function* (store) {
    for (const foreignId of foreignIds) {
      // The order of the inserts decides which record a lookup without the project finds first.
      yield* insertAll(store, projectId, `early ${foreignId}`, 5)
      yield* insertAll(store, foreignId, `early ${foreignId}`, 7)
      yield* insertAll(store, foreignId, `late ${foreignId}`, 7)
      yield* insertAll(store, projectId, `late ${foreignId}`, 5)
      yield* insertAll(store, foreignId, `foreign ${foreignId}`, 7)
    }
    const expected = (record: RecordRef, revision: number | null) =>
      commitResult(store, expectRevision(record, revision))
    for (const name of foreignIds.flatMap((id) => [`early ${id}`, `late ${id}`]))
      for (const record of refsOf(name)) {
        const label = JSON.stringify(record)
        yield* same(`the revision of the own record, ${label}`, yield* expected(record, 5), "applied")
        yield* same(`the revision of the other record, ${label}`, yield* expected(record, 7), "Stale")
      }
    for (const record of foreignIds.flatMap((id) => refsOf(`foreign ${id}`))) {
      const label = JSON.stringify(record)
      yield* same(`no record, ${label}`, yield* expected(record, null), "applied")
      yield* same(`the revision of another project's record, ${label}`, yield* expected(record, 7), "NotFound")
    }
  }
)

/** Changes of a project's own records, each of which applies. */
const ownChanges = (name: string): ReadonlyArray<Change> => {
  const own = namedRecords(projectId, name, 2)
  return [
    put.domain({ ...own.domain, verificationError: "changed" }, 1),
    remove.domain(own.domain.domain, 2),
    put.contact({ ...own.contact, firstName: "Changed", listIds: [] }, 1),
    remove.contact(own.contact.id, 2),
    put.suppression({ ...own.suppression, reasons: { complaint: noon } }, 1),
    put.resource({ ...own.list, name: `new ${name}` }, 1),
    remove.resource(own.list.id, 2),
    extendIdempotency(name, noon + 5),
    put.idempotency({ ...own.idempotency, fingerprint: "changed", expiresAt: noon + 99 }, noon + 5),
    spend(3),
    spend(-1),
    spend(1, 99),
    spend(1, null, `list:${name}`)
  ]
}

const writesWithin = law(
  "isolation/no-project-changes-another",
  "A change of a record leaves the record with the same name in another project unchanged.",
  function* (store) {
    const cases = foreignIds.flatMap((foreignId) => [
      { name: `early ${foreignId}`, foreignId, projects: [projectId, foreignId] },
      { name: `late ${foreignId}`, foreignId, projects: [foreignId, projectId] }
    ])
    for (const { name, foreignId, projects } of cases) {
      for (const project of projects) yield* insertAll(store, project, name)
      const whole = yield* store.read(queriesOf(foreignId, name))
      const before = yield* store.read(queriesByName(foreignId, name))
      for (const change of ownChanges(name)) {
        const label = JSON.stringify(change)
        yield* checkResult(store, change, "applied")
        const after = yield* store.read(queriesByName(foreignId, name))
        yield* same(`the records of ${foreignId} after ${label}`, after, before)
      }
      const left = yield* store.read(queriesOf(foreignId, name))
      yield* same(`all records of ${foreignId} after the changes`, left, whole)
    }
  }
)

/** Changes in a project that has no records, each with its result. The names are those of records of another project. */
const changesByForeignNames = (foreignId: string): ReadonlyArray<readonly [Change, string]> => {
  const name = `foreign ${foreignId}`
  const { domain, contact: person, suppression: reasons, list } = namedRecords(foreignId, name, 2)
  const own = (n: number) => ({ id: `con_${foreignId}${n}`, address: `own ${foreignId}${n}` }) as const
  const ownList = (n: number) => ({ id: `lst_${foreignId}${n}`, name: `own ${foreignId}${n}` }) as const
  return [
    [put.contact(sample.contact(own(1))), "applied"],
    [put.resource(sample.resource(ownList(1))), "applied"],
    [put.domain({ ...domain, projectId }, 1), "NotFound"],
    [remove.domain(domain.domain, 1), "NotFound"],
    [put.suppression({ ...reasons, projectId }, 1), "NotFound"],
    [extendIdempotency(name, noon + 5), "applied"],
    [spend(4, 3, `list:${foreignId}`), "Exhausted"],
    [spend(3, 3, `list:${foreignId}`), "applied"],
    [put.contact(sample.contact({ ...own(1), address: person.address, revision: 2 }), 1), "applied"],
    [put.resource(sample.resource({ ...ownList(1), name: list.name, revision: 2 }), 1), "applied"],
    [put.contact(sample.contact({ ...own(2), address: own(1).address })), "applied"],
    [put.resource(sample.resource({ ...ownList(2), name: ownList(1).name })), "applied"],
    [put.domain({ ...domain, id: `dom_own${foreignId}`, projectId, revision: 1 }), "applied"],
    [put.suppression({ ...reasons, projectId, revision: 1 }), "applied"],
    [put.idempotency(sample.idempotencyRecord({ key: name, fingerprint: "own" })), "applied"]
  ]
}

const guardsWithin = law(
  "isolation/guards-see-one-project",
  "A guard finds no record of another project: it is absent, its name is free, and its counter is 0.",
  function* (store) {
    for (const foreignId of foreignIds) {
      const name = `foreign ${foreignId}`
      yield* insertAll(store, foreignId, name)
      yield* commit(store, spend(9, null, `list:${foreignId}`, foreignId))
      const before = yield* store.read(queriesOf(foreignId, name))
      for (const [change, result] of changesByForeignNames(foreignId)) yield* checkResult(store, change, result)
      yield* same(`the records of ${foreignId}`, yield* store.read(queriesOf(foreignId, name)), before)
      yield* same("the own counter", yield* counter(store, `list:${foreignId}`), 3)
    }
  }
)

const sending = sample.delivery({ projectId: otherId, status: "sending", worker: "w", fencingToken: 3 })
const pending = sample.eventDelivery({ projectId: otherId })

/** Changes that name a record of another project by its id, with every other part of their guards right. Each has its result. */
const changesByForeignIds: ReadonlyArray<readonly [Change, string]> = [
  [expectRevision({ kind: "ApiKey", projectId, id: "key_1" }, 1), "NotFound"],
  [expectRevision({ kind: "ApiKey", projectId, id: "key_1" }, null), "applied"],
  [expectRevision({ kind: "Resource", projectId, id: "lst_1" }, 1), "NotFound"],
  [expectRevision({ kind: "Resource", projectId, id: "lst_1" }, null), "applied"],
  [put.apiKey(sample.apiKey({ revision: 2 }), 1), "NotFound"],
  [touchApiKey("key_1", noon), "applied"],
  [put.resource(sample.resource({ revision: 2 }), 1), "NotFound"],
  [remove.resource("lst_1", 1), "NotFound"],
  [put.contact(sample.contact({ revision: 2 }), 1), "NotFound"],
  [remove.contact("con_1", 1), "NotFound"],
  [insert.attempt(sample.attempt({ number: 2 })), "NotFound"],
  [transition.attempt("del_1", 1, "started", 3, finalizing), "NotFound"],
  [transition.delivery("del_1", "sending", 3, { ...deliveryState(sending), statusMessage: "moved" }), "NotFound"],
  [distributeEvent("evt_1"), "NotFound"],
  [transition.eventDelivery("evd_1", "pending", 0, { ...eventDeliveryState(pending), attemptCount: 9 }), "NotFound"],
  ...(
    [
      { kind: "Message", record: sample.message() },
      { kind: "Delivery", record: { ...sending, projectId } },
      { kind: "Attempt", record: sample.attempt() },
      { kind: "Event", record: { event: sample.event(), isDistributed: false } }
    ] as const
  ).map((before) => [{ _tag: "RewriteRecord", before, after: null } as Change, "NotFound"] as const),
  [remove.record({ kind: "ApiKey", record: sample.apiKey() }), "NotFound"],
  [remove.record({ kind: "EventDelivery", record: { ...pending, projectId } }), "NotFound"]
]

const idsWithin = law(
  "isolation/changes-find-their-project",
  "A change that names a record of another project by its id finds no record, and leaves that record unchanged.",
  function* (store) {
    const of = { projectId: otherId }
    yield* commit(
      store,
      put.apiKey(sample.apiKey(of)),
      put.resource(sample.resource(of)),
      put.contact(sample.contact(of)),
      insert.message(sample.message(of)),
      insert.delivery(sending),
      insert.attempt(sample.attempt(of)),
      insert.event(sample.event(of)),
      insert.eventDelivery(pending)
    )
    const before = yield* store.read(queriesOf(otherId))
    for (const [change, result] of changesByForeignIds) {
      yield* checkResult(store, change, result)
      yield* same(`the records after ${JSON.stringify(change)}`, yield* store.read(queriesOf(otherId)), before)
    }
    const waiting = yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })
    yield* same("the events to distribute", waiting, [sample.event(of)])
  }
)

export const isolatedWriteLaws: ReadonlyArray<StoreLaw> = [expectsWithin, writesWithin, guardsWithin, idsWithin]

/**
 * Laws of records with the same ids in two projects. A store may refuse the second one; then nothing is left to check. A store that keeps both
 * changes, claims, sweeps, lists and searches them apart.
 */
import type { Change, ContactRecord, MailStoreShape, RewritableKind, StoredRecordOf } from "@mailkeep/core/adapter"
import { deliveryState, eventDeliveryState, noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { claim } from "./claims.ts"
import {
  checkResult,
  commit,
  commitResult,
  distributeEvent,
  finalizing,
  insert,
  transition,
  put,
  remove,
  touchApiKey
} from "./changes.ts"
import { queriesOf } from "./isolation.ts"
import { ask } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0071-postgres-tables.md")

const projects = [otherId, projectId]

/** Inserts records of both projects, each project in one commit. Returns whether the store keeps those of both. */
const insertBoth = (store: MailStoreShape, changesOf: (project: string) => ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    yield* commit(store, ...changesOf(otherId))
    const result = yield* commitResult(store, ...changesOf(projectId))
    yield* same("whether the second project's records are kept", ["applied", "AlreadyExists"].includes(result), true)
    return result === "applied"
  })

const sending = { status: "sending", worker: "w", fencingToken: 3 } as const

const recordsOf = (project: string): ReadonlyArray<Change> => {
  const of = { projectId: project }
  return [
    put.apiKey(sample.apiKey({ ...of, publicId: `public of ${project}` })),
    put.resource(sample.resource(of)),
    put.contact(sample.contact(of)),
    insert.message(sample.message({ ...of, attachments: [] })),
    insert.delivery(sample.delivery({ ...of, ...sending })),
    insert.attempt(sample.attempt(of)),
    insert.event(sample.event(of)),
    insert.eventDelivery(sample.eventDelivery(of))
  ]
}

const changes: ReadonlyArray<Change> = [
  touchApiKey("key_1", noon + 5),
  put.apiKey(sample.apiKey({ publicId: `public of ${projectId}`, name: "Changed", revision: 2 }), 1),
  put.apiKey(sample.apiKey({ publicId: "another public id", revision: 3 }), 2),
  put.resource(sample.resource({ content: { name: "Changed", description: "" }, revision: 2 }), 1),
  put.resource(sample.resource({ name: "changed", revision: 3 }), 2),
  put.contact(sample.contact({ firstName: "Changed", listIds: ["lst_2"], revision: 2 }), 1),
  put.contact(sample.contact({ address: "changed@example.org", listIds: [], revision: 3 }), 2),
  insert.attempt(sample.attempt({ number: 2 })),
  transition.attempt("del_1", 1, "started", 3, finalizing),
  transition.delivery("del_1", "sending", 3, { ...deliveryState(sample.delivery(sending)), statusMessage: "changed" }),
  distributeEvent("evt_1"),
  transition.eventDelivery("evd_1", "pending", 0, { ...eventDeliveryState(sample.eventDelivery()), attemptCount: 9 }),
  remove.contact("con_1", 3),
  remove.resource("lst_1", 3)
]

/** The changed record of a rewrite. */
const rewritten = (one: StoredRecordOf<RewritableKind>): StoredRecordOf<RewritableKind> => {
  switch (one.kind) {
    case "Message":
      return { ...one, record: { ...one.record, subject: "rewritten" } }
    case "Delivery":
      return { ...one, record: { ...one.record, recipient: "rewritten@example.org" } }
    case "Attempt":
      return { ...one, record: { ...one.record, statusMessage: "rewritten" } }
    case "Event":
      return { ...one, record: { event: { ...one.record.event, occurredAt: noon + 7 }, isDistributed: false } }
    case "Idempotency":
      return { ...one, record: { ...one.record, fingerprint: "rewritten" } }
  }
}

const rewrites = ["Attempt", "Event", "Delivery", "Message"] as const

const changedApart = law(
  "isolation/same-ids-are-changed-apart",
  "Where two projects have records with the same ids, a change, a rewrite and a removal in one project leave the records of the other unchanged.",
  function* (store) {
    if (!(yield* insertBoth(store, recordsOf))) return
    const before = yield* store.read(queriesOf(otherId))
    const unchanged = (when: string) =>
      Effect.flatMap(store.read(queriesOf(otherId)), (now) => same(`the other project after ${when}`, now, before))
    for (const change of changes) {
      yield* checkResult(store, change, "applied")
      yield* unchanged(JSON.stringify(change))
    }
    yield* same("the events to distribute", yield* ask(store, { _tag: "UndistributedEvents", limit: 9 }), [
      sample.event({ projectId: otherId })
    ])
    for (const kind of rewrites) {
      const [first] = yield* ask(store, { _tag: "Records", kind, projectId, after: null, limit: 1 })
      const before = first as StoredRecordOf<RewritableKind>
      const after = rewritten(before)
      yield* checkResult(store, { _tag: "RewriteRecord", before, after }, "applied")
      yield* unchanged(`a rewrite of ${kind}`)
      yield* checkResult(store, { _tag: "RewriteRecord", before: after, after: null }, "applied")
      yield* unchanged(`the deletion of ${kind}`)
    }
  }
)

const claimedApart = law(
  "isolation/same-ids-are-claimed-apart",
  "Where two projects have deliveries with the same id, a claim of one of them leaves the other unclaimed. The same holds for event deliveries.",
  function* (store) {
    const records = (project: string) => [
      insert.delivery(sample.delivery({ projectId: project })),
      insert.eventDelivery(sample.eventDelivery({ projectId: project }))
    ]
    if (!(yield* insertBoth(store, records))) return
    const workers = (worker: string) =>
      Effect.forEach(projects, (project) =>
        Effect.map(
          store.read([
            { _tag: "Delivery", projectId: project, id: "del_1" },
            { _tag: "EventDelivery", projectId: project, id: "evd_1" }
          ]),
          (both) => both.filter((one) => one?.worker === worker).length
        )
      ).pipe(Effect.map((counts) => counts.reduce((sum, count) => sum + count, 0)))
    const events = { subscriber: "whk_1", now: noon, leaseUntil: noon + 9 }
    for (const worker of ["w1", "w2"]) {
      const deliveries = yield* claim(store, { worker, limit: 1 })
      const eventDeliveries = yield* store.claimEventDeliveries({ ...events, worker, limit: 1 })
      yield* same("the claimed ids", [idsOf(deliveries), idsOf(eventDeliveries)], [["del_1"], ["evd_1"]])
      yield* same(`the records with the worker ${worker}`, yield* workers(worker), 2)
    }
  }
)

const sweptApart = law(
  "isolation/same-ids-are-swept-apart",
  "Where two projects have records with the same ids, a sweep deletes only those that are old enough.",
  function* (store) {
    const ended = { status: "delivered", dueAt: null } as const
    const records = (project: string) => {
      const at = project === projectId ? noon - 9 : noon
      const of = { projectId: project }
      return [
        put.idempotency(sample.idempotencyRecord({ ...of, expiresAt: at }), noon - 20),
        insert.message(sample.message({ ...of, attachments: [], createdAt: at })),
        insert.delivery(sample.delivery({ ...of, ...ended, createdAt: at, queuedAt: at, deliveredAt: at })),
        insert.attempt(sample.attempt({ ...of, startedAt: at })),
        insert.message(sample.message({ ...of, id: "msg_2", attachments: [], createdAt: at })),
        insert.delivery(
          sample.delivery({ ...of, ...ended, id: "del_2", messageId: "msg_2", createdAt: 1, queuedAt: 1 })
        ),
        insert.event(sample.event({ ...of, occurredAt: at })),
        insert.eventDelivery(sample.eventDelivery({ ...of, ...ended, createdAt: at, endedAt: at }))
      ]
    }
    if (!(yield* insertBoth(store, records))) return
    const before = yield* store.read(queriesOf(otherId))
    for (const kind of ["events", "idempotency", "eventDeliveries"] as const) {
      yield* same(`the number of a sweep of ${kind}`, yield* store.sweep({ kind, before: noon - 1, limit: 9 }), 1)
      yield* same(`the other project after a sweep of ${kind}`, yield* store.read(queriesOf(otherId)), before)
    }
    const swept = yield* store.sweepMessages({ before: noon - 1, after: null, limit: 9 })
    yield* same("what a sweep of messages did", swept, { deleted: 2, next: null })
    const [message, deliveries] = yield* store.read([
      { _tag: "Message", projectId: otherId, id: "msg_2" },
      { _tag: "DeliveriesOfMessage", projectId: otherId, messageId: "msg_2" }
    ])
    yield* same("the second message of the other project", [message?.id, idsOf(deliveries)], ["msg_2", ["del_2"]])
    yield* same("the other project after a sweep of messages", yield* store.read(queriesOf(otherId)), before)
    const waiting = yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })
    yield* same("the events to distribute", waiting, [sample.event({ projectId: otherId })])
  }
)

const listedApart = law(
  "isolation/same-ids-are-listed-apart",
  "Where projects have contacts and lists with the same ids, a page and a scan of a list find each contact of the list once, and no other.",
  function* (store) {
    /** In the first project, the second contact is on a list whose id differs only in case. Of the last two contacts, one is on the list. */
    const records = (project: string) => [
      put.contact(sample.numberedContact(1, { projectId: project, listIds: ["lst_a"] })),
      put.contact(
        sample.numberedContact(2, { projectId: project, listIds: project === projectId ? ["lst_A"] : ["lst_a"] })
      ),
      put.contact(sample.numberedContact(3, { id: "con_A", projectId: project, listIds: [] })),
      put.contact(sample.numberedContact(4, { id: "con_a", projectId: project, listIds: ["lst_a"] }))
    ]
    if (!(yield* insertBoth(store, records))) return
    const inUpperCase = projectId.toUpperCase()
    yield* commit(store, ...records(inUpperCase))
    const part = { after: null, skip: 0, limit: 9 } as const
    for (const [project, ids] of [
      [projectId, ["con_a", "con_0001"]],
      [inUpperCase, ["con_a", "con_0002", "con_0001"]],
      [otherId, ["con_a", "con_0002", "con_0001"]]
    ] as const) {
      const expected = ids.map((id) => ({ projectId: project, id }))
      const keysOf = (items: ReadonlyArray<ContactRecord>) => items.map(({ projectId, id }) => ({ projectId, id }))
      const page = yield* ask(store, {
        _tag: "ContactPage",
        projectId: project,
        emailStatus: null,
        listId: "lst_a",
        ...part
      })
      const filters = { ...noContactFilters, listId: "lst_a" }
      const scans = yield* Effect.forEach(
        [filters, { ...filters, search: "example" }, { ...filters, search: "c" }],
        (filters) => ask(store, { _tag: "ContactScan", projectId: project, filters, ...part, scanLimit: 99 })
      )
      yield* same(`the page of the list of ${project}`, keysOf(page), expected)
      for (const { items } of scans) yield* same(`a scan of the list of ${project}`, keysOf(items), expected)
    }
  }
)

/** Projects with the subject of their message. The ids of two projects differ only in case. */
const subjects = { [otherId]: "Apples", [projectId]: "Pears", [projectId.toUpperCase()]: "Plums" }

const searchedApart = law(
  "isolation/same-ids-are-searched-apart",
  "Where projects have mail and events with the same ids, the log of each shows and finds the subject and the template of its own message. A delivery has its own events.",
  function* (store) {
    const records = (project: string) => [
      insert.message(
        sample.message({
          projectId: project,
          subject: subjects[project]!,
          templateId: `tpl_${subjects[project]}`,
          attachments: []
        })
      ),
      insert.delivery(sample.delivery({ projectId: project })),
      insert.event(sample.event({ projectId: project })),
      insert.eventDelivery(sample.eventDelivery({ projectId: project }))
    ]
    if (!(yield* insertBoth(store, records))) return
    yield* commit(store, ...records(projectId.toUpperCase()))
    const waiting = yield* ask(store, { _tag: "UndistributedEvents", limit: 9 })
    yield* same(
      "the projects of the events to distribute",
      waiting.map(({ projectId }) => projectId as string).toSorted(),
      Object.keys(subjects).toSorted()
    )
    const part = { after: null, limit: 9, scanLimit: 9 } as const
    for (const [project, own] of Object.entries(subjects)) {
      const found = (filters: Partial<typeof noLogFilters>) =>
        Effect.map(
          ask(store, { _tag: "LogPage", projectId: project, filters: { ...noLogFilters, ...filters }, ...part }),
          ({ items }) => items.map(({ subject }) => subject)
        )
      yield* same(`the log of ${project}`, yield* found({}), [own])
      const ofDelivery = { _tag: "EventsOfDelivery", projectId: project, deliveryId: "del_1" } as const
      yield* same(`the events of the delivery of ${project}`, yield* ask(store, ofDelivery), [
        {
          event: sample.event({ projectId: project }),
          eventDeliveries: [sample.eventDelivery({ projectId: project })]
        }
      ])
      for (const subject of Object.values(subjects)) {
        const expected = subject === own ? [own] : []
        yield* same(`the search of ${project} for ${subject}`, yield* found({ search: subject }), expected)
        yield* same(
          `the template of ${subject} in ${project}`,
          yield* found({ templateId: `tpl_${subject}` }),
          expected
        )
      }
    }
  }
)

export const sameIdLaws: ReadonlyArray<StoreLaw> = [changedApart, claimedApart, sweptApart, listedApart, searchedApart]

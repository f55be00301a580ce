/**
 * Laws of isolation: a project never sees or changes the records of another project.
 */
import type { Query } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import { ask, checkAnswers, counter } from "./queries.ts"
import { commit, commitResult, insert, put, spend } from "./changes.ts"
import { noon, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0014-api-keys.md")

const address = "ada@example.org"
const page = { page: 1, limit: 100 } as const

/** Queries of a project by a name that several projects use. */
export const queriesByName = (projectId: string, name: string): ReadonlyArray<Query> => [
  { _tag: "Domain", projectId, domain: `${name}.example` },
  { _tag: "ContactsByAddress", projectId, addresses: [`${name}@example.org`] },
  { _tag: "ResourceNamed", projectId, kind: "list", parent: "", name },
  { _tag: "Suppressions", projectId, addressKeys: [name] },
  { _tag: "Idempotency", projectId, key: name },
  { _tag: "Counters", projectId, names: [`list:${name}`, "allowance"] }
]

/** Every query that names a project, with the ids of records of another project. */
export const queriesOf = (projectId: string, name = "any"): ReadonlyArray<Query> => [
  ...queriesByName(projectId, name),
  { _tag: "ApiKey", projectId, id: "key_1" },
  { _tag: "ApiKeys", projectId },
  { _tag: "Domain", projectId, domain: "a.example" },
  { _tag: "DomainById", projectId, id: "dom_1" },
  { _tag: "DomainPage", projectId, filters: noDomainFilters, page },
  { _tag: "Contact", projectId, id: "con_1" },
  { _tag: "ContactsByAddress", projectId, addresses: [address] },
  ...[{}, { search: "ada" }, { listId: "lst_1" }, { emailStatus: "subscribed" as const }].flatMap((some) => {
    const filters = { ...noContactFilters, ...some }
    const { emailStatus, listId } = filters
    return [
      { _tag: "ContactPage", projectId, emailStatus, listId, after: null, skip: 0, limit: 100 },
      { _tag: "ContactScan", projectId, filters, after: null, skip: 0, limit: 100, scanLimit: 100 }
    ] as const
  }),
  { _tag: "Resource", projectId, id: "lst_1" },
  { _tag: "ResourceNamed", projectId, kind: "list", parent: "", name: "friends" },
  { _tag: "Resources", projectId, kind: "list", parent: "", after: null, limit: 100 },
  { _tag: "ResourceCount", projectId, kind: "list", parent: "" },
  { _tag: "ResourcePage", projectId, kind: "list", parent: "", page },
  { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada"] },
  {
    _tag: "SuppressionPage",
    projectId,
    search: null,
    addressPart: null,
    now: noon,
    after: null,
    limit: 100,
    scanLimit: 1000
  },
  { _tag: "Counters", projectId, names: ["scheduledRecipients", "allowance", "contacts"] },
  { _tag: "Idempotency", projectId, key: "k" },
  { _tag: "Message", projectId, id: "msg_1" },
  { _tag: "Delivery", projectId, id: "del_1" },
  { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
  { _tag: "Attempts", projectId, deliveryId: "del_1" },
  ...[{}, { address }, { contactId: "con_1" }, { search: "del_1" }].map(
    (filters) =>
      ({
        _tag: "LogPage",
        projectId,
        filters: { ...noLogFilters, ...filters },
        after: null,
        limit: 100,
        scanLimit: 1000
      }) as const
  ),
  { _tag: "Events", projectId, after: null, limit: 100 },
  { _tag: "Event", projectId, id: "evt_1" },
  { _tag: "EventsOfDelivery", projectId, deliveryId: "del_1" },
  { _tag: "EventDelivery", projectId, id: "evd_1" },
  { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after: null, limit: 100 },
  { _tag: "UsageAudit", projectId }
]

/** Projects without records. The id of one differs from the id of a project with records only in case, and that of another is its beginning. */
const strangers = [otherId, projectId.toUpperCase(), projectId.slice(0, -1)]

const unseen = law(
  "isolation/no-project-sees-another",
  "The answer to a project's query does not depend on the records of other projects.",
  function* (store) {
    const before = yield* Effect.forEach(strangers, (id) => store.read(queriesOf(id)))
    yield* commit(
      store,
      put.apiKey(sample.apiKey()),
      put.domain(sample.senderDomain()),
      put.contact(sample.contact()),
      put.resource(sample.resource()),
      put.suppression(sample.suppression()),
      put.idempotency(sample.idempotencyRecord()),
      insert.message(sample.message()),
      insert.delivery(sample.delivery()),
      insert.attempt(sample.attempt()),
      insert.event(sample.event()),
      insert.eventDelivery(sample.eventDelivery()),
      spend(1),
      spend(2, null, "scheduledRecipients"),
      spend(3, null, "contacts")
    )
    for (const [n, id] of strangers.entries()) {
      const after = yield* store.read(queriesOf(id))
      for (const [index, query] of queriesOf(id).entries())
        yield* same(JSON.stringify(query), after[index], before[n]![index])
    }
  }
)

const apart = law(
  "isolation/one-name-in-two-projects",
  "The same idempotency key, address, domain or counter in two projects is two records, each with its own guard.",
  function* (store) {
    for (const [n, projectId] of ["prj_law", otherId].entries())
      yield* commit(
        store,
        put.domain(sample.senderDomain({ id: `dom_${n}`, projectId })),
        put.contact(sample.contact({ id: `con_${n}`, projectId })),
        put.suppression(sample.suppression({ projectId, reasons: { manual: noon + n } })),
        put.idempotency(sample.idempotencyRecord({ projectId, fingerprint: `f${n}` })),
        spend(n + 1, 2, "allowance", projectId)
      )
    for (const [n, projectId] of ["prj_law", otherId].entries()) {
      const answers = yield* store.read([
        { _tag: "Domain", projectId, domain: "a.example" },
        { _tag: "ContactsByAddress", projectId, addresses: [address] },
        { _tag: "Suppressions", projectId, addressKeys: ["key-of-ada"] },
        { _tag: "Idempotency", projectId, key: "k" }
      ])
      yield* same(`the records of ${projectId}`, answers, [
        sample.senderDomain({ id: `dom_${n}`, projectId }),
        [sample.contact({ id: `con_${n}`, projectId })],
        [sample.suppression({ projectId, reasons: { manual: noon + n } })],
        sample.idempotencyRecord({ projectId, fingerprint: `f${n}` })
      ])
    }
    yield* same("one more record in the first project", yield* commitResult(store, spend(1, 2)), "applied")
    yield* same(
      "one more record in the second project",
      yield* commitResult(store, spend(1, 2, "allowance", otherId)),
      "Exhausted"
    )
    yield* same(
      "the counters",
      [yield* counter(store, "allowance"), yield* counter(store, "allowance", otherId)],
      [2, 2]
    )
  }
)

const sharedQueue = law(
  "isolation/claims-serve-every-project",
  {
    statement: "A claim takes the due deliveries and event deliveries of every project.",
    why: "decisions/0006-hand-off.md"
  },
  function* (store) {
    const projects = [projectId, otherId, "prj_third"]
    yield* Effect.forEach([...projects.entries()], ([n, projectId]) =>
      commit(store, insert.delivery(sample.delivery({ id: `del_${n}`, projectId })))
    )
    const rows = yield* store.claim({
      kind: "dueQueued",
      rotation: wholeRotation,
      now: noon,
      limit: 9,
      worker: "w",
      leaseUntil: noon + 1
    })
    yield* same(
      "the projects of the claimed deliveries",
      rows.map((row) => row.projectId),
      projects
    )
    yield* commit(
      store,
      ...projects.map((id, n) => insert.eventDelivery(sample.eventDelivery({ id: `evd_${n}`, projectId: id })))
    )
    const posts = yield* store.claimEventDeliveries({
      subscriber: "whk_1",
      now: noon,
      limit: 9,
      worker: "w",
      leaseUntil: noon + 1
    })
    yield* same(
      "the projects of the claimed event deliveries",
      posts.map((row) => row.projectId),
      projects
    )
    const other = yield* ask(store, { _tag: "Delivery", projectId: otherId, id: "del_1" })
    yield* same("the worker of the delivery of the other project", other?.worker, "w")
  }
)

const idsOfProjects = law(
  "isolation/one-id-in-two-projects",
  "A store keeps records with the same id in two projects apart, or refuses the second one.",
  function* (store) {
    const both = [
      { projectId, word: "first" },
      { projectId: otherId, word: "second" }
    ].map(({ projectId, word }) => ({
      project: projectId,
      message: sample.message({ projectId, subject: word, attachments: [] }),
      delivery: sample.delivery({ projectId, statusMessage: word }),
      contact: sample.contact({ projectId, firstName: word }),
      list: sample.resource({ projectId, name: word }),
      event: sample.event({ projectId, occurredAt: word === "first" ? noon : noon + 1 })
    }))
    for (const [n, { project, message, delivery, contact, list, event }] of both.entries()) {
      const cases = [
        [insert.message(message), { _tag: "Message", projectId: project, id: message.id }, message],
        [insert.delivery(delivery), { _tag: "Delivery", projectId: project, id: delivery.id }, delivery],
        [put.contact(contact), { _tag: "Contact", projectId: project, id: contact.id }, contact],
        [put.resource(list), { _tag: "Resource", projectId: project, id: list.id }, list],
        [insert.event(event), { _tag: "Event", projectId: project, id: event.id }, event]
      ] as const
      for (const [change, query, record] of cases) {
        const result = yield* commitResult(store, change)
        const isKept = result === "applied"
        yield* same(
          `whether ${change._tag} is applied or refused`,
          isKept || (n === 1 && result === "AlreadyExists"),
          true
        )
        yield* same(`the ${query._tag} of ${project}`, yield* ask(store, query), isKept ? record : null)
      }
    }
    const [first] = both
    yield* checkAnswers(store, [
      [{ _tag: "Message", projectId, id: "msg_1" }, first!.message],
      [{ _tag: "Delivery", projectId, id: "del_1" }, first!.delivery],
      [{ _tag: "Contact", projectId, id: "con_1" }, first!.contact],
      [{ _tag: "Resource", projectId, id: "lst_1" }, first!.list],
      [{ _tag: "Event", projectId, id: "evt_1" }, first!.event]
    ])
  }
)

export const isolationLaws: ReadonlyArray<StoreLaw> = [unseen, apart, idsOfProjects, sharedQueue]

/**
 * Laws of isolation: a project never sees or changes the records of another project.
 */
import type { Query } from "@mailkeep/core/adapter"
import { noContactFilters, noDomainFilters, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import {
  apiKey,
  ask,
  commit,
  contact,
  counter,
  resource,
  delivery,
  event,
  insert,
  message,
  noon,
  otherId,
  projectId,
  eventDelivery,
  put,
  idempotencyRecord,
  senderDomain,
  spend,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0014-api-keys.md"

const address = "ada@example.org"
const page = { page: 1, limit: 100 } as const

/** Queries of a project by a name that several projects use. */
export const questionsByName = (projectId: string, name: string): ReadonlyArray<Query> => [
  { _tag: "Domain", projectId, domain: `${name}.example` },
  { _tag: "ContactsByAddress", projectId, addresses: [`${name}@example.org`] },
  { _tag: "ResourceNamed", projectId, kind: "list", parent: "", name },
  { _tag: "Suppressions", projectId, addressKeys: [name] },
  { _tag: "Idempotency", projectId, key: name },
  { _tag: "Counters", projectId, names: [`list:${name}`, "allowance"] }
]

/** Every query that names a project, with the ids of records of another project. */
export const questionsOf = (projectId: string, name = "any"): ReadonlyArray<Query> => [
  ...questionsByName(projectId, name),
  { _tag: "ApiKeys", projectId },
  { _tag: "Domain", projectId, domain: "a.example" },
  { _tag: "DomainOfId", projectId, id: "dom_1" },
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
  { _tag: "SuppressionPage", projectId, search: null, now: noon, after: null, limit: 100, scanLimit: 1000 },
  { _tag: "Counters", projectId, names: ["scheduledRecipients", "allowance", "contacts"] },
  { _tag: "Idempotency", projectId, key: "k" },
  { _tag: "Message", projectId, id: "msg_1" },
  { _tag: "Delivery", projectId, id: "del_1" },
  { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
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
  { _tag: "EventDelivery", projectId, id: "evd_1" },
  { _tag: "EventDeliveryPage", projectId, subscriber: "whk_1", after: null, limit: 100 },
  { _tag: "UsageAudit", projectId }
]

/** Projects without records. The id of one of them differs from the id of a project with records only in case. */
const strangers = [otherId, projectId.toUpperCase()]

const unseen = storeLaw(
  "isolation/no-project-sees-another",
  { statement: "The answer to a project's query does not depend on the records of other projects.", why },
  (store) =>
    Effect.gen(function* () {
      const before = yield* Effect.forEach(strangers, (id) => store.read(questionsOf(id)))
      yield* commit(
        store,
        put.apiKey(apiKey()),
        put.domain(senderDomain()),
        put.contact(contact()),
        put.resource(resource()),
        put.suppression(suppression()),
        { _tag: "RecordIdempotency", record: idempotencyRecord(), now: noon },
        insert.message(message()),
        insert.delivery(delivery()),
        insert.event(event()),
        insert.eventDelivery(eventDelivery()),
        spend(1),
        spend(2, null, "scheduledRecipients"),
        spend(3, null, "contacts")
      )
      for (const [n, id] of strangers.entries()) {
        const after = yield* store.read(questionsOf(id))
        for (const [index, question] of questionsOf(id).entries())
          yield* same(JSON.stringify(question), after[index], before[n]![index])
      }
    })
)

const apart = storeLaw(
  "isolation/one-name-in-two-projects",
  {
    statement:
      "The same idempotency key, address, domain or counter in two projects is two records, each with its own guard.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      for (const [n, projectId] of ["prj_law", otherId].entries())
        yield* commit(
          store,
          put.domain(senderDomain({ id: `dom_${n}`, projectId })),
          put.contact(contact({ id: `con_${n}`, projectId })),
          put.suppression(suppression({ projectId, reasons: { manual: noon + n } })),
          { _tag: "RecordIdempotency", record: idempotencyRecord({ projectId, fingerprint: `f${n}` }), now: noon },
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
          senderDomain({ id: `dom_${n}`, projectId }),
          [contact({ id: `con_${n}`, projectId })],
          [suppression({ projectId, reasons: { manual: noon + n } })],
          idempotencyRecord({ projectId, fingerprint: `f${n}` })
        ])
      }
      yield* same("one more record in the first project", yield* resultOf(commit(store, spend(1, 2))), "applied")
      yield* same(
        "one more record in the second project",
        yield* resultOf(commit(store, spend(1, 2, "allowance", otherId))),
        "Exhausted"
      )
      yield* same(
        "the counters",
        [yield* counter(store, "allowance"), yield* counter(store, "allowance", otherId)],
        [2, 2]
      )
    })
)

const sharedQueue = storeLaw(
  "isolation/claims-serve-every-project",
  {
    statement: "A claim takes the due deliveries and event deliveries of every project.",
    why: "decisions/0006-hand-off.md"
  },
  (store) =>
    Effect.gen(function* () {
      const projects = [projectId, otherId, "prj_third"]
      yield* Effect.forEach([...projects.entries()], ([n, projectId]) =>
        commit(store, insert.delivery(delivery({ id: `del_${n}`, projectId })))
      )
      const rows = yield* store.claim({ kind: "dueQueued", now: noon, limit: 9, worker: "w", leaseUntil: noon + 1 })
      yield* same(
        "the projects of the claimed deliveries",
        rows.map((row) => row.projectId),
        projects
      )
      yield* commit(
        store,
        ...projects.map((id, n) => insert.eventDelivery(eventDelivery({ id: `evd_${n}`, projectId: id })))
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
      yield* same("the contact at the other project's address", other?.worker, "w")
    })
)

export const isolationLaws: ReadonlyArray<StoreLaw> = [unseen, apart, sharedQueue]

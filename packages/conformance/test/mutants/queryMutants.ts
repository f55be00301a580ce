/**
 * Mutants of the laws of queries: contacts, resources, domains, suppressions, the log and isolation.
 */
import type { ContactPredicate } from "@mailkeep/core/adapter"
import { caseFold } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { never } from "./commitMutants.ts"
import type { Mutation } from "./mutating.ts"
import { answering, asking, changing, claiming, evading, preparing, refused, rereading } from "./mutating.ts"

/** Two concurrent creates both check before either of them writes. */
const checkedApart: Mutation = (store) => ({
  ...store,
  commit: (changes) => {
    const [change] = changes
    if (change?._tag !== "PutContact") return store.commit(changes)
    const { projectId, address } = change.contact
    return Effect.gen(function* () {
      const [[holder]] = yield* store.read([{ _tag: "ContactsByAddress", projectId, addresses: [address] }])
      if (holder !== null && holder?.id !== change.contact.id) return yield* refused(change, "AlreadyExists")
      yield* Effect.yieldNow
      yield* evading("PutContact", (put) => [
        { ...put, contact: { ...put.contact, address: `${address} ${put.contact.id}` } }
      ])(store).commit(changes)
    })
  }
})

/** Never releases the previous address of a contact. */
const addressKept: Mutation = (store) => {
  const holders = new Map<string, string>()
  return preparing((_, change) => {
    if (change._tag !== "PutContact") return Effect.succeed(change)
    const { projectId, address, id } = change.contact
    const holder = holders.get(`${projectId} ${address}`) ?? id
    if (holder !== id) return refused(change, "AlreadyExists")
    holders.set(`${projectId} ${address}`, id)
    return Effect.succeed(change)
  })(store)
}

/** Pages by the number of rows before. */
const byOffset: Mutation = rereading("LogPage", (store, query) => {
  const from = query.after === null ? 0 : Number(query.after.id)
  return Effect.map(store.read([{ ...query, after: null, limit: 10_000 }]), ([{ items }]) => {
    const to = from + query.limit
    return { items: items.slice(from, to), next: items.length > to ? { createdAt: 0, id: String(to) } : null }
  })
})

const wildcards = (search: string): RegExp => new RegExp(search.replaceAll("%", ".*").replaceAll("_", "."), "i")

/** Treats `%` and `_` as wildcards. */
const likeSearch: Mutation = rereading("LogPage", (store, query) => {
  const { search } = query.filters
  if (search === null || !/[%_]/.test(search)) return Effect.map(store.read([query]), ([page]) => page)
  const pattern = wildcards(search)
  return Effect.map(store.read([{ ...query, filters: { ...query.filters, search: null } }]), ([{ items }]) => ({
    items: items.filter(({ recipient, subject }) => pattern.test(recipient) || pattern.test(subject)),
    next: null
  }))
})

const unfilteredStatus: Mutation = asking("ContactScan", (query) => ({
  ...query,
  filters: { ...query.filters, emailStatus: null }
}))

/** Idempotency keys are shared by all projects. */
const sharedKeys: Mutation = (store) =>
  asking(
    "Idempotency",
    (query) => ({ ...query, projectId: "everybody" }),
    (record, { projectId }) => (record === null ? null : { ...record, projectId })
  )(
    changing("RecordIdempotency", (change) => [{ ...change, record: { ...change.record, projectId: "everybody" } }])(
      store
    )
  )

const anybodysMessage: Mutation = asking("Message", (query) =>
  query.projectId === "prj_other" ? { ...query, projectId: "prj_law" } : query
)

export const queryMutants: Readonly<Record<string, Mutation>> = {
  "contacts/address-is-unique": evading("PutContact", (put) => [
    { ...put, contact: { ...put.contact, address: `${put.contact.address} ${put.contact.id}` } }
  ]),
  "contacts/one-of-many-created": checkedApart,
  "contacts/address-is-freed": addressKept,
  "contacts/found-by-part": answering("ContactScan", (found, { filters: { search } }) => {
    if (search === null) return found
    const items = found.items.filter(({ email, firstName, lastName }) =>
      [email, `${firstName} ${lastName}`].some((text) => text.includes(search))
    )
    return { ...found, items }
  }),
  "contacts/filtered-by-status": unfilteredStatus,
  "contacts/pages-are-a-permutation": answering("ContactPage", (items, { skip }) =>
    skip === 5 ? items.slice(1) : items
  ),
  "contacts/found-by-list": asking("ContactPage", (query) => ({ ...query, listId: null })),
  "contacts/segment-means-what-it-says": asking("ContactScan", (query) => {
    const { segment } = query.filters
    if (segment?._tag !== "Compare" || segment.op !== "ne") return query
    const known: ContactPredicate = { _tag: "All", of: [segment, { ...segment, op: "set", value: null }] }
    return { ...query, filters: { ...query.filters, segment: known } }
  }),
  "contacts/walk-continues-after-a-position": answering("ContactPage", (items, { after }) =>
    after === null ? items : items.slice(1)
  ),
  "contacts/scan-in-pieces": answering("ContactScan", (piece, { scanLimit }) =>
    scanLimit === 4 ? { ...piece, next: null } : piece
  ),
  "contacts/removed-is-gone": evading("RemoveContact", () => []),
  "resources/name-is-unique": evading("PutResource", (put) => [
    { ...put, resource: { ...put.resource, name: `${put.resource.name} ${put.resource.id}` } }
  ]),
  "resources/newest-first-after-a-position": asking("Resources", (query) => ({
    ...query,
    after: query.after === null ? null : { ...query.after, id: "" }
  })),
  "resources/counted-and-paged": asking("ResourceCount", (query) => ({ ...query, parent: "" })),
  "resources/removed-is-gone": evading("RemoveResource", () => []),
  "domains/due-and-removed": asking("DomainsDue", (query) => ({ ...query, now: query.now - 1 })),
  "domains/filters-narrow": asking("DomainPage", (query) => ({ ...query, filters: { ...query.filters, names: null } })),
  "suppressions/listed-by-address": asking("SuppressionPage", (query) => ({ ...query, now: 0 })),
  "listings/in-their-order": answering("ApiKeys", (keys) => keys.toReversed()),
  "log/shows-summaries": answering("LogPage", ({ items, next }) => ({
    items: items.map((item) => ({ ...item, recipient: caseFold(item.recipient) })),
    next
  })),
  "log/ties-are-listed-once": answering("LogPage", ({ items, next }) => ({
    items,
    next: next === null ? null : { ...next, id: "" }
  })),
  "log/walk-is-complete": byOffset,
  "log/filters-narrow": asking("LogPage", (query) => ({
    ...query,
    filters: { ...query.filters, endDate: query.filters.endDate === null ? null : query.filters.endDate - 1 }
  })),
  "log/search-is-literal": likeSearch,
  "log/finds-a-domain-in-a-labels": asking("LogPage", (query) => ({
    ...query,
    filters: { ...query.filters, recipientPart: null }
  })),
  "log/looks-no-further-than-asked": asking("LogPage", (query) => ({ ...query, scanLimit: never })),
  "log/ends-when-nothing-is-left": answering("LogPage", ({ items, next }, { limit }) => {
    const last = items.at(-1)
    return {
      items,
      next: next ?? (items.length === limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null)
    }
  }),
  "log/of-a-message-in-order": answering("DeliveriesOfMessage", (deliveries) => deliveries.toReversed()),
  "read/impossible-texts": answering("ContactsByAddress", (contacts) => contacts.filter((one) => one !== null)),
  "isolation/no-project-sees-another": anybodysMessage,
  "isolation/one-name-in-two-projects": sharedKeys,
  "isolation/claims-serve-every-project": claiming(
    (claim) => claim,
    (rows) => rows.filter(({ projectId }) => projectId === rows[0]?.projectId)
  )
}

/**
 * Mutants of the reference store for the laws of listings, leases and sweeps.
 */
import type { Change, ContactRecord, ContactPredicate, Sweep } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Mutation } from "./mutating.ts"
import { answering, asking, changing, claiming, preparing, rereading } from "./mutating.ts"

/** Keeps the time at which a contact was created, whatever a new revision says. */
const createdOnce: Mutation = preparing((store, change) =>
  change._tag !== "PutContact" || change.replaces === null
    ? Effect.succeed(change)
    : Effect.map(
        store.read([{ _tag: "Contact", projectId: change.contact.projectId, id: change.contact.id }]),
        ([existing]) => ({
          ...change,
          contact: { ...change.contact, createdAt: existing?.createdAt ?? change.contact.createdAt }
        })
      )
)

/** Remembers the texts of a removed contact, and finds a new contact with the id by them. */
const remembered: Mutation = (store) => {
  const texts = new Map<string, ContactRecord>()
  return {
    ...answering("ContactScan", (found, { filters: { search } }) => {
      const ghost = [...texts.values()].find(({ email }) => search !== null && email.includes(search))
      return ghost === undefined ? found : { ...found, items: [ghost], matches: 1 }
    })(store),
    commit: (changes) =>
      Effect.gen(function* () {
        for (const change of changes)
          if (change._tag === "RemoveContact") {
            const [existing] = yield* store.read([{ _tag: "Contact", projectId: "prj_law", id: change.id }])
            if (existing !== null) texts.set(change.id, existing)
          }
        yield* store.commit(changes)
      })
  }
}

const foldedChoicesOnly = (predicate: ContactPredicate): ContactPredicate =>
  predicate._tag === "Compare" && predicate.op === "in"
    ? {
        ...predicate,
        value: (predicate.value as ReadonlyArray<string | number>).filter(
          (one) => typeof one === "number" || one === one.toLowerCase()
        ) as ReadonlyArray<string>
      }
    : predicate

/** Never sets the end of a lease to an earlier time. */
const leasesOnlyGrow: Mutation = (store) => {
  const ends = new Map<string, number>()
  const grows = (worker: string, leaseUntil: number): boolean => {
    const isLater = leaseUntil >= (ends.get(worker) ?? 0)
    if (isLater) ends.set(worker, leaseUntil)
    return isLater
  }
  return {
    ...store,
    commit: (changes) =>
      store.commit(changes.filter((change) => change._tag !== "RenewLease" || grows(change.worker, change.leaseUntil))),
    claimEventDeliveries: (claim) => {
      grows(claim.worker, claim.leaseUntil)
      return store.claimEventDeliveries(claim)
    }
  }
}

/** Also increments the fencing token of the second delivery. */
const touchesTheNext: Mutation = (store) => ({
  ...store,
  claim: (claim) =>
    Effect.gen(function* () {
      const rows = yield* store.claim(claim)
      const [next] = yield* store.read([{ _tag: "Delivery", projectId: "prj_law", id: "del_2" }])
      if (next !== null) {
        const { status, fencingToken } = next
        const move: Change = {
          _tag: "TransitionDelivery",
          projectId: "prj_law",
          id: "del_2",
          from: status,
          fencingToken,
          next: { ...next, fencingToken: fencingToken + 1 }
        }
        yield* Effect.orDie(store.commit([move]))
      }
      return rows
    })
})

const byText = (a: { readonly dueAt: number | null }, b: { readonly dueAt: number | null }): number =>
  String(a.dueAt) < String(b.dueAt) ? -1 : 1

const sweeping =
  (change: (sweep: Sweep) => Sweep): Mutation =>
  (store) => ({ ...store, sweep: (sweep) => store.sweep(change(sweep)) })

/** Writes the lease of a worker again after a sweep if a delivery names the worker, even one that has ended. */
const keepsEveryWorker: Mutation = (store) => {
  const workers = new Set<string>()
  return {
    ...store,
    commit: (changes) => {
      for (const change of changes)
        if (change._tag === "InsertDelivery" && change.delivery.worker !== null) workers.add(change.delivery.worker)
      return store.commit(changes)
    },
    sweep: (sweep) =>
      Effect.tap(store.sweep(sweep), () =>
        Effect.orDie(
          store.commit(
            [...workers].map(
              (worker) => ({ _tag: "RenewLease", worker, renewedAt: 0, leaseUntil: sweep.before - 1 }) as const
            )
          )
        )
      )
  }
}

/** Counts the matches of another project too. */
const countsAllProjects: Mutation = rereading("ContactScan", (store, query) =>
  Effect.map(store.read([query, { ...query, projectId: "prj_other" }]), ([own, other]) =>
    query.projectId === "prj_law" ? { ...own, matches: own.matches + other.matches } : own
  )
)

export const listingMutants: Readonly<Record<string, Mutation>> = {
  "contacts/found-after-each-update": createdOnce,
  "contacts/removed-leaves-no-trace": remembered,
  "contacts/search-of-any-length": answering("ContactScan", (found, { filters: { search } }) =>
    search !== null && [...search].length < 3 && search.length >= 3 ? { ...found, items: [], matches: 0 } : found
  ),
  "contacts/finds-a-domain-in-a-labels": asking("ContactScan", (query) => ({
    ...query,
    filters: { ...query.filters, emailPart: null }
  })),
  "suppressions/finds-a-domain-in-a-labels": asking("SuppressionPage", (query) => ({ ...query, addressPart: null })),
  "contacts/pages-begin-and-end-exactly": asking("ContactScan", (query) =>
    query.after !== null && query.skip === 3 ? { ...query, skip: 2 } : query
  ),
  "contacts/searched-by-project": countsAllProjects,
  "contacts/newest-matches-first": answering("ContactScan", (found, { filters: { search } }) =>
    search === null ? found : { ...found, items: found.items.toSorted((a, b) => (a.id < b.id ? 1 : -1)) }
  ),
  "contacts/segment-table": asking("ContactScan", (query) => {
    const { segment } = query.filters
    return segment === null ? query : { ...query, filters: { ...query.filters, segment: foldedChoicesOnly(segment) } }
  }),
  "pages/by-number": asking("ResourcePage", (query) => ({
    ...query,
    page: { ...query.page, page: Math.min(query.page.page, 3) }
  })),
  "pages/by-position": asking("EventDeliveryPage", (query) =>
    query.after?.id === "evd_" ? { ...query, after: null } : query
  ),
  "log/attempts-in-number-order": answering("Attempts", (attempts) =>
    attempts.toSorted((a, b) => (String(a.number) < String(b.number) ? -1 : 1))
  ),
  "log/pages-begin-and-end-exactly": answering("LogPage", (page, { filters, scanLimit }) =>
    filters.contactId !== null && scanLimit === 3 ? { ...page, next: null } : page
  ),
  "log/each-status-is-found": asking("LogPage", (query) =>
    query.filters.status === "bounced" && query.scanLimit === 2 ? { ...query, scanLimit: 1 } : query
  ),
  "suppressions/pages-begin-and-end-exactly": answering("SuppressionPage", (page, { scanLimit }) =>
    scanLimit === 6 ? { ...page, next: null } : page
  ),
  "domains/due-in-order": answering("DomainsDue", (domains) => domains.toSorted((a, b) => (a.id < b.id ? -1 : 1))),

  "claim/names-are-exact": changing("EndLease", (change) => [{ ...change, worker: change.worker.toLowerCase() }]),
  "claim/one-lease-for-everything": leasesOnlyGrow,
  "claim/leaves-other-rows-unchanged": touchesTheNext,
  "time/instants-are-numbers": claiming(
    (claim) => claim,
    (rows) => rows.toSorted(byText)
  ),
  "time/next-due-of-several": answering("NextDue", (next, { worker }) => (worker === "y" ? null : next)),
  "time/backlog-of-several": answering("Backlog", (backlog) => ({
    ...backlog,
    oldestDueAt: backlog.queued > 1 ? null : backlog.oldestDueAt
  })),
  "events/pending-of-several": answering("PendingEventDeliveries", (pending) => pending.toSorted(byText)),

  "suppressions/ordered-by-bytes": answering("SuppressionPage", (page) => ({
    ...page,
    items: page.items.toSorted((a, b) => (a.address! < b.address! ? -1 : 1))
  })),
  "listings/in-code-order": answering("PendingEventDeliveries", (pending) =>
    pending.toSorted((a, b) => (a.subscriber.toLowerCase() < b.subscriber.toLowerCase() ? -1 : 1))
  ),

  "sweep/oldest-first-then-by-id": sweeping((sweep) =>
    sweep.kind === "events" && sweep.limit === 1 ? { ...sweep, limit: 2 } : sweep
  ),
  "sweep/oldest-lease-first": sweeping((sweep) => (sweep.kind === "leases" ? { ...sweep, limit: 9 } : sweep)),
  "sweep/many-of-one-age": sweeping((sweep) => (sweep.limit === 5 ? { ...sweep, limit: 6 } : sweep)),
  "sweep/leases-of-finished-deliveries": keepsEveryWorker,
  "sweep/keeps-what-is-needed": sweeping((sweep) => ({ ...sweep, before: sweep.before + 1 }))
}

/**
 * A mutant of the reference store for each law that needs neither durability nor several processes.
 */
import type { Change, ContactPredicate, Delivery, EventDelivery, EventDeliveryClaim } from "@mailkeep/core/adapter"
import { Conflict, caseFold } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { listingMutants } from "./listingMutants.ts"
import type { Mutation } from "./mutating.ts"
import {
  answering,
  asking,
  changing,
  claiming,
  dropping,
  evading,
  keeping,
  preparing,
  refused,
  rereading
} from "./mutating.ts"
import { recordMutants } from "./recordMutants.ts"

const never = Number.MAX_SAFE_INTEGER

/** Uses the current revision of a domain, whatever revision was read. */
const anyDomainRevision: Mutation = preparing((store, change) =>
  change._tag !== "PutDomain"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Domain", ...change.domain }]), ([existing]) => ({
        ...change,
        replaces: existing?.revision ?? null
      }))
)

const existingSuppression = (store: MailStoreShape, change: Extract<Change, { _tag: "PutSuppression" }>) =>
  Effect.map(
    store.read([
      { _tag: "Suppressions", projectId: change.suppression.projectId, addressKeys: [change.suppression.addressKey] }
    ]),
    ([[existing]]) => existing ?? null
  )

/** Checks the revision first and writes later, even if the record changed in between. */
const twoWinners: Mutation = (store) => ({
  ...store,
  commit: ([change, ...rest]) => {
    if (change?._tag !== "PutSuppression" || rest.length > 0 || change.replaces === null)
      return store.commit(change === undefined ? [] : [change, ...rest])
    return Effect.gen(function* () {
      const before = yield* existingSuppression(store, change)
      if (before?.revision !== change.replaces) return yield* refused(change, "Stale")
      yield* Effect.yieldNow
      const existing = yield* existingSuppression(store, change)
      yield* store.commit([{ ...change, replaces: existing?.revision ?? null }])
    })
  }
})

const anyToken: Mutation = preparing((store, change) =>
  change._tag !== "MoveDelivery"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.id }]), ([existing]) => ({
        ...change,
        fencingToken: existing?.fencingToken ?? change.fencingToken
      }))
)

const anyPhase: Mutation = preparing((store, change) =>
  change._tag !== "MoveAttempt"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Attempts", deliveryId: change.deliveryId }]), ([attempts]) => ({
        ...change,
        from: attempts.find(({ number }) => number === change.number)?.phase ?? change.from
      }))
)

const anyAttemptToken: Mutation = preparing((store, change) =>
  change._tag !== "MoveAttempt"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.deliveryId }]), ([existing]) => ({
        ...change,
        fencingToken: existing?.fencingToken ?? change.fencingToken
      }))
)

/** Checks each expectation first, and writes the other changes later. */
const expectedApart: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const expected = changes.filter(({ _tag }) => _tag === "Expect")
      if (expected.length === 0) return yield* store.commit(changes)
      yield* store.commit(expected)
      yield* Effect.yieldNow
      yield* store.commit(changes.filter(({ _tag }) => _tag !== "Expect"))
    })
})

/** Checks the delivery first and marks the attempt as finalizing one turn later. */
const finalizesLate: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "MoveAttempt") return yield* store.commit(changes)
      const existing = store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.deliveryId }])
      const [before] = yield* existing
      if (before?.fencingToken !== change.fencingToken) return yield* refused(change, "Stale")
      for (let i = 0; i < 5; i++) yield* Effect.yieldNow
      const [now] = yield* existing
      yield* store.commit([{ ...change, fencingToken: now?.fencingToken ?? 0 }])
    })
})

/** Commits the first change alone. */
const inTwo: Mutation = (store) => ({
  ...store,
  commit: ([first, ...rest]) =>
    first === undefined || rest.length === 0
      ? store.commit(first === undefined ? [] : [first])
      : Effect.andThen(store.commit([first]), Effect.andThen(Effect.yieldNow, store.commit(rest)))
})

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

export const recordedApart =
  (gap: Effect.Effect<void>): Mutation =>
  (store) => ({
    ...store,
    commit: (changes) => {
      const [change] = changes
      if (change?._tag !== "RecordIdempotency") return store.commit(changes)
      return Effect.gen(function* () {
        const { projectId, key } = change.record
        const [existing] = yield* store.read([{ _tag: "Idempotency", projectId, key }])
        if (existing !== null && existing.expiresAt > change.now) return yield* refused(change, "AlreadyExists")
        yield* gap
        yield* store.commit([{ ...change, now: never }])
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

/** Acknowledges a commit during another commit, but does not write it. */
const forgetful: Mutation = (store) => {
  let busy = false
  return {
    ...store,
    commit: (changes) =>
      Effect.suspend(() => {
        if (busy) return Effect.void
        busy = true
        return Effect.andThen(Effect.yieldNow, store.commit(changes)).pipe(
          Effect.ensuring(Effect.sync(() => (busy = false)))
        )
      })
  }
}

/** Acknowledges a commit and writes it with the next one. */
const lagging: Mutation = (store) => {
  let waiting: ReadonlyArray<Change> = []
  return {
    ...store,
    commit: (changes) =>
      Effect.suspend(() => {
        const before = waiting
        waiting = changes
        return before.length === 0 ? Effect.void : Effect.ignore(store.commit(before))
      })
  }
}

/** Reads the counter, and writes the new value later. */
const lostUpdates: Mutation = (store) => {
  const valueOf = (change: Change) =>
    change._tag !== "AddToCounter"
      ? Effect.succeed(0)
      : Effect.map(
          store.read([{ _tag: "Counters", projectId: change.projectId, names: [change.name] }]),
          ([[value]]) => value!
        )
  return {
    ...store,
    commit: (changes) =>
      Effect.gen(function* () {
        const before = yield* Effect.forEach(changes, valueOf)
        yield* Effect.yieldNow
        const now = yield* Effect.forEach(changes, valueOf)
        yield* store.commit(
          changes.map((change, n) =>
            change._tag === "AddToCounter" ? { ...change, by: before[n]! + change.by - now[n]! } : change
          )
        )
      })
  }
}

const refundsRefused: Mutation = preparing((store, change) =>
  change._tag !== "AddToCounter" || change.by > 0 || change.max === null
    ? Effect.succeed(change)
    : Effect.flatMap(
        store.read([{ _tag: "Counters", projectId: change.projectId, names: [change.name] }]),
        ([[value]]) => (value! + change.by > change.max! ? refused(change, "Exhausted") : Effect.succeed(change))
      )
)

/** Concurrent claims get the same rows. */
const sharedClaims: Mutation = (store) => {
  let under: ReadonlyArray<Delivery> | undefined
  return {
    ...store,
    claim: (claim) =>
      Effect.gen(function* () {
        if (under !== undefined) return under
        under = yield* store.claim(claim)
        yield* Effect.yieldNow
        const rows = under
        under = undefined
        return rows
      })
  }
}

/** Keeps the lease of the last worker and forgets all others. */
const leasesForgotten: Mutation = (store) => {
  const workers = new Set<string>()
  return {
    ...store,
    claim: (claim) =>
      Effect.gen(function* () {
        const others = [...workers].filter((worker) => worker !== claim.worker)
        if (others.length > 0)
          yield* Effect.orDie(store.commit(others.map((worker) => ({ _tag: "EndLease", worker }) as const)))
        workers.add(claim.worker)
        return yield* store.claim(claim)
      })
  }
}

const idleLeases: Mutation = (store) => ({
  ...store,
  claim: ({ worker, leaseUntil, ...claim }) =>
    Effect.tap(store.claim({ worker, leaseUntil, ...claim }), (rows) =>
      rows.length > 0 ? Effect.void : Effect.orDie(store.commit([{ _tag: "RenewLease", worker, leaseUntil }]))
    )
})

/** Sweeps every lease that ended, even if its worker has a claimed delivery. */
const leasesSwept: Mutation = (store) => {
  const leases = new Map<string, number>()
  return {
    ...store,
    commit: (changes) => {
      for (const change of changes) if (change._tag === "RenewLease") leases.set(change.worker, change.leaseUntil)
      return store.commit(changes)
    },
    claim: (claim) => {
      leases.set(claim.worker, claim.leaseUntil)
      return store.claim(claim)
    },
    sweep: (sweep) => {
      const gone = [...leases].filter(([, until]) => sweep.kind === "leases" && until < sweep.before)
      if (gone.length === 0) return store.sweep(sweep)
      return Effect.as(
        Effect.orDie(store.commit(gone.map(([worker]) => ({ _tag: "EndLease", worker }) as const))),
        gone.length
      )
    }
  }
}

/** Pages by the number of rows before. */
const byOffset: Mutation = rereading("LogPage", (store, query) => {
  const from = query.after === null ? 0 : Number(query.after.id)
  return Effect.map(store.read([{ ...query, after: null, limit: 10_000 }]), ([{ items }]) => {
    const to = from + query.limit
    return { items: items.slice(from, to), next: items.length > to ? { createdAt: 0, id: String(to) } : null }
  })
})

export const oneByOne: Mutation = (store) => ({
  ...store,
  read: (queries) =>
    Effect.forEach(queries, (query) =>
      Effect.tap(
        Effect.map(store.read([query]), ([answer]) => answer),
        () => Effect.yieldNow
      )
    ) as never
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

const claimingEventDeliveries =
  (claim: (claim: EventDeliveryClaim) => EventDeliveryClaim): Mutation =>
  (store) => ({ ...store, claimEventDeliveries: (asked) => store.claimEventDeliveries(claim(asked)) })

/** Gives the same event deliveries to all concurrent claims. */
const sharedEventDeliveries: Mutation = (store) => {
  let last: ReadonlyArray<EventDelivery> = []
  return {
    ...store,
    claimEventDeliveries: (claim) =>
      Effect.map(
        store.claimEventDeliveries(claim),
        (rows) => (last = rows.length > 0 ? [...rows.slice(1), rows[0]!] : last)
      )
  }
}

const inclusiveAfter: Mutation = rereading("Events", (store, query) =>
  Effect.map(store.read([{ ...query, after: null, limit: 1000 }]), ([events]) =>
    events.filter(({ id }) => query.after === null || id >= query.after).slice(0, query.limit)
  )
)

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

export const storeMutants: Readonly<Record<string, Mutation>> = {
  ...recordMutants,
  ...listingMutants,

  "commit/all-or-nothing": keeping((changes, at) => changes.slice(0, at)),
  "commit/reports-which-guard": (store) => ({
    ...store,
    commit: (changes) =>
      Effect.catchTag(store.commit(changes), "Conflict", (conflict) =>
        Effect.fail(new Conflict({ ...conflict, at: 0 } as ConstructorParameters<typeof Conflict>[0]))
      )
  }),
  "commit/acknowledged-is-visible": lagging,
  "commit/many-at-once": forgetful,
  "commit/interrupted-is-whole": inTwo,
  "commit/as-large-as-they-come": (store) => ({ ...store, commit: (changes) => store.commit(changes.slice(0, 100)) }),
  "values/texts-unchanged": answering("Message", (message) =>
    message === null ? null : { ...message, subject: message.subject.trim() }
  ),
  "values/names-differ-by-every-character": changing("RecordIdempotency", (change) => [
    { ...change, record: { ...change.record, key: change.record.key.toLowerCase() } }
  ]),
  "values/numbers-unchanged": answering("Message", (message) =>
    message === null
      ? null
      : {
          ...message,
          metadata: Object.fromEntries(
            Object.entries(message.metadata).map(([key, value]) => [
              key,
              typeof value === "number" ? Math.fround(value) : value
            ])
          )
        }
  ),
  "values/records-unchanged": changing("MoveDelivery", (move) => [
    { ...move, next: { ...move.next, complainedAt: null } }
  ]),
  "read/one-answer-each": answering("Counters", (values, { names }) =>
    values.filter((_, index) => names.indexOf(names[index]!) === index)
  ),
  "read/one-state": oneByOne,

  "guards/inserted-once": evading("AppendEvent", () => []),
  "guards/replaces-what-was-read": anyDomainRevision,
  "guards/expected-is-unchanged": changing("Expect", (expect) =>
    expect.record.kind === "ContactAddress" ? [] : [expect]
  ),
  "guards/expect-keeps-the-rest-out": keeping((changes, at) =>
    changes[at]!._tag === "Expect" ? changes.filter((_, index) => index !== at) : []
  ),
  "guards/one-writer-wins": twoWinners,
  "guards/expected-is-unchanged-in-a-race": expectedApart,
  "guards/delivery-moves-under-its-token": anyToken,
  "guards/attempt-moves-under-its-delivery": anyPhase,
  "guards/attempt-and-delivery-move-together": (store) => ({
    ...store,
    commit: (changes) => store.commit(changes.toReversed())
  }),
  "guards/public-id-is-unique": evading("PutApiKey", (put) => [
    { ...put, key: { ...put.key, publicId: `${put.key.publicId} of ${put.key.id}` } }
  ]),
  "guards/touched-key-keeps-its-revision": (store) => ({
    ...store,
    commit: (changes) =>
      Effect.gen(function* () {
        const [change] = changes
        const [key] = yield* store.read([{ _tag: "ApiKey", id: change?._tag === "TouchApiKey" ? change.id : "" }])
        yield* change?._tag === "TouchApiKey" && key !== null
          ? store.commit([
              {
                _tag: "PutApiKey",
                key: { ...key, lastUsedAt: change.lastUsedAt, revision: key.revision + 1 },
                replaces: key.revision
              }
            ])
          : store.commit(changes)
      })
  }),

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
  "log/looks-no-further-than-asked": asking("LogPage", (query) => ({ ...query, scanLimit: never })),
  "log/ends-when-nothing-is-left": answering("LogPage", ({ items, next }, { limit }) => {
    const last = items.at(-1)
    return {
      items,
      next: next ?? (items.length === limit && last !== undefined ? { createdAt: last.createdAt, id: last.id } : null)
    }
  }),
  "log/of-a-message-in-order": answering("DeliveriesOfMessage", (deliveries) => deliveries.toReversed()),

  "claim/takes-what-is-due": claiming((claim) => ({ ...claim, now: claim.now - 1 })),
  "claim/oldest-first": claiming(
    (claim) => claim,
    (rows) => rows.toReversed()
  ),
  "claim/no-more-than-asked": claiming((claim) => ({ ...claim, limit: claim.limit + 1 })),
  "claim/stamps-worker-and-token": claiming(
    (claim) => claim,
    (rows) => rows.map((row) => ({ ...row, fencingToken: row.fencingToken - 1 }))
  ),
  "claim/one-claimant-each": sharedClaims,
  "claim/none-is-out-of-reach": changing("InsertDelivery", (change) =>
    change.delivery.worker === null
      ? [change]
      : [change, { _tag: "RenewLease", worker: change.delivery.worker, leaseUntil: never }]
  ),
  "claim/live-lease-is-exclusive": leasesForgotten,
  "claim/lapsed-lease-is-claimable": claiming((claim) => ({ ...claim, leaseUntil: claim.leaseUntil + 1 })),
  "claim/renewed-lease-holds": dropping("RenewLease"),
  "claim/ended-lease-frees": dropping("EndLease"),
  "claim/empty-claim-is-silent": idleLeases,
  "claim/late-worker-is-fenced": anyAttemptToken,
  "claim/excludes-a-move": anyToken,
  "claim/fences-finalizing-in-a-race": finalizesLate,

  "idempotency/one-live-record": evading("RecordIdempotency", (change) => [{ ...change, now: never }]),
  "idempotency/expired-gives-way": changing("RecordIdempotency", (change) => [{ ...change, now: change.now - 1 }]),
  "idempotency/extended": dropping("ExtendIdempotency"),
  "idempotency/one-of-many-recorded": recordedApart(Effect.yieldNow),

  "counters/spent-within-the-limit": changing("AddToCounter", (change) => [
    { ...change, max: change.max === null ? null : change.max + 1 }
  ]),
  "counters/refunds-are-never-refused": refundsRefused,
  "counters/no-update-is-lost": lostUpdates,
  "counters/usage-audit-reports-both-sides": answering("UsageAudit", (usageAudit) => ({
    ...usageAudit,
    scheduledRecipients: 0
  })),

  "outbox/event-exists-with-its-commit": keeping((changes) => changes.filter(({ _tag }) => _tag === "AppendEvent")),
  "outbox/oldest-first-after-a-position": inclusiveAfter,
  "outbox/distributed-once": evading("DistributeEvent", () => []),
  "events/takes-what-is-due": claimingEventDeliveries((claim) => ({ ...claim, now: claim.now - 1 })),
  "events/no-more-than-asked": claimingEventDeliveries((claim) => ({ ...claim, limit: claim.limit + 1 })),
  "events/one-claimant-each": sharedEventDeliveries,
  "events/held-while-the-lease-lives": claimingEventDeliveries((claim) => ({
    ...claim,
    leaseUntil: claim.leaseUntil + 1
  })),
  "events/moves-under-its-token": evading("MoveEventDelivery", () => []),
  "events/listed-newest-first": answering("EventDeliveryPage", (eventDeliveries) => eventDeliveries.toReversed()),
  "sweep/settled-event-deliveries-by-age": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "eventDeliveries" ? { ...sweep, before: sweep.before + 1 } : sweep)
  }),
  "sweep/events-by-age": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "events" ? { ...sweep, before: sweep.before + 1 } : sweep)
  }),
  "sweep/expired-keys-only": (store) => ({
    ...store,
    sweep: (sweep) => store.sweep(sweep.kind === "idempotency" ? { ...sweep, before: sweep.before + 5 } : sweep)
  }),
  "sweep/leases-of-idle-workers-only": leasesSwept,
  "sweep/touches-its-kind-alone": (store) => ({
    ...store,
    sweep: (sweep) =>
      Effect.tap(store.sweep(sweep), () =>
        sweep.kind === "leases" ? store.sweep({ ...sweep, kind: "idempotency" }) : Effect.void
      )
  }),

  "isolation/no-project-sees-another": anybodysMessage,
  "isolation/one-name-in-two-projects": sharedKeys,
  "isolation/claims-serve-every-project": claiming(
    (claim) => claim,
    (rows) => rows.filter(({ projectId }) => projectId === rows[0]?.projectId)
  ),

  "time/only-what-is-given-1999": claiming((claim) => ({ ...claim, now: Math.max(claim.now, Date.now()) })),
  "time/only-what-is-given-2099": claiming((claim) => ({ ...claim, now: Math.min(claim.now, Date.now()) })),
  "time/next-due": answering("NextDue", (next, { now }) => (next === null ? null : Math.max(next, now))),
  "time/backlog": asking("Backlog", (query) => ({ ...query, now: never })),

  "differential/no-script-finds-a-difference": claiming(
    (claim) => claim,
    (rows, { limit }) => (limit === 3 ? rows.toReversed() : rows)
  )
}

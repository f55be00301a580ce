/**
 * Mutants of the laws of commits, values, reads and guards.
 */
import { isDeepStrictEqual } from "node:util"
import type { Change, MailStoreShape } from "@mailkeep/core/adapter"
import { Conflict, deliveryState } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Mutation } from "./mutating.ts"
import { answering, changing, evading, keeping, preparing, refused } from "./mutating.ts"

export const never = Number.MAX_SAFE_INTEGER

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

export const anyToken: Mutation = preparing((store, change) =>
  change._tag !== "TransitionDelivery"
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.id }]), ([existing]) => ({
        ...change,
        fencingToken: existing?.fencingToken ?? change.fencingToken
      }))
)

const anyPhase: Mutation = preparing((store, change) =>
  change._tag !== "TransitionAttempt"
    ? Effect.succeed(change)
    : Effect.map(
        store.read([{ _tag: "Attempts", projectId: "prj_law", deliveryId: change.deliveryId }]),
        ([attempts]) => ({
          ...change,
          from: attempts.find(({ number }) => number === change.number)?.phase ?? change.from
        })
      )
)

/** Reads the number of the rows that a statement changed as whether its guard held. */
const noRowChanged: Mutation = preparing((store, change) =>
  change._tag !== "TransitionDelivery"
    ? Effect.succeed(change)
    : Effect.flatMap(store.read([{ _tag: "Delivery", projectId: "prj_law", id: change.id }]), ([existing]) =>
        existing !== null && isDeepStrictEqual(deliveryState(existing), change.next)
          ? refused(change, "Stale")
          : Effect.succeed(change)
      )
)

/** Checks each expectation first, and writes the other changes later. */
export const expectedApart: Mutation = (store) => ({
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

/** Compares the end of an idempotency record first, and replaces later whatever record the key has then. */
export const replacedLate: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "RecordIdempotency") return yield* store.commit(changes)
      const { projectId, key } = change.record
      const [existing] = yield* store.read([{ _tag: "Idempotency", projectId, key }])
      if (existing === null || existing.expiresAt > change.now) return yield* store.commit(changes)
      yield* Effect.yieldNow
      yield* store.commit([{ ...change, now: never }])
    })
})

const withoutName = evading("PutResource", (put) => [{ ...put, resource: { ...put.resource, name: null } }])

/** Looks for the name of a resource first, and writes the resource later, although another one has the name by then. */
const namedLate: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.gen(function* () {
      const [change] = changes
      if (change?._tag !== "PutResource") return yield* store.commit(changes)
      const { projectId, kind, parent, name } = change.resource
      if (name === null) return yield* store.commit(changes)
      const [holder] = yield* store.read([{ _tag: "ResourceNamed", projectId, kind, parent, name }])
      yield* Effect.yieldNow
      yield* (holder === null ? withoutName(store) : store).commit(changes)
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

export const commitMutants: Readonly<Record<string, Mutation>> = {
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
  "values/records-unchanged": changing("TransitionDelivery", (move) => [
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
  "guards/each-kind-is-expected-in-a-race": changing("Expect", (expect) =>
    expect.record.kind === "ContactAddress" ? [] : [expect]
  ),
  "commit/one-of-many-inserted": evading("InsertAttempt", () => []),
  "commit/one-of-many-changed": replacedLate,
  "guards/one-of-many-gets-a-name": namedLate,
  "guards/attempts-change-apart": evading("TransitionAttempt", () => []),
  "guards/delivery-moves-under-its-token": anyToken,
  "guards/attempt-moves-under-its-delivery": anyPhase,
  "guards/attempt-and-delivery-move-together": (store) => ({
    ...store,
    commit: (changes) => store.commit(changes.toReversed())
  }),
  "guards/equal-values-are-applied": noRowChanged,
  "guards/public-id-is-unique": evading("PutApiKey", (put) => [
    { ...put, key: { ...put.key, publicId: `${put.key.publicId} of ${put.key.id}` } }
  ]),
  "guards/touched-key-keeps-its-revision": (store) => ({
    ...store,
    commit: (changes) =>
      Effect.gen(function* () {
        const [change] = changes
        const [key] = yield* store.read([
          { _tag: "ApiKey", projectId: "prj_law", id: change?._tag === "TouchApiKey" ? change.id : "" }
        ])
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
  })
}

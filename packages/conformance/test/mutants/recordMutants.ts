/**
 * Mutants of the reference store for the laws of single records: values, guards and isolation.
 */
import type { Change, ContactRecord, IdempotencyRecord, MailStoreShape } from "@mailkeep/core/adapter"
import { StoreUnavailable } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import type { Mutation } from "./mutating.ts"
import { answering, asking, changing, preparing, refused } from "./mutating.ts"

/** Keeps the first changes of a commit that ends with a defect. */
const keptAfterDefect: Mutation = (store) => ({
  ...store,
  commit: (changes) =>
    Effect.catchDefect(store.commit(changes), (defect) =>
      Effect.andThen(store.commit(changes.slice(0, -1)), Effect.die(defect))
    )
})

const existingContact = (store: MailStoreShape, { projectId, id }: Pick<ContactRecord, "projectId" | "id">) =>
  Effect.map(store.read([{ _tag: "Contact", projectId, id }]), ([existing]) => existing)

/** Keeps the previous value of a field that the new revision empties. */
const emptiedFieldKept: Mutation = preparing((store, change) =>
  change._tag !== "PutContact" || change.replaces === null
    ? Effect.succeed(change)
    : Effect.map(existingContact(store, change.contact), (existing) => ({
        ...change,
        contact: { ...change.contact, userId: change.contact.userId ?? existing?.userId ?? null }
      }))
)

const existingKey = (store: MailStoreShape, { projectId, key }: Pick<IdempotencyRecord, "projectId" | "key">) =>
  Effect.map(store.read([{ _tag: "Idempotency", projectId, key }]), ([existing]) => existing)

/** Keeps the result of the record that it replaces. */
const oldResultKept: Mutation = preparing((store, change) =>
  change._tag !== "RecordIdempotency"
    ? Effect.succeed(change)
    : Effect.map(existingKey(store, change.record), (existing) => ({
        ...change,
        record: { ...change.record, result: existing?.result ?? change.record.result }
      }))
)

/** Reports a taken address before it compares the revision. */
const addressFirst: Mutation = preparing((store, change) =>
  change._tag !== "PutContact"
    ? Effect.succeed(change)
    : Effect.flatMap(
        store.read([
          { _tag: "ContactsByAddress", projectId: change.contact.projectId, addresses: [change.contact.address] }
        ]),
        ([[holder]]) =>
          (holder?.id ?? change.contact.id) === change.contact.id
            ? Effect.succeed(change)
            : refused(change, "AlreadyExists")
      )
)

/** Answers the same query with the same object each time. */
const sharedAnswers: Mutation = (store) => {
  const first = new Map<string, unknown>()
  return {
    ...store,
    read: (queries) =>
      Effect.map(
        store.read(queries),
        (answers) =>
          queries.map((query, n) => {
            const key = JSON.stringify(query)
            if (!first.has(key)) first.set(key, answers[n])
            return first.get(key)
          }) as never
      )
  }
}

/** Accepts an attempt if any delivery is sending with the fencing token. */
const anyDelivery: Mutation = preparing((store, change) =>
  change._tag !== "TransitionAttempt"
    ? Effect.succeed(change)
    : Effect.map(
        store.read([change.deliveryId, "del_1"].map((id) => ({ _tag: "Delivery", projectId: "prj_law", id }) as const)),
        ([own, first]) =>
          first?.fencingToken === change.fencingToken && own !== null
            ? { ...change, fencingToken: own!.fencingToken }
            : change
      )
)

/** Compares the domain of any project if the own project has none. */
const domainOfAnyProject: Mutation = preparing((store, change) => {
  if (change._tag !== "Expect" || change.record.kind !== "Domain") return Effect.succeed(change)
  const { record } = change
  return Effect.map(
    store.read([{ _tag: "Domain", projectId: record.projectId, domain: record.domain }]),
    ([own]): Change => (own === null ? { ...change, record: { ...record, projectId: "prj_other" } } : change)
  )
})

/** Limits the sum of the counters of two projects. */
const sharedLimit: Mutation = preparing((store, change) =>
  change._tag !== "AddToCounter" || change.max === null
    ? Effect.succeed(change)
    : Effect.map(store.read([{ _tag: "Counters", projectId: "prj_other", names: [change.name] }]), ([[other]]) => ({
        ...change,
        max: change.max! - (change.projectId === "prj_other" ? 0 : other!)
      }))
)

/** Counts the bytes of all commits against its limit, also of those that it has answered. */
const fullForEver: Mutation = (store) => {
  let bytes = 0
  return {
    ...store,
    commit: (changes) =>
      Effect.suspend(() => {
        for (const change of changes) if (change._tag === "InsertMessage") bytes += change.message.html?.length ?? 0
        return bytes > 20_000_000 ? Effect.fail(new StoreUnavailable({ reason: "overloaded" })) : store.commit(changes)
      })
  }
}

export const recordMutants: Readonly<Record<string, Mutation>> = {
  "commit/defect-keeps-nothing": keptAfterDefect,
  "commit/many-large-one-by-one": fullForEver,
  "values/a-change-writes-one-record": changing("ExtendIdempotency", (change) => [
    change,
    { ...change, key: change.key.replace("2", "3") }
  ]),
  "values/every-word-is-kept": changing("InsertAttempt", (change) => [
    change.attempt.outcome === "ambiguous" ? { ...change, attempt: { ...change.attempt, outcome: null } } : change
  ]),
  "values/json-unchanged": answering("Message", (message) =>
    message === null
      ? null
      : { ...message, metadata: Object.fromEntries(Object.entries(message.metadata).filter(([key]) => key !== "$.a")) }
  ),
  "values/events-of-every-kind": changing("AppendEvent", (change) =>
    "deliveryId" in change.event.data ? [change] : []
  ),
  // A `TEXT` of MySQL has no more bytes.
  "values/largest-records-unchanged": answering("Resource", (resource) =>
    JSON.stringify(resource).length > 65_535 ? null : resource
  ),
  "values/longest-names-differ": changing("RecordIdempotency", (change) => [
    { ...change, record: { ...change.record, key: change.record.key.slice(0, 127) } }
  ]),
  "values/updates-replace-every-field": emptiedFieldKept,
  "values/ids-differ-by-case": asking("EventDeliveryPage", (query) => ({
    ...query,
    subscriber: query.subscriber.toLowerCase()
  })),
  "read/empty-store-answers": answering("Backlog", (backlog, { now }) => ({
    ...backlog,
    oldestDueAt: backlog.oldestDueAt ?? now
  })),
  "values/changes-differ-by-case": changing("TouchApiKey", (change) => [
    { ...change, id: change.id.toUpperCase().replace("KEY", "key") as typeof change.id }
  ]),
  "read/delivery-by-its-id-alone": answering("DeliveryById", (delivery) =>
    delivery?.projectId === "prj_law" ? delivery : null
  ),
  "read/messages-before-an-instant": asking("MessagesBefore", (query) => ({ ...query, before: query.before + 1 })),
  "read/answers-in-the-given-order": answering("Suppressions", (suppressions) =>
    suppressions.toSorted((a, b) => ((a?.addressKey ?? "") < (b?.addressKey ?? "") ? -1 : 1))
  ),
  "idempotency/replaced-whole": oldResultKept,
  "guards/revision-before-name": addressFirst,
  "guards/resource-replaces-what-was-read": asking("ResourceNamed", (query) => ({ ...query, kind: "list" })),
  "guards/attempt-uses-its-own-delivery": anyDelivery,
  "guards/ids-are-exact": changing("TransitionEventDelivery", (change) => [
    { ...change, id: change.id.toLowerCase() as typeof change.id }
  ]),
  "isolation/expect-reads-one-project": domainOfAnyProject,
  "isolation/no-project-changes-another": changing("ExtendIdempotency", (change) => [
    change,
    { ...change, projectId: "prj_other" }
  ]),
  "isolation/changes-find-their-project": changing("TransitionDelivery", (change) => [
    { ...change, projectId: "prj_other" }
  ]),
  "isolation/one-id-in-two-projects": asking("Message", (query) => ({ ...query, projectId: "prj_law" })),
  "isolation/guards-see-one-project": sharedLimit,
  "isolation/same-ids-are-changed-apart": changing("TouchApiKey", (change) => [
    change,
    { ...change, projectId: "prj_other" }
  ]),
  "isolation/same-ids-are-claimed-apart": (store) => ({
    ...store,
    claim: (claim) =>
      Effect.map(store.claim({ ...claim, limit: claim.limit + 1 }), (claimed) => claimed.slice(0, claim.limit))
  }),
  "values/own-copies": sharedAnswers,
  "isolation/same-ids-are-swept-apart": (store) => ({
    ...store,
    sweep: (sweep) => Effect.as(store.sweep({ ...sweep, before: sweep.before + 2 }), 1)
  }),
  "isolation/same-ids-are-listed-apart": asking("ContactPage", (query) => ({ ...query, listId: null })),
  "isolation/same-ids-are-searched-apart": asking("LogPage", (query) => ({
    ...query,
    filters: { ...query.filters, templateId: null }
  }))
}

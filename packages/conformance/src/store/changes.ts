/**
 * Short functions that make changes and commit them.
 */
import type {
  ApiKeyRecord,
  Attempt,
  Change,
  ChangeOf,
  ContactRecord,
  CounterName,
  Delivery,
  EventDelivery,
  EventRecord,
  IdempotencyRecord,
  MailStoreShape,
  Message,
  ProjectRecord,
  RecordRef,
  ResourceOf,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { freshAttempt, inCommitOrder, projectIdOfChange } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultOf, same } from "../expectation.ts"
import { noon, projectId } from "./sampleIds.ts"

export const put = {
  project: (record: ProjectRecord, replaces: number | null = null): Change => ({
    _tag: "PutProject",
    project: record,
    replaces
  }),
  apiKey: (key: ApiKeyRecord, replaces: number | null = null): Change => ({ _tag: "PutApiKey", key, replaces }),
  domain: (domain: SenderDomainRecord, replaces: number | null = null): Change => ({
    _tag: "PutDomain",
    domain,
    replaces
  }),
  contact: (record: ContactRecord, replaces: number | null = null): Change => ({
    _tag: "PutContact",
    contact: record,
    replaces
  }),
  resource: (record: ResourceOf<"list">, replaces: number | null = null): Change => ({
    _tag: "PutResource",
    resource: record,
    replaces
  }),
  suppression: (record: SuppressionRecord, replaces: number | null = null): Change => ({
    _tag: "PutSuppression",
    suppression: record,
    replaces
  }),
  idempotency: (record: IdempotencyRecord, now = noon): Change => ({ _tag: "RecordIdempotency", record, now }),
  /** The content of a file, in chunks. */
  content: (hash: string, chunks: ReadonlyArray<Uint8Array>, project = projectId): Change => ({
    _tag: "PutContent",
    projectId: project,
    hash,
    chunks
  }),
  setting: (name: string, value = "1"): Change => ({ _tag: "PutSetting", name, value })
}

export const insert = {
  message: (record: Message): Change => ({ _tag: "InsertMessage", message: record }),
  delivery: (record: Delivery): Change => ({ _tag: "InsertDelivery", delivery: record }),
  attempt: (record: Attempt): Change => ({ _tag: "InsertAttempt", attempt: record }),
  eventDelivery: (record: EventDelivery): Change => ({ _tag: "InsertEventDelivery", eventDelivery: record }),
  event: (record: EventRecord): Change => ({ _tag: "AppendEvent", event: record })
}

export const remove = {
  contact: (id: ContactRecord["id"], revision: number, project = projectId): Change => ({
    _tag: "RemoveContact",
    projectId: project,
    id,
    revision
  }),
  resource: (id: ResourceOf<"list">["id"], revision: number, project = projectId): Change => ({
    _tag: "RemoveResource",
    projectId: project,
    id,
    revision
  }),
  domain: (domain: string, revision: number): Change => ({ _tag: "RemoveDomain", projectId, domain, revision }),
  record: (record: ChangeOf<"RemoveRecord">["record"]): Change => ({ _tag: "RemoveRecord", record })
}

export const transition = {
  delivery: (
    id: Delivery["id"],
    from: ChangeOf<"TransitionDelivery">["from"],
    fencingToken: number,
    next: ChangeOf<"TransitionDelivery">["next"],
    project = projectId
  ): Change => ({ _tag: "TransitionDelivery", projectId: project, id, from, fencingToken, next }),
  attempt: (
    deliveryId: Delivery["id"],
    number: number,
    from: ChangeOf<"TransitionAttempt">["from"],
    fencingToken: number,
    next: ChangeOf<"TransitionAttempt">["next"],
    project = projectId
  ): Change => ({ _tag: "TransitionAttempt", projectId: project, deliveryId, number, fencingToken, from, next }),
  eventDelivery: (
    id: EventDelivery["id"],
    from: ChangeOf<"TransitionEventDelivery">["from"],
    fencingToken: number,
    next: ChangeOf<"TransitionEventDelivery">["next"],
    project = projectId
  ): Change => ({ _tag: "TransitionEventDelivery", projectId: project, id, from, fencingToken, next })
}

/** An attempt while finalizing. */
export const finalizing = { ...freshAttempt, phase: "finalizing" } as const

export const expectRevision = (record: RecordRef, revision: number | null): Change => ({
  _tag: "Expect",
  record,
  revision
})

export const touchApiKey = (id: ApiKeyRecord["id"], lastUsedAt: number, project = projectId): Change => ({
  _tag: "TouchApiKey",
  projectId: project,
  id,
  lastUsedAt
})

export const extendIdempotency = (key: string, expiresAt: number): Change => ({
  _tag: "ExtendIdempotency",
  projectId,
  key,
  expiresAt
})

export const distributeEvent = (id: EventRecord["id"], project = projectId): Change => ({
  _tag: "DistributeEvent",
  projectId: project,
  id
})

export const renewLease = (worker: string, leaseUntil: number, renewedAt = noon): Change => ({
  _tag: "RenewLease",
  worker,
  renewedAt,
  leaseUntil
})

export const endLease = (worker: string): Change => ({ _tag: "EndLease", worker })

/** Commits changes in the order that a commit requires. The changes of each project are a commit of their own. */
export const commit = (store: MailStoreShape, ...changes: ReadonlyArray<Change>) =>
  Effect.forEach([...Map.groupBy(changes, (one) => projectIdOfChange(one) ?? projectId).values()], (own) =>
    store.commit(inCommitOrder(own))
  ).pipe(Effect.asVoid)

/** Commits changes. Returns `"applied"`, or the reason of the conflict. */
export const commitResult = (store: MailStoreShape, ...changes: ReadonlyArray<Change>) =>
  resultOf(commit(store, ...changes))

/** Commits one change, and checks its result. */
export const checkResult = (store: MailStoreShape, change: Change, result: string) =>
  Effect.flatMap(commitResult(store, change), (actual) =>
    same(`the result of ${JSON.stringify(change)}`, actual, result)
  )

export const spend = (
  by: number,
  max: number | null = null,
  name: CounterName = "allowance",
  project = projectId
): Change => ({ _tag: "AddToCounter", projectId: project, name, by, max })

/** Sweeps messages, from the oldest. Returns the number of the deleted ones. */
export const sweepOldestMessages = (store: MailStoreShape, before: number, limit: number) =>
  Effect.map(store.sweepMessages({ before, after: null, limit }), ({ deleted }) => deleted)

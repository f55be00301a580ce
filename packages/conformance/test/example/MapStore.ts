/**
 * A whole store, with plain async functions: a Map of records, copied for each commit. `mapState.ts` finds records, and `mapAnswers.ts` answers
 * queries.
 * It keeps nothing when the process ends; `JournalStore.ts` makes it durable.
 */
import * as Mail from "@mailkeep/core/adapter"
import type { PromiseStore } from "@mailkeep/core/adapter"
import { storeFromPromises } from "@mailkeep/core/adapter"
import { read } from "./mapAnswers.ts"
import type { State } from "./mapState.ts"
import { all, contactAt, get, isFree, own, resourceNamed, storedRecords, undistributedKey } from "./mapState.ts"

/** Checks the guard of a change, then writes to `state`. Returns the reason if the guard does not hold. */
const apply = (state: State, change: Mail.Change): Mail.ConflictReason | undefined => {
  const key = Mail.recordKeyOf(change)
  const existing = state.get(key)
  const write = (record: unknown): undefined => void state.set(key, record)
  const insert = (record: unknown) => (state.has(key) ? "AlreadyExists" : write(record))
  const patch = (fields: object) => (existing === undefined ? undefined : write({ ...existing, ...fields }))
  const replace = (record: object, replaces: number | null, clash = false) =>
    Mail.revisionConflict(existing as Mail.ContactRecord, replaces) ?? (clash ? "AlreadyExists" : write(record))
  switch (change._tag) {
    case "Expect": {
      const { record, revision } = change
      const found = record.kind === "ContactAddress" ? contactAt(state, record.projectId, record.address) : existing
      return Mail.revisionConflict(found as Mail.ContactRecord, revision)
    }
    case "PutApiKey": {
      const taken = own(state, "ApiKey", change.key.projectId).some(
        (one) => one.id !== change.key.id && one.publicId === change.key.publicId
      )
      return replace(change.key, change.replaces, taken)
    }
    case "TouchApiKey":
      return patch({ lastUsedAt: change.lastUsedAt })
    case "PutResource": {
      const { id, name, projectId, kind, parent } = change.resource
      const holder = name === null ? undefined : resourceNamed(state, { projectId, kind, parent, name })
      return replace(change.resource, change.replaces, (holder?.id ?? id) !== id)
    }
    case "RemoveDomain":
    case "RemoveResource":
    case "RemoveContact":
      return Mail.revisionConflict(existing as Mail.ContactRecord, change.revision) ?? void state.delete(key)
    case "PutContact": {
      const { id, projectId, address } = change.contact
      return replace(change.contact, change.replaces, (contactAt(state, projectId, address)?.id ?? id) !== id)
    }
    case "RecordIdempotency": {
      const { expiresAt } = (existing ?? { expiresAt: change.now }) as Mail.IdempotencyRecord
      return expiresAt > change.now ? "AlreadyExists" : write(change.record)
    }
    case "ExtendIdempotency":
      return patch({ expiresAt: change.expiresAt })
    case "PutContent":
      return existing === undefined ? write(change.chunks) : undefined
    case "AppendEvent":
      if (!state.has(key)) state.set(undistributedKey(change.event), change.event)
      return insert(change.event)
    case "DistributeEvent":
      if (!state.has(key)) return "NotFound"
      return state.delete(undistributedKey(change)) ? undefined : "Stale"
    case "InsertAttempt": {
      const { projectId, deliveryId } = change.attempt
      return get(state, "Delivery", projectId, deliveryId) === undefined ? "NotFound" : insert(change.attempt)
    }
    case "TransitionAttempt": {
      const { projectId, deliveryId, number } = change
      const phase = get(state, "Attempt", projectId, deliveryId, number)?.phase
      const { status, fencingToken } = get(state, "Delivery", projectId, deliveryId) ?? {}
      if (phase === undefined) return "NotFound"
      const applies = status === "sending" && fencingToken === change.fencingToken && phase === change.from
      return applies ? patch(change.next) : "Stale"
    }
    case "TransitionDelivery":
    case "TransitionEventDelivery": {
      if (existing === undefined) return "NotFound"
      const { status, fencingToken } = existing as Mail.Delivery | Mail.EventDelivery
      return status === change.from && fencingToken === change.fencingToken ? patch(change.next) : "Stale"
    }
    case "AddToCounter": {
      const { projectId, name, by, max } = change
      const value = (get(state, "Counter", projectId, name)?.value ?? 0) + by
      return by >= 0 && max !== null && value > max ? "Exhausted" : write({ projectId, name, value })
    }
    case "RewriteRecord":
      return rewrite(state, change)
    case "RemoveRecord": {
      if (existing === undefined) return "NotFound"
      const stored = { kind: change.record.kind, record: existing } as Mail.StoredRecord
      return Mail.isSameRecord(stored, change.record) ? void state.delete(key) : "Stale"
    }
    case "RenewLease":
      return write({ worker: change.worker, renewedAt: change.renewedAt, leaseUntil: change.leaseUntil })
    case "EndLease":
      return void state.delete(key)
    default:
      return "replaces" in change ? replace(Mail.recordOf(change)!, change.replaces) : insert(Mail.recordOf(change))
  }
}

const contentsOf = ({ projectId, attachments }: Mail.Message) =>
  attachments.map(({ hash }) => `Content/${projectId}/${hash}`)

/** Deletes the contents of deleted or changed messages to which no message refers. */
const dropUnused = (state: State, messages: ReadonlyArray<Mail.Message>) => {
  const used = new Set(all(state, "Message").flatMap(contentsOf))
  for (const key of messages.flatMap(contentsOf)) if (!used.has(key)) state.delete(key)
}

/** Deletes the attempts of deleted deliveries. */
const dropAttempts = (state: State, deliveries: ReadonlyArray<Mail.Delivery>) => {
  for (const key of state.keys())
    if (deliveries.some((one) => key.startsWith(`Attempt/${one.projectId}/${one.id}/`))) state.delete(key)
}

/** Replaces or deletes a record that is equal to the one that was read. */
const rewrite = (state: State, { before, after }: Mail.ChangeOf<"RewriteRecord">): Mail.ConflictReason | undefined => {
  const key = [before.kind, ...Mail.storedRecordKey(before)].join("/")
  const existing = storedRecords(state, before.kind).find(
    (one) => Mail.compareRecordKeys(Mail.storedRecordKey(one), Mail.storedRecordKey(before)) === 0
  )
  if (existing === undefined) return "NotFound"
  if (!Mail.isSameRecord(existing, before)) return "Stale"
  state.delete(key)
  if (before.kind === "Event") state.delete(undistributedKey(before.record.event))
  if (before.kind === "Delivery" && after === null) dropAttempts(state, [before.record])
  if (after?.kind === "Event") {
    state.set(key, after.record.event)
    if (!after.record.isDistributed) state.set(undistributedKey(after.record.event), after.record.event)
  } else if (after !== null) state.set(key, after.record)
  if (before.kind === "Message") dropUnused(state, [before.record])
  return undefined
}

/** Applies all changes to a copy of the state. Stops at the first change that is refused. */
export const commit = (before: State, changes: ReadonlyArray<Mail.Change>) => {
  const state = new Map(before)
  for (const [at, change] of changes.entries()) {
    const reason = apply(state, structuredClone(change))
    if (reason !== undefined) return { refused: { at, reason }, state: before }
  }
  return { refused: undefined, state }
}

/** Writes the worker of a claim to the chosen rows, and its lease. */
const mark = <R extends Mail.Delivery | Mail.EventDelivery>(
  before: State,
  kind: "Delivery" | "EventDelivery",
  { now, worker, leaseUntil }: Pick<Mail.Claim, "now" | "worker" | "leaseUntil">,
  chosen: ReadonlyArray<R>
) => {
  const rows = chosen.map((one) => ({ ...one, worker, fencingToken: one.fencingToken + 1 }))
  const state = new Map<string, unknown>([
    ...before,
    ...rows.map((row) => [`${kind}/${row.projectId}/${row.id}`, row] as const)
  ])
  if (rows.length > 0) apply(state, { _tag: "RenewLease", worker, renewedAt: now, leaseUntil })
  return { rows: structuredClone(rows), state }
}

export const claim = (before: State, request: Mail.Claim) => {
  const { kind, now, limit, rotation } = request
  const due = all(before, "Delivery").filter(
    (one) => one.status === Mail.claimKinds[kind] && Mail.isDue(one, now) && isFree(before, one, now)
  )
  return mark(before, "Delivery", request, Mail.roundRobin(due, limit, rotation))
}

export const claimEventDeliveries = (before: State, request: Mail.EventDeliveryClaim) => {
  const { subscriber, now, limit } = request
  const due = all(before, "EventDelivery").filter(
    (one) => one.subscriber === subscriber && one.dueAt !== null && one.dueAt <= now && isFree(before, one, now)
  )
  return mark(before, "EventDelivery", request, due.toSorted(Mail.longestDueFirst).slice(0, limit))
}

/** Deletes messages with everything that belongs only to them. */
export const sweepMessages = (before: State, request: Mail.MessageSweep) => {
  const deliveriesOf = ({ id, projectId }: Mail.Message) =>
    own(before, "Delivery", projectId).filter(({ messageId }) => messageId === id)
  const examined = Mail.evaluateMessagesBefore(all(before, "Message"), request)
  const { ended, next } = Mail.evaluateMessageSweep(examined, deliveriesOf, request)
  const deliveries = ended.flatMap(deliveriesOf)
  const gone = new Set([
    ...ended.map(({ projectId, id }) => `Message/${projectId}/${id}`),
    ...deliveries.map(({ projectId, id }) => `Delivery/${projectId}/${id}`)
  ])
  const state = new Map([...before].filter(([key]) => !gone.has(key)))
  dropAttempts(state, deliveries)
  dropUnused(state, ended)
  for (const count of Mail.sweptCounts(deliveries)) apply(state, { _tag: "AddToCounter", ...count, max: null })
  return { swept: { deleted: ended.length, next }, state }
}

export const sweep = (before: State, request: Mail.Sweep) => {
  const { kind, before: instant, limit } = request
  const waiting = [...all(before, "Delivery"), ...all(before, "EventDelivery")].filter(({ dueAt }) => dueAt !== null)
  const busy = new Set(waiting.map(({ worker }) => worker))
  const ages = {
    events: () =>
      all(before, "Event").map(({ projectId, id, occurredAt }) => ({
        key: `Event/${projectId}/${id}`,
        id,
        at: occurredAt
      })),
    eventDeliveries: () =>
      all(before, "EventDelivery").map(({ projectId, id, endedAt }) => ({
        key: `EventDelivery/${projectId}/${id}`,
        id,
        at: endedAt ?? Infinity
      })),
    idempotency: () =>
      all(before, "Idempotency").map(({ projectId, key, expiresAt }) => {
        const id = `Idempotency/${projectId}/${key}`
        return { key: id, id, at: expiresAt }
      }),
    leases: () =>
      all(before, "Lease").map(({ worker: id, leaseUntil: at }) => ({
        key: `Lease/${id}`,
        id,
        at: busy.has(id) ? Infinity : at
      }))
  }[kind]()
  const old = ages.filter(({ at }) => at < instant).toSorted((a, b) => a.at - b.at || Mail.compareIds(a, b))
  const gone = new Set(old.slice(0, limit).flatMap(({ key }) => [key, key.replace(/^Event\//, "Undistributed/")]))
  const state = new Map([...before].filter(([key]) => !gone.has(key)))
  return { count: old.slice(0, limit).length, state }
}

const open = async (): Promise<PromiseStore> => {
  let state: State = new Map()
  const then = <A extends { readonly state: State }>(done: A): A => {
    state = done.state
    return done
  }
  return {
    capabilities: { durable: false, multiProcess: false },
    commit: async (changes) => then(commit(state, changes)).refused,
    claim: async (request) => then(claim(state, request)).rows,
    claimEventDeliveries: async (request) => then(claimEventDeliveries(state, request)).rows,
    sweep: async (request) => then(sweep(state, request)).count,
    sweepMessages: async (request) => then(sweepMessages(state, request)).swept,
    read: async (queries) => read(state, queries)
  }
}

export const layer = storeFromPromises(open)

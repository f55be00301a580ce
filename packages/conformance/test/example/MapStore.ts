/**
 * A whole store in one file, with plain async functions: a Map of records, copied for each commit.
 * It keeps nothing when the process ends; `JournalStore.ts` makes it durable.
 */
import * as Mail from "@mailkeep/core/adapter"
import type { PromiseStore } from "@mailkeep/core/adapter"
import { storeFromPromises } from "@mailkeep/core/adapter"

interface Records {
  Setting: string
  Project: Mail.ProjectRecord
  ApiKey: Mail.ApiKeyRecord
  Domain: Mail.SenderDomainRecord
  Resource: Mail.Resource
  Contact: Mail.ContactRecord
  Suppression: Mail.SuppressionRecord
  Idempotency: Mail.IdempotencyRecord
  Content: ReadonlyArray<Uint8Array>
  Message: Mail.Message
  Delivery: Mail.Delivery
  Attempt: Mail.Attempt
  Counter: Mail.Counter
  Event: Mail.EventRecord
  Undistributed: string
  EventDelivery: Mail.EventDelivery
  Lease: Mail.Lease
}
type Kind = keyof Records

/** Every record, by the key that `recordKeyOf` gives: `Contact/con_1`, `Counter/prj_acme/allowance`. */
export type State = Map<string, unknown>

const get = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<unknown>) =>
  state.get([kind, ...names].join("/")) as Records[K] | undefined
const all = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<string>) =>
  [...state].flatMap(([key, record]) => (key.startsWith([kind, ...names, ""].join("/")) ? [record as Records[K]] : []))
const own = <K extends Kind>(state: State, kind: K, projectId: string) =>
  all(state, kind).filter((record) => (record as { readonly projectId: string }).projectId === projectId)
const contactAt = (state: State, projectId: string, address: string) =>
  own(state, "Contact", projectId).find((contact) => contact.address === address)
const resourceNamed = (state: State, { projectId, kind, parent, name }: Omit<Mail.QueryOf<"ResourceNamed">, "_tag">) =>
  own(state, "Resource", projectId).find((one) => one.kind === kind && one.parent === parent && one.name === name)
const isFree = (state: State, { worker }: { readonly worker: string | null }, now: number) =>
  (get(state, "Lease", worker)?.leaseUntil ?? now) <= now
const ownById =
  <K extends "Contact" | "Resource" | "Domain" | "Message" | "Delivery" | "EventDelivery">(kind: K) =>
  (state: State, { projectId, id }: { readonly projectId: string; readonly id: string }) =>
    own(state, kind, projectId).find((one) => one.id === id) ?? null

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
      const taken = all(state, "ApiKey").some((one) => one.id !== change.key.id && one.publicId === change.key.publicId)
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
      return existing === undefined ? write(change.parts) : undefined
    case "AppendEvent":
      if (!state.has(key)) state.set(`Undistributed/${change.event.id}`, change.event.id)
      return insert(change.event)
    case "DistributeEvent":
      if (!state.has(key)) return "NotFound"
      return state.delete(`Undistributed/${change.id}`) ? undefined : "Stale"
    case "MoveAttempt": {
      const phase = get(state, "Attempt", change.deliveryId, change.number)?.phase
      const { status, fencingToken } = get(state, "Delivery", change.deliveryId) ?? {}
      if (phase === undefined) return "NotFound"
      const applies = status === "sending" && fencingToken === change.fencingToken && phase === change.from
      return applies ? patch(change.next) : "Stale"
    }
    case "MoveDelivery":
    case "MoveEventDelivery": {
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

/** Every record of one kind, as `Records` returns it. */
const stored: { readonly [K in Mail.RecordKind]?: (state: State) => ReadonlyArray<Mail.StoredRecordOf<K>["record"]> } =
  {
    Setting: (state) => named(state, "Setting").map(([name, value]) => ({ name, value })),
    Content: (state) =>
      named(state, "Content").map(([key, parts]) => {
        const [projectId, hash] = key.split("/") as [string, string]
        return { projectId, hash, parts }
      }),
    Event: (state) =>
      all(state, "Event").map((event) => ({ event, isDistributed: !state.has(`Undistributed/${event.id}`) }))
  }
const named = <K extends Kind>(state: State, kind: K) =>
  [...state].flatMap(([key, record]) =>
    key.startsWith(`${kind}/`) ? [[key.slice(kind.length + 1), record as Records[K]] as const] : []
  )
const storedRecords = (state: State, kind: Mail.RecordKind) =>
  (stored[kind] ?? ((one: State) => all(one, kind)))(state).map((record) => ({ kind, record }) as Mail.StoredRecord)

/** Replaces or deletes a record that is equal to the one that was read. */
const rewrite = (state: State, { before, after }: Mail.ChangeOf<"RewriteRecord">): Mail.ConflictReason | undefined => {
  const key = [before.kind, ...Mail.storedRecordKey(before)].join("/")
  const existing = storedRecords(state, before.kind).find(
    (one) => Mail.compareRecordKeys(Mail.storedRecordKey(one), Mail.storedRecordKey(before)) === 0
  )
  if (existing === undefined) return "NotFound"
  if (!Mail.isSameRecord(existing, before)) return "Stale"
  state.delete(key)
  if (before.kind === "Event") state.delete(`Undistributed/${before.record.event.id}`)
  if (after?.kind === "Event") {
    state.set(key, after.record.event)
    if (!after.record.isDistributed) state.set(`Undistributed/${after.record.event.id}`, after.record.event.id)
  } else if (after !== null) state.set(key, after.record)
  if (before.kind === "Message") dropUnused(state, [before.record])
  return undefined
}

/** Applies all changes to a copy of the state. Stops at the first change that is refused. */
export const commit = (before: State, changes: ReadonlyArray<Mail.Change>) => {
  const state = new Map(before)
  for (const [at, change] of changes.entries()) {
    const reason = apply(state, change)
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
  const state = new Map<string, unknown>([...before, ...rows.map((row) => [`${kind}/${row.id}`, row] as const)])
  if (rows.length > 0) apply(state, { _tag: "RenewLease", worker, renewedAt: now, leaseUntil })
  return { rows, state }
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
const sweepMessages = (before: State, request: Mail.Sweep) => {
  const deliveriesOf = ({ id, projectId }: Mail.Message) =>
    own(before, "Delivery", projectId).filter(({ messageId }) => messageId === id)
  const messages = Mail.evaluateMessageSweep(all(before, "Message"), deliveriesOf, request)
  const deliveries = messages.flatMap(deliveriesOf)
  const gone = new Set([
    ...messages.map(({ id }) => `Message/${id}`),
    ...deliveries.map(({ id }) => `Delivery/${id}`),
    ...[...before.keys()].filter((key) => deliveries.some(({ id }) => key.startsWith(`Attempt/${id}/`)))
  ])
  const state = new Map([...before].filter(([key]) => !gone.has(key)))
  dropUnused(state, messages)
  for (const count of Mail.sweptCounts(deliveries)) apply(state, { _tag: "AddToCounter", ...count, max: null })
  return { count: messages.length, state }
}

export const sweep = (before: State, request: Mail.Sweep) => {
  const { kind, before: instant, limit } = request
  if (kind === "messages") return sweepMessages(before, request)
  const waiting = [...all(before, "Delivery"), ...all(before, "EventDelivery")].filter(({ dueAt }) => dueAt !== null)
  const busy = new Set(waiting.map(({ worker }) => worker))
  const ages = {
    events: () => all(before, "Event").map((one) => ({ id: `Event/${one.id}`, at: one.occurredAt })),
    eventDeliveries: () =>
      all(before, "EventDelivery").map((one) => ({ id: `EventDelivery/${one.id}`, at: one.endedAt ?? Infinity })),
    idempotency: () =>
      all(before, "Idempotency").map((one) => ({ id: `Idempotency/${one.projectId}/${one.key}`, at: one.expiresAt })),
    leases: () =>
      all(before, "Lease").map(({ worker: id, leaseUntil: at }) => ({
        id: `Lease/${id}`,
        at: busy.has(id) ? Infinity : at
      }))
  }[kind]()
  const old = ages.filter(({ at }) => at < instant).toSorted((a, b) => a.at - b.at || Mail.compareIds(a, b))
  const gone = new Set(old.slice(0, limit).flatMap(({ id }) => [id, id.replace(/^Event/, "Undistributed")]))
  const state = new Map([...before].filter(([key]) => !gone.has(key)))
  return { count: old.slice(0, limit).length, state }
}

/** One total function for each query. */
const answers: Mail.Answering<State> = {
  Setting: (state, { name }) => get(state, "Setting", name) ?? null,
  Project: (state, { id }) => get(state, "Project", id) ?? null,
  Projects: (state) => all(state, "Project").toSorted(Mail.compareIds),
  ApiKeyByPublicId: (state, { publicId }) => all(state, "ApiKey").find((key) => key.publicId === publicId) ?? null,
  ApiKey: (state, { id }) => get(state, "ApiKey", id) ?? null,
  ApiKeys: (state, { projectId }) => own(state, "ApiKey", projectId).toSorted((a, b) => Mail.newestFirst(b, a)),
  Domain: (state, { projectId, domain }) => get(state, "Domain", projectId, domain) ?? null,
  DomainOfId: ownById("Domain"),
  DomainsDue: (state, query) => Mail.evaluateDomainsDue(all(state, "Domain"), query),
  DomainPage: (state, query) => Mail.evaluateDomainPage(own(state, "Domain", query.projectId), query),
  Contact: ownById("Contact"),
  ContactsByAddress: (state, { projectId: id, addresses }) => addresses.map((one) => contactAt(state, id, one) ?? null),
  ContactPage: (state, query) => Mail.evaluateContactPage(own(state, "Contact", query.projectId), query),
  ContactScan: (state, query) => Mail.evaluateContactScan(own(state, "Contact", query.projectId), query),
  Resource: ownById("Resource"),
  ResourceCount: (state, { projectId, kind, parent }) =>
    own(state, "Resource", projectId).filter((one) => one.kind === kind && one.parent === parent).length,
  ResourcePage: (state, query) => Mail.evaluateResourcePage(own(state, "Resource", query.projectId), query),
  ResourceNamed: (state, query) => resourceNamed(state, query) ?? null,
  Resources: (state, query) => Mail.evaluateResources(own(state, "Resource", query.projectId), query),
  Suppressions: (state, { projectId, addressKeys }) =>
    addressKeys.map((key) => get(state, "Suppression", projectId, key) ?? null),
  SuppressionPage: (state, query) => Mail.evaluateSuppressionPage(own(state, "Suppression", query.projectId), query),
  Counters: (state, { projectId, names }) => names.map((name) => get(state, "Counter", projectId, name)?.value ?? 0),
  Idempotency: (state, { projectId, key }) => get(state, "Idempotency", projectId, key) ?? null,
  Message: ownById("Message"),
  ContentPart: (state, { projectId, hash, part }) => get(state, "Content", projectId, hash)?.[part] ?? null,
  Delivery: ownById("Delivery"),
  DeliveryOfId: (state, { id }) => get(state, "Delivery", id) ?? null,
  DeliveriesOfMessage: (state, { projectId, messageId: id }) =>
    own(state, "Delivery", projectId)
      .filter(({ messageId }) => messageId === id)
      .toSorted(Mail.compareIds),
  Attempts: (state, { deliveryId }) => all(state, "Attempt", deliveryId).toSorted((a, b) => a.number - b.number),
  LogPage: (state, query) =>
    Mail.evaluateLogPage(own(state, "Delivery", query.projectId), query, (id) => get(state, "Message", id)),
  Events: (state, query) => Mail.evaluateEvents(own(state, "Event", query.projectId), query),
  Event: (state, { id }) => get(state, "Event", id) ?? null,
  EventsOfDelivery: (state, query) =>
    Mail.evaluateEventsOfDelivery(
      own(state, "Event", query.projectId),
      own(state, "EventDelivery", query.projectId),
      query
    ),
  UndistributedEvents: (state, { limit }) =>
    all(state, "Undistributed")
      .map((id) => get(state, "Event", id)!)
      .toSorted(Mail.compareIds)
      .slice(0, limit),
  EventDelivery: ownById("EventDelivery"),
  EventDeliveryPage: (state, query) =>
    Mail.evaluateEventDeliveryPage(own(state, "EventDelivery", query.projectId), query),
  PendingEventDeliveries: (state, { now }) =>
    Mail.evaluatePendingEventDeliveries(all(state, "EventDelivery").filter((one) => isFree(state, one, now))),
  NextDue: (state, query) => Mail.evaluateNextDue(all(state, "Delivery"), all(state, "Lease"), query),
  LeasesSetAfter: (state, query) => Mail.evaluateLeasesSetAfter(all(state, "Lease"), query),
  Backlog: (state, { now }) => Mail.evaluateBacklog(all(state, "Delivery"), now),
  WorkHealth: (state, query) =>
    Mail.evaluateWorkHealth(all(state, "Delivery"), all(state, "Lease"), all(state, "EventDelivery"), query),
  Records: (state, query) => Mail.evaluateRecords(storedRecords(state, query.kind), query),
  UsageAudit: (state, { projectId: one }) =>
    Mail.evaluateUsageAudit(own(state, "Counter", one), own(state, "Delivery", one), own(state, "Contact", one))
}

export const read = (state: State, queries: ReadonlyArray<Mail.Query>): ReadonlyArray<unknown> =>
  queries.map((query) => (answers[query._tag] as (state: State, query: Mail.Query) => unknown)(state, query))

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
    read: async (queries) => read(state, queries)
  }
}

export const layer = storeFromPromises(open)

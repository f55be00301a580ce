/**
 * A whole store in one file, of plain async functions: a Map of records, copied for each commit. It keeps nothing when the process
 * ends; `JournalStore.ts` makes it last.
 */
import * as Mail from "@mailkeep/core/domain"
import type { PromiseStore } from "@mailkeep/core/port"
import { storeFromPromises } from "@mailkeep/core/port"

interface Records {
  Setting: string
  Project: Mail.Project
  ApiKey: Mail.ApiKey
  Domain: Mail.SenderDomain
  Definition: Mail.Definition
  Contact: Mail.Contact
  Suppression: Mail.Suppression
  Idempotency: Mail.IdempotencyRecord
  Message: Mail.Message
  Delivery: Mail.Delivery
  Attempt: Mail.Attempt
  Counter: Mail.Counter
  Event: Mail.MailEvent
  Undistributed: string
  Push: Mail.EventPush
  Lease: { readonly worker: string; readonly leaseUntil: number }
}
type Kind = keyof Records

/** Every record under the name that `touches` gives it: `Contact/con_1`, `Counter/prj_acme/allowance`. */
export type State = Map<string, unknown>

const get = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<unknown>) =>
  state.get([kind, ...names].join("/")) as Records[K] | undefined
const all = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<string>) =>
  [...state].flatMap(([key, record]) => (key.startsWith([kind, ...names, ""].join("/")) ? [record as Records[K]] : []))
const own = <K extends Kind>(state: State, kind: K, projectId: string) =>
  all(state, kind).filter((record) => (record as { readonly projectId: string }).projectId === projectId)
const contactAt = (state: State, projectId: string, address: string) =>
  own(state, "Contact", projectId).find((contact) => contact.address === address)
const definitionNamed = (on: State, { projectId, kind, parent, name }: Omit<Mail.QueryOf<"DefinitionNamed">, "_tag">) =>
  own(on, "Definition", projectId).find((one) => one.kind === kind && one.parent === parent && one.name === name)
const isFree = (on: State, { worker }: { readonly worker: string | null }, now: number) =>
  (get(on, "Lease", worker)?.leaseUntil ?? now) <= now
const ownById =
  <K extends "Contact" | "Definition" | "Domain" | "Message" | "Delivery" | "Push">(kind: K) =>
  (on: State, { projectId, id }: { readonly projectId: string; readonly id: string }) =>
    own(on, kind, projectId).find((one) => one.id === id) ?? null

/** A change is its guard, and then its write: writes into `state`, or says which guard did not hold. */
const apply = (state: State, change: Mail.Change): Mail.ConflictReason | undefined => {
  const key = Mail.touches(change)
  const standing = state.get(key)
  const write = (record: unknown): undefined => void state.set(key, record)
  const insert = (record: unknown) => (state.has(key) ? "AlreadyExists" : write(record))
  const patch = (fields: object) => (standing === undefined ? undefined : write({ ...standing, ...fields }))
  const replace = (record: object, replaces: number | null, clash = false) =>
    Mail.revisionConflict(standing as Mail.Contact, replaces) ?? (clash ? "AlreadyExists" : write(record))
  switch (change._tag) {
    case "Expect": {
      const { record, revision } = change
      const found = record.kind === "ContactAddress" ? contactAt(state, record.projectId, record.address) : standing
      return Mail.revisionConflict(found as Mail.Contact, revision)
    }
    case "PutApiKey": {
      const taken = all(state, "ApiKey").some((one) => one.id !== change.key.id && one.publicId === change.key.publicId)
      return replace(change.key, change.replaces, taken)
    }
    case "TouchApiKey":
      return patch({ lastUsedAt: change.lastUsedAt })
    case "PutDefinition": {
      const { id, name, projectId, kind, parent } = change.definition
      const holder = name === null ? undefined : definitionNamed(state, { projectId, kind, parent, name })
      return replace(change.definition, change.replaces, (holder?.id ?? id) !== id)
    }
    case "RemoveDomain":
    case "RemoveDefinition":
    case "RemoveContact":
      return Mail.revisionConflict(standing as Mail.Contact, change.revision) ?? void state.delete(key)
    case "PutContact": {
      const { id, projectId, address } = change.contact
      return replace(change.contact, change.replaces, (contactAt(state, projectId, address)?.id ?? id) !== id)
    }
    case "RecordIdempotency": {
      const { expiresAt } = (standing ?? { expiresAt: change.now }) as Mail.IdempotencyRecord
      return expiresAt > change.now ? "AlreadyExists" : write(change.record)
    }
    case "ExtendIdempotency":
      return patch({ expiresAt: change.expiresAt })
    case "AppendEvent":
      if (!state.has(key)) state.set(`Undistributed/${change.event.id}`, change.event.id)
      return insert(change.event)
    case "DistributeEvent":
      if (!state.has(key)) return "NotFound"
      return state.delete(`Undistributed/${change.id}`) ? undefined : "Stale"
    case "MoveAttempt": {
      const phase = get(state, "Attempt", change.deliveryId, change.number)?.phase
      const { status, token } = get(state, "Delivery", change.deliveryId) ?? {}
      if (phase === undefined) return "NotFound"
      const stands = status === "sending" && token === change.token && phase === change.from
      return stands ? patch(change.next) : "Stale"
    }
    case "MoveDelivery":
    case "MovePush": {
      if (standing === undefined) return "NotFound"
      const { status, token } = standing as Mail.Delivery | Mail.EventPush
      return status === change.from && token === change.token ? patch(change.next) : "Stale"
    }
    case "SpendCounter": {
      const { projectId, name, by, max } = change
      const value = (get(state, "Counter", projectId, name)?.value ?? 0) + by
      return by >= 0 && max !== null && value > max ? "Exhausted" : write({ projectId, name, value })
    }
    case "RenewLease":
      return write({ worker: change.worker, leaseUntil: change.leaseUntil })
    case "EndLease":
      return void state.delete(key)
    default:
      return "replaces" in change ? replace(Mail.recordOf(change)!, change.replaces) : insert(Mail.recordOf(change))
  }
}

/** All of the changes in a state of its own, or the first that was refused. */
export const commit = (before: State, changes: ReadonlyArray<Mail.Change>) => {
  const state = new Map(before)
  for (const [at, change] of changes.entries()) {
    const reason = apply(state, change)
    if (reason !== undefined) return { refused: { at, reason }, state: before }
  }
  return { refused: undefined, state }
}

/** The longest due of a kind that nobody holds, stamped with the worker's name. */
const take = <K extends "Delivery" | "Push">(
  before: State,
  kind: K,
  { now, limit, worker, leaseUntil }: Omit<Mail.Claim, "kind">,
  fits: (one: Records[K]) => boolean
) => {
  const rows = all(before, kind)
    .filter((one) => one.dueAt !== null && one.dueAt <= now && isFree(before, one, now) && fits(one))
    .toSorted(Mail.longestDueFirst)
    .slice(0, limit)
    .map((one) => ({ ...one, worker, token: one.token + 1 }))
  const state = new Map(before)
  for (const row of rows) state.set(`${kind}/${row.id}`, row)
  if (rows.length > 0) apply(state, { _tag: "RenewLease", worker, leaseUntil })
  return { rows, state }
}

export const claim = (before: State, request: Mail.Claim) =>
  take(before, "Delivery", request, ({ status }) => status === Mail.claimKinds[request.kind])

export const claimPushes = (before: State, request: Mail.PushClaim) =>
  take(before, "Push", request, ({ consumer }) => consumer === request.consumer)

export const sweep = (before: State, { kind, before: instant, limit }: Mail.Sweep) => {
  const waiting = [...all(before, "Delivery"), ...all(before, "Push")].filter(({ dueAt }) => dueAt !== null)
  const busy = new Set(waiting.map(({ worker }) => worker))
  const ages = {
    events: () => all(before, "Event").map((one) => ({ id: `Event/${one.id}`, at: one.occurredAt })),
    pushes: () =>
      all(before, "Push").flatMap(({ id, settledAt: at }) => (at === null ? [] : [{ id: `Push/${id}`, at }])),
    idempotency: () =>
      all(before, "Idempotency").map((one) => ({ id: `Idempotency/${one.projectId}/${one.key}`, at: one.expiresAt })),
    leases: () =>
      all(before, "Lease").flatMap(({ worker, leaseUntil: at }) =>
        busy.has(worker) ? [] : [{ id: `Lease/${worker}`, at }]
      )
  }[kind]()
  const old = ages.filter(({ at }) => at < instant).toSorted((a, b) => a.at - b.at || Mail.byId(a, b))
  const gone = new Set(old.slice(0, limit).map(({ id }) => id))
  for (const id of Array.from(gone)) gone.add(id.replace("Event/", "Undistributed/"))
  const state = new Map([...before].filter(([key]) => !gone.has(key)))
  return { count: old.slice(0, limit).length, state }
}

/** One total function for each query. */
const answers: Mail.Answering<State> = {
  Setting: (on, { name }) => get(on, "Setting", name) ?? null,
  Project: (on, { id }) => get(on, "Project", id) ?? null,
  Projects: (on) => all(on, "Project").toSorted(Mail.byId),
  ApiKeyByPublicId: (on, { publicId }) => all(on, "ApiKey").find((key) => key.publicId === publicId) ?? null,
  ApiKey: (on, { id }) => get(on, "ApiKey", id) ?? null,
  ApiKeys: (on, { projectId }) => own(on, "ApiKey", projectId).toSorted((a, b) => Mail.newestFirst(b, a)),
  Domain: (on, { projectId, domain }) => get(on, "Domain", projectId, domain) ?? null,
  DomainOfId: ownById("Domain"),
  DomainsDue: (on, query) => Mail.domainsDueAmong(all(on, "Domain"), query),
  DomainPage: (on, query) => Mail.domainPageAmong(own(on, "Domain", query.projectId), query),
  Contact: ownById("Contact"),
  ContactsByAddress: (on, { projectId, addresses }) => addresses.map((one) => contactAt(on, projectId, one) ?? null),
  ContactPage: (on, query) => Mail.contactPageAmong(own(on, "Contact", query.projectId), query),
  ContactScan: (on, query) => Mail.contactScanAmong(own(on, "Contact", query.projectId), query),
  Definition: ownById("Definition"),
  DefinitionCount: (on, { projectId, kind, parent }) =>
    own(on, "Definition", projectId).filter((one) => one.kind === kind && one.parent === parent).length,
  DefinitionPage: (on, query) => Mail.definitionPageAmong(own(on, "Definition", query.projectId), query),
  DefinitionNamed: (on, query) => definitionNamed(on, query) ?? null,
  Definitions: (on, query) => Mail.definitionsAmong(own(on, "Definition", query.projectId), query),
  Suppressions: (on, { projectId, addressKeys }) =>
    addressKeys.map((key) => get(on, "Suppression", projectId, key) ?? null),
  SuppressionPage: (on, query) => Mail.suppressionPageAmong(own(on, "Suppression", query.projectId), query),
  Counters: (on, { projectId, names }) => names.map((name) => get(on, "Counter", projectId, name)?.value ?? 0),
  Idempotency: (on, { projectId, key }) => get(on, "Idempotency", projectId, key) ?? null,
  Message: ownById("Message"),
  Delivery: ownById("Delivery"),
  DeliveriesOfMessage: (on, { projectId, messageId: id }) =>
    own(on, "Delivery", projectId)
      .filter(({ messageId }) => messageId === id)
      .toSorted(Mail.byId),
  Attempts: (on, { deliveryId }) => all(on, "Attempt", deliveryId).toSorted((a, b) => a.number - b.number),
  LogPage: (on, query) =>
    Mail.logPageAmong(own(on, "Delivery", query.projectId), query, (messageId) => get(on, "Message", messageId)),
  Events: (on, query) => Mail.eventsAmong(own(on, "Event", query.projectId), query),
  Event: (on, { id }) => get(on, "Event", id) ?? null,
  UndistributedEvents: (on, { limit }) =>
    Mail.eventsAmong(
      all(on, "Undistributed").map((id) => get(on, "Event", id)!),
      { after: null, limit }
    ),
  Push: ownById("Push"),
  PushPage: (on, query) => Mail.pushPageAmong(own(on, "Push", query.projectId), query),
  PendingPushes: (on, { now }) => Mail.pendingPushesAmong(all(on, "Push").filter((one) => isFree(on, one, now))),
  NextDue: (on, query) => Mail.nextDueAmong(all(on, "Delivery"), all(on, "Lease"), query),
  Backlog: (on, { now }) => Mail.backlogAmong(all(on, "Delivery"), now),
  Ledger: (on, { projectId: one }) =>
    Mail.ledgerAmong(own(on, "Counter", one), own(on, "Delivery", one), own(on, "Contact", one))
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
    claimPushes: async (request) => then(claimPushes(state, request)).rows,
    sweep: async (request) => then(sweep(state, request)).count,
    read: async (queries) => read(state, queries)
  }
}

export const layer = storeFromPromises(open)

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
  Counter: number
  Event: Mail.MailEvent
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
const least = (times: ReadonlyArray<number>) => (times.length === 0 ? null : Math.min(...times))

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
    case "PutSetting":
      return insert(change.value)
    case "PutProject":
      return replace(change.project, change.replaces)
    case "PutApiKey": {
      const taken = all(state, "ApiKey").some((one) => one.id !== change.key.id && one.publicId === change.key.publicId)
      return replace(change.key, change.replaces, taken)
    }
    case "TouchApiKey":
      return patch({ lastUsedAt: change.lastUsedAt })
    case "PutDomain":
      return replace(change.domain, change.replaces)
    case "PutDefinition": {
      const { id, name, projectId, kind, parent } = change.definition
      const holder = name === null ? undefined : definitionNamed(state, { projectId, kind, parent, name })
      return replace(change.definition, change.replaces, (holder?.id ?? id) !== id)
    }
    case "RemoveDefinition":
    case "RemoveContact":
      return Mail.revisionConflict(standing as Mail.Contact, change.revision) ?? void state.delete(key)
    case "PutContact": {
      const { id, projectId, address } = change.contact
      return replace(change.contact, change.replaces, (contactAt(state, projectId, address)?.id ?? id) !== id)
    }
    case "PutSuppression":
      return replace(change.suppression, change.replaces)
    case "RecordIdempotency": {
      const { expiresAt } = (standing ?? { expiresAt: change.now }) as Mail.IdempotencyRecord
      return expiresAt > change.now ? "AlreadyExists" : write(change.record)
    }
    case "ExtendIdempotency":
      return patch({ expiresAt: change.expiresAt })
    case "InsertMessage":
      return insert(change.message)
    case "InsertDelivery":
      return insert(change.delivery)
    case "InsertAttempt":
      return insert(change.attempt)
    case "AppendEvent":
      return insert(change.event)
    case "MoveAttempt": {
      const phase = get(state, "Attempt", change.deliveryId, change.number)?.phase
      const { status, token } = get(state, "Delivery", change.deliveryId) ?? {}
      if (phase === undefined) return "NotFound"
      const stands = status === "sending" && token === change.token && phase === change.from
      return stands ? patch(change.next) : "Stale"
    }
    case "MoveDelivery": {
      const delivery = get(state, "Delivery", change.id)
      if (delivery === undefined) return "NotFound"
      return delivery.status === change.from && delivery.token === change.token ? patch(change.next) : "Stale"
    }
    case "SpendCounter": {
      const sum = ((standing as number | undefined) ?? 0) + change.by
      return change.by >= 0 && change.max !== null && sum > change.max ? "Exhausted" : write(sum)
    }
    case "RenewLease":
      return write({ worker: change.worker, leaseUntil: change.leaseUntil })
    case "EndLease":
      return void state.delete(key)
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

export const claim = (before: State, { kind, now, limit, worker, leaseUntil }: Mail.Claim) => {
  const isFree = (one: Mail.Delivery) => (get(before, "Lease", one.worker)?.leaseUntil ?? now) <= now
  const rows = all(before, "Delivery")
    .filter((one) => one.status === Mail.claimKinds[kind] && one.dueAt !== null && one.dueAt <= now && isFree(one))
    .toSorted(Mail.longestDueFirst)
    .slice(0, limit)
    .map((one) => ({ ...one, worker, token: one.token + 1 }))
  const state = new Map(before)
  for (const row of rows) state.set(`Delivery/${row.id}`, row)
  if (rows.length > 0) apply(state, { _tag: "RenewLease", worker, leaseUntil })
  return { rows, state }
}

export const sweep = (before: State, { kind, before: instant, limit }: Mail.Sweep) => {
  const busy = new Set(all(before, "Delivery").flatMap(({ dueAt, worker }) => (dueAt === null ? [] : [worker])))
  const ages = {
    events: () => all(before, "Event").map((one) => ({ id: `Event/${one.id}`, at: one.occurredAt })),
    idempotency: () =>
      all(before, "Idempotency").map((one) => ({ id: `Idempotency/${one.projectId}/${one.key}`, at: one.expiresAt })),
    leases: () =>
      all(before, "Lease").flatMap(({ worker, leaseUntil: at }) =>
        busy.has(worker) ? [] : [{ id: `Lease/${worker}`, at }]
      )
  }[kind]()
  const old = ages.filter(({ at }) => at < instant).toSorted((a, b) => a.at - b.at || Mail.byId(a, b))
  const gone = new Set(old.slice(0, limit).map(({ id }) => id))
  return { count: gone.size, state: new Map([...before].filter(([key]) => !gone.has(key))) }
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
  DomainPage: (on, { projectId, page }) => Mail.pageOf(own(on, "Domain", projectId).toSorted(Mail.newestFirst), page),
  Contact: (on, { projectId, id }) => own(on, "Contact", projectId).find((one) => one.id === id) ?? null,
  ContactsByAddress: (on, { projectId, addresses }) => addresses.map((one) => contactAt(on, projectId, one) ?? null),
  ContactPage: (on, query) => Mail.contactPageAmong(own(on, "Contact", query.projectId), query),
  ContactCount: (on, { projectId, filters }) =>
    own(on, "Contact", projectId).filter((one) => Mail.contactFiltersMatch(filters, one)).length,
  Definition: (on, { projectId, id }) => own(on, "Definition", projectId).find((one) => one.id === id) ?? null,
  DefinitionNamed: (on, query) => definitionNamed(on, query) ?? null,
  Definitions: (on, query) => Mail.definitionsAmong(own(on, "Definition", query.projectId), query),
  Suppressions: (on, { projectId, addressKeys }) =>
    addressKeys.map((key) => get(on, "Suppression", projectId, key) ?? null),
  SuppressionPage: (on, query) => Mail.suppressionPageAmong(own(on, "Suppression", query.projectId), query),
  Counters: (on, { projectId, names }) => names.map((name) => get(on, "Counter", projectId, name) ?? 0),
  Idempotency: (on, { projectId, key }) => get(on, "Idempotency", projectId, key) ?? null,
  Message: (on, { projectId, id }) => own(on, "Message", projectId).find((one) => one.id === id) ?? null,
  Delivery: (on, { projectId, id }) => own(on, "Delivery", projectId).find((one) => one.id === id) ?? null,
  DeliveriesOfMessage: (on, { projectId, messageId: id }) =>
    own(on, "Delivery", projectId)
      .filter(({ messageId }) => messageId === id)
      .toSorted(Mail.byId),
  Attempts: (on, { deliveryId }) => all(on, "Attempt", deliveryId).toSorted((a, b) => a.number - b.number),
  LogPage: (on, query) =>
    Mail.logPageAmong(own(on, "Delivery", query.projectId), query, (messageId) => get(on, "Message", messageId)),
  Events: (on, { projectId, after, limit }) =>
    own(on, "Event", projectId)
      .filter(({ id }) => id > (after ?? ""))
      .toSorted(Mail.byId)
      .slice(0, limit),
  NextDue: (on, { worker, now }) => {
    const free = all(on, "Delivery").filter((one) => one.status !== "sending" && one.worker === null)
    const leases = all(on, "Lease").filter((one) => one.worker !== worker && one.leaseUntil > now)
    return least([...free.flatMap(({ dueAt }) => dueAt ?? []), ...leases.map(({ leaseUntil }) => leaseUntil)])
  },
  Backlog: (on, { now }) => Mail.backlogAmong(all(on, "Delivery"), now),
  Ledger: (on, { projectId }) => {
    const prefix = `Counter/${projectId}/`
    const counters = [...on].flatMap(([key, value]) =>
      key.startsWith(prefix)
        ? [{ projectId, name: key.slice(prefix.length) as Mail.CounterName, value: value as number }]
        : []
    )
    return Mail.ledgerAmong(counters, own(on, "Delivery", projectId), own(on, "Contact", projectId))
  }
}

export const read = (state: State, queries: ReadonlyArray<Mail.Query>): ReadonlyArray<unknown> =>
  queries.map((query) => (answers[query._tag] as (state: State, query: Mail.Query) => unknown)(state, query))

const open = async (): Promise<PromiseStore> => {
  let state: State = new Map()
  return {
    capabilities: { durable: false, multiProcess: false },
    commit: async (changes) => {
      const { refused, state: next } = commit(state, changes)
      state = next
      return refused
    },
    claim: async (request) => {
      const next = claim(state, request)
      state = next.state
      return next.rows
    },
    sweep: async (request) => {
      const next = sweep(state, request)
      state = next.state
      return next.count
    },
    read: async (queries) => read(state, queries)
  }
}

export const layer = storeFromPromises(open)

/**
 * The records of the store, and how its functions find them.
 */
import type * as Mail from "@mailkeep/core/adapter"

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
  /** The events that are not distributed yet. */
  Undistributed: Mail.EventRecord
  EventDelivery: Mail.EventDelivery
  Lease: Mail.Lease
}
type Kind = keyof Records

/** Every record, by the key that `recordKeyOf` gives: `Contact/prj_acme/con_1`, `Counter/prj_acme/allowance`. */
export type State = Map<string, unknown>

export const get = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<unknown>) =>
  state.get([kind, ...names].join("/")) as Records[K] | undefined
export const all = <K extends Kind>(state: State, kind: K, ...names: ReadonlyArray<string>) =>
  [...state].flatMap(([key, record]) => (key.startsWith([kind, ...names, ""].join("/")) ? [record as Records[K]] : []))
export const own = <K extends Kind>(state: State, kind: K, projectId: string) =>
  all(state, kind).filter((record) => (record as { readonly projectId: string }).projectId === projectId)
export const contactAt = (state: State, projectId: string, address: string) =>
  own(state, "Contact", projectId).find((contact) => contact.address === address)
export const resourceNamed = (
  state: State,
  { projectId, kind, parent, name }: Omit<Mail.QueryOf<"ResourceNamed">, "_tag">
) => own(state, "Resource", projectId).find((one) => one.kind === kind && one.parent === parent && one.name === name)
export const isFree = (state: State, { worker }: { readonly worker: string | null }, now: number) =>
  (get(state, "Lease", worker)?.leaseUntil ?? now) <= now
export const ownById =
  <K extends "Contact" | "Resource" | "Domain" | "Message" | "Delivery" | "EventDelivery">(kind: K) =>
  (state: State, { projectId, id }: { readonly projectId: string; readonly id: string }) =>
    own(state, kind, projectId).find((one) => one.id === id) ?? null

/** The key of an event while it is not distributed. */
export const undistributedKey = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string =>
  `Undistributed/${projectId}/${id}`

/** Every record of one kind, as `Records` returns it. */
const stored: { readonly [K in Mail.RecordKind]?: (state: State) => ReadonlyArray<Mail.StoredRecordOf<K>["record"]> } =
  {
    Setting: (state) => named(state, "Setting").map(([name, value]) => ({ name, value })),
    Content: (state) =>
      named(state, "Content").map(([key, chunks]) => {
        const [projectId, hash] = key.split("/") as [string, string]
        return { projectId, hash, chunks }
      }),
    Event: (state) =>
      all(state, "Event").map((event) => ({ event, isDistributed: !state.has(undistributedKey(event)) }))
  }
const named = <K extends Kind>(state: State, kind: K) =>
  [...state].flatMap(([key, record]) =>
    key.startsWith(`${kind}/`) ? [[key.slice(kind.length + 1), record as Records[K]] as const] : []
  )
export const storedRecords = (state: State, kind: Mail.RecordKind) =>
  (stored[kind] ?? ((one: State) => all(one, kind)))(state).map((record) => ({ kind, record }) as Mail.StoredRecord)

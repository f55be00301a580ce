/**
 * The whole state of the reference store, as one immutable value.
 */
import type {
  ApiKeyRecord,
  Attempt,
  ContactRecord,
  Resource,
  Delivery,
  EventDelivery,
  IdempotencyRecord,
  Lease,
  EventRecord,
  Message,
  ProjectRecord,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { HashMap } from "effect"

/** The keys of records of a project are `project/key`; see `within`. */
export interface State {
  readonly settings: HashMap.HashMap<string, string>
  readonly projects: HashMap.HashMap<string, ProjectRecord>
  readonly apiKeys: HashMap.HashMap<string, ApiKeyRecord>
  readonly domains: HashMap.HashMap<string, SenderDomainRecord>
  readonly resources: HashMap.HashMap<string, Resource>
  /** The key of the resource of each project, kind, parent and name. */
  readonly resourcesByName: HashMap.HashMap<string, string>
  readonly contacts: HashMap.HashMap<string, ContactRecord>
  /** The key of the contact at each address. */
  readonly contactsByAddress: HashMap.HashMap<string, string>
  readonly suppressions: HashMap.HashMap<string, SuppressionRecord>
  readonly idempotency: HashMap.HashMap<string, IdempotencyRecord>
  /** The chunks of each content, by project and hash. */
  readonly contents: HashMap.HashMap<string, ReadonlyArray<Uint8Array>>
  readonly messages: HashMap.HashMap<string, Message>
  readonly deliveries: HashMap.HashMap<string, Delivery>
  /** The attempts of each delivery, by the key of the delivery. */
  readonly attempts: HashMap.HashMap<string, ReadonlyArray<Attempt>>
  readonly counters: HashMap.HashMap<string, number>
  readonly events: HashMap.HashMap<string, EventRecord>
  /** The keys of events that are not distributed yet. */
  readonly undistributed: HashMap.HashMap<string, true>
  readonly eventDeliveries: HashMap.HashMap<string, EventDelivery>
  readonly leases: HashMap.HashMap<string, Lease>
}

export const empty: State = {
  settings: HashMap.empty(),
  projects: HashMap.empty(),
  apiKeys: HashMap.empty(),
  domains: HashMap.empty(),
  resources: HashMap.empty(),
  resourcesByName: HashMap.empty(),
  contacts: HashMap.empty(),
  contactsByAddress: HashMap.empty(),
  suppressions: HashMap.empty(),
  idempotency: HashMap.empty(),
  contents: HashMap.empty(),
  messages: HashMap.empty(),
  deliveries: HashMap.empty(),
  attempts: HashMap.empty(),
  counters: HashMap.empty(),
  events: HashMap.empty(),
  undistributed: HashMap.empty(),
  eventDeliveries: HashMap.empty(),
  leases: HashMap.empty()
}

export const within = (projectId: string, key: string): string => `${projectId}/${key}`

/** The key of a record of a project. */
export const keyOf = ({ projectId, id }: { readonly projectId: string; readonly id: string }): string =>
  within(projectId, id)

export const lookUp = <A>(map: HashMap.HashMap<string, A>, key: string): A | null => {
  const found = HashMap.get(map, key)
  return found._tag === "Some" ? found.value : null
}

/** The key of a resource in the index by name. */
export const nameKey = ({
  projectId,
  kind,
  parent,
  name
}: Pick<Resource, "projectId" | "kind" | "parent" | "name">): string => JSON.stringify([projectId, kind, parent, name])

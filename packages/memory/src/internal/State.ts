/**
 * Everything the reference store knows, as one immutable value.
 */
import type {
  ApiKey,
  Attempt,
  Contact,
  Definition,
  Delivery,
  EventPush,
  IdempotencyRecord,
  Instant,
  MailEvent,
  Message,
  Project,
  SenderDomain,
  Suppression
} from "@mailkeep/core/domain"
import { HashMap } from "effect"

/** Keys of records within a project are `project/key`. */
export interface State {
  readonly settings: HashMap.HashMap<string, string>
  readonly projects: HashMap.HashMap<string, Project>
  readonly apiKeys: HashMap.HashMap<string, ApiKey>
  readonly domains: HashMap.HashMap<string, SenderDomain>
  readonly definitions: HashMap.HashMap<string, Definition>
  /** The id of the definition of each project, kind, parent and name. */
  readonly definitionsByName: HashMap.HashMap<string, string>
  readonly contacts: HashMap.HashMap<string, Contact>
  /** The id of the contact at each address. */
  readonly contactsByAddress: HashMap.HashMap<string, string>
  readonly suppressions: HashMap.HashMap<string, Suppression>
  readonly idempotency: HashMap.HashMap<string, IdempotencyRecord>
  readonly messages: HashMap.HashMap<string, Message>
  readonly deliveries: HashMap.HashMap<string, Delivery>
  readonly attempts: HashMap.HashMap<string, ReadonlyArray<Attempt>>
  readonly counters: HashMap.HashMap<string, number>
  readonly events: HashMap.HashMap<string, MailEvent>
  /** The ids of events that were not distributed yet. */
  readonly undistributed: HashMap.HashMap<string, true>
  readonly pushes: HashMap.HashMap<string, EventPush>
  readonly leases: HashMap.HashMap<string, Instant>
}

export const empty: State = {
  settings: HashMap.empty(),
  projects: HashMap.empty(),
  apiKeys: HashMap.empty(),
  domains: HashMap.empty(),
  definitions: HashMap.empty(),
  definitionsByName: HashMap.empty(),
  contacts: HashMap.empty(),
  contactsByAddress: HashMap.empty(),
  suppressions: HashMap.empty(),
  idempotency: HashMap.empty(),
  messages: HashMap.empty(),
  deliveries: HashMap.empty(),
  attempts: HashMap.empty(),
  counters: HashMap.empty(),
  events: HashMap.empty(),
  undistributed: HashMap.empty(),
  pushes: HashMap.empty(),
  leases: HashMap.empty()
}

export const within = (projectId: string, key: string): string => `${projectId}/${key}`

export const lookUp = <A>(map: HashMap.HashMap<string, A>, key: string): A | null => {
  const found = HashMap.get(map, key)
  return found._tag === "Some" ? found.value : null
}

/** Where a definition is found by its name. */
export const nameKey = ({
  projectId,
  kind,
  parent,
  name
}: Pick<Definition, "projectId" | "kind" | "parent" | "name">): string =>
  JSON.stringify([projectId, kind, parent, name])

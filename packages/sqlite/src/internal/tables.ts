/**
 * The tables of the store, field by field.
 */
import type {
  ApiKeyRecord,
  Attempt,
  AttemptState,
  ContactRecord,
  Counter,
  Resource,
  Delivery,
  DeliveryState,
  EventDelivery,
  EventDeliveryState,
  IdempotencyRecord,
  EventRecord,
  Message,
  ProjectRecord,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import type { Columns } from "./recordTable.ts"
import { recordTable } from "./recordTable.ts"

export const projects = recordTable<ProjectRecord>("mailkeep_projects", {
  id: "plain",
  onAmbiguous: "plain",
  listUnsubscribe: "boolean",
  createdAt: "plain",
  revision: "plain"
})

export const apiKeys = recordTable<ApiKeyRecord>("mailkeep_api_keys", {
  id: "plain",
  projectId: "plain",
  publicId: "plain",
  secretHash: "plain",
  name: "plain",
  permissions: "json",
  domainScope: "json",
  createdAt: "plain",
  expiresAt: "plain",
  revokedAt: "plain",
  lastUsedAt: "plain",
  revision: "plain"
})

export const domains = recordTable<SenderDomainRecord>("mailkeep_domains", {
  id: "plain",
  projectId: "plain",
  domain: "plain",
  status: "plain",
  manuallyVerified: "boolean",
  dkim: "json",
  records: "json",
  verificationError: "plain",
  verificationAttempts: "plain",
  verificationAttemptedAt: "plain",
  lastVerifiedAt: "plain",
  failingSince: "plain",
  nextCheckAt: "plain",
  createdAt: "plain",
  updatedAt: "plain",
  revision: "plain"
})

const contactColumns: Columns<ContactRecord> = {
  id: "plain",
  projectId: "plain",
  email: "plain",
  address: "plain",
  userId: "plain",
  firstName: "plain",
  lastName: "plain",
  phoneNumber: "plain",
  emailStatus: "plain",
  source: "plain",
  properties: "json",
  listIds: "json",
  createdAt: "plain",
  updatedAt: "plain",
  revision: "plain"
}

export const contacts = recordTable<ContactRecord>("mailkeep_contacts", contactColumns)

/** The columns of a contact's row that are not in its record. `schema/contactTexts.ts` explains them. */
export interface ContactRowColumns {
  readonly rowId: number
  readonly createdAtMax: number
}

export const contactRows = recordTable<ContactRecord & ContactRowColumns>("mailkeep_contacts", {
  rowId: "plain",
  createdAtMax: "plain",
  ...contactColumns
})

export const resources = recordTable<Resource>("mailkeep_resources", {
  id: "plain",
  projectId: "plain",
  kind: "plain",
  parent: "plain",
  name: "plain",
  content: "json",
  createdAt: "plain",
  updatedAt: "plain",
  revision: "plain"
})

export const suppressions = recordTable<SuppressionRecord>("mailkeep_suppressions", {
  projectId: "plain",
  addressKey: "plain",
  address: "plain",
  reasons: "json",
  revision: "plain"
})

export const idempotency = recordTable<IdempotencyRecord>("mailkeep_idempotency", {
  projectId: "plain",
  key: "plain",
  fingerprint: "plain",
  result: "json",
  expiresAt: "plain"
})

export const messages = recordTable<Message>("mailkeep_messages", {
  id: "plain",
  projectId: "plain",
  apiKeyId: "plain",
  source: "plain",
  from: "plain",
  fromName: "plain",
  replyTo: "plain",
  domain: "plain",
  templateId: "plain",
  subject: "plain",
  html: "plain",
  text: "plain",
  to: "json",
  cc: "json",
  headers: "json",
  attachments: "json",
  listUnsubscribe: "boolean",
  metadata: "json",
  idempotencyKey: "plain",
  onAmbiguous: "plain",
  expiresAt: "plain",
  createdAt: "plain"
})

const deliveryStateColumns: Columns<DeliveryState> = {
  status: "plain",
  reason: "plain",
  statusMessage: "plain",
  scheduledAt: "plain",
  dueAt: "plain",
  dueSetAt: "plain",
  queuedAt: "plain",
  worker: "plain",
  fencingToken: "plain",
  attemptCount: "plain",
  deferrals: "plain",
  ambiguousAttempts: "plain",
  workerDeaths: "plain",
  reachedRelay: "boolean",
  countedDay: "plain",
  chargedAt: "plain",
  sequence: "plain",
  bounceType: "plain",
  canceledAt: "plain",
  acceptedAt: "plain",
  deliveredAt: "plain",
  bouncedAt: "plain",
  complainedAt: "plain",
  failedAt: "plain",
  suppressedAt: "plain"
}

export const deliveries = recordTable<Delivery>("mailkeep_deliveries", {
  id: "plain",
  projectId: "plain",
  messageId: "plain",
  kind: "plain",
  recipient: "plain",
  address: "plain",
  contactId: "plain",
  source: "plain",
  bulk: "boolean",
  createdAt: "plain",
  ...deliveryStateColumns
})

export const deliveryStateFields = Object.keys(deliveryStateColumns) as ReadonlyArray<keyof DeliveryState>

const attemptStateColumns: Columns<AttemptState> = {
  phase: "plain",
  outcome: "plain",
  smtpCode: "plain",
  enhancedCode: "plain",
  statusMessage: "plain",
  durationMillis: "plain"
}

/** The project of an attempt is that of its delivery. */
export const attempts = recordTable<Omit<Attempt, "projectId">>("mailkeep_attempts", {
  deliveryId: "plain",
  number: "plain",
  startedAt: "plain",
  ...attemptStateColumns
})

export const attemptStateFields = Object.keys(attemptStateColumns) as ReadonlyArray<keyof AttemptState>

const eventDeliveryStateColumns: Columns<EventDeliveryState> = {
  status: "plain",
  dueAt: "plain",
  worker: "plain",
  fencingToken: "plain",
  attemptCount: "plain",
  latestAttempts: "json",
  endedAt: "plain"
}

export const eventDeliveries = recordTable<EventDelivery>("mailkeep_event_deliveries", {
  id: "plain",
  projectId: "plain",
  subscriber: "plain",
  eventId: "plain",
  eventKind: "plain",
  createdAt: "plain",
  ...eventDeliveryStateColumns
})

export const eventDeliveryStateFields = Object.keys(eventDeliveryStateColumns) as ReadonlyArray<
  keyof EventDeliveryState
>

export const counters = recordTable<Counter>("mailkeep_counters", { projectId: "plain", name: "plain", value: "plain" })

export const events = recordTable<EventRecord>("mailkeep_events", {
  id: "plain",
  projectId: "plain",
  occurredAt: "plain",
  kind: "plain",
  data: "json"
})

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
import { searchedTexts } from "@mailkeep/core/adapter/evaluation"
import { foldedOf } from "./read/folding.ts"
import { searchKeysOf } from "./read/searchKeys.ts"
import type { Columns } from "./recordTable.ts"
import { recordTable } from "./recordTable.ts"

export const projects = recordTable<ProjectRecord>("projects", {
  id: "text",
  onAmbiguous: "text",
  listUnsubscribe: "boolean",
  createdAt: "bigint",
  revision: "bigint"
})

export const apiKeys = recordTable<ApiKeyRecord>("api_keys", {
  id: "text",
  projectId: "text",
  publicId: "text",
  secretHash: "text",
  name: "text",
  permissions: "json",
  domainScope: "json",
  createdAt: "bigint",
  expiresAt: "bigint",
  revokedAt: "bigint",
  lastUsedAt: "bigint",
  revision: "bigint"
})

export const domains = recordTable<SenderDomainRecord>("domains", {
  id: "text",
  projectId: "text",
  domain: "text",
  status: "text",
  manuallyVerified: "boolean",
  dkim: "json",
  records: "json",
  verificationError: "text",
  verificationAttempts: "bigint",
  verificationAttemptedAt: "bigint",
  lastVerifiedAt: "bigint",
  failingSince: "bigint",
  nextCheckAt: "bigint",
  createdAt: "bigint",
  updatedAt: "bigint",
  revision: "bigint"
})

const contactColumns: Columns<ContactRecord> = {
  id: "text",
  projectId: "text",
  email: "text",
  address: "text",
  userId: "text",
  firstName: "text",
  lastName: "text",
  phoneNumber: "text",
  emailStatus: "text",
  source: "text",
  properties: "json",
  listIds: "json",
  createdAt: "bigint",
  updatedAt: "bigint",
  revision: "bigint"
}

export const contacts = recordTable<ContactRecord>("contacts", contactColumns)

/** A contact with the columns of its search. */
export interface StoredContact extends ContactRecord {
  readonly searchEmail: string
  readonly searchName: string
  readonly searchKeys: ReadonlyArray<number>
}

export const storedContacts = recordTable<StoredContact>("contacts", {
  ...contactColumns,
  searchEmail: "text",
  searchName: "text",
  searchKeys: "integer[]"
})

export const contactRow = (contact: ContactRecord): StoredContact => {
  const [searchEmail, searchName] = searchedTexts(contact)
  return { ...contact, searchEmail, searchName, searchKeys: searchKeysOf(contact) }
}

export const resources = recordTable<Resource>("resources", {
  id: "text",
  projectId: "text",
  kind: "text",
  parent: "text",
  name: "text",
  content: "json",
  createdAt: "bigint",
  updatedAt: "bigint",
  revision: "bigint"
})

export const suppressions = recordTable<SuppressionRecord>("suppressions", {
  projectId: "text",
  addressKey: "text",
  address: "text",
  reasons: "json",
  revision: "bigint"
})

export const idempotency = recordTable<IdempotencyRecord>("idempotency", {
  projectId: "text",
  key: "text",
  fingerprint: "text",
  result: "json",
  expiresAt: "bigint"
})

const messageColumns: Columns<Message> = {
  id: "text",
  projectId: "text",
  apiKeyId: "text",
  source: "text",
  from: "text",
  fromName: "text",
  replyTo: "text",
  domain: "text",
  templateId: "text",
  subject: "text",
  html: "text",
  text: "text",
  to: "json",
  cc: "json",
  headers: "json",
  attachments: "json",
  listUnsubscribe: "boolean",
  metadata: "json",
  idempotencyKey: "text",
  onAmbiguous: "text",
  expiresAt: "bigint",
  createdAt: "bigint"
}

export const messages = recordTable<Message>("messages", messageColumns)

/** A message with its folded subject. */
export interface StoredMessage extends Message {
  readonly subjectFolded: string | null
}

export const storedMessages = recordTable<StoredMessage>("messages", {
  ...messageColumns,
  subjectFolded: "text"
})

export const messageRow = (message: Message): StoredMessage => ({
  ...message,
  subjectFolded: foldedOf(message.subject)
})

const deliveryStateColumns: Columns<DeliveryState> = {
  status: "text",
  reason: "text",
  statusMessage: "text",
  scheduledAt: "bigint",
  dueAt: "bigint",
  dueSetAt: "bigint",
  queuedAt: "bigint",
  worker: "text",
  fencingToken: "bigint",
  attemptCount: "bigint",
  deferrals: "bigint",
  ambiguousAttempts: "bigint",
  workerDeaths: "bigint",
  reachedRelay: "boolean",
  countedDay: "text",
  chargedAt: "bigint",
  sequence: "bigint",
  bounceType: "text",
  canceledAt: "bigint",
  acceptedAt: "bigint",
  deliveredAt: "bigint",
  bouncedAt: "bigint",
  complainedAt: "bigint",
  failedAt: "bigint",
  suppressedAt: "bigint"
}

const deliveryColumns: Columns<Delivery> = {
  id: "text",
  projectId: "text",
  messageId: "text",
  kind: "text",
  recipient: "text",
  address: "text",
  contactId: "text",
  source: "text",
  bulk: "boolean",
  createdAt: "bigint",
  ...deliveryStateColumns
}

export const deliveries = recordTable<Delivery>("deliveries", deliveryColumns)

/** A delivery with its folded recipient. */
export interface StoredDelivery extends Delivery {
  readonly recipientFolded: string | null
}

export const storedDeliveries = recordTable<StoredDelivery>("deliveries", {
  ...deliveryColumns,
  recipientFolded: "text"
})

export const deliveryRow = (delivery: Delivery): StoredDelivery => ({
  ...delivery,
  recipientFolded: foldedOf(delivery.recipient)
})

export const deliveryStateFields = Object.keys(deliveryStateColumns) as ReadonlyArray<keyof DeliveryState>

const attemptStateColumns: Columns<AttemptState> = {
  phase: "text",
  outcome: "text",
  smtpCode: "bigint",
  enhancedCode: "text",
  statusMessage: "text",
  durationMillis: "bigint"
}

export const attempts = recordTable<Attempt>("attempts", {
  projectId: "text",
  deliveryId: "text",
  number: "bigint",
  startedAt: "bigint",
  ...attemptStateColumns
})

export const attemptStateFields = Object.keys(attemptStateColumns) as ReadonlyArray<keyof AttemptState>

const eventDeliveryStateColumns: Columns<EventDeliveryState> = {
  status: "text",
  dueAt: "bigint",
  worker: "text",
  fencingToken: "bigint",
  attemptCount: "bigint",
  latestAttempts: "json",
  endedAt: "bigint"
}

export const eventDeliveries = recordTable<EventDelivery>("event_deliveries", {
  id: "text",
  projectId: "text",
  subscriber: "text",
  eventId: "text",
  eventKind: "text",
  createdAt: "bigint",
  ...eventDeliveryStateColumns
})

export const eventDeliveryStateFields = Object.keys(eventDeliveryStateColumns) as ReadonlyArray<
  keyof EventDeliveryState
>

export const counters = recordTable<Counter>("counters", { projectId: "text", name: "text", value: "bigint" })

export const events = recordTable<EventRecord>("events", {
  id: "text",
  projectId: "text",
  occurredAt: "bigint",
  kind: "text",
  data: "json"
})

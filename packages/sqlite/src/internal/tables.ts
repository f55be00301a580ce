/**
 * The tables of the store, field by field.
 */
import type {
  ApiKey,
  Attempt,
  AttemptState,
  Contact,
  Counter,
  Definition,
  Delivery,
  DeliveryState,
  EventPush,
  EventPushState,
  IdempotencyRecord,
  MailEvent,
  Message,
  Project,
  SenderDomain,
  Suppression
} from "@mailkeep/core/domain"
import { freshState } from "@mailkeep/core/domain/evaluation"
import type { Columns } from "./recordTable.ts"
import { recordTable } from "./recordTable.ts"

export const projects = recordTable<Project>("projects", {
  id: "plain",
  onAmbiguous: "plain",
  createdAt: "plain",
  revision: "plain"
})

export const apiKeys = recordTable<ApiKey>("api_keys", {
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

export const domains = recordTable<SenderDomain>("domains", {
  id: "plain",
  projectId: "plain",
  domain: "plain",
  status: "plain",
  vouched: "boolean",
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

export const contacts = recordTable<Contact>("contacts", {
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
})

export const definitions = recordTable<Definition>("definitions", {
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

export const suppressions = recordTable<Suppression>("suppressions", {
  projectId: "plain",
  addressKey: "plain",
  address: "plain",
  reasons: "json",
  revision: "plain"
})

export const idempotency = recordTable<IdempotencyRecord>("idempotency", {
  projectId: "plain",
  key: "plain",
  fingerprint: "plain",
  result: "json",
  expiresAt: "plain"
})

export const messages = recordTable<Message>("messages", {
  id: "plain",
  projectId: "plain",
  keyId: "plain",
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
  metadata: "json",
  idempotencyKey: "plain",
  onAmbiguous: "plain",
  expiresAt: "plain",
  createdAt: "plain"
})

const deliveryState: Columns<DeliveryState> = {
  status: "plain",
  reason: "plain",
  statusMessage: "plain",
  scheduledAt: "plain",
  dueAt: "plain",
  queuedAt: "plain",
  worker: "plain",
  token: "plain",
  attempts: "plain",
  deferrals: "plain",
  ambiguous: "plain",
  crashes: "plain",
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
  failedAt: "plain"
}

export const deliveries = recordTable<Delivery>("deliveries", {
  id: "plain",
  projectId: "plain",
  messageId: "plain",
  kind: "plain",
  recipient: "plain",
  address: "plain",
  contactId: "plain",
  source: "plain",
  createdAt: "plain",
  ...deliveryState
})

export const deliveryStateFields = Object.keys(freshState) as ReadonlyArray<keyof DeliveryState>

const attemptState: Columns<AttemptState> = {
  phase: "plain",
  outcome: "plain",
  smtpCode: "plain",
  enhancedCode: "plain",
  message: "plain",
  durationMillis: "plain"
}

export const attempts = recordTable<Attempt>("attempts", {
  deliveryId: "plain",
  number: "plain",
  startedAt: "plain",
  ...attemptState
})

export const attemptStateFields = Object.keys(attemptState) as ReadonlyArray<keyof AttemptState>

const eventPushState: Columns<EventPushState> = {
  status: "plain",
  dueAt: "plain",
  worker: "plain",
  token: "plain",
  attempts: "plain",
  tries: "json",
  settledAt: "plain"
}

export const pushes = recordTable<EventPush>("pushes", {
  id: "plain",
  projectId: "plain",
  consumer: "plain",
  eventId: "plain",
  eventKind: "plain",
  createdAt: "plain",
  ...eventPushState
})

export const pushStateFields = Object.keys(eventPushState) as ReadonlyArray<keyof EventPushState>

export const counters = recordTable<Counter>("counters", { projectId: "plain", name: "plain", value: "plain" })

export const events = recordTable<MailEvent>("events", {
  id: "plain",
  projectId: "plain",
  occurredAt: "plain",
  kind: "plain",
  data: "json"
})

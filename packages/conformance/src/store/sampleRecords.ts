/**
 * Whole records for laws, in which each field has its own value.
 */
import type {
  AttachmentRecord,
  ApiKeyRecord,
  Attempt,
  ContactRecord,
  Delivery,
  EventDelivery,
  EventRecord,
  IdempotencyRecord,
  Message,
  ProjectRecord,
  ResourceOf,
  SenderDomainRecord,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import { freshAttempt, freshState } from "@mailkeep/core/adapter"
import { noon, numbered, projectId } from "./sampleIds.ts"

export const project = (change: Partial<ProjectRecord> = {}): ProjectRecord => ({
  id: projectId,
  onAmbiguous: "retry",
  listUnsubscribe: false,
  createdAt: noon,
  revision: 1,
  ...change
})

export const apiKey = (change: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  id: "key_1",
  projectId,
  publicId: "public000001",
  secretHash: "f".repeat(64),
  name: "A key",
  permissions: ["email.send"],
  domainScope: ["a.example", "b.example"],
  createdAt: noon,
  expiresAt: noon + 1000,
  revokedAt: null,
  lastUsedAt: null,
  revision: 1,
  ...change
})

export const senderDomain = (change: Partial<SenderDomainRecord> = {}): SenderDomainRecord => ({
  id: "dom_1",
  projectId,
  domain: "a.example",
  status: "verified",
  manuallyVerified: false,
  dkim: { selector: "mk1", encryptedPrivateKey: "sealed" },
  records: [
    {
      id: "rec_1",
      purpose: "dkim",
      type: "TXT",
      name: "mk1._domainkey.a.example",
      value: "v=DKIM1; k=rsa; p=MIIB",
      priority: null,
      status: "verified",
      requiredForSending: true,
      lastCheckedAt: noon,
      errorCode: null,
      errorMessage: null
    }
  ],
  verificationError: "The DKIM record is not there.",
  verificationAttempts: 3,
  verificationAttemptedAt: noon,
  lastVerifiedAt: noon,
  failingSince: noon + 1,
  nextCheckAt: noon + 2,
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

export const contact = (change: Partial<ContactRecord> = {}): ContactRecord => ({
  id: "con_1",
  projectId,
  email: "Ada@example.org",
  address: "ada@example.org",
  userId: "u-1",
  firstName: "Ada",
  lastName: "Lovelace",
  phoneNumber: "+44 20",
  emailStatus: "subscribed",
  source: "manual",
  properties: { prop_1: "gold", prop_2: 7 },
  listIds: ["lst_1", "lst_2"],
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

/** A contact with its own id and address for each number. */
export const numberedContact = (n: number, change: Partial<ContactRecord> = {}): ContactRecord =>
  contact({ id: numbered("con", n), email: `c${n}@example.org`, address: `c${n}@example.org`, ...change })

/** The content of a list, as a resource. */
export const resource = (change: Partial<ResourceOf<"list">> = {}): ResourceOf<"list"> => ({
  id: "lst_1",
  projectId,
  kind: "list",
  parent: "",
  name: "friends",
  content: { name: "Friends", description: "Who asked for it" },
  createdAt: noon,
  updatedAt: noon,
  revision: 1,
  ...change
})

export const suppression = (change: Partial<SuppressionRecord> = {}): SuppressionRecord => ({
  projectId,
  addressKey: "key-of-ada",
  address: "ada@example.org",
  reasons: { manual: noon },
  revision: 1,
  ...change
})

export const idempotencyRecord = (change: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  projectId,
  key: "k",
  fingerprint: "a".repeat(64),
  result: { messageId: "msg_1", deliveryIds: ["del_1"], totalQueued: 1, scheduledAt: null },
  expiresAt: noon + 1000,
  ...change
})

export const attachment = (change: Partial<AttachmentRecord> = {}): AttachmentRecord => ({
  filename: "invoice.pdf",
  contentType: "application/pdf",
  contentId: null,
  disposition: "attachment",
  size: 3,
  hash: "a".repeat(64),
  ...change
})

export const message = (change: Partial<Message> = {}): Message => ({
  id: "msg_1",
  projectId,
  apiKeyId: "key_1",
  source: "api",
  from: "shop@a.example",
  fromName: "The shop",
  replyTo: "reply@a.example",
  domain: "a.example",
  templateId: "tpl_1",
  subject: "Your order",
  html: "<p>Thanks</p>",
  text: "Thanks",
  to: ["ada@example.org"],
  cc: ["bob@example.org"],
  headers: { "List-Id": "orders", "X-Order": "ü 17" },
  attachments: [attachment(), attachment({ filename: "ü.png", contentId: "logo@a", disposition: "inline", size: 0 })],
  listUnsubscribe: true,
  metadata: { order: "17", paid: true, sum: 9.5 },
  idempotencyKey: "k",
  onAmbiguous: "fail",
  expiresAt: noon + 9000,
  createdAt: noon,
  ...change
})

/** A queued delivery that is due at noon. */
export const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  ...freshState,
  id: "del_1",
  projectId,
  messageId: "msg_1",
  kind: "to",
  recipient: "Ada@example.org",
  address: "ada@example.org",
  contactId: "con_1",
  source: "api",
  bulk: false,
  createdAt: noon,
  status: "queued",
  dueAt: noon,
  queuedAt: noon,
  ...change
})

/** Deliveries whose ids are in the order of their numbers. */
export const numberedDeliveries = (
  count: number,
  change: (n: number) => Partial<Delivery> = () => ({})
): ReadonlyArray<Delivery> =>
  Array.from({ length: count }, (_, n) => delivery({ id: numbered("del", n), ...change(n) }))

export const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  ...freshAttempt,
  projectId,
  deliveryId: "del_1",
  number: 1,
  startedAt: noon,
  ...change
})

export const event = (change: Partial<Omit<EventRecord, "kind" | "data">> = {}): EventRecord => ({
  id: "evt_1",
  projectId,
  occurredAt: noon,
  kind: "email.delivered",
  data: {
    deliveryId: "del_1",
    messageId: "msg_1",
    recipient: "ada@example.org",
    contactId: null,
    status: "delivered",
    previousStatus: "sending",
    reason: null,
    sequence: 1,
    bounceType: null,
    smtpCode: 250,
    enhancedCode: "2.0.0",
    message: "Ok"
  },
  ...change
})

/** A pending event delivery that is due just before noon. */
export const eventDelivery = (change: Partial<EventDelivery> = {}): EventDelivery => ({
  id: "evd_1",
  projectId,
  subscriber: "whk_1",
  eventId: "evt_1",
  eventKind: "email.delivered",
  createdAt: noon,
  status: "pending",
  dueAt: noon - 1,
  worker: null,
  fencingToken: 0,
  attemptCount: 2,
  latestAttempts: [{ at: noon - 5, status: 500, error: null, durationMillis: 12 }],
  endedAt: null,
  ...change
})

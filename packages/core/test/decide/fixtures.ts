/**
 * Small records for the tests of the deciders.
 */
import type { Attempt, Delivery } from "../../src/domain/Delivery.ts"
import { freshAttempt, freshState } from "../../src/domain/Delivery.ts"
import type { Message } from "../../src/domain/Message.ts"
import type { SenderDomain } from "../../src/domain/SenderDomain.ts"
import type { Suppression, SuppressionReason } from "../../src/domain/Suppression.ts"

export const now = Date.UTC(2026, 10, 21, 12)
const today = "2026-11-21"
export const project = "prj_test"

export const delivery = (change: Partial<Delivery> = {}): Delivery => ({
  ...freshState,
  id: "del_1",
  projectId: project,
  messageId: "msg_1",
  kind: "to",
  recipient: "ada@example.org",
  address: "ada@example.org",
  contactId: null,
  source: "api",
  createdAt: now,
  queuedAt: now,
  dueAt: now,
  fencingToken: 7,
  countedDay: today,
  chargedAt: now,
  ...change
})

export const scheduled = (change: Partial<Delivery> = {}): Delivery =>
  delivery({ status: "scheduled", scheduledAt: now, queuedAt: null, chargedAt: null, ...change })

export const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  ...freshAttempt,
  deliveryId: "del_1",
  number: 1,
  startedAt: now,
  ...change
})

export const message = (change: Partial<Message> = {}): Message => ({
  id: "msg_1",
  projectId: project,
  apiKeyId: null,
  source: "api",
  from: "hello@example.com",
  fromName: null,
  replyTo: null,
  domain: "example.com",
  templateId: null,
  subject: "Hello",
  html: null,
  text: "Hi",
  to: [],
  cc: [],
  headers: {},
  metadata: {},
  idempotencyKey: "k",
  onAmbiguous: null,
  expiresAt: null,
  createdAt: now,
  ...change
})

export const domain = (change: Partial<SenderDomain> = {}): SenderDomain => ({
  id: "dom_1",
  projectId: project,
  domain: "example.com",
  status: "verified",
  manuallyVerified: false,
  dkim: null,
  records: [],
  verificationError: null,
  verificationAttempts: 0,
  verificationAttemptedAt: null,
  lastVerifiedAt: now,
  failingSince: null,
  nextCheckAt: null,
  createdAt: now,
  updatedAt: now,
  revision: 1,
  ...change
})

/** The address of the recipient, as a suppression stores it. */
export const keyedAddress = { projectId: project, address: "ada@example.org", addressKey: "key-of-ada" }

export const suppression = (reason: SuppressionReason): Suppression => ({
  ...keyedAddress,
  reasons: { [reason]: now - 1 },
  revision: 3
})

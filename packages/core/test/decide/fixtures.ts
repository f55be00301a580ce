/**
 * Small records for the tests of the decisions.
 */
import { Result } from "effect"
import type { EventDelivery } from "../../src/domain/event/EventDelivery.ts"
import type { DeliveryEventRecord } from "../../src/domain/event/EventRecord.ts"
import { defaultEventKinds } from "../../src/domain/event/MailEvent.ts"
import type { SubscriptionContent } from "../../src/domain/event/Subscription.ts"
import type { WebhookContent } from "../../src/domain/webhook/Webhook.ts"
import type { ContactRecord } from "../../src/domain/contact/Contact.ts"
import type { PropertyType } from "../../src/domain/contact/Property.ts"
import type { ResourceKind, ResourceOf } from "../../src/domain/store/Resource.ts"
import type { IdBlock } from "../../src/domain/value/Id.ts"
import type { Attempt, Delivery } from "../../src/domain/delivery/Delivery.ts"
import { freshAttempt, freshState } from "../../src/domain/delivery/Delivery.ts"
import type { Change, ChangeOf } from "../../src/domain/store/Change.ts"
import type { Message } from "../../src/domain/message/Message.ts"
import type { SendInput } from "../../src/domain/message/SendInput.ts"
import type { ValidSend } from "../../src/domain/message/SendRequest.ts"
import { parseSend } from "../../src/domain/message/SendRequest.ts"
import type { SenderDomainRecord } from "../../src/domain/domain-name/SenderDomain.ts"
import type { SuppressionRecord, SuppressionReason } from "../../src/domain/contact/Suppression.ts"

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
  bulk: false,
  createdAt: now,
  queuedAt: now,
  dueAt: now,
  dueSetAt: now,
  fencingToken: 7,
  countedDay: today,
  chargedAt: now,
  ...change
})

export const scheduled = (change: Partial<Delivery> = {}): Delivery =>
  delivery({ status: "scheduled", scheduledAt: now, dueSetAt: null, queuedAt: null, chargedAt: null, ...change })

export const attempt = (change: Partial<Attempt> = {}): Attempt => ({
  ...freshAttempt,
  projectId: "prj_test",
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
  attachments: [],
  listUnsubscribe: false,
  metadata: {},
  idempotencyKey: "k",
  onAmbiguous: null,
  expiresAt: null,
  createdAt: now,
  ...change
})

export const domain = (change: Partial<SenderDomainRecord> = {}): SenderDomainRecord => ({
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

export const suppression = (reason: SuppressionReason): SuppressionRecord => ({
  ...keyedAddress,
  reasons: { [reason]: now - 1 },
  revision: 3
})

/** The new state in the only `TransitionDelivery` of a decision. */
export const nextState = (changes: ReadonlyArray<Change>): ChangeOf<"TransitionDelivery">["next"] => {
  const [first, ...others] = changes.flatMap((change) => (change._tag === "TransitionDelivery" ? [change.next] : []))
  if (first === undefined || others.length > 0)
    throw new Error("The decision does not have exactly one TransitionDelivery.")
  return first
}

/** What a decision adds to each counter. */
export const counterChanges = (changes: ReadonlyArray<Change>): Readonly<Record<string, number>> =>
  Object.fromEntries(changes.flatMap((change) => (change._tag === "AddToCounter" ? [[change.name, change.by]] : [])))

/** A checked send to one recipient. */
export const validSend = (change: Partial<SendInput> = {}): ValidSend =>
  Result.getOrThrow(
    parseSend({ from: "hello@example.com", to: "ada@example.org", subject: "Hello", text: "Hi", ...change }, "embedded")
  )

/** The ids that a decision may use. */
export const ids: IdBlock = { time: now, high: 0, low: 1 }

export const contact = (change: Partial<ContactRecord> = {}): ContactRecord => ({
  id: "con_1",
  projectId: project,
  email: "Ada@example.org",
  address: "ada@example.org",
  userId: "u1",
  firstName: "Ada",
  lastName: "Lovelace",
  phoneNumber: "+44",
  emailStatus: "subscribed",
  source: "manual",
  properties: {},
  listIds: [],
  createdAt: now - 10,
  updatedAt: now - 5,
  revision: 4,
  ...change
})

/** A resource of any kind; `name` is its unique name. */
export const resource = <K extends ResourceKind>(
  kind: K,
  id: ResourceOf<K>["id"],
  name: string | null,
  content: ResourceOf<K>["content"]
): ResourceOf<K> => ({
  id,
  projectId: project,
  kind,
  parent: "",
  name,
  content,
  createdAt: now - 10,
  updatedAt: now - 5,
  revision: 2
})

/** A custom property without a fallback. */
export const property = (
  id: ResourceOf<"property">["id"],
  key: string,
  type: PropertyType = "string"
): ResourceOf<"property"> => resource("property", id, key.toLowerCase(), { key, type, fallbackValue: null })

/** What a decision does, in order: the tag of each change, or the kind of the event that it appends. */
export const steps = (changes: ReadonlyArray<Change>): ReadonlyArray<string> =>
  changes.map((change) => (change._tag === "AppendEvent" ? change.event.kind : change._tag))

/** The tag of a failure, or `"decided"`. */
export const tagOf = <A, E extends { readonly _tag: string }>(result: Result.Result<A, E>) =>
  Result.isFailure(result) ? result.failure._tag : "decided"

/** An enabled webhook of the default kinds. */
export const webhook = (
  change: Partial<ResourceOf<"webhook">> = {},
  content: Partial<WebhookContent> = {}
): ResourceOf<"webhook"> => ({
  ...resource("webhook", "whk_1", null, {
    url: "https://hooks.example.net/",
    events: defaultEventKinds,
    description: "",
    status: "enabled",
    failingSince: null,
    secrets: [{ encrypted: "first", until: null }],
    ...content
  }),
  ...change
})

/** A subscription of `email.delivered`. */
export const subscription = (
  change: Partial<ResourceOf<"subscription">> = {},
  content: Partial<SubscriptionContent> = {}
): ResourceOf<"subscription"> => ({
  ...resource("subscription", "sub_1", "audit", { events: ["email.delivered"], ...content }),
  projectId: "*",
  ...change
})

/** A claimed event delivery to the webhook, before its first attempt ends. */
export const eventDelivery = (change: Partial<EventDelivery> = {}): EventDelivery => ({
  id: "evd_1",
  projectId: project,
  subscriber: "whk_1",
  eventId: "evt_1",
  eventKind: "email.delivered",
  createdAt: now,
  status: "pending",
  dueAt: now,
  worker: "worker",
  fencingToken: 3,
  attemptCount: 0,
  latestAttempts: [],
  endedAt: null,
  ...change
})

/** The event of the delivery. */
export const eventRecord = (change: Partial<DeliveryEventRecord> = {}): DeliveryEventRecord => ({
  id: "evt_1",
  projectId: project,
  occurredAt: now,
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
    message: "OK"
  },
  ...change
})

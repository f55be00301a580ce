import { describe, expect, it } from "vitest"
import { webhookBody } from "../../../src/domain/event/WebhookBody.ts"
import type { EventRecord } from "../../../src/domain/event/EventRecord.ts"
import { messageIdOfEvent } from "../../../src/domain/event/EventRecord.ts"
import type { EventKind, MailEventOf } from "../../../src/domain/event/MailEvent.ts"
import { eventKinds, toMailEvent } from "../../../src/domain/event/MailEvent.ts"
import { formatInstant } from "../../../src/domain/value/Instant.ts"
import { contact, eventRecord, message, now } from "../../decide/fixtures.ts"

const sent = message({ subject: "Order 7", templateId: "tpl_1", metadata: { order: 7 } })
const occurrence = { id: "evt_1", projectId: "prj_test", occurredAt: now } as const

const bounced = eventRecord({
  kind: "email.bounced",
  data: {
    ...eventRecord().data,
    status: "bounced",
    reason: "hard_bounce",
    bounceType: "hard",
    smtpCode: 550,
    enhancedCode: "5.1.1",
    message: "no such user"
  }
})
const failed = eventRecord({
  kind: "email.failed",
  data: { ...eventRecord().data, status: "failed", reason: "sending_failed", message: "The worker died." }
})

/** One record of each kind. */
const recordOf = (kind: EventKind): EventRecord => {
  switch (kind) {
    case "email.bounced":
      return bounced
    case "email.failed":
      return failed
    case "contact.created":
    case "contact.updated":
    case "contact.subscribed":
    case "contact.unsubscribed": {
      const reason = kind === "contact.unsubscribed" ? "unsubscribed" : null
      return { ...occurrence, kind, data: { contact: contact(), reason } }
    }
    case "contact.deleted":
      return { ...occurrence, kind, data: { contactId: "con_1" } }
    case "domain.verified":
    case "domain.failed":
      return {
        ...occurrence,
        kind,
        data: { domainId: "dom_1", domain: "example.com", status: "verified", lastVerifiedAt: now }
      }
    default:
      return eventRecord({ kind })
  }
}

const deliveryFields = {
  id: "del_1",
  message_id: "msg_1",
  recipient: "ada@example.org",
  subject: "Order 7",
  status: "delivered",
  previous_status: "sending",
  reason: null,
  contact_id: null,
  template_id: "tpl_1",
  source: "api",
  metadata: { order: 7 },
  occurred_at: formatInstant(now),
  sequence: 1
}

const contactFields = {
  id: contact().id,
  email: contact().email,
  user_id: contact().userId,
  first_name: contact().firstName,
  last_name: contact().lastName,
  phone_number: contact().phoneNumber,
  email_status: contact().emailStatus,
  source: contact().source,
  created_at: formatInstant(contact().createdAt),
  updated_at: formatInstant(contact().updatedAt)
}

const domainFields = {
  id: "dom_1",
  domain: "example.com",
  status: "verified",
  last_verified_at: formatInstant(now)
}

/** The data of the wire for each kind. */
const wireData: Readonly<Record<EventKind, object>> = {
  "email.accepted": deliveryFields,
  "email.delivered": deliveryFields,
  "email.complained": deliveryFields,
  "email.suppressed": deliveryFields,
  "email.canceled": deliveryFields,
  "email.delayed": deliveryFields,
  "email.bounced": {
    ...deliveryFields,
    status: "bounced",
    reason: "hard_bounce",
    bounce: { type: "hard", code: 550, enhanced_code: "5.1.1", diagnostic: "no such user" }
  },
  "email.failed": {
    ...deliveryFields,
    status: "failed",
    reason: "sending_failed",
    failure: { reason: "sending_failed", message: "The worker died." }
  },
  "contact.created": { ...contactFields, reason: null },
  "contact.updated": { ...contactFields, reason: null },
  "contact.subscribed": { ...contactFields, reason: null },
  "contact.unsubscribed": { ...contactFields, reason: "unsubscribed" },
  "contact.deleted": { id: "con_1" },
  "domain.verified": domainFields,
  "domain.failed": domainFields
}

describe("toMailEvent", () => {
  it("adds the fields of the message to the event of a delivery", () =>
    expect(toMailEvent(eventRecord(), sent)).toEqual({
      ...occurrence,
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
        subject: "Order 7",
        templateId: "tpl_1",
        source: "api",
        metadata: { order: 7 }
      }
    }))

  it("gives the reply of the relay with a bounce, and the reason with a failure", () => {
    const bounce = toMailEvent(bounced, sent) as MailEventOf<"email.bounced">
    expect(bounce.data.bounce).toEqual({
      type: "hard",
      smtpCode: 550,
      enhancedCode: "5.1.1",
      message: "no such user"
    })
    const failure = toMailEvent(failed, sent) as MailEventOf<"email.failed">
    expect(failure.data.failure).toEqual({ reason: "sending_failed", message: "The worker died." })
  })

  it("leaves the fields of the message empty when the message is no longer stored", () =>
    expect(toMailEvent(eventRecord(), null).data).toMatchObject({
      subject: "",
      templateId: null,
      source: null,
      metadata: {}
    }))

  it("gives a contact without the fields that only the store needs", () => {
    const { data } = toMailEvent(recordOf("contact.created"), null) as MailEventOf<"contact.created">
    expect(data).toMatchObject({ contactId: contact().id, contact: { email: contact().email }, reason: null })
    expect(data.contact).not.toHaveProperty("revision")
    expect(data.contact).not.toHaveProperty("address")
  })
})

describe("messageIdOfEvent", () => {
  it.each(eventKinds)("names the message only of an event about a delivery: %s", (kind) =>
    expect(messageIdOfEvent(recordOf(kind))).toBe(kind.startsWith("email.") ? "msg_1" : null)
  )
})

describe("webhookBody", () => {
  it.each(eventKinds)("makes the body of the wire for %s", (kind) =>
    expect(webhookBody(toMailEvent(recordOf(kind), sent))).toEqual({
      type: kind,
      timestamp: formatInstant(now),
      data: wireData[kind]
    })
  )
})

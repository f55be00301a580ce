/**
 * The webhooks in the OpenAPI document: the bodies that a receiver gets. The core makes them (`WebhookBody`). Later versions can add fields, so the
 * schemas allow others. Source: decisions 0016 and 0028.
 */
import {
  contactSources,
  deliveryReasons,
  deliveryStatuses,
  domainStatuses,
  emailStatuses,
  eventKinds
} from "@mailkeep/core/binding"
import type { JsonObject } from "./jsonObject.ts"
import { schemaReference } from "./jsonObject.ts"

const text = { type: "string" }
const integer = { type: "integer" }
const time = { type: "string", format: "date-time" }
const listOf = (values: ReadonlyArray<string>) => ({ type: "string", enum: values })
const orNull = (schema: JsonObject) => ({ anyOf: [schema, { type: "null" }] })
const fields = (properties: JsonObject) => ({ type: "object", properties, required: Object.keys(properties) })

const deliveryFields = {
  id: { ...text, description: "The id of the delivery." },
  message_id: text,
  recipient: text,
  subject: text,
  status: listOf(deliveryStatuses),
  previous_status: orNull(listOf(deliveryStatuses)),
  reason: orNull(listOf(deliveryReasons)),
  contact_id: orNull(text),
  template_id: orNull(text),
  source: { ...text, description: "Empty if the message is no longer stored." },
  metadata: { type: "object", additionalProperties: true },
  occurred_at: time,
  sequence: { ...integer, description: "The number of the event within its delivery, from 1." }
}

const bounce = {
  type: orNull(listOf(["hard", "soft"])),
  code: orNull(integer),
  enhanced_code: orNull(text),
  diagnostic: orNull(text)
}

const contactFields = {
  id: { ...text, description: "The id of the contact." },
  email: text,
  user_id: orNull(text),
  first_name: text,
  last_name: text,
  phone_number: orNull(text),
  email_status: listOf(emailStatuses),
  source: listOf(contactSources),
  created_at: time,
  updated_at: time,
  reason: orNull(listOf(["unsubscribed"]))
}

/** The data of the bodies, with the names of their types in the packages. */
const dataSchemas = {
  WebhookDeliveryData: fields(deliveryFields),
  WebhookBounceData: fields({ ...deliveryFields, bounce: fields(bounce) }),
  WebhookFailureData: fields({
    ...deliveryFields,
    failure: fields({ reason: orNull(listOf(deliveryReasons)), message: orNull(text) })
  }),
  WebhookContactData: fields(contactFields),
  WebhookDeletedContactData: fields({ id: text }),
  WebhookDomainData: fields({
    id: { ...text, description: "The id of the domain." },
    domain: text,
    status: listOf(domainStatuses),
    last_verified_at: orNull(time)
  }),
  WebhookTestData: fields({ webhook_id: text, project_id: text })
}

type DataName = keyof typeof dataSchemas

const dataByKind: Readonly<Record<string, DataName>> = {
  "email.bounced": "WebhookBounceData",
  "email.failed": "WebhookFailureData",
  "contact.deleted": "WebhookDeletedContactData",
  "webhook.test": "WebhookTestData"
}

const dataByPart: Readonly<Record<string, DataName>> = {
  email: "WebhookDeliveryData",
  contact: "WebhookContactData",
  domain: "WebhookDomainData"
}

const kinds = [...eventKinds, "webhook.test"]

/** `EmailDeliveredWebhookBody` for `email.delivered`. */
const bodyName = (kind: string): string =>
  `${kind.replaceAll(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}WebhookBody`

const bodyOf = (kind: string) =>
  fields({
    type: listOf([kind]),
    timestamp: time,
    data: schemaReference(dataByKind[kind] ?? dataByPart[kind.split(".")[0]!]!)
  })

const headerField = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  schema: text,
  description
})

const webhookOf = (kind: string) => ({
  post: {
    tags: ["webhooks"],
    operationId: `event.${kind}`,
    summary: kind === "webhook.test" ? "A test of a webhook" : `The event ${kind}`,
    description: "Standard Webhooks: verify the signature over the bytes of the body.",
    parameters: [
      headerField("webhook-id", "The same on every attempt."),
      headerField("webhook-timestamp", "The time of the attempt, in seconds since 1970."),
      headerField("webhook-signature", "One or more signatures such as `v1,…`, separated by spaces.")
    ],
    requestBody: { required: true, content: { "application/json": { schema: schemaReference(bodyName(kind)) } } },
    responses: {
      "2XX": { description: "Received. After any other answer, the event is sent again." },
      "410": { description: "Disables the webhook." }
    }
  }
})

/** The webhooks of the document, by the kind of their event. */
export const webhooks: JsonObject = Object.fromEntries(kinds.map((kind) => [kind, webhookOf(kind)]))

/** The schemas of the bodies of webhooks. */
export const webhookSchemas: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(kinds.map((kind) => [bodyName(kind), bodyOf(kind)])),
  ...dataSchemas
}

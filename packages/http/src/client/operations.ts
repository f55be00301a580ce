/**
 * The operations of the interface that the client calls, by their ids in the OpenAPI document. A test compares this table with the document.
 */

/** One operation of the interface. */
export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  /** Below `/api/v1`. A name after a colon is an id of the call. */
  readonly path: string
  /** Whether a repeat has the same effect and the same answer, so that a call without an answer may be repeated. Source: decision 0055. */
  readonly isRepeatable: boolean
}

const operation = (method: Operation["method"], path: string, isRepeatable: boolean): Operation => ({
  method,
  path,
  isRepeatable
})

const read = (path: string) => operation("GET", path, true)
/** A write that an earlier equal request makes a no-op. */
const repeatable = (method: Operation["method"], path: string) => operation(method, path, true)
/** A write that changes something again, or fails, when it is repeated. */
const once = (method: Operation["method"], path: string) => operation(method, path, false)

export const operations = {
  "messages.send": repeatable("POST", "/emails/send"),
  "messages.sendBatch": repeatable("POST", "/emails/batch"),
  "messages.cancel": repeatable("POST", "/emails/messages/:messageId/cancel"),
  "messages.reschedule": once("PATCH", "/emails/messages/:messageId"),
  "logs.list": read("/emails/logs"),
  "logs.get": read("/emails/logs/:deliveryId"),
  "contacts.list": read("/emails/contacts"),
  "contacts.create": once("POST", "/emails/contacts"),
  "contacts.get": read("/emails/contacts/:contactId"),
  "contacts.update": once("PUT", "/emails/contacts/:contactId"),
  "contacts.remove": once("DELETE", "/emails/contacts/:contactId"),
  "properties.list": read("/emails/properties"),
  "properties.create": once("POST", "/emails/properties"),
  "properties.update": once("PATCH", "/emails/properties/:id"),
  "properties.remove": once("DELETE", "/emails/properties/:id"),
  "lists.list": read("/emails/lists"),
  "lists.create": once("POST", "/emails/lists"),
  "lists.get": read("/emails/lists/:id"),
  "lists.update": once("PATCH", "/emails/lists/:id"),
  "lists.remove": once("DELETE", "/emails/lists/:id"),
  "lists.putContact": repeatable("PUT", "/emails/lists/:id/contacts/:contactId"),
  "lists.removeContact": repeatable("DELETE", "/emails/lists/:id/contacts/:contactId"),
  "segments.list": read("/emails/segments"),
  "segments.create": once("POST", "/emails/segments"),
  "segments.get": read("/emails/segments/:id"),
  "segments.update": once("PATCH", "/emails/segments/:id"),
  "segments.remove": once("DELETE", "/emails/segments/:id"),
  "suppressions.list": read("/emails/suppressions"),
  "suppressions.add": repeatable("POST", "/emails/suppressions"),
  "suppressions.remove": once("DELETE", "/emails/suppressions/:email"),
  "templates.list": read("/emails/templates"),
  "templates.create": once("POST", "/emails/templates"),
  "templates.get": read("/emails/templates/:id"),
  "templates.update": once("PATCH", "/emails/templates/:id"),
  "templates.archive": once("DELETE", "/emails/templates/:id"),
  "templates.variables": read("/emails/templates/:id/variables"),
  "templates.versions": read("/emails/templates/:id/versions"),
  "templates.publish": once("POST", "/emails/templates/:id/publish"),
  "templates.preview": repeatable("POST", "/emails/templates/:id/preview"),
  "webhooks.list": read("/emails/webhooks"),
  "webhooks.create": once("POST", "/emails/webhooks"),
  "webhooks.get": read("/emails/webhooks/:id"),
  "webhooks.update": once("PATCH", "/emails/webhooks/:id"),
  "webhooks.remove": once("DELETE", "/emails/webhooks/:id"),
  "webhooks.rotateSecret": once("POST", "/emails/webhooks/:id/rotate-secret"),
  "webhooks.test": once("POST", "/emails/webhooks/:id/test"),
  "webhooks.deliveries": read("/emails/webhooks/:id/deliveries"),
  "webhooks.replay": once("POST", "/emails/webhooks/:id/deliveries/:eventDeliveryId/replay"),
  "domains.list": read("/emails/domains"),
  "domains.add": once("POST", "/emails/domains"),
  "domains.get": read("/emails/domains/:id"),
  "domains.remove": once("DELETE", "/emails/domains/:id"),
  "domains.verify": repeatable("POST", "/emails/domains/:id/verify")
} as const satisfies Readonly<Record<string, Operation>>

/** The id of an operation in the OpenAPI document. */
export type OperationId = keyof typeof operations

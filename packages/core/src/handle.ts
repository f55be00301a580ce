/**
 * One project with promises: the interface `ProjectHandle`, which an embedded project of the package `mailkeep` and a client over HTTP implement.
 * None of its types needs Effect. An implementation uses the functions of `@mailkeep/core/handle/calls`.
 *
 * @example
 * ```ts
 * import type { ProjectHandle } from "@mailkeep/core/handle"
 *
 * export const sendWelcome = async (mail: ProjectHandle, user: { readonly id: string; readonly email: string }) => {
 *   const { messageId } = await mail.send({
 *     from: "Acme <hi@acme.example>",
 *     to: user.email,
 *     subject: "Welcome",
 *     text: "Hello.",
 *     idempotencyKey: `welcome:${user.id}`
 *   })
 *   return messageId
 * }
 * ```
 */
export type { CallOptions } from "./handle/CallOptions.ts"
export type {
  ContactsHandle,
  KnownContact,
  ListedContact,
  ListsHandle,
  PropertiesHandle,
  SegmentsHandle,
  SuppressionsHandle
} from "./handle/ContactsHandle.ts"
export type { DeliveriesHandle, DeliveryFilterInput, LoggedDelivery, LoggedMessage } from "./handle/DeliveriesHandle.ts"
export type { DomainsHandle, ListedDomain } from "./handle/DomainsHandle.ts"
export type {
  ApiKeySecret,
  ApiKeysHandle,
  EmbeddedContacts,
  EmbeddedDeliveries,
  EmbeddedDomains,
  EmbeddedLists,
  EmbeddedMessageInput,
  EmbeddedProject,
  EmbeddedProperties,
  EmbeddedSegments,
  EmbeddedSendBatchInput,
  EmbeddedSendInput,
  EmbeddedSuppressions,
  EmbeddedTemplates,
  EventsHandle,
  FeedbackHandle
} from "./handle/EmbeddedProject.ts"
export type { ProjectHandle } from "./handle/ProjectHandle.ts"
export type {
  BatchItemResult,
  MessageInput,
  SendBatchInput,
  SendingHandle,
  SendMessageInput
} from "./handle/SendingHandle.ts"
export type { TemplatesHandle } from "./handle/TemplatesHandle.ts"
export type { ListedWebhook, ListedWebhookDelivery, WebhookSecret, WebhooksHandle } from "./handle/WebhooksHandle.ts"

// What a handle takes and returns.
export type * from "./handle/records.ts"

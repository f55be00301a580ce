/** The event sink that posts webhooks. */
export * as WebhookSink from "./WebhookSink.ts"

/**
 * Adds to the OpenAPI document what the schemas do not say: bounds of numbers, examples of requests, headers of responses, tags.
 */
import { pageLimitDefault, pageLimitMax } from "@mailkeep/core/binding"
import { closedListSchemas } from "./closedLists.ts"
import type { JsonObject } from "./jsonObject.ts"
import { mapped } from "./jsonObject.ts"
import { portableComponents, withPortableSchemas } from "./portableSchemas.ts"
import { withSegmentFilter } from "./segmentFilter.ts"
import { webhooks, webhookSchemas } from "./webhookBodies.ts"

const dateOrTime = {
  anyOf: [
    { type: "string", format: "date-time" },
    { type: "string", format: "date" }
  ]
}

/** Parameters are text on the wire, but mean numbers or dates. */
const bounded: Readonly<Record<string, JsonObject>> = {
  limit: { type: "integer", minimum: 1, maximum: pageLimitMax, default: pageLimitDefault },
  page: { type: "integer", minimum: 1, default: 1 },
  beforeVersion: { type: "integer", minimum: 1 },
  startDate: dateOrTime,
  endDate: dateOrTime
}

const descriptions: Readonly<Record<string, string>> = {
  limit: `Page size, 1 to ${pageLimitMax}; default ${pageLimitDefault}.`,
  page: "Page number, from 1; default 1.",
  beforeVersion: "Shows only versions before this number.",
  cursor: "The `nextCursor` of the previous page, unchanged and with the same filters.",
  search: "A literal part of the searched fields; upper and lower case are the same.",
  startDate: "From this time on, inclusive; a bare date is the start of that day in UTC.",
  endDate: "Up to this time, inclusive; a bare date is the end of that day in UTC.",
  "idempotency-key":
    "A repeated request with the same key gets the same response and sends nothing. A key is kept for 30 days after acceptance or the scheduled time, whichever is later."
}

/** One valid request of each kind, by the name of its schema. */
const requestExamples: Readonly<Record<string, JsonObject>> = {
  SendEmailRequest: {
    from: "shop@acme.example",
    fromName: "The shop",
    to: ["ada@example.org"],
    subject: "Your receipt",
    text: "Thank you.",
    metadata: { order: 1042 }
  },
  SendBatchRequest: {
    messages: [
      { from: "shop@acme.example", to: "ada@example.org", subject: "Your receipt", text: "Thank you, Ada." },
      { from: "shop@acme.example", to: "bob@example.org", subject: "Your receipt", text: "Thank you, Bob." }
    ]
  },
  RescheduleMessageRequest: { scheduledAt: "2026-12-24T18:00:00+01:00" },
  CreateContactRequest: { email: "ada@example.org", firstName: "Ada", properties: { plan: "gold" } },
  UpdateContactRequest: { email: "ada@example.org", emailStatus: "unsubscribed" },
  CreatePropertyRequest: { key: "plan", type: "string", fallback_value: "free" },
  UpdatePropertyRequest: { fallback_value: null },
  CreateListRequest: { name: "Customers", description: "Who has bought something" },
  UpdateListRequest: { name: "Clients" },
  CreateSegmentRequest: {
    name: "Gold in Berlin",
    filter: {
      all: [
        { field: "properties.plan", op: "eq", value: "gold" },
        { field: "email", op: "ends_with", value: ".de" }
      ]
    }
  },
  UpdateSegmentRequest: { name: "Gold" },
  AddSuppressionRequest: { email: "ada@example.org", reason: "manual" },
  CreateTemplateRequest: {
    name: "Receipt",
    alias: "receipt",
    subject: "Order {{order}}",
    html: "<p>Thank you for order {{order}}.</p>",
    variables: [{ key: "order", type: "string", required: true }]
  },
  UpdateTemplateRequest: { subject: "Your order {{order}}" },
  PreviewTemplateRequest: { variables: { order: "1042" }, version: "draft" },
  CreateWebhookRequest: { url: "https://hooks.acme.example/mail", events: ["email.delivered", "email.bounced"] },
  UpdateWebhookRequest: { status: "enabled" },
  AddDomainRequest: { domain: "acme.example" }
}

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: JsonObject
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly responses: Readonly<Record<string, JsonObject>>
}

/** The request body already gives the `Content-Type`, so OpenAPI ignores such a parameter. A `Content-Encoding` is always refused. */
const parametersOf = (parameters: ReadonlyArray<Parameter>) =>
  parameters
    .filter(({ name }) => name !== "content-type" && name !== "content-encoding")
    .map((parameter) => {
      const { name, schema } = parameter
      const description = descriptions[name]
      return {
        ...parameter,
        schema: bounded[name] ?? schema,
        ...(description === undefined ? {} : { description })
      }
    })

const header = (description: string, schema: JsonObject = { type: "string" }) => ({ description, schema })

const everywhere = {
  "X-Request-Id": header("The id of the request: the `X-Request-Id` of the request, or a new one."),
  "X-Correlation-Id": header("The same id.")
}

const statusHeaders: Readonly<Record<string, JsonObject>> = {
  "202": { "Idempotent-Replayed": header("`true` when this is the response to an earlier request with the same key.") },
  "401": { "WWW-Authenticate": header("`Bearer`.") },
  "429": { "Retry-After": header("Seconds to wait; only on a rate limit.", { type: "integer", minimum: 1 }) },
  "503": { "Retry-After": header("Seconds to wait.", { type: "integer", minimum: 1 }) }
}

const rateLimitHeaders = {
  "RateLimit-Policy": header(
    "The rate limit of the API key or of the project, if there is one: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers)."
  ),
  RateLimit: header("What is left of that rate limit: `r` requests, and `t` seconds until it is full again.")
}

/** Adds the header fields of the rate limit to the responses of an operation. A request without a valid API key does not count. */
export const withRateLimitHeaders = (operation: Readonly<Record<string, unknown>>) => ({
  ...operation,
  responses: mapped(operation["responses"] as Operation["responses"], (response, status) =>
    status === "401" ? response : { ...response, headers: rateLimitHeaders }
  )
})

const operationOf = (operation: Operation) => ({
  ...operation,
  ...(operation.parameters === undefined ? {} : { parameters: parametersOf(operation.parameters) }),
  responses: mapped(operation.responses, (response, status) => ({
    ...response,
    headers: { ...everywhere, ...statusHeaders[status], ...(response["headers"] as JsonObject | undefined) }
  }))
})

const tagDescriptions: Readonly<Record<string, string>> = {
  messages: "Sends messages, and cancels or reschedules scheduled ones.",
  logs: "The delivery log: one delivery for each recipient.",
  contacts: "The contacts of the project and their subscription status.",
  properties: "The custom properties that contacts can have.",
  lists: "Lists of contacts that are put together by hand.",
  segments: "Segments: the contacts that match a filter.",
  suppressions: "The addresses that get no mail, with the reasons.",
  templates: "Templates of messages, with their drafts and published versions.",
  webhooks: "Subscriptions to events, and their event deliveries.",
  domains: "The sender domains and their DNS records."
}

/** Completes the document that is made from the schemas. */
export const withDetails = (document: Record<string, unknown>): Record<string, unknown> => {
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const components = document["components"] as { readonly schemas: Readonly<Record<string, JsonObject>> }
  const tags = document["tags"] as ReadonlyArray<{ readonly name: string }>
  const portablePaths = withPortableSchemas(mapped(paths, (methods) => mapped(methods, operationOf)))
  const hasWebhooks = tags.some(({ name }) => name === "webhooks")
  const schemas = withSegmentFilter(
    portableComponents({ ...components.schemas, ...(hasWebhooks ? webhookSchemas : {}) })
  )
  return {
    ...document,
    tags: tags.map((tag) => ({ ...tag, description: tagDescriptions[tag.name] })),
    paths: portablePaths,
    ...(hasWebhooks ? { webhooks } : {}),
    components: {
      ...components,
      schemas: {
        ...mapped(schemas, (schema, name) =>
          requestExamples[name] === undefined ? schema : { ...schema, examples: [requestExamples[name]] }
        ),
        ...closedListSchemas([portablePaths, schemas])
      }
    }
  }
}

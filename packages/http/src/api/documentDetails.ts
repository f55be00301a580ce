/**
 * What the OpenAPI document says beyond the schemas: numbers as numbers with their bounds, examples of requests, headers of answers.
 */
import { pageLimitDefault, pageLimitMax } from "@mailkeep/core/domain"

type Json = Readonly<Record<string, unknown>>

const dateOrTime = {
  anyOf: [
    { type: "string", format: "date-time" },
    { type: "string", format: "date" }
  ]
}

/** Parameters are text on the wire, and numbers or dates in meaning. */
const bounded: Readonly<Record<string, Json>> = {
  limit: { type: "integer", minimum: 1, maximum: pageLimitMax, default: pageLimitDefault },
  page: { type: "integer", minimum: 1, default: 1 },
  beforeVersion: { type: "integer", minimum: 1 },
  startDate: dateOrTime,
  endDate: dateOrTime
}

const descriptions: Readonly<Record<string, string>> = {
  limit: `Page size, 1 to ${pageLimitMax}; ${pageLimitDefault} when left out.`,
  page: "Page, from 1; 1 when left out.",
  beforeVersion: "Shows versions before this one.",
  cursor: "The `nextCursor` of the page before, unchanged, under the same filters.",
  search: "A part of what is searched, taken literally, in any case.",
  startDate: "From this time on, inclusive; a bare date is the start of that day in UTC.",
  endDate: "Up to this time, inclusive; a bare date is the end of that day in UTC.",
  "idempotency-key":
    "The same key and request again give the same answer and send nothing, for 30 days after the later of acceptance and scheduled time."
}

/** One request of each kind that is valid as it stands, by its schema. */
const requestExamples: Readonly<Record<string, Json>> = {
  SendEmailRequest: {
    from: "shop@acme.example",
    fromName: "The shop",
    to: ["ada@example.org"],
    subject: "Your receipt",
    text: "Thank you.",
    metadata: { order: 1042 }
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
  readonly schema: Json
}

interface Operation {
  readonly parameters?: ReadonlyArray<Parameter>
  readonly responses: Readonly<Record<string, Json>>
}

/** `Content-Type` is what the request body says already; OpenAPI ignores such a parameter. `Content-Encoding` is only refused. */
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

const header = (description: string, schema: Json = { type: "string" }) => ({ description, schema })

const everywhere = {
  "X-Request-Id": header("The request's id, adopted from the request or made."),
  "X-Correlation-Id": header("The same.")
}

const statusHeaders: Readonly<Record<string, Json>> = {
  "202": { "Idempotent-Replayed": header("`true` when this is the answer to an earlier request with the same key.") },
  "429": { "Retry-After": header("Seconds; on a rate limit alone.", { type: "integer", minimum: 1 }) },
  "503": { "Retry-After": header("Seconds.", { type: "integer", minimum: 1 }) }
}

const operationOf = (operation: Operation) => ({
  ...operation,
  ...(operation.parameters === undefined ? {} : { parameters: parametersOf(operation.parameters) }),
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      { ...response, headers: { ...everywhere, ...statusHeaders[status] } }
    ])
  )
})

const mapped = <A, B>(record: Readonly<Record<string, A>>, change: (value: A, key: string) => B) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]))

/** Completes the document that is made of the schemas. */
export const withDetails = (document: Record<string, unknown>): Record<string, unknown> => {
  const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>
  const components = document["components"] as { readonly schemas: Readonly<Record<string, Json>> }
  return {
    ...document,
    paths: mapped(paths, (methods) => mapped(methods, operationOf)),
    components: {
      ...components,
      schemas: mapped(components.schemas, (schema, name) =>
        requestExamples[name] === undefined ? schema : { ...schema, examples: [requestExamples[name]] }
      )
    }
  }
}

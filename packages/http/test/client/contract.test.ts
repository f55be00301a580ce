/**
 * Compares the client with the API: its operations with the OpenAPI document, its records with the schemas and the views of the server.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Schema } from "@mailkeep/test-support/apiDocument"
import { OpenApi } from "effect/http-api"
import fc from "fast-check"
import { Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { MailApi } from "../../src/index.ts"
import { operations } from "../../src/client/operations.ts"
import * as records from "../../src/client/records.ts"
import * as templateRecords from "../../src/client/templateRecords.ts"
import * as contactViews from "../../src/server/contactViews.ts"
import * as deliveryViews from "../../src/server/deliveryViews.ts"
import { domainView } from "../../src/server/domainViews.ts"
import * as templateViews from "../../src/server/templateViews.ts"
import * as webhookViews from "../../src/server/webhookViews.ts"

const document = OpenApi.fromApi(MailApi)
const schemas = document.components.schemas as Readonly<Record<string, Schema>>

describe("the table of operations", () => {
  it("has every operation of the OpenAPI document, with its method and path", () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { readonly operationId: string }>).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path.replace("/api/v1", "").replaceAll(/\{(\w+)\}/g, ":$1")}`
      ])
    )
    const ofClient = Object.entries(operations).map(([id, { method, path }]) => [id, `${method} ${path}`])
    expect(Object.fromEntries(ofClient)).toEqual(Object.fromEntries(documented))
    expect(ofClient.length).toBe(documented.length)
  })

  it("repeats every operation that only reads", () => {
    const reads = Object.values(operations).filter(({ method }) => method === "GET")
    expect(reads.length).toBeGreaterThan(10)
    expect(reads.filter(({ isRepeatable }) => !isRepeatable)).toEqual([])
  })
})

const instant = fc
  .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
  .map((date) => date.toISOString())
const isInstant = (name: string): boolean => /(?:^at|_at|At|^since)$/.test(name)

/** The only schema that contains itself. */
const segmentFilter = fc.letrec<{ readonly filter: unknown }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 2 },
    fc.record({ list: fc.string() }, { noNullPrototype: true }),
    fc.record({ field: fc.string(), op: fc.constant("eq"), value: fc.string() }, { noNullPrototype: true }),
    fc.record({ all: fc.array(tie("filter"), { maxLength: 2 }) }, { noNullPrototype: true }),
    fc.record({ not: tie("filter") }, { noNullPrototype: true })
  )
})).filter

/** Values of a schema of the document. A text whose field is a time is a time. */
const valueOf = (
  schema: Schema & { readonly const?: unknown; readonly additionalProperties?: unknown },
  name = ""
): fc.Arbitrary<unknown> => {
  if (schema.$ref === "#/components/schemas/SegmentFilter") return segmentFilter
  if (schema.$ref !== undefined) return valueOf(schemas[schema.$ref.split("/").at(-1)!]!, name)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueOf(one, name)))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (Array.isArray(schema.type))
    return fc.oneof(...(schema.type as ReadonlyArray<string>).map((type) => valueOf({ ...schema, type }, name)))
  switch (schema.type) {
    case "string":
      return isInstant(name) ? instant : fc.string()
    case "integer":
      return fc.nat()
    case "number":
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return fc.array(valueOf(schema.items!), { maxLength: 3 })
    default: {
      const { properties = {}, required = [] } = schema
      if (Object.keys(properties).length === 0)
        return fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })
      const fields = Object.entries(properties).map(([field, one]) => [field, valueOf(one, field)] as const)
      return fc.record(Object.fromEntries(fields), { requiredKeys: [...required], noNullPrototype: true })
    }
  }
}

/** The view of a value that the client has read, with what no record has. */
type RoundTrip = (wire: never) => unknown

const derivedFields: Readonly<Record<string, ReadonlyArray<string>>> = {
  // The view makes it of the contact.
  Delivery: ["recipient_name", "first_opened_at", "first_clicked_at", "open_count", "click_count"],
  // It repeats `email_status`.
  ContactDetail: ["unsubscribed"],
  // Always the same.
  Domain: ["region", "open_tracking"],
  // They repeat the ids of the versions.
  Template: ["draft_version_id", "published_version_id"],
  TemplateSummary: ["draft_version_id", "published_version_id"]
}

const roundTrips: Readonly<Record<string, RoundTrip>> = {
  DeliverySummary: (wire) => deliveryViews.deliverySummaryView(records.toDeliverySummary(wire)),
  Delivery: (wire) => deliveryViews.deliveryView(records.toDelivery(wire) as never),
  ContactSummary: (wire) => contactViews.contactSummaryView(records.toListedContact(wire) as never),
  Contact: (wire) => contactViews.contactView(records.toContact(wire)),
  ContactDetail: (wire) => contactViews.contactDetailView(records.toKnownContact(wire) as never),
  Property: (wire) => contactViews.propertyView(records.toProperty(wire)),
  List: (wire) => contactViews.listView(records.toContactList(wire)),
  Segment: (wire) => contactViews.segmentView(records.toSegment(wire)),
  Suppression: (wire) => contactViews.suppressionView(records.toSuppression(wire)),
  Domain: (wire) => domainView(records.toDomain(wire) as never),
  Template: (wire) => templateViews.templateView(templateRecords.toTemplate(wire)),
  TemplateSummary: (wire) => templateViews.templateSummaryView(templateRecords.toTemplateSummary(wire)),
  TemplateVersionItem: (wire) => templateViews.versionItemView(templateRecords.toTemplateVersionItem(wire)),
  TemplateVariable: (wire) => templateViews.variableView(templateRecords.toTemplateVariable(wire)),
  Webhook: (wire) => webhookViews.webhookView(records.toWebhook(wire) as never),
  WebhookWithSecret: (wire) => {
    const { webhook, secret } = records.toWebhookSecret(wire)
    return webhookViews.webhookWithSecretView({ webhook: webhook as never, secret: Redacted.make(secret) })
  },
  WebhookDelivery: (wire) => webhookViews.webhookDeliveryView(records.toWebhookDelivery(wire) as never)
}

const without = (value: unknown, names: ReadonlyArray<string>): unknown =>
  Object.fromEntries(Object.entries(value as object).filter(([name]) => !names.includes(name)))

describe("the conversion of records", () => {
  it.each(Object.entries(roundTrips))("keeps each field of %s", (name, roundTrip) => {
    const derived = derivedFields[name] ?? []
    fc.assert(
      fc.property(valueOf(schemas[name]!), (wire) => {
        expect(without(roundTrip(wire as never), derived)).toEqual(without(wire, derived))
      }),
      { numRuns: 60 }
    )
  })

  it("converts every record of the document", () => {
    const converted = new Set([...Object.keys(roundTrips), ...Object.keys(exceptions)])
    const isError = ({ properties = {} }: Schema) => "correlationId" in properties
    const isResponse = (name: string) =>
      !/(?:Request|Response|WebhookBody|^Webhook\w+Data)$/.test(name) &&
      schemas[name]!.properties !== undefined &&
      !isError(schemas[name]!)
    expect(Object.keys(schemas).filter((name) => isResponse(name) && !converted.has(name))).toEqual([])
  })
})

/** The schemas that are no record, or that a record contains, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  Issue: "part of InvalidArgument",
  InvalidArgumentDetails: "part of InvalidArgument",
  AcceptedMessage: "converted in place; the suite of handles tests it",
  RefusedMessage: "an error in a batch",
  Attachment: "part of a request",
  AttachmentSummary: "part of Delivery",
  Attempt: "part of Delivery",
  DnsRecord: "part of Domain",
  SegmentComparison: "part of Segment",
  TemplateVersion: "part of Template",
  TemplateVersionSummary: "part of TemplateSummary",
  WebhookTest: "converted in place; the suite of handles tests it"
}

describe("an import of the client", () => {
  it("loads no Effect, no Node module, and of the core only what the handles share", () => {
    const client = fileURLToPath(new URL("../../src/client.ts", import.meta.url))
    const script = `
      import { registerHooks } from "node:module"
      const loaded = []
      registerHooks({ resolve: (name, context, next) => { const found = next(name, context); loaded.push(found.url); return found } })
      const { connectMail } = await import(${JSON.stringify(client)})
      connectMail({ url: "https://mail.example", apiKey: "mk_1" })
      console.log(JSON.stringify(loaded))
    `
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" })
    const loaded = JSON.parse(stdout) as ReadonlyArray<string>
    expect(loaded.length).toBeGreaterThan(5)
    const others = new Set(loaded.filter((url) => !url.includes("/packages/http/src/client")))
    expect([...others].map((url) => url.split("/packages/")[1]).toSorted()).toEqual([
      "core/src/domain/message/splitNamedAddress.ts",
      "core/src/domain/value/Bytes.ts",
      "core/src/domain/value/Fields.ts",
      "core/src/domain/value/OptionRule.ts",
      "core/src/domain/value/oneLine.ts",
      "core/src/domain/value/shownText.ts",
      "core/src/domain/value/timeOfDate.ts",
      "core/src/handle/CallOptions.ts",
      "core/src/handle/calls.ts",
      "core/src/handle/failureGuard.ts",
      "core/src/handle/iteration.ts",
      "core/src/handle/ownMessage.ts",
      "core/src/options.ts",
      "http/src/api/fieldNames.ts"
    ])
  })
})

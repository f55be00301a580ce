/**
 * Independent validators check the OpenAPI document. The wire tests check each response against the document.
 */
import { Validator } from "@seriousme/openapi-schema-validator"
import { stores } from "@mailkeep/test-support"
import { bodyValidator } from "@mailkeep/test-support/apiDocument"
import type { ApiDocument } from "@mailkeep/test-support/apiDocument"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { HttpTestServer } from "./httpTestServer.ts"
import { openHttpTestServer } from "./httpTestServer.ts"

interface Parameter {
  readonly name: string
  readonly in: string
  readonly required: boolean
  readonly schema: Readonly<Record<string, unknown>>
}

interface Operation {
  readonly summary?: string
  readonly operationId?: string
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: {
    readonly content: { readonly "application/json": { readonly schema: { readonly $ref: string } } }
  }
  readonly responses: Readonly<Record<string, { readonly headers: object }>>
}

interface Document extends Omit<ApiDocument, "paths" | "components"> {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, { readonly examples?: ReadonlyArray<unknown> }>> }
}

describe("the OpenAPI document", () => {
  let wire: HttpTestServer
  let document: Document
  let operations: ReadonlyArray<readonly [string, Operation]>
  beforeAll(async () => {
    wire = await openHttpTestServer(stores[0])
    document = (await (await fetch(`${wire.url}/openapi.json`)).json()) as Document
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
    )
  })
  afterAll(() => wire.close())

  it("is valid OpenAPI 3.1 according to an independent validator", async () => {
    const { valid, errors } = await new Validator().validate(document as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it("has a summary and a unique operation id for every operation", () => {
    expect(operations.filter(([, { summary }]) => summary === undefined)).toEqual([])
    const names = operations.map(([, { operationId }]) => operationId)
    expect(new Set(names).size).toBe(operations.length)
  })

  it("describes each number parameter as a number with its bounds", () => {
    const shown = operations.flatMap(([, { parameters = [] }]) => parameters)
    const schemasOf = (wanted: string) => shown.filter(({ name }) => name === wanted).map(({ schema }) => schema)
    const numbers = {
      limit: { type: "integer", minimum: 1, maximum: 100, default: 50 },
      page: { type: "integer", minimum: 1, default: 1 },
      beforeVersion: { type: "integer", minimum: 1 }
    }
    for (const [name, expected] of Object.entries(numbers)) {
      expect(schemasOf(name).length).toBeGreaterThan(0)
      for (const schema of schemasOf(name)) expect(schema).toEqual(expected)
    }
    const isNumber = (schema: unknown) => /"(?:integer|number)"/.test(JSON.stringify(schema))
    expect(new Set(shown.filter(({ schema }) => isNumber(schema)).map(({ name }) => name))).toEqual(
      new Set(Object.keys(numbers))
    )
    expect(schemasOf("cursor")[0]).toMatchObject({ type: "string", maxLength: 1024 })
    expect(schemasOf("content-type")).toEqual([])
    expect(schemasOf("idempotency-key")).not.toEqual([])
  })

  it.each([
    ["SendEmailRequest", "html", { maxLength: 2 * 1024 * 1024 }],
    ["SendEmailRequest", undefined, { description: /50 addresses.*4 KiB.*30 days/ }],
    ["Attachment", "content_id", { minLength: 1, maxLength: 200 }],
    ["CreateContactRequest", "properties", { description: /500 characters/ }],
    ["SegmentFilter", undefined, { description: /100 parts, 8 levels and 16 KiB/ }],
    ["UpdateTemplateRequest", undefined, { description: /4 KiB as JSON.*1 KiB together/ }],
    ["CreateWebhookRequest", undefined, { description: /public host.*443/ }]
  ])("states the bounds of %s, also those that no schema can have", (name, field, bounds) => {
    const schema = document.components.schemas[name] as unknown as { readonly properties: Record<string, unknown> }
    const expected = Object.entries(bounds).map(([key, bound]) => [
      key,
      bound instanceof RegExp ? expect.stringMatching(bound) : bound
    ])
    expect(field === undefined ? schema : schema.properties[field]).toMatchObject(Object.fromEntries(expected))
  })

  it("describes the header fields of each response", () => {
    const fieldsOf = (name: string, status: string) => {
      const [, { responses }] = operations.find(([shown]) => shown === name)!
      return Object.keys(responses[status]!.headers).toSorted()
    }
    const ids = ["X-Correlation-Id", "X-Request-Id"]
    const counted = ["RateLimit", "RateLimit-Policy"]
    expect(fieldsOf("get /api/v1/emails/logs", "200")).toEqual(ids)
    expect(fieldsOf("post /api/v1/emails/webhooks/{id}/test", "429")).toEqual(["Retry-After", ...ids])
    expect(fieldsOf("post /api/v1/emails/send", "401")).toEqual(["WWW-Authenticate", ...ids])
    expect(fieldsOf("post /api/v1/emails/send", "202")).toEqual(["Idempotent-Replayed", ...counted, ...ids])
    expect(fieldsOf("post /api/v1/emails/batch", "400")).toEqual([...counted, ...ids])
    expect(fieldsOf("post /api/v1/emails/contacts", "429")).toEqual([...counted, "Retry-After", ...ids])
  })

  it("has an example for every request body, valid by its schema", () => {
    const bodies = operations.flatMap(([name, { requestBody }]) =>
      requestBody === undefined
        ? []
        : [[name, requestBody.content["application/json"].schema.$ref.split("/").at(-1)!] as const]
    )
    expect(bodies.length).toBeGreaterThan(15)
    const validate = bodyValidator(document as unknown as ApiDocument)
    for (const [name, schema] of bodies) {
      const [example] = document.components.schemas[schema]!.examples ?? []
      expect([name, example === undefined ? "no example" : validate(schema, example)]).toEqual([name, undefined])
    }
  })

  it("lists for each operation the statuses that every endpoint may return", () => {
    for (const [name, { responses }] of operations)
      expect([name, Object.keys(responses)]).toEqual([
        name,
        expect.arrayContaining(["400", "401", "403", "500", "503"])
      ])
  })
})

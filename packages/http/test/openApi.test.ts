/**
 * The OpenAPI document is judged by independent readers of it; that every answer is as it says, each wire test looks at by itself.
 */
import { Validator } from "@seriousme/openapi-schema-validator"
import { stores } from "@mailkeep/proving"
import { bodyJudge } from "@mailkeep/proving/apiDocument"
import type { ApiDocument } from "@mailkeep/proving/apiDocument"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { WireHouse } from "./wireHouse.ts"
import { openWire } from "./wireHouse.ts"

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
  let wire: WireHouse
  let document: Document
  let operations: ReadonlyArray<readonly [string, Operation]>
  beforeAll(async () => {
    wire = await openWire(stores[0])
    document = (await (await fetch(`${wire.url}/openapi.json`)).json()) as Document
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const)
    )
  })
  afterAll(() => wire.close())

  it("is valid OpenAPI 3.1, as another reader sees it", async () => {
    const { valid, errors } = await new Validator().validate(document as never)
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it("says of every operation what it does, under a name of its own", () => {
    expect(operations.filter(([, { summary }]) => summary === undefined)).toEqual([])
    const names = operations.map(([, { operationId }]) => operationId)
    expect(new Set(names).size).toBe(operations.length)
  })

  it("types numbers as numbers, with their bounds", () => {
    const shown = new Map(
      operations.flatMap(([, { parameters = [] }]) => parameters.map(({ name, schema }) => [name, schema] as const))
    )
    expect(shown.get("limit")).toEqual({ type: "integer", minimum: 1, maximum: 100, default: 50 })
    expect(shown.get("page")).toEqual({ type: "integer", minimum: 1, default: 1 })
    expect(shown.get("beforeVersion")).toEqual({ type: "integer", minimum: 1 })
    expect(shown.get("cursor")).toMatchObject({ type: "string", maxLength: 1024 })
    expect(shown.has("content-type")).toBe(false)
    expect(shown.has("idempotency-key")).toBe(true)
  })

  it("has an example of every request body, valid by its own schema", () => {
    const bodies = operations.flatMap(([name, { requestBody }]) =>
      requestBody === undefined
        ? []
        : [[name, requestBody.content["application/json"].schema.$ref.split("/").at(-1)!] as const]
    )
    expect(bodies.length).toBeGreaterThan(15)
    const judge = bodyJudge(document as unknown as ApiDocument)
    for (const [name, schema] of bodies) {
      const [example] = document.components.schemas[schema]!.examples ?? []
      expect([name, example === undefined ? "no example" : judge(schema, example)]).toEqual([name, undefined])
    }
  })

  it("lists every status that every endpoint may answer with", () => {
    for (const [name, { responses }] of operations)
      expect([name, Object.keys(responses)]).toEqual([
        name,
        expect.arrayContaining(["400", "401", "403", "500", "503"])
      ])
  })
})

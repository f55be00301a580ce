/**
 * The forms of schemas for which generators of clients make wrong or poor types. Each of them was seen in the output of openapi-typescript, hey-api,
 * orval or Redocly.
 */
import { OpenApi } from "effect/http-api"
import { describe, expect, it } from "vitest"
import { MailApi } from "../src/index.ts"

type Node = Readonly<Record<string, unknown>>

const document = OpenApi.fromApi(MailApi)

/** Every object of the document with its path. */
const nodes: ReadonlyArray<readonly [path: string, node: Node]> = (() => {
  const found: Array<readonly [string, Node]> = []
  const visit = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return
    if (!Array.isArray(value)) found.push([path, value as Node])
    for (const [key, one] of Object.entries(value)) if (key !== "examples") visit(one, `${path}/${key}`)
  }
  visit(document, "#")
  return found
})()

const pathsOf = (isWrong: (node: Node) => boolean) => nodes.filter(([, node]) => isWrong(node)).map(([path]) => path)

describe("the OpenAPI document, in its schemas", () => {
  it("says of each object which fields it has, or that it may have any", () => {
    const { schemas } = document.components
    expect(schemas["Metadata"]).toMatchObject({ additionalProperties: true })
    expect(schemas["SegmentFilter"]).toMatchObject({ additionalProperties: true })
    expect(
      pathsOf((node) => node["type"] === "object" && !("properties" in node) && !("additionalProperties" in node))
    ).toEqual([])
  })

  it("has no choice of a single schema", () => {
    expect(pathsOf(({ anyOf }) => Array.isArray(anyOf) && anyOf.length < 2)).toEqual([])
    expect(document.components.schemas["AddSuppressionRequest"]).toMatchObject({
      properties: { reason: { type: "string", enum: ["manual"] } }
    })
  })

  it("has no bound that every exact number is within", () => {
    expect(
      pathsOf(({ minimum, maximum }) => minimum === Number.MIN_SAFE_INTEGER || maximum === Number.MAX_SAFE_INTEGER)
    ).toEqual([])
    expect(document.components.schemas["TooManyRequests"]).toMatchObject({
      properties: { retryAfterSeconds: { type: "integer", minimum: 1 } }
    })
  })

  it("describes each time as a date and time", () => {
    const formats = nodes.flatMap(([path, node]) => {
      const choices = (node["anyOf"] ?? [node]) as ReadonlyArray<Node>
      const text = choices.find(({ type }) => type === "string")
      return /\/properties\/(?:at|since|[A-Za-z_]+(?:_at|At))$/.test(path) && text !== undefined
        ? [[path, text["format"]] as const]
        : []
    })
    expect(formats.length).toBeGreaterThan(30)
    expect(formats.filter(([, format]) => format !== "date-time")).toEqual([])
  })

  it("gives the schemas of errors the names of the failures, and leads each reference to a schema", () => {
    const names = Object.keys(document.components.schemas)
    expect(names).toEqual(expect.arrayContaining(["InvalidArgument", "NotFound", "TooManyRequests", "Unavailable"]))
    expect(names.filter((name) => name.endsWith("Encoded"))).toEqual([])
    const references = nodes.flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []))
    expect(references.length).toBeGreaterThan(100)
    expect(references.filter((one) => !names.includes(one.replace("#/components/schemas/", "")))).toEqual([])
  })
})

describe("the OpenAPI document", () => {
  it("names no server, so that a generated client gets the host from which its generator read the document", () => {
    expect(document.servers).toBeUndefined()
  })

  it("describes each group of operations", () => {
    expect(document.tags).toHaveLength(10)
    for (const { name, description } of document.tags) expect([name, description]).toEqual([name, expect.any(String)])
  })
})

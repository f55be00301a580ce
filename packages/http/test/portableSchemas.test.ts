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

  it("writes a field that may be null as a schema of two types, which converters to OpenAPI 3.0 can read", () => {
    const isNull = (one: Node) => one["type"] === "null"
    const canTakeNull = (one: Node) => typeof one["type"] === "string" && !isNull(one)
    expect(
      pathsOf(({ anyOf }) => Array.isArray(anyOf) && anyOf.some(isNull) && (anyOf as Array<Node>).some(canTakeNull))
    ).toEqual([])
    expect(pathsOf((node) => isNull(node)).filter((path) => !path.includes("/anyOf/"))).toEqual([])
    expect(document.components.schemas["Delivery"]).toMatchObject({
      properties: {
        accepted_at: { type: ["string", "null"], format: "date-time" },
        first_opened_at: { type: ["string", "null"], format: "date-time" },
        bounce_type: { type: ["string", "null"], enum: ["hard", "soft", null] },
        domain: { type: ["object", "null"], required: ["id", "domain"] }
      }
    })
    expect(document.components.schemas["TemplateVariable"]).toMatchObject({
      properties: { fallback_value: { anyOf: [{ type: ["string", "null"] }, { type: "number" }, { type: "boolean" }] } }
    })
  })

  it("has a constant only as an enum of one value", () => {
    expect(pathsOf((node) => "const" in node || "allOf" in node)).toEqual([])
    expect(document.components.schemas["AddDomainRequest"]).toMatchObject({
      properties: { openTracking: { type: "boolean", enum: [false] } }
    })
  })

  it("names each closed list that several fields have", () => {
    // A list that may be null stays in its field, because a reference has no type to which null could be added.
    const lists = nodes.flatMap(([, node]) =>
      Array.isArray(node["enum"]) && node["enum"].length > 1 && !node["enum"].includes(null)
        ? [node["enum"].join(" ")]
        : []
    )
    expect(lists.length).toBeGreaterThan(10)
    expect(lists.filter((list, at) => lists.indexOf(list) !== at)).toEqual([])
    expect(document.components.schemas).toMatchObject({
      DeliverySummary: { properties: { status: { $ref: "#/components/schemas/DeliveryStatus" } } },
      DeliveryStatus: { type: "string", enum: expect.arrayContaining(["queued"]) as unknown }
    })
  })

  it("names the result of each message of a batch", () => {
    expect(document.components.schemas["SendBatchResponse"]).toMatchObject({
      properties: {
        data: {
          items: {
            anyOf: [{ $ref: "#/components/schemas/AcceptedMessage" }, { $ref: "#/components/schemas/RefusedMessage" }]
          }
        }
      }
    })
  })

  it("describes the parts of the filter of a segment", () => {
    const { Segment, SegmentFilter, SegmentComparison } = document.components.schemas
    const filter = { $ref: "#/components/schemas/SegmentFilter" }
    expect(Segment).toMatchObject({ properties: { filter } })
    expect(SegmentFilter).toMatchObject({
      description: expect.stringContaining("100 parts") as unknown,
      anyOf: [
        { required: ["all"], properties: { all: { type: "array", items: filter } } },
        { required: ["any"], properties: { any: { type: "array", items: filter } } },
        { required: ["not"], properties: { not: filter } },
        { required: ["list"], properties: { list: { type: "string" } } },
        { $ref: "#/components/schemas/SegmentComparison" }
      ]
    })
    expect(SegmentComparison).toMatchObject({
      required: ["field", "op"],
      properties: { op: { enum: expect.arrayContaining(["eq", "starts_with", "lte", "before"]) as unknown } }
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
      const text = choices.find(({ type }) => [type].flat().includes("string"))
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

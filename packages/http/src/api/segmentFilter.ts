/**
 * The filter of a segment in the OpenAPI document, with its parts. The schema of the request leaves the parts to the core, which names each
 * problem. Source: decision 0026.
 */
import { segmentOps } from "@mailkeep/core/binding"
import type { JsonObject } from "./jsonObject.ts"
import { schemaReference } from "./jsonObject.ts"

const filter = schemaReference("SegmentFilter")

const partOf = (properties: JsonObject, required = Object.keys(properties)) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

const text = { type: "string", maxLength: 500 }
const textOrNumber = [text, { type: "number" }]

const comparison = partOf(
  {
    field: { type: "string", description: "A field of the contact, such as `email`, or `properties.KEY`." },
    op: { type: "string", enum: [...new Set(Object.values(segmentOps).flat())] },
    value: {
      anyOf: [...textOrNumber, { type: "array", items: { anyOf: textOrNumber }, minItems: 1, maxItems: 100 }],
      description: "A list with `in`, no value with `set` and `unset`."
    }
  },
  ["field", "op"]
)

/** Replaces the schemas of the filter, in requests and in responses. A document without segments does not change. */
export const withSegmentFilter = (
  schemas: Readonly<Record<string, JsonObject>>
): Readonly<Record<string, JsonObject>> => {
  const { Segment: segment, SegmentFilter: request } = schemas
  if (segment === undefined || request === undefined) return schemas
  return {
    ...schemas,
    Segment: { ...segment, properties: { ...(segment["properties"] as JsonObject), filter } },
    SegmentFilter: {
      description: request["description"],
      anyOf: [
        partOf({ all: { type: "array", items: filter } }),
        partOf({ any: { type: "array", items: filter } }),
        partOf({ not: filter }),
        partOf({ list: text }),
        schemaReference("SegmentComparison")
      ]
    },
    SegmentComparison: comparison
  }
}

/**
 * Tests of the filters of segments after a property has another key.
 */
import { Result } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { namesProperty, withPropertyKey } from "../../../src/domain/contact/renamedProperty.ts"
import type { SegmentFilter } from "../../../src/domain/contact/Segment.ts"
import { compileSegment } from "../../../src/domain/contact/Segment.ts"
import { property } from "../../decide/fixtures.ts"

const plan = property("prop_1", "Plan")
const others = [property("prop_2", "Town"), property("prop_3", "Plan B")]

const comparison = fc.record({
  field: fc.constantFrom("email", "properties.plan", "properties.PLAN", "properties.Town", "properties.Plan B"),
  op: fc.constantFrom("eq", "contains"),
  value: fc.constantFrom("gold", "Plan", "properties.plan")
})
const { filter } = fc.letrec<{ filter: SegmentFilter }>((tie) => {
  const parts = fc.array(tie("filter"), { maxLength: 3 })
  return {
    filter: fc.oneof(
      { maxDepth: 5 },
      comparison as fc.Arbitrary<SegmentFilter>,
      fc.record({ list: fc.constant("properties.plan") }),
      fc.record({ all: parts }),
      fc.record({ any: parts }),
      fc.record({ not: tie("filter") })
    )
  }
})

describe("withPropertyKey", () => {
  it("gives a filter that means the same under the new key, and changes no other", () => {
    let named = 0
    fc.assert(
      fc.property(filter, fc.constantFrom("Tier", "été", "a.b", "properties.x"), (before, key) => {
        const after = withPropertyKey(before, "plan", key)
        const renamed = { ...plan, name: key.toLowerCase(), content: { ...plan.content, key } }
        expect(Result.getOrThrow(compileSegment(after, [renamed, ...others]))).toEqual(
          Result.getOrThrow(compileSegment(before, [plan, ...others]))
        )
        if (namesProperty(before, "plan")) named++
        else expect(after).toEqual(before)
      })
    )
    expect(named).toBeGreaterThan(10)
  })
})

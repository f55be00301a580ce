/**
 * Property values by key become values by id.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { mergedProperties, resolveProperties } from "../../../src/decide/contact/contactProperties.ts"
import { property } from "../fixtures.ts"

const defined = [property("prop_1", "Plan"), property("prop_2", "visits", "number"), property("prop_3", "born", "date")]

describe("resolveProperties", () => {
  it("finds the properties by key in any case, and guards each property that gets a value", () =>
    expect(Result.getOrThrow(resolveProperties({ PLAN: "pro", visits: 3, born: null }, defined))).toEqual({
      values: { prop_1: "pro", prop_2: 3 },
      removed: ["prop_3"],
      guards: [
        { _tag: "Expect", record: { kind: "Resource", projectId: "prj_test", id: "prop_1" }, revision: 2 },
        { _tag: "Expect", record: { kind: "Resource", projectId: "prj_test", id: "prop_2" }, revision: 2 }
      ]
    }))

  it("returns no values for an input without properties", () =>
    expect(Result.getOrThrow(resolveProperties(undefined, defined))).toEqual({ values: {}, removed: [], guards: [] }))

  it("reports every undefined key and every value of another type", () => {
    const refused = resolveProperties({ plan: 1, visits: "1", born: "2026-02-30", none: null, toString: "x" }, defined)
    expect(Result.isFailure(refused) && refused.failure.issues.map(({ path, code }) => [path.join("."), code])).toEqual(
      [
        ["properties.plan", "invalid_type"],
        ["properties.visits", "invalid_type"],
        ["properties.born", "invalid_type"],
        ["properties.none", "undefined_property"],
        ["properties.toString", "undefined_property"]
      ]
    )
  })
})

describe("mergedProperties", () => {
  it("writes the given values, drops the removed ones, and keeps the others", () => {
    const change = Result.getOrThrow(resolveProperties({ plan: "pro", born: null }, defined))
    expect(mergedProperties({ prop_1: "free", prop_2: 3, prop_3: "2000-01-01" }, change)).toEqual({
      prop_1: "pro",
      prop_2: 3
    })
  })
})

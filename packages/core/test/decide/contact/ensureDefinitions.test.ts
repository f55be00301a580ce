/**
 * The decisions that make a property, a list or a segment what a program declares.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { ensureList } from "../../../src/decide/contact/contactList.ts"
import type { EnsurePropertyFacts } from "../../../src/decide/contact/property.ts"
import { ensureProperty } from "../../../src/decide/contact/property.ts"
import { ensureSegment } from "../../../src/decide/contact/segment.ts"
import type { EnsuringFacts } from "../../../src/decide/store/resource.ts"
import type { CreateContactListInput } from "../../../src/domain/contact/ContactList.ts"
import { parseCreateList } from "../../../src/domain/contact/ContactList.ts"
import type { CreatePropertyInput } from "../../../src/domain/contact/Property.ts"
import { parseCreateProperty } from "../../../src/domain/contact/Property.ts"
import type { SegmentFilter } from "../../../src/domain/contact/Segment.ts"
import { parseCreateSegment } from "../../../src/domain/contact/Segment.ts"
import { ids, now, project, property, resource, steps, tagOf } from "../fixtures.ts"

const facts = { now, ids, projectId: project, existing: null, count: 0 }

describe("ensureProperty", () => {
  const plan = resource("property", "prop_1", "plan", { key: "plan", type: "string", fallbackValue: "free" })
  const ensure = (input: CreatePropertyInput, change: Partial<EnsurePropertyFacts> = {}) =>
    ensureProperty(Result.getOrThrow(parseCreateProperty(input)), { ...facts, valueCount: 0, ...change })

  it("creates a property without a fallback", () =>
    expect(Result.getOrThrow(ensure({ key: "Plan", type: "string" }))).toMatchObject({
      answer: { name: "plan", content: { key: "Plan", type: "string", fallbackValue: null } },
      changes: [{ _tag: "PutResource", replaces: null }]
    }))

  it.each<CreatePropertyInput>([
    { key: "plan", type: "string" },
    { key: "plan", type: "string", fallbackValue: "free" }
  ])("writes nothing when the property is as in %j", (input) =>
    expect(Result.getOrThrow(ensure(input, { existing: plan, valueCount: 7, count: 200 }))).toEqual({
      answer: plan,
      changes: []
    })
  )

  it.each<[string, CreatePropertyInput, object]>([
    ["another fallback", { key: "plan", type: "string", fallbackValue: "none" }, { fallbackValue: "none" }],
    ["no fallback", { key: "plan", type: "string", fallbackValue: null }, { fallbackValue: null }],
    ["the key in another case", { key: "PLAN", type: "string" }, { key: "PLAN", fallbackValue: "free" }]
  ])("updates the property for %s", (_, input, content) =>
    expect(Result.getOrThrow(ensure(input, { existing: plan, valueCount: 7 }))).toMatchObject({
      answer: { id: "prop_1", name: "plan", content, revision: plan.revision + 1 },
      changes: [{ _tag: "PutResource", replaces: plan.revision }]
    })
  )

  it("changes the type only while no contact has a value, and guards that", () => {
    const input = { key: "plan", type: "number", fallbackValue: null } as const
    expect(steps(Result.getOrThrow(ensure(input, { existing: plan })).changes)).toEqual(["AddToCounter", "PutResource"])
    expect(tagOf(ensure(input, { existing: plan, valueCount: 1 }))).toBe("PropertyInUse")
  })

  it("refuses another type that does not fit the fallback that is kept", () =>
    expect(tagOf(ensure({ key: "plan", type: "number" }, { existing: plan }))).toBe("InvalidArgument"))

  it("refuses the property after the 200th", () =>
    expect(tagOf(ensure({ key: "k", type: "number" }, { count: 200 }))).toBe("TooManyRecords"))
})

describe("ensureList", () => {
  const friends = resource("list", "lst_1", "friends", { name: "Friends", description: "Near" })
  const ensure = (input: CreateContactListInput, change: Partial<EnsuringFacts<"list">> = {}) =>
    ensureList(Result.getOrThrow(parseCreateList(input)), { ...facts, ...change })

  it("creates a list with an empty description", () =>
    expect(Result.getOrThrow(ensure({ name: "Friends" })).answer.content).toEqual({ name: "Friends", description: "" }))

  it("writes nothing when the list has the description, or when the input has none", () => {
    for (const input of [{ name: "Friends" }, { name: "Friends", description: "Near" }])
      expect(Result.getOrThrow(ensure(input, { existing: friends }))).toEqual({ answer: friends, changes: [] })
  })

  it("replaces the description", () =>
    expect(Result.getOrThrow(ensure({ name: "Friends", description: "Far" }, { existing: friends }))).toMatchObject({
      answer: { id: "lst_1", content: { description: "Far" } },
      changes: [{ _tag: "PutResource", replaces: friends.revision }]
    }))

  it("refuses the list after the 1,000th", () =>
    expect(tagOf(ensure({ name: "Friends" }, { count: 1000 }))).toBe("TooManyRecords"))
})

describe("ensureSegment", () => {
  const gold: SegmentFilter = { field: "properties.plan", op: "eq", value: "gold" }
  const existing = resource("segment", "seg_1", "gold", { name: "Gold", filter: gold })
  const ensure = (filter: unknown, change: Partial<EnsuringFacts<"segment">> = {}) =>
    ensureSegment(Result.getOrThrow(parseCreateSegment({ name: "Gold", filter })), {
      ...facts,
      properties: [property("prop_1", "plan")],
      ...change
    })

  it("creates a segment", () =>
    expect(Result.getOrThrow(ensure(gold)).answer.content).toEqual({ name: "Gold", filter: gold }))

  it("writes nothing when the filter is the same, in any order of its fields", () =>
    expect(Result.getOrThrow(ensure({ value: "gold", op: "eq", field: "properties.plan" }, { existing }))).toEqual({
      answer: existing,
      changes: []
    }))

  it("replaces the filter", () =>
    expect(Result.getOrThrow(ensure({ not: gold }, { existing }))).toMatchObject({
      answer: { id: "seg_1", content: { filter: { not: gold } } },
      changes: [{ _tag: "PutResource", replaces: existing.revision }]
    }))

  it("refuses a filter that is not valid", () =>
    expect(tagOf(ensure({ ...gold, field: "properties.other" }, { existing }))).toBe("InvalidArgument"))
})

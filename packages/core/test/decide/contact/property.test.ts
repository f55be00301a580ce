/**
 * The decisions about custom properties.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { UpdatePropertyFacts } from "../../../src/decide/contact/property.ts"
import { createProperty, updateProperty } from "../../../src/decide/contact/property.ts"
import type { NewFacts } from "../../../src/decide/store/resource.ts"
import type { CreatePropertyInput, UpdatePropertyInput } from "../../../src/domain/contact/Property.ts"
import { parseCreateProperty, parseUpdateProperty } from "../../../src/domain/contact/Property.ts"
import type { SegmentField } from "../../../src/domain/contact/Segment.ts"
import type { Issue } from "../../../src/domain/value/Issue.ts"
import { ids, now, project, property, resource, steps, tagOf } from "../fixtures.ts"

const create = (input: CreatePropertyInput, facts: Partial<NewFacts> = {}) =>
  createProperty(Result.getOrThrow(parseCreateProperty(input)), {
    now,
    ids,
    projectId: project,
    named: null,
    count: 0,
    ...facts
  })

const plan = resource("property", "prop_1", "plan", { key: "Plan", type: "string", fallbackValue: "free" })
const update = (input: UpdatePropertyInput, facts: Partial<UpdatePropertyFacts> = {}) =>
  updateProperty("prop_1", Result.getOrThrow(parseUpdateProperty(input)), {
    now,
    named: null,
    existing: plan,
    valueCount: 0,
    segments: [],
    ...facts
  })

describe("createProperty", () => {
  it("writes a new resource whose unique name is the key in lower case", () => {
    const { answer, changes } = Result.getOrThrow(create({ key: "Été", type: "string" }))
    expect(answer).toMatchObject({
      kind: "property",
      name: "été",
      content: { key: "Été", type: "string", fallbackValue: null }
    })
    expect(changes).toMatchObject([{ _tag: "PutResource", replaces: null }])
  })

  it.each([
    ["number", "-2.5", []],
    ["number", "1e3", []],
    ["number", "0x10", ["invalid_type"]],
    ["number", "1e999", ["invalid_type"]],
    ["date", "2026-01-01", []],
    ["date", "soon", ["invalid_type"]],
    ["string", "soon", []],
    ["number", null, []]
  ] as const)("checks a fallback of type %s with the text %j, also in a change: %j", (type, fallbackValue, codes) => {
    const codesOf = (parsed: Result.Result<unknown, ReadonlyArray<Issue>>) =>
      Result.isFailure(parsed) ? parsed.failure.map(({ code }) => code) : []
    expect(codesOf(parseCreateProperty({ key: "k", type, fallbackValue }))).toEqual(codes)
    expect(codesOf(parseUpdateProperty({ type, fallbackValue }))).toEqual(codes)
  })

  it.each([
    ["NameTaken", "a used key before the limit", {}, { named: plan, count: 200 }],
    ["TooManyRecords", "the property after the 200th", {}, { count: 200 }],
    ["decided", "the 200th property", {}, { count: 199 }]
  ] as const)("returns %s for %s", (tag, _, input, facts) =>
    expect(tagOf(create({ key: "k", type: "number", ...input }, facts))).toBe(tag)
  )
})

describe("updateProperty", () => {
  it("keeps the fields that the input omits", () =>
    expect(Result.getOrThrow(update({ key: "Tier" })).answer).toMatchObject({
      name: "tier",
      content: { key: "Tier", type: "string", fallbackValue: "free" },
      updatedAt: now,
      revision: 3
    }))

  it("removes the fallback of a property when the update has null", () =>
    expect(Result.getOrThrow(update({ fallbackValue: null })).answer.content.fallbackValue).toBeNull())

  it("gives the segments that name the property its new key, and no others", () => {
    const segmentOf = (id: `seg_${string}`, field: SegmentField) =>
      resource("segment", id, id, { name: id, filter: { not: { field, op: "eq", value: "gold" } } })
    const segments = [segmentOf("seg_1", "properties.PLAN"), segmentOf("seg_2", "properties.plans")]
    const { changes } = Result.getOrThrow(update({ key: "Tier" }, { segments }))
    expect(changes).toMatchObject([
      { _tag: "PutResource", resource: { id: "prop_1", name: "tier" } },
      {
        _tag: "PutResource",
        replaces: 2,
        resource: { id: "seg_1", name: "seg_1", content: { filter: { not: { field: "properties.Tier", op: "eq" } } } }
      }
    ])
    for (const input of [{ key: "PLAN" }, { fallbackValue: "gold" }])
      expect(steps(Result.getOrThrow(update(input, { segments })).changes)).toEqual(["PutResource"])
  })

  it("guards that no contact has a value, only when the type changes", () => {
    const { changes } = Result.getOrThrow(update({ type: "number", fallbackValue: "0" }))
    expect(steps(changes)).toEqual(["AddToCounter", "PutResource"])
    expect(changes[0]).toMatchObject({ name: "property:prop_1", by: 0, max: 0 })
    expect(steps(Result.getOrThrow(update({ type: "string" }, { valueCount: 3 })).changes)).toEqual(["PutResource"])
  })

  it.each([
    ["RecordNotFound", "an unknown property before its values", { type: "number" }, { existing: null, valueCount: 1 }],
    ["PropertyInUse", "a type change with values before the fallback", { type: "number" }, { valueCount: 1 }],
    ["InvalidArgument", "a fallback that is not of the new type", { type: "number" }, {}],
    ["NameTaken", "the key of another property", { key: "tier" }, { named: property("prop_2", "tier") }],
    ["decided", "the own key in another case", { key: "PLAN" }, { named: plan }]
  ] as const)("returns %s for %s", (tag, _, input, facts) => expect(tagOf(update(input, facts))).toBe(tag))

  it("compares the text of a fallback that was stored as a number", () => {
    const old = resource("property", "prop_1", "n", { key: "n", type: "number", fallbackValue: 7 as never })
    expect(Result.getOrThrow(update({}, { existing: old })).answer.content.fallbackValue).toBe("7")
  })
})

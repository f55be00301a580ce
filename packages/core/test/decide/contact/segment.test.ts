/**
 * The decisions that create and update segments.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { createSegment, updateSegment } from "../../../src/decide/contact/segment.ts"
import type { CreateSegmentInput, SegmentFilter, UpdateSegmentInput } from "../../../src/domain/contact/Segment.ts"
import { parseCreateSegment, parseUpdateSegment } from "../../../src/domain/contact/Segment.ts"
import { ids, now, project, property, resource, tagOf } from "../fixtures.ts"

const everyone: SegmentFilter = { all: [] }
const existing = resource("segment", "seg_1", "all", { name: "All", filter: everyone })
const other = resource("segment", "seg_2", "gold", { name: "Gold", filter: everyone })
const gold: SegmentFilter = { field: "properties.PLAN", op: "eq", value: "gold" }

type NewSegmentFacts = Parameters<typeof createSegment>[1]
const create = (input: Partial<CreateSegmentInput> = {}, facts: Partial<NewSegmentFacts> = {}) =>
  createSegment(Result.getOrThrow(parseCreateSegment({ name: "Gold", filter: gold, ...input })), {
    now,
    ids,
    projectId: project,
    named: null,
    count: 0,
    properties: [property("prop_1", "plan")],
    ...facts
  })

type SegmentFacts = Parameters<typeof updateSegment>[2]
const update = (input: UpdateSegmentInput, facts: Partial<SegmentFacts> = {}) =>
  updateSegment("seg_1", Result.getOrThrow(parseUpdateSegment(input)), {
    now,
    named: null,
    existing,
    properties: [property("prop_1", "plan")],
    ...facts
  })

describe("createSegment", () => {
  it("stores the filter as it was given, and the name in lower case as its unique name", () =>
    expect(Result.getOrThrow(create())).toMatchObject({
      answer: { kind: "segment", name: "gold", content: { name: "Gold", filter: gold } },
      changes: [{ _tag: "PutResource", replaces: null }]
    }))

  it("stores no field of a filter that is undefined", () => {
    const { answer } = Result.getOrThrow(create({ filter: { not: { field: "email", op: "set", value: undefined } } }))
    expect(answer.content.filter).toStrictEqual({ not: { field: "email", op: "set" } })
  })

  it.each<[name: string, filter: unknown, path: ReadonlyArray<string | number>, message: string]>([
    ["null instead of a part", { all: [null] }, ["filter", "all", 0], "must be one of"],
    ["null within not", { not: null }, ["filter", "not"], "must be one of"],
    ["a text instead of a part", { any: ["email"] }, ["filter", "any", 0], "must be one of"],
    ["a list as field", { field: ["email"], op: "set" }, ["filter", "field"], "or one of email, first_name"],
    ["another name of a field", { field: "firstName", op: "set" }, ["filter", "field"], "or one of email, first_name"],
    ["a list as op", { field: "email", op: ["set"] }, ["filter", "op"], "must be one of eq, ne"],
    ["a long text", { field: "email", op: "eq", value: "x".repeat(501) }, ["filter", "value"], "at most 500 characters"]
  ])("refuses a filter with %s, and names the place", (_, filter, path, message) => {
    const refused = Result.flip(create({ filter: filter as SegmentFilter }))
    expect(Result.getOrThrow(refused)).toMatchObject({
      _tag: "InvalidArgument",
      issues: [{ path, message: expect.stringContaining(message) }]
    })
  })

  it.each([
    [
      "InvalidArgument",
      "an undefined property before any other refusal",
      { properties: [], named: other, count: 1000 }
    ],
    ["NameTaken", "a used name before the limit", { named: other, count: 1000 }],
    ["TooManyRecords", "the segment after the 1,000th", { count: 1000 }]
  ] as const)("returns %s for %s", (tag, _, facts) => expect(tagOf(create({}, facts))).toBe(tag))
})

describe("updateSegment", () => {
  it.each([
    [{}, { name: "All", filter: everyone }],
    [{ name: "Gold" }, { name: "Gold", filter: everyone }],
    [{ filter: gold }, { name: "All", filter: gold }]
  ] as const)("applies %j and keeps the other fields", (input, content) =>
    expect(Result.getOrThrow(update(input)).answer).toMatchObject({
      name: content.name.toLowerCase(),
      content,
      revision: 3
    })
  )

  it.each([
    [
      "InvalidArgument",
      "an undefined property before any other refusal",
      { filter: gold },
      { properties: [], existing: null }
    ],
    ["RecordNotFound", "an unknown segment before a used name", { name: "Gold" }, { existing: null, named: other }],
    ["NameTaken", "the name of another segment", { name: "Gold" }, { named: other }],
    ["decided", "a new name while a property of the filter is gone", { name: "New" }, { properties: [] }]
  ] as const)("returns %s for %s", (tag, _, input, facts) => expect(tagOf(update(input, facts))).toBe(tag))
})

import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Due, Lane, Rotation } from "../../../src/domain/store/Rotation.ts"
import { compareLanes, longestDueFirst, roundRobin, wholeRotation } from "../../../src/domain/store/Rotation.ts"

type One = Due & Lane

/** Deliveries such as `a1`, `A2`: the letter is the project, a capital letter is bulk, and the number is `dueAt`. */
const due = (text: string): ReadonlyArray<One> =>
  text.split(" ").flatMap((id) => {
    const letter = id.slice(0, 1)
    return id === ""
      ? []
      : [{ id, projectId: letter.toLowerCase(), bulk: letter !== letter.toLowerCase(), dueAt: Number(id.slice(1)) }]
  })

const lane = (letter: string): Lane => ({ projectId: letter.toLowerCase(), bulk: letter !== letter.toLowerCase() })

const taken = (text: string, limit: number, rotation: Partial<Rotation> = {}) =>
  roundRobin(due(text), limit, { ...wholeRotation, ...rotation })
    .map(({ id }) => id)
    .join(" ")

describe("roundRobin", () => {
  it.each<[string, string, number, Partial<Rotation>, string]>([
    ["nothing when nothing is due", "", 9, {}, ""],
    ["nothing with a limit of 0", "a1", 0, {}, ""],
    ["the longest due of one project first", "a3 a1 a2", 2, {}, "a1 a2"],
    ["one of each project in each round", "a1 a2 a3 b8 b9 c5", 9, {}, "a1 b8 c5 a2 b9 a3"],
    ["immediate and bulk mail of a project alternately", "A1 A2 A3 a8 a9", 9, {}, "a8 A1 a9 A2 A3"],
    ["the lane after the last one first", "a1 A2 b3 B4", 9, { after: lane("A") }, "b3 B4 a1 A2"],
    ["the bulk of a project after its immediate mail", "a1 A2 b3", 9, { after: lane("a") }, "A2 b3 a1"],
    ["the first lane again after the last lane", "a1 a2 b3", 9, { after: lane("b") }, "a1 b3 a2"],
    ["the next lane when the last one has nothing due", "a1 c3", 9, { after: lane("b") }, "c3 a1"],
    ["the first lane when nothing is due after the last one", "a1 b3", 9, { after: lane("c") }, "a1 b3"],
    ["at most so many of each project", "a1 a2 A3 b4 b5", 9, { perProject: 2 }, "a1 A3 b4 b5"],
    [
      "fewer of a project that has some under way",
      "a1 a2 a3 b4 b5",
      9,
      {
        perProject: 3,
        underWay: [
          { projectId: "a", count: 2 },
          { projectId: "b", count: 3 }
        ]
      },
      "a1"
    ],
    ["nothing with no place for any project", "a1 b2", 9, { perProject: 0 }, ""]
  ])("takes %s", (_, text, limit, rotation, expected) => expect(taken(text, limit, rotation)).toBe(expected))

  const projectId = fc.constantFrom<Array<string>>("a", "b", "c", "c-d", "D")
  const dues = fc.uniqueArray(
    fc.record({ id: fc.nat(99).map(String), projectId, bulk: fc.boolean(), dueAt: fc.nat(5) }),
    {
      selector: ({ id }) => id,
      maxLength: 30
    }
  )
  const rotations = fc.record({
    after: fc.option(fc.record({ projectId, bulk: fc.boolean() })),
    perProject: fc.oneof(fc.nat(4), fc.constant(Number.MAX_SAFE_INTEGER)),
    underWay: fc.uniqueArray(fc.record({ projectId, count: fc.nat(3) }), { selector: (one) => one.projectId })
  })

  /** The rule word for word: goes round the lanes and takes the first of each, until a whole round takes nothing. */
  const byTheRule = (all: ReadonlyArray<One>, limit: number, { after, perProject, underWay }: Rotation) => {
    const lanes: Array<Lane & { readonly waiting: Array<One> }> = []
    for (const one of all) {
      const existing = lanes.find((lane) => compareLanes(lane, one) === 0)
      if (existing === undefined) lanes.push({ projectId: one.projectId, bulk: one.bulk, waiting: [one] })
      else existing.waiting.push(one)
    }
    lanes.sort(compareLanes)
    for (const { waiting } of lanes) waiting.sort(longestDueFirst)
    const ordered =
      after === null
        ? lanes
        : [
            ...lanes.filter((lane) => compareLanes(lane, after) > 0),
            ...lanes.filter((lane) => compareLanes(lane, after) <= 0)
          ]
    const counts = Object.fromEntries(underWay.map((one) => [one.projectId, one.count]))
    const result: Array<One> = []
    for (let before = -1; before < result.length;) {
      before = result.length
      for (const { projectId, waiting } of ordered) {
        if (result.length === limit || (counts[projectId] ?? 0) >= perProject || waiting.length === 0) continue
        counts[projectId] = (counts[projectId] ?? 0) + 1
        result.push(waiting.shift()!)
      }
    }
    return result
  }

  it("takes what the rule says, whatever is due and in whatever order the store finds it", () =>
    fc.assert(
      fc.property(dues, fc.nat(12), rotations, fc.infiniteStream(fc.nat()), (all, limit, rotation, keys) => {
        const shuffled = all
          .map((one) => ({ one, key: keys.next().value as number }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one)
        expect(roundRobin(shuffled, limit, rotation)).toEqual(byTheRule(all, limit, rotation))
      })
    ))

  it("takes in two claims, one after the other, what one claim takes", () =>
    fc.assert(
      fc.property(dues, fc.nat(8), fc.nat(8), rotations, (all, first, second, rotation) => {
        const before = roundRobin(all, first, rotation)
        const ids = new Set(before.map(({ id }) => id))
        const counts = new Map(rotation.underWay.map((one) => [one.projectId, one.count]))
        for (const one of before) counts.set(one.projectId, (counts.get(one.projectId) ?? 0) + 1)
        const after = roundRobin(
          all.filter(({ id }) => !ids.has(id)),
          second,
          {
            after: before.at(-1) ?? rotation.after,
            perProject: rotation.perProject,
            underWay: [...counts].map(([projectId, count]) => ({ projectId, count }))
          }
        )
        expect([...before, ...after]).toEqual(roundRobin(all, first + second, rotation))
      })
    ))

  it("takes the first delivery of a lane before the second of any lane", () =>
    fc.assert(
      fc.property(dues, fc.nat(12), rotations, (all, limit, { after }) => {
        const order = roundRobin(all, limit, { ...wholeRotation, after })
        const second = order.findIndex(
          (one, index) => order.slice(0, index).filter((other) => compareLanes(other, one) === 0).length === 1
        )
        const served = second < 0 ? order : order.slice(0, second)
        const missing = all.filter((one) => !served.some((other) => compareLanes(other, one) === 0))
        expect(second < 0 || missing.length === 0).toBe(true)
      })
    ))
})

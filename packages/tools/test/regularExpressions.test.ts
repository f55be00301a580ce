import { describe, expect, it } from "vitest"
import { expressionComplaints, expressionsOf } from "../src/regularExpressions.ts"

const file = "packages/core/src/a.ts"
const of = (source: string) => expressionsOf(file, source)

describe("expressionsOf", () => {
  it("finds literals and the calls that build an expression, each with its line", () => {
    expect(of('const a = /x+/gi\nconst b = "/no/"\nconst c = new RegExp(\n  `^${b}$`,\n  "u"\n)')).toEqual([
      { file, line: 1, text: "/x+/gi", regex: { pattern: "x+", flags: "gi" } },
      { file, line: 3, text: 'new RegExp( `^${b}$`, "u" )', regex: null }
    ])
  })
})

describe("expressionComplaints", () => {
  it("accepts expressions that take linear time for every input", async () => {
    expect(await expressionComplaints(of(String.raw`[/^\d{1,3}$/, /a[^b]*b/y, /(?<!\/)\/+$/]`), [])).toEqual([])
  })

  it.each([
    [String.raw`/\/+$/`, "2nd degree polynomial"],
    [String.raw`/\((.*)\)/s`, "2nd degree polynomial"],
    ["/^(a|a)*$/", "exponential"]
  ])("refuses %s, which takes %s time", async (source, time) => {
    expect(await expressionComplaints(of(source), [])).toEqual([
      expect.stringContaining(`${file}:1 ${source} takes more than linear time (${time}`)
    ])
  })

  it("refuses an expression that the program builds, because nobody can check it", async () => {
    expect(await expressionComplaints(of("new RegExp(a)"), [])).toEqual([
      `${file}:1 new RegExp(a) is built by the program`
    ])
  })

  it("accepts a slow expression with a reason, and refuses a reason that nothing needs", async () => {
    const reason = { file, start: String.raw`/\/+`, why: "A path has at most 100 characters." }
    expect(await expressionComplaints(of(String.raw`/\/+$/`), [reason])).toEqual([])
    expect(await expressionComplaints(of("/a/"), [reason])).toEqual([String.raw`${file}: needs no reason for /\/+`])
    const other = { ...reason, file: "packages/core/src/b.ts" }
    expect(await expressionComplaints(of(String.raw`/\/+$/`), [other])).toHaveLength(2)
  })
})

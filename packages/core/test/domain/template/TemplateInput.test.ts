import { Result } from "effect"
import { describe, expect, it } from "vitest"
import {
  parseCreateTemplate,
  parseEnsureTemplate,
  parseListTemplates,
  parseListTemplateVersions,
  parsePreviewTemplate,
  parseUpdateTemplate,
  templateVariablesMax
} from "../../../src/domain/template/TemplateInput.ts"

const issuesOf = <A>(parsed: Result.Result<A, ReadonlyArray<{ path: ReadonlyArray<string | number>; code: string }>>) =>
  Result.isFailure(parsed) ? parsed.failure.map(({ path, code }) => `${path.join(".")} ${code}`) : []

describe("parseCreateTemplate", () => {
  it("drops undefined from the input and from each variable", () => {
    const variables = [{ key: "a", type: "string", required: undefined, fallbackValue: undefined }]
    expect(parseCreateTemplate({ name: "A", alias: undefined, variables })).toEqual(
      Result.succeed({ name: "A", variables: [{ key: "a", type: "string" }] })
    )
  })

  it("refuses a variable without a key, and an unknown field of a variable", () => {
    expect(
      issuesOf(parseCreateTemplate({ name: "A", variables: [{ key: undefined, type: "string", zzz: 1 }] }))
    ).toEqual(["variables.0.zzz unknown_field", "variables.0.key required"])
  })

  it("refuses a variable that is declared twice and a fallback of another type, beside the issues of other fields", () => {
    const variables = [
      { key: "order", type: "number", fallbackValue: "1" },
      { key: "order", type: "string", fallbackValue: "x" }
    ]
    const expected = ["variables.0.fallbackValue invalid_type", "variables.1.key invalid_value"]
    expect(issuesOf(parseCreateTemplate({ name: "A", variables }))).toEqual(expected)
    expect(issuesOf(parseUpdateTemplate({ variables }))).toEqual(expected)
    expect(issuesOf(parseCreateTemplate({ name: "", variables }))).toEqual(["name too_short", ...expected])
  })

  it("refuses too many variables with one issue", () => {
    const variables = Array.from({ length: templateVariablesMax + 1 }, (_, n) => ({ key: `a${n}`, type: "string" }))
    expect(issuesOf(parseCreateTemplate({ name: "A", variables }))).toEqual(["variables too_many_items"])
    expect(issuesOf(parseCreateTemplate({ name: "A", variables: variables.slice(1) }))).toEqual([])
  })
})

describe("parseEnsureTemplate", () => {
  it("requires an alias that is not empty", () => {
    expect(issuesOf(parseEnsureTemplate({ name: "A" }))).toEqual(["alias required"])
    expect(issuesOf(parseEnsureTemplate({ name: "A", alias: "" }))).toEqual(["alias too_short"])
    expect(issuesOf(parseEnsureTemplate({ name: "A", alias: null }))).toEqual(["alias invalid_type"])
    expect(issuesOf(parseEnsureTemplate({ name: "A", alias: "receipt" }))).toEqual([])
  })
})

describe("parsePreviewTemplate", () => {
  it("drops a value that is undefined, and keeps every other value", () => {
    const variables = { a: undefined, b: 0, c: "", d: false }
    expect(parsePreviewTemplate({ variables })).toEqual(Result.succeed({ variables: { b: 0, c: "", d: false } }))
    expect(issuesOf(parsePreviewTemplate({ variables: JSON.parse('{"__proto__":1}') }))).toEqual([
      "variables invalid_value"
    ])
  })

  it("refuses a map as the variables, which would lose its values", () => {
    expect(issuesOf(parsePreviewTemplate({ variables: new Map([["order", "42"]]) }))).toEqual([
      "variables invalid_type"
    ])
  })
})

describe("parseListTemplates and parseListTemplateVersions", () => {
  it("adds the defaults for absent fields", () => {
    const all = { status: null, search: null, category: null, page: { page: 1, limit: 50 } }
    expect(parseListTemplates({})).toEqual(Result.succeed(all))
    expect(parseListTemplates({ status: null, search: undefined })).toEqual(Result.succeed(all))
    expect(parseListTemplateVersions({})).toEqual(Result.succeed({ limit: 50, beforeVersion: null }))
  })

  it("keeps every field that a list of templates or of their versions is given", () => {
    expect(parseListTemplates({ status: "draft", search: "a", category: "b", page: 2, limit: 7 })).toEqual(
      Result.succeed({ status: "draft", search: "a", category: "b", page: { page: 2, limit: 7 } })
    )
    expect(parseListTemplateVersions({ limit: 7, beforeVersion: 3 })).toEqual(
      Result.succeed({ limit: 7, beforeVersion: 3 })
    )
  })
})

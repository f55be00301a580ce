import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { previewTemplate } from "../../../src/decide/template/previewTemplate.ts"
import { answerOf, create, publish, update } from "./storedTemplates.ts"

const variables = [{ key: "name", type: "string" as const, required: true }]
const drafted = answerOf(create({ subject: "Draft {{name}}", variables }))
const published = answerOf(publish(drafted))
const both = answerOf(update(published, { subject: "Change {{name}}" }))

const subjectOf = (existing: typeof both, version?: "draft" | "published") =>
  Result.map(
    previewTemplate("tpl_1", { variables: { name: "Ada" }, ...(version && { version }) }, { existing }),
    ({ subject }) => subject
  )

describe("previewTemplate", () => {
  it("renders the draft, or the published version when there is no draft", () => {
    expect(subjectOf(drafted)).toEqual(Result.succeed("Draft Ada"))
    expect(subjectOf(published)).toEqual(Result.succeed("Draft Ada"))
    expect(subjectOf(both)).toEqual(Result.succeed("Change Ada"))
  })

  it("renders the version that is asked for", () => {
    expect(subjectOf(both, "draft")).toEqual(Result.succeed("Change Ada"))
    expect(subjectOf(both, "published")).toEqual(Result.succeed("Draft Ada"))
  })

  it("refuses a template or a version that does not exist", () => {
    for (const preview of [
      previewTemplate("tpl_1", {}, { existing: null }),
      subjectOf(drafted, "published"),
      subjectOf(published, "draft")
    ])
      expect(preview).toMatchObject({ failure: { _tag: "RecordNotFound", id: "tpl_1" } })
  })

  it("refuses a version that cannot be published, before it checks the values", () => {
    const existing = answerOf(create({ subject: "{{unknown}}", text: null }))
    expect(previewTemplate("tpl_1", { variables: { name: "Ada" } }, { existing })).toMatchObject({
      failure: {
        issues: [
          { path: ["html"], code: "required" },
          { path: ["subject"], code: "malformed_template" }
        ]
      }
    })
  })

  it("refuses a missing value at its place below variables", () =>
    expect(previewTemplate("tpl_1", {}, { existing: drafted })).toMatchObject({
      failure: { issues: [{ path: ["variables", "name"], code: "required" }] }
    }))
})

import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { mergeTemplateInput } from "../../../src/decide/template/templateContent.ts"
import { emptyAbout } from "../../../src/decide/template/template.ts"
import { emptyParts } from "../../../src/domain/template/TemplateContent.ts"
import type { UpdateTemplateInput } from "../../../src/domain/template/TemplateInput.ts"
import { parseUpdateTemplate } from "../../../src/domain/template/TemplateInput.ts"
import { answerOf, create, ids, issuesOf, update } from "./storedTemplates.ts"

const existing = {
  about: { ...emptyAbout, name: "Receipt", alias: "receipt" },
  parts: {
    ...emptyParts,
    subject: "Hi",
    variables: [{ id: "var_1", key: "order", type: "string" as const, required: true, fallbackValue: null }]
  }
}

const merge = (input: UpdateTemplateInput) =>
  mergeTemplateInput(Result.getOrThrow(parseUpdateTemplate(input)), existing, ids())

describe("mergeTemplateInput", () => {
  it("keeps the fields that the input does not have", () => expect(Result.getOrThrow(merge({}))).toEqual(existing))

  it("reads null and an empty text as not set", () => {
    const merged = Result.getOrThrow(merge({ alias: null, subject: "" }))
    expect(merged).toEqual({
      about: { ...existing.about, alias: null },
      parts: { ...existing.parts, subject: null }
    })
  })

  it("keeps the id of a variable whose key stays, and replaces the other variables", () => {
    const { parts } = Result.getOrThrow(
      merge({
        variables: [
          { key: "name", type: "string", fallbackValue: "you" },
          { key: "order", type: "number" }
        ]
      })
    )
    expect(parts.variables).toEqual([
      { id: expect.stringMatching(/^var_/), key: "name", type: "string", required: false, fallbackValue: "you" },
      { id: "var_1", key: "order", type: "number", required: false, fallbackValue: null }
    ])
  })
})

describe("the size of a template", () => {
  const variables = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: `first_name_${n}`, type: "string" as const }))

  it("allows thirty variables, a subject, a preview text and a sender", () => {
    expect(
      issuesOf(create({ variables: variables(30), previewText: "x".repeat(150), fromName: "The shop" }))
    ).toBeUndefined()
  })

  it.each([
    ["variables too_large", { variables: variables(100) }],
    ["previewText too_large", { previewText: "\u0001".repeat(1000) }],
    ["subject too_large", { subject: "😀".repeat(1100) }],
    ["description too_large", { description: "\u0001".repeat(500) }],
    ["description too_large", { name: "😀".repeat(100), category: "😀".repeat(100), description: "x".repeat(250) }]
  ] as const)("refuses a template that is too large: %s", (issue, input) => {
    expect(issuesOf(create({ description: "x".repeat(120), ...input }))).toEqual([issue])
  })

  it("reports each part of a template that is too large", () => {
    expect(issuesOf(create({ description: "😀".repeat(300), variables: variables(100) }))).toEqual([
      "description too_large",
      "variables too_large"
    ])
  })

  it("counts unchanged parts, and reports the changed part as too large", () => {
    const created = answerOf(create({ variables: variables(30) }))
    expect(issuesOf(update(created, { previewText: "x".repeat(2000) }))).toEqual(["previewText too_large"])
    expect(issuesOf(update(created, { text: "x".repeat(2000) }))).toBeUndefined()
  })
})

import { describe, expect, it } from "vitest"
import { templateCounts, tooManyTemplates } from "../../../src/decide/template/templateLimit.ts"
import { answerOf, create } from "./storedTemplates.ts"

const { template } = answerOf(create())
const archived = { ...template, content: { ...template.content, archivedAt: 1 } }

describe("templateCounts", () => {
  it("counts archived templates only for the limit of all templates", () => {
    expect(templateCounts([template, archived, archived])).toEqual({ inUse: 1, all: 3 })
  })
})

describe("tooManyTemplates", () => {
  it.each([
    [{ inUse: 0, all: 0 }, undefined],
    [{ inUse: 999, all: 999 }, undefined],
    [{ inUse: 1000, all: 1000 }, 1000],
    [{ inUse: 999, all: 9999 }, undefined],
    [{ inUse: 0, all: 10_000 }, 10_000],
    [{ inUse: 1000, all: 10_000 }, 1000]
  ])("compares %j with both limits", (counts, max) => {
    expect(tooManyTemplates(counts)?.max).toBe(max)
  })
})

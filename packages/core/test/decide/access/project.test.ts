import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { ensureProject, updateProject } from "../../../src/decide/access/project.ts"
import { expectNoDeletion } from "../../../src/decide/store/expectation.ts"
import type { UpdateProjectInput } from "../../../src/domain/access/Project.ts"
import { parseUpdateProject } from "../../../src/domain/access/Project.ts"
import { now } from "../fixtures.ts"

const existing = {
  id: "prj_a",
  onAmbiguous: "retry",
  listUnsubscribe: false,
  createdAt: now - 1,
  revision: 3
} as const

const update = (input: UpdateProjectInput, facts: { readonly existing: typeof existing | null }) =>
  Result.getOrThrow(updateProject("prj_a", Result.getOrThrow(parseUpdateProject(input)), { now, ...facts }))

describe("ensureProject", () => {
  it("creates a project when it does not exist", () => {
    const project = { id: "prj_a", onAmbiguous: "retry", listUnsubscribe: false, createdAt: now, revision: 1 }
    expect(ensureProject("prj_a", { now, existing: null })).toEqual(
      Result.succeed({
        answer: project,
        changes: [expectNoDeletion("prj_a"), { _tag: "PutProject", project, replaces: null }]
      })
    )
  })

  it("leaves an existing project unchanged", () =>
    expect(ensureProject("prj_a", { now, existing })).toEqual(Result.succeed({ answer: existing, changes: [] })))
})

describe("updateProject", () => {
  it("changes the given setting", () => {
    const project = { ...existing, onAmbiguous: "fail", revision: 4 }
    expect(update({ onAmbiguous: "fail" }, { existing })).toEqual({
      answer: project,
      changes: [{ _tag: "PutProject", project, replaces: 3 }]
    })
  })

  it("changes the header fields of a project", () => {
    const project = { ...existing, listUnsubscribe: true, revision: 4 }
    expect(update({ listUnsubscribe: true }, { existing }).answer).toEqual(project)
    expect(update({ listUnsubscribe: true }, { existing: null }).answer.listUnsubscribe).toBe(true)
  })

  it.each([{}, { listUnsubscribe: false }, { onAmbiguous: undefined }, { onAmbiguous: "retry" as const }])(
    "writes nothing for the unchanged settings %j",
    (input) => expect(update(input, { existing })).toEqual({ answer: existing, changes: [] })
  )

  it("creates a project with the given setting when it does not exist", () => {
    expect(update({ onAmbiguous: "fail" }, { existing: null }).changes).toMatchObject([
      expectNoDeletion("prj_a"),
      { project: { onAmbiguous: "fail", revision: 1 }, replaces: null }
    ])
    expect(update({}, { existing: null }).answer.onAmbiguous).toBe("retry")
  })
})

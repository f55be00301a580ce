/**
 * The decisions that all kinds of resources share.
 */
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { NewFacts } from "../../../src/decide/store/resource.ts"
import { createResource, deleteResource, updateResource } from "../../../src/decide/store/resource.ts"
import { ids, now, project, resource } from "../fixtures.ts"

const list = resource("list", "lst_1", "friends", { name: "Friends", description: "" })
const other = resource("list", "lst_2", "others", { name: "Others", description: "" })
const content = { name: "Kin", description: "Near" }
const newFacts: NewFacts = { now, ids, projectId: project, named: null, count: 0 }

const failureOf = <A, E>(result: Result.Result<A, E>) => (Result.isFailure(result) ? result.failure : null)

describe("createResource", () => {
  const create = (facts: Partial<NewFacts> = {}, max?: number) =>
    createResource(
      { kind: "list", record: "list", field: "name", name: "kin", content, ...(max === undefined ? {} : { max }) },
      { ...newFacts, ...facts }
    )

  it("writes a record with the id of its kind, at its first revision", () => {
    const { answer, changes } = Result.getOrThrow(create())
    expect(answer).toEqual({
      id: expect.stringMatching(/^lst_[0-9a-z]{26}$/),
      projectId: project,
      kind: "list",
      parent: "",
      name: "kin",
      content,
      createdAt: now,
      updatedAt: now,
      revision: 1
    })
    expect(changes).toEqual([{ _tag: "PutResource", resource: answer, replaces: null }])
  })

  it("refuses a used name, and names the field that has it", () =>
    expect(failureOf(create({ named: list }))).toMatchObject({ _tag: "NameTaken", record: "list", field: "name" }))

  it("refuses the record after the maximum of its kind", () => {
    expect(failureOf(create({ count: 3 }, 3))).toMatchObject({ _tag: "TooManyRecords", record: "list", max: 3 })
    expect(failureOf(create({ count: 2 }, 3))).toBeNull()
    expect(failureOf(create({ count: 1000 }))).toMatchObject({ max: 1000 })
  })
})

describe("updateResource", () => {
  const update = (named: typeof list | null) =>
    updateResource({ record: "list", field: "name", name: "kin", content }, list, { now, named })

  it("replaces name and content at the next revision", () => {
    const { answer, changes } = Result.getOrThrow(update(null))
    expect(answer).toEqual({ ...list, name: "kin", content, updatedAt: now, revision: 3 })
    expect(changes).toEqual([{ _tag: "PutResource", resource: answer, replaces: 2 }])
  })

  it("refuses the name of another resource, and permits the own name", () => {
    expect(failureOf(update(other))).toMatchObject({ _tag: "NameTaken", record: "list", field: "name" })
    expect(failureOf(update(list))).toBeNull()
  })
})

describe("deleteResource", () => {
  it("removes the resource at its revision, and refuses an unknown resource", () => {
    expect(Result.getOrThrow(deleteResource("list", "lst_1", list))).toEqual({
      answer: null,
      changes: [{ _tag: "RemoveResource", projectId: "prj_test", id: "lst_1", revision: 2 }]
    })
    expect(failureOf(deleteResource("list", "lst_9", null))).toMatchObject({
      _tag: "RecordNotFound",
      record: "list",
      id: "lst_9"
    })
  })
})

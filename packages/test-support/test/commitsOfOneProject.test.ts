import type { Change } from "@mailkeep/core/adapter"
import { MailStore } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { commitsOfOneProject } from "../src/commitsOfOneProject.ts"

const add = (projectId: string): Change => ({
  _tag: "AddToCounter",
  projectId: projectId as never,
  name: "allowance",
  by: 1,
  max: null
})

const commit = (...changes: ReadonlyArray<Change>) =>
  Effect.runPromise(
    Effect.flatMap(MailStore, (store) => store.commit(changes)).pipe(
      Effect.provide(commitsOfOneProject(MemoryMailStore.layer))
    )
  )

describe("commitsOfOneProject", () => {
  it("dies for a commit with records of two projects", async () => {
    await expect(commit(add("prj_1"), add("prj_2"))).rejects.toThrow("the projects prj_1 and prj_2")
  })

  it("commits the records of one project, together with a setting of none", async () => {
    await expect(commit({ _tag: "PutSetting", name: "color", value: "blue" }, add("prj_1"))).resolves.toBeUndefined()
  })
})

import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { Caller } from "../../src/domain/access/ApiKey.ts"
import { Principal } from "../../src/domain/access/ApiKey.ts"
import { validProject } from "../../src/internal/validated.ts"

const resultOf = (caller: unknown, ids?: Readonly<Record<string, unknown>>) =>
  Effect.runSync(Effect.result(validProject(caller as Caller, ids)))

describe("validProject", () => {
  it.each([
    ["the id of a project", "prj_a"],
    ["the embedding product", Principal.embedded("prj_a")],
    [
      "the principal of an API key",
      { ...Principal.embedded("prj_a"), apiKeyId: "key_1", permissions: [], source: "api" }
    ]
  ])("returns the project of the caller when it is %s", (_, caller) =>
    expect(resultOf(caller, { contactId: "con_1" })).toMatchObject({ success: "prj_a" })
  )

  it.each([
    ["an id of another form", "prj a", "invalid_value"],
    ["a principal without a project", {}, "invalid_type"],
    ["null", null, "invalid_type"],
    ["undefined", undefined, "invalid_type"]
  ])("refuses the caller when it is %s", (_, caller, code) =>
    expect(resultOf(caller)).toMatchObject({
      failure: { _tag: "InvalidArgument", argument: "ids", issues: [{ path: ["projectId"], code }] }
    })
  )

  it("names every wrong id when several ids are wrong", () =>
    expect(resultOf("prj a", { contactId: 7 })).toMatchObject({
      failure: { issues: [{ path: ["projectId"] }, { path: ["contactId"] }] }
    }))
})

import { describe, expect, it } from "vitest"
import {
  expectApiKey,
  expectCounterZero,
  expectDomain,
  expectNoDeletion,
  expectResource,
  expectSuppression
} from "../../../src/decide/store/expectation.ts"
import type { ApiKeyRecord } from "../../../src/domain/access/ApiKey.ts"
import type { ResourceOf } from "../../../src/domain/store/Resource.ts"
import { domain, project, suppression } from "../fixtures.ts"

describe("expectation", () => {
  it("guards the revision of an API key, and nothing without one", () => {
    expect(expectApiKey({ projectId: project, id: "key_1", revision: 4 } as unknown as ApiKeyRecord)).toEqual([
      { _tag: "Expect", record: { kind: "ApiKey", projectId: project, id: "key_1" }, revision: 4 }
    ])
    expect(expectApiKey(null)).toEqual([])
  })

  it("guards that the project is not being deleted", () =>
    expect(expectNoDeletion("prj_a")).toEqual({
      _tag: "Expect",
      record: { kind: "Resource", projectId: "prj_a", id: "pdl_prj_a" },
      revision: null
    }))

  it("guards the revision of a domain, or that the project has no such domain", () => {
    const record = { kind: "Domain", projectId: project, domain: "example.com" }
    expect(expectDomain(project, "example.com", domain({ revision: 5 }))).toEqual({
      _tag: "Expect",
      record,
      revision: 5
    })
    expect(expectDomain(project, "example.com", null)).toEqual({ _tag: "Expect", record, revision: null })
  })

  it("guards the revision of a suppression, or that the address has none", () => {
    const record = { kind: "Suppression", projectId: project, addressKey: "key-of-ada" }
    expect(expectSuppression(project, "key-of-ada", suppression("manual"))).toEqual({
      _tag: "Expect",
      record,
      revision: 3
    })
    expect(expectSuppression(project, "key-of-ada", null)).toEqual({ _tag: "Expect", record, revision: null })
  })

  it("guards the revision of a resource", () =>
    expect(expectResource({ projectId: project, id: "lst_1", revision: 2 } as unknown as ResourceOf<"list">)).toEqual({
      _tag: "Expect",
      record: { kind: "Resource", projectId: project, id: "lst_1" },
      revision: 2
    }))

  it("guards that a counter is 0, and adds nothing to it", () =>
    expect(expectCounterZero(project, "property:prop_1")).toEqual({
      _tag: "AddToCounter",
      projectId: project,
      name: "property:prop_1",
      by: 0,
      max: 0
    }))
})

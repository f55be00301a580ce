import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { expectNoDeletion } from "../../../src/decide/store/expectation.ts"
import { createApiKey, minuteOfUse, recordApiKeyUse, revokeApiKey } from "../../../src/decide/access/apiKey.ts"
import type { CreateApiKeyInput } from "../../../src/domain/access/ApiKey.ts"
import { parseCreateApiKey } from "../../../src/domain/access/ApiKey.ts"
import { now, project } from "../fixtures.ts"

const facts = {
  now,
  ids: { time: now, high: 0, low: 0 },
  projectId: project,
  publicId: "public000001",
  secretHash: "f".repeat(64)
}

const create = (input: Partial<CreateApiKeyInput> = {}) =>
  createApiKey(Result.getOrThrow(parseCreateApiKey({ permissions: ["email.send"], ...input })), facts)

describe("createApiKey", () => {
  it("makes an API key for every domain, without a name and without an end", () => {
    const { answer, changes } = Result.getOrThrow(create())
    expect(changes).toEqual([expectNoDeletion("prj_test"), { _tag: "PutApiKey", key: answer, replaces: null }])
    expect(answer).toEqual({
      id: expect.stringMatching(/^key_/),
      projectId: project,
      publicId: "public000001",
      secretHash: "f".repeat(64),
      name: "",
      permissions: ["email.send"],
      domainScope: null,
      createdAt: now,
      expiresAt: null,
      revokedAt: null,
      lastUsedAt: null,
      revision: 1
    })
  })

  it("lists the permissions in order, and each domain once in canonical form", () => {
    const { answer } = Result.getOrThrow(
      create({
        permissions: ["email.full_access", "email.send"],
        domainScope: ["Example.com", "example.COM", "münchen.example"]
      })
    )
    expect(answer).toMatchObject({
      permissions: ["email.send", "email.full_access"],
      domainScope: ["example.com", "xn--mnchen-3ya.example"]
    })
  })

  it("refuses an API key without a permission, in a sentence with its field", () =>
    expect(parseCreateApiKey({ permissions: [] })).toMatchObject({
      failure: [{ path: ["permissions"], code: "required", message: "must hold at least one permission" }]
    }))

  it("refuses an empty domain scope, which would allow every domain", () =>
    expect(parseCreateApiKey({ permissions: ["email.send"], domainScope: [] })).toMatchObject({
      failure: [{ path: ["domainScope"], code: "too_short" }]
    }))

  it.each([new Date(now + 1), now + 1, new Date(now + 1).toISOString()])("allows the end %s", (expiresAt) =>
    expect(Result.getOrThrow(create({ expiresAt })).answer.expiresAt).toBe(now + 1)
  )

  it("refuses an API key that ends now or earlier", () => {
    for (const expiresAt of [now, new Date(now - 1)])
      expect(create({ expiresAt })).toMatchObject({
        failure: { _tag: "InvalidArgument", issues: [{ path: ["expiresAt"], code: "not_in_future" }] }
      })
  })
})

describe("revokeApiKey", () => {
  const existing = Result.getOrThrow(create()).answer

  it("revokes an API key, and changes nothing when it is revoked again", () => {
    const { answer, changes } = Result.getOrThrow(revokeApiKey(existing.id, { now: now + 1, existing }))
    expect(answer).toEqual({ ...existing, revokedAt: now + 1, revision: 2 })
    expect(changes).toEqual([{ _tag: "PutApiKey", key: answer, replaces: 1 }])
    const again = revokeApiKey(existing.id, { now: now + 9, existing: answer })
    expect(again).toEqual(Result.succeed({ answer, changes: [] }))
  })

  it("refuses an id that no API key has", () =>
    expect(revokeApiKey("key_x", { now, existing: null })).toMatchObject({
      failure: { _tag: "ApiKeyNotFound", apiKeyId: "key_x" }
    }))
})

describe("minuteOfUse and recordApiKeyUse", () => {
  const at = now + 90_000
  const touched = (lastUsedAt: number | null) =>
    Result.getOrThrow(recordApiKeyUse({ projectId: "prj_test", id: "key_1", lastUsedAt }, at)).changes

  it("records the minute of a use", () => {
    expect(minuteOfUse(at)).toBe(now + 60_000)
    const change = { _tag: "TouchApiKey", projectId: "prj_test", id: "key_1", lastUsedAt: now + 60_000 }
    expect(touched(null)).toEqual([change])
    expect(touched(now)).toEqual([change])
  })

  it("records nothing when a use in this minute or later is recorded", () => {
    expect(touched(now + 60_000)).toEqual([])
    expect(touched(now + 120_000)).toEqual([])
  })
})

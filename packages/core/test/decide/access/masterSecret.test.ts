import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { openWithGivenMaster, openWithOwnMaster } from "../../../src/decide/access/masterSecret.ts"

const put = (name: string, value: string) => ({ _tag: "PutSetting", name, value })

describe("openWithGivenMaster", () => {
  const openWith = (own: string | null, check: string | null) =>
    openWithGivenMaster({ own, check, givenCheck: "given" })

  it("keeps the check of the first master secret of a new store", () =>
    expect(openWith(null, null)).toEqual(
      Result.succeed({ answer: null, changes: [put("master_secret_check", "given")] })
    ))

  it("writes nothing when the store has the same check", () =>
    expect(openWith(null, "given")).toEqual(Result.succeed({ answer: null, changes: [] })))

  it.each([
    ["another check", null, "other", "different"],
    ["its own master secret", "own", "check of own", "store_has_own_secret"],
    ["its own master secret of an earlier version", "own", null, "store_has_own_secret"]
  ])("refuses a store with %s", (_, own, check, reason) => expect(openWith(own, check)).toEqual(Result.fail(reason)))
})

describe("openWithOwnMaster", () => {
  const openWith = (own: string | null, check: string | null) =>
    openWithOwnMaster({ own, check, generated: "new", generatedCheck: "check of new" })

  it("keeps a new master secret and its check in one commit", () =>
    expect(openWith(null, null)).toEqual(
      Result.succeed({
        answer: "new",
        changes: [put("master_secret", "new"), put("master_secret_check", "check of new")]
      })
    ))

  it.each([null, "check of own"])("returns the master secret of the store with the check %s", (check) =>
    expect(openWith("own", check)).toEqual(Result.succeed({ answer: "own", changes: [] }))
  )

  it("refuses a store that was first opened with a given master secret", () =>
    expect(openWith(null, "check of given")).toEqual(Result.fail("missing")))
})

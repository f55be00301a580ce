import { describe, expect, it } from "vitest"
import { ensureSetting } from "../../../src/decide/store/setting.ts"

describe("ensureSetting", () => {
  it("writes the initial value when the store has none", () =>
    expect(ensureSetting({ name: "a", existing: null, initial: "1" })).toEqual({
      answer: "1",
      changes: [{ _tag: "PutSetting", name: "a", value: "1" }]
    }))

  it.each(["", "2"])("keeps the stored value %j", (existing) =>
    expect(ensureSetting({ name: "a", existing, initial: "1" })).toEqual({ answer: existing, changes: [] })
  )
})

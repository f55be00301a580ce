import { describe, expect, it } from "vitest"
import { withoutTransport } from "../../src/internal/transportRun.ts"

describe("withoutTransport", () => {
  it.each([
    [{ _tag: "ShutDown" }, { _tag: "Revoked" }],
    [{ _tag: "NoReply", why: "The hand-off did not end before its deadline." }, { _tag: "Revoked" }],
    [{ _tag: "Revoked" }, { _tag: "Revoked" }],
    [
      { _tag: "NotSendable", why: "A value is not allowed." },
      { _tag: "NotSendable", why: "A value is not allowed." }
    ]
  ] as const)("makes of %j a result that is not ambiguous", (result, expected) => {
    expect(withoutTransport(result)).toEqual(expected)
  })
})

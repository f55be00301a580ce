import { Exit } from "effect"
import { describe, expect, it } from "vitest"
import { afterPermission, handOffResultOf, withoutTransport } from "../../../src/internal/delivery/transportRun.ts"
import { HandOffRevoked, TransportUnavailable } from "../../../src/port/Transport.ts"

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

describe("afterPermission", () => {
  it("leaves open whether the relay has the message when the hand-off was revoked, and blames no relay", () => {
    expect(afterPermission({ _tag: "Revoked" })).toMatchObject({ _tag: "NoReply", relayFault: false })
  })

  it("changes no result but a revocation after the permission to send the end of data", () => {
    const noReply = { _tag: "NoReply", why: "The connection was lost.", certainlyNotAccepted: true } as const
    for (const result of [noReply, { _tag: "ShutDown" } as const]) expect(afterPermission(result)).toEqual(result)
  })
})

describe("handOffResultOf", () => {
  it("takes from the failure of a transport what it knows: whether the relay has the message, whether it is at fault, and which setting is wrong", () => {
    const known = { certainlyNotAccepted: true, relayFault: false, wrongSetting: "certificate" } as const
    expect(handOffResultOf(Exit.fail(new TransportUnavailable({ reason: "gone", ...known })))).toEqual({
      _tag: "NoReply",
      why: "gone",
      ...known
    })
    expect(handOffResultOf(Exit.fail(new TransportUnavailable({ reason: "gone" })))).toEqual({
      _tag: "NoReply",
      why: "gone",
      certainlyNotAccepted: false,
      relayFault: true
    })
  })

  it.each<[string, Parameters<typeof handOffResultOf>[0], object]>([
    ["a deadline that expired", Exit.succeed(undefined), { _tag: "NoReply", why: expect.stringContaining("deadline") }],
    ["an interruption", Exit.interrupt(1), { _tag: "ShutDown" }],
    ["a defect", Exit.die(new Error("ada@example.org")), { _tag: "NoReply", why: "The transport failed." }],
    ["a revocation", Exit.fail(new HandOffRevoked({ why: "suppressed" })), { _tag: "Revoked" }],
    [
      "a failure whose reason is no text",
      Exit.fail(new TransportUnavailable({ reason: 5 as never })),
      { _tag: "NoReply", why: "The transport failed." }
    ]
  ])("returns the result of %s", (_, exit, expected) => expect(handOffResultOf(exit)).toMatchObject(expected))

  it("ignores a wrong setting that is not on the list", () => {
    const failure = new TransportUnavailable({ reason: "gone", wrongSetting: "password hunter2" as never })
    expect(handOffResultOf(Exit.fail(failure))).not.toHaveProperty("wrongSetting")
  })
})

import { describe, expect, it } from "vitest"
import { hasBegunAttempt, holdsClaim } from "../../../src/decide/delivery/claim.ts"
import { delivery } from "../fixtures.ts"

const claimed = delivery({ worker: "w", fencingToken: 7 })

describe("holdsClaim", () => {
  it.each([
    ["the fencing token is unchanged", delivery({ fencingToken: 7 }), true],
    ["another worker has claimed the delivery", delivery({ fencingToken: 8 }), false],
    ["the delivery no longer exists", null, false]
  ] as const)("compares the fencing tokens when %s", (_, now, expected) =>
    expect(holdsClaim(claimed, now)).toBe(expected)
  )
})

describe("hasBegunAttempt", () => {
  it.each([
    ["this worker has begun it", { status: "sending", worker: "w", fencingToken: 8 }, true],
    ["another worker has begun it", { status: "sending", worker: "v", fencingToken: 8 }, false],
    ["a later attempt is under way", { status: "sending", worker: "w", fencingToken: 10 }, false],
    ["the delivery is queued", { status: "queued", worker: "w", fencingToken: 8 }, false]
  ] as const)("checks status, worker and fencing token when %s", (_, state, expected) =>
    expect(hasBegunAttempt(claimed, delivery(state))).toBe(expected)
  )
})

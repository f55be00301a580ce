import type { IncomingMessage } from "node:http"
import { setImmediate as nextRound } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { makeFairStarts } from "../src/node/fairStarts.ts"
import { makeRequestLanes } from "../src/node/requestLanes.ts"
import { markAuthenticated } from "../src/server/authenticatedRequests.ts"

const requestWith = (authorization?: string) => ({ headers: { authorization } }) as IncomingMessage

/** Lanes in which a request with this header field was answered. */
const answered = (lanes: ReturnType<typeof makeRequestLanes>, authorization: string, valid: boolean) => {
  const request = requestWith(authorization)
  if (valid) markAuthenticated(request, "prj_test")
  lanes.answered(request)
}

describe("makeRequestLanes", () => {
  it("gives an API key a lane of its own from its first valid request on, and until it is refused", () => {
    const lanes = makeRequestLanes()
    const own = requestWith("Bearer a")
    const shared = lanes.laneOf(requestWith("Bearer unknown"))
    expect(lanes.laneOf(own)).toBe(shared)
    expect(lanes.laneOf(requestWith())).not.toBe(shared)
    answered(lanes, "Bearer a", true)
    answered(lanes, "Bearer b", true)
    expect(lanes.laneOf(own)).not.toBe(shared)
    expect(lanes.laneOf(own)).not.toBe(lanes.laneOf(requestWith("Bearer b")))
    answered(lanes, "Bearer a", false)
    expect(lanes.laneOf(own)).toBe(shared)
  })

  it("remembers the 10,000 API keys that were used last", () => {
    const lanes = makeRequestLanes()
    const shared = lanes.laneOf(requestWith("Bearer unknown"))
    answered(lanes, "Bearer often", true)
    for (let n = 0; n < 10_000; n++) {
      answered(lanes, `Bearer ${n}`, true)
      if (n === 5000) answered(lanes, "Bearer often", true)
    }
    expect(lanes.laneOf(requestWith("Bearer 0"))).toBe(shared)
    expect(lanes.laneOf(requestWith("Bearer often"))).not.toBe(shared)
    expect(lanes.laneOf(requestWith("Bearer 9999"))).not.toBe(shared)
  })

  it("lets a valid API key start in the next round while a thousand requests with different wrong ones wait", async () => {
    const lanes = makeRequestLanes()
    answered(lanes, "Bearer valid", true)
    let now = 0
    const { enter } = makeFairStarts(() => now)
    const started: Array<string> = []
    const send = (authorization: string) =>
      enter(lanes.laneOf(requestWith(authorization)), () => {
        started.push(authorization)
        now += 0.25
      })
    for (let n = 0; n < 1000; n++) send(`Bearer wrong ${n}`)
    send("Bearer valid")
    await nextRound()
    expect(started).toContain("Bearer valid")
  })
})

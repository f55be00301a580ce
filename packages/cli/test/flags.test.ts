import { describe, expect, it } from "vitest"
import { parseRateLimit } from "../src/flags.ts"

describe("a rate limit", () => {
  it.each([
    ["10/1s", { requests: 10, windowMillis: 1000 }],
    ["5/m", { requests: 5, windowMillis: 60_000 }],
    ["1/250ms", { requests: 1, windowMillis: 250 }],
    ["100/24h", { requests: 100, windowMillis: 86_400_000 }]
  ])("reads the rate limit %s", (text, limit) => expect(parseRateLimit(text)).toEqual(limit))

  it.each(["", "10", "0/1s", "10/0s", "10/1d", "-1/1s", "10 / 1s"])("refuses the rate limit %j", (text) =>
    expect(parseRateLimit(text)).toBeUndefined()
  )
})

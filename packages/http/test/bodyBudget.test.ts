import { describe, expect, it } from "vitest"
import { makeBodyBudget, uncountedBodyBytes } from "../src/server/bodyBudget.ts"
import { makeBodyBytes } from "../src/server/bodyBytes.ts"

describe("makeBodyBudget", () => {
  const limits = { bodyBytesMax: 1000, bodyBytesPerApiKeyMax: 600 }
  const bytes = (counted: number) => counted + uncountedBodyBytes

  it("does not count the first bytes of each body", () => {
    const budget = makeBodyBudget({ bodyBytesMax: 0 })
    expect(Array.from({ length: 50 }, () => budget.reserve("a").resize(uncountedBodyBytes))).not.toContain(false)
    expect(budget.reservedBytes()).toBe(0)
    expect(budget.reserve("a").resize(bytes(1))).toBe(false)
  })

  it("limits the body bytes of one API key and of all API keys together", () => {
    const budget = makeBodyBudget(limits)
    const [first, second, third] = [budget.reserve("a"), budget.reserve("a"), budget.reserve("b")]
    expect(first.resize(bytes(400))).toBe(true)
    expect(second.resize(bytes(201))).toBe(false)
    expect(second.resize(bytes(200))).toBe(true)
    expect(third.resize(bytes(401))).toBe(false)
    expect(third.resize(bytes(400))).toBe(true)
    expect(budget.reservedBytes()).toBe(1000)
    first.release()
    expect(third.resize(bytes(600))).toBe(true)
    expect(budget.reservedBytes()).toBe(800)
  })

  it("counts the bytes above the first 10 MiB of a body against the budget of large bodies alone", () => {
    const mib = 1024 * 1024
    const budget = makeBodyBudget({
      bodyBytesMax: 25 * mib,
      bodyBytesPerApiKeyMax: 25 * mib,
      largeBodyBytesMax: 30 * mib,
      largeBodyBytesPerApiKeyMax: 20 * mib
    })
    const [first, second, third] = [budget.reserve("a"), budget.reserve("a"), budget.reserve("b")]
    expect(first.resize(bytes(30 * mib))).toBe(true)
    expect(budget.reservedBytes()).toBe(30 * mib)
    expect(second.resize(bytes(10 * mib + 1))).toBe(false)
    expect(second.resize(bytes(10 * mib))).toBe(true)
    expect(third.resize(bytes(5 * mib))).toBe(true)
    expect(third.resize(bytes(5 * mib + 1))).toBe(false)
    second.release()
    expect(third.resize(bytes(20 * mib + 1))).toBe(false)
    expect(third.resize(bytes(20 * mib))).toBe(true)
    expect(budget.reservedBytes()).toBe(50 * mib)
    expect(first.resize(bytes(4 * mib))).toBe(true)
    expect(second.resize(bytes(11 * mib))).toBe(true)
    for (const body of [first, second, third]) body.release()
    expect(budget.reservedBytes()).toBe(0)
  })

  it("reserves nothing for a body that exceeds the budget, and releases each body once", () => {
    const budget = makeBodyBudget(limits)
    const body = budget.reserve("a")
    expect(body.resize(bytes(500))).toBe(true)
    expect(body.resize(bytes(700))).toBe(false)
    expect(budget.reservedBytes()).toBe(0)
    const other = budget.reserve("a")
    other.resize(bytes(600))
    body.release()
    body.release()
    expect(budget.reservedBytes()).toBe(600)
    other.release()
    expect(budget.reservedBytes()).toBe(0)
  })
})

describe("makeBodyBytes", () => {
  it.each([
    ["no chunk", 0, 1],
    ["one chunk", 1, 100_000],
    ["chunks of one byte", 100_000, 1],
    ["chunks of uneven size", 700, 4099],
    ["large chunks", 5, 2_500_000]
  ])("joins %s with little more memory than their bytes", (_, count, size) => {
    const whole = Buffer.from(Array.from({ length: count * size }, (_, at) => at % 251))
    const body = makeBodyBytes()
    for (let at = 0; at < whole.length; at += size) body.append(whole.subarray(at, at + size))
    expect(Buffer.compare(body.bytes(), whole)).toBe(0)
    expect(body.capacity()).toBeLessThanOrEqual(Math.max(2 * whole.length, 17 * 1024))
    body.clear()
    expect([body.bytes().length, body.capacity()]).toEqual([0, 0])
  })
})

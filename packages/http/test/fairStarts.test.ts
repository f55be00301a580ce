import { setImmediate as nextRound } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { makeFairStarts } from "../src/node/fairStarts.ts"

const harness = () => {
  let now = 0
  const { enter } = makeFairStarts(() => now)
  const started: Array<string> = []
  return {
    started,
    send: (apiKey: string, count: number) => {
      for (let n = 0; n < count; n++) enter(apiKey, () => started.push(apiKey))
    },
    countOf: (apiKey: string) => started.filter((one) => one === apiKey).length,
    pass: (millis: number) => (now += millis)
  }
}

describe("makeFairStarts", () => {
  it("starts 64 requests of an API key that is alone in each round, and none of them twice", async () => {
    const { send, started } = harness()
    send("a", 150)
    expect(started.length).toBe(64)
    await nextRound()
    expect(started.length).toBe(128)
    await nextRound()
    expect(started.length).toBe(150)
    await nextRound()
    expect(started.length).toBe(150)
  })

  it("starts a request of one API key at once while a thousand of another wait", async () => {
    const { send, countOf } = harness()
    send("busy", 1000)
    send("quiet", 1)
    expect(countOf("quiet")).toBe(1)
    await nextRound()
    send("quiet", 1)
    expect(countOf("quiet")).toBe(2)
  })

  it("shares a round evenly between the API keys, and leaves each at least eight requests", async () => {
    const { send, countOf } = harness()
    const keys = Array.from({ length: 4 }, (_, n) => `key ${n}`)
    for (const key of keys) send(key, 100)
    const before = keys.map(countOf)
    await nextRound()
    expect(keys.map((key, n) => countOf(key) - before[n]!)).toEqual([16, 16, 16, 16])
    const many = Array.from({ length: 100 }, (_, n) => `other ${n}`)
    for (const key of many) send(key, 20)
    const waiting = many.map((key) => 20 - countOf(key))
    await nextRound()
    for (const [n, key] of many.entries())
      expect(countOf(key)).toBeGreaterThanOrEqual(20 - Math.max(0, waiting[n]! - 8))
    expect(20 - waiting[99]!).toBeLessThan(20)
    expect(countOf("other 99")).toBe(20 - waiting[99]! + 8)
  })

  it("gives an API key the whole round again a second after the last request of the others", async () => {
    const { send, countOf, pass } = harness()
    send("other", 1)
    pass(1001)
    send("busy", 1)
    await nextRound()
    send("busy", 100)
    expect(countOf("busy")).toBeGreaterThanOrEqual(64)
  })

  it("starts the requests of an API key in the order of their arrival", async () => {
    const { enter } = makeFairStarts()
    const order: Array<number> = []
    for (let n = 0; n < 100; n++) enter("a", () => order.push(n))
    await nextRound()
    enter("a", () => order.push(100))
    await nextRound()
    await nextRound()
    expect(order).toEqual(Array.from({ length: 101 }, (_, n) => n))
  })
})

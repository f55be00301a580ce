import { setImmediate as nextRound } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { makeFairStarts } from "../src/node/fairStarts.ts"

/** Each start takes `millis` on a clock of its own. */
const harness = (millis = 0.25) => {
  let now = 0
  const { enter } = makeFairStarts(() => now)
  const started: Array<string> = []
  return {
    started,
    send: (apiKey: string, count: number) => {
      for (let n = 0; n < count; n++)
        enter(apiKey, () => {
          started.push(apiKey)
          now += millis
        })
    },
    countOf: (apiKey: string) => started.filter((one) => one === apiKey).length
  }
}

describe("makeFairStarts", () => {
  it("starts requests for 2 ms in each round, and none of them twice", async () => {
    const { send, started } = harness()
    send("a", 20)
    expect(started.length).toBe(8)
    await nextRound()
    expect(started.length).toBe(16)
    await nextRound()
    expect(started.length).toBe(20)
    await nextRound()
    expect(started.length).toBe(20)
  })

  it("counts the work that follows a start in the same round", async () => {
    let now = 0
    const { enter } = makeFairStarts(() => now)
    const started: Array<string> = []
    enter("a", () => started.push("a"))
    now += 2
    enter("b", () => started.push("b"))
    expect(started).toEqual(["a"])
    await nextRound()
    expect(started).toEqual(["a", "b"])
  })

  it("starts one request in a round however long it takes", async () => {
    const { send, started } = harness(50)
    send("a", 3)
    expect(started.length).toBe(1)
    await nextRound()
    expect(started.length).toBe(2)
  })

  it("starts a request of one API key in the next round while a thousand of another wait", async () => {
    const { send, countOf } = harness()
    send("busy", 1000)
    send("quiet", 1)
    expect(countOf("quiet")).toBe(0)
    await nextRound()
    expect(countOf("quiet")).toBe(1)
  })

  it("shares the rounds evenly between the API keys", async () => {
    const { send, countOf, started } = harness()
    const keys = ["a", "b", "c", "d"]
    for (const key of keys) send(key, 100)
    for (let round = 0; round < 10; round++) await nextRound()
    expect(started.length).toBe(88)
    // The first key was alone in the round in which all arrived.
    expect(keys.map(countOf)).toEqual([28, 20, 20, 20])
  })

  it("starts one request of each API key before a second one of any", async () => {
    const { send, started } = harness(10)
    send("a", 1)
    for (const key of ["b", "c", "d"]) send(key, 2)
    for (let round = 0; round < 6; round++) await nextRound()
    expect(started).toEqual(["a", "b", "c", "d", "b", "c", "d"])
  })

  it("starts the requests of an API key in the order of their arrival", async () => {
    const { enter } = makeFairStarts()
    const order: Array<number> = []
    for (let n = 0; n < 100; n++) enter("a", () => order.push(n))
    await nextRound()
    enter("a", () => order.push(100))
    while (order.length < 101) await nextRound()
    expect(order).toEqual(Array.from({ length: 101 }, (_, n) => n))
  })
})

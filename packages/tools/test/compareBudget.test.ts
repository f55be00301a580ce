/**
 * Tests of the comparison of counted work with its budget.
 */
import { describe, expect, it } from "vitest"
import type { Work } from "../src/budget/compareBudget.ts"
import { compareBudget } from "../src/budget/compareBudget.ts"

const work = (change: Partial<Work> = {}): Work => ({
  reads: 11,
  writes: 10,
  syncs: 1,
  bytes: 65_952,
  messages: 2,
  ...change
})

describe("compareBudget", () => {
  it("finds no difference when every count equals its budget", () => {
    expect(compareBudget({ send: work() }, { send: work() })).toEqual({ over: [], under: [] })
  })

  it("names the operation, the count and the budget when an operation costs more", () => {
    const { over, under } = compareBudget({ send: work({ reads: 12, syncs: 2 }) }, { send: work() })
    expect(over).toEqual(["send: 12 statements that read; the budget is 11", "send: 2 disk syncs; the budget is 1"])
    expect(under).toEqual([])
  })

  it("says when an operation costs less, also when it costs more of another kind", () => {
    const { over, under } = compareBudget({ send: work({ writes: 9, messages: 3 }) }, { send: work() })
    expect(over).toEqual(["send: 3 messages between threads; the budget is 2"])
    expect(under).toEqual(["send: 9 statements in transactions that write; the budget is 10"])
  })

  it("finds no difference in a count that depends on the timing", () => {
    expect(compareBudget({ send: work({ messages: null }) }, { send: work({ messages: null }) })).toEqual({
      over: [],
      under: []
    })
  })

  it("fails when an operation has no budget", () => {
    expect(compareBudget({ send: work(), cancel: work() }, { send: work() }).over).toEqual([
      "cancel: has no budget; record it with --write"
    ])
  })

  it("fails when a budget has no operation", () => {
    expect(compareBudget({ send: work() }, { send: work(), cancel: work() }).over).toEqual([
      "cancel: has a budget, but no operation; remove it with --write"
    ])
  })
})

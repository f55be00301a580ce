/**
 * Tests of the budget with a bound for each of its keys.
 */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeKeyedBudget } from "../../../src/domain/value/KeyedBudget.ts"

describe("makeKeyedBudget", () => {
  it("bounds the total and the amount of each key, and gives everything back", () => {
    const request = fc.record({ budgetKey: fc.constantFrom("a", "b", "c"), more: fc.nat(60) })
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30, size: "max" }), (requests) => {
        const budget = makeKeyedBudget(100, 50)
        const granted = requests.filter(({ budgetKey, more }) => {
          const fits = budget.fits(budgetKey, more)
          if (fits) budget.add(budgetKey, more)
          return fits
        })
        const sum = (of: typeof granted) => of.reduce((total, { more }) => total + more, 0)
        expect(budget.total()).toBe(sum(granted))
        expect(budget.total()).toBeLessThanOrEqual(100)
        for (const name of ["a", "b", "c"])
          expect(sum(granted.filter(({ budgetKey }) => budgetKey === name))).toBeLessThanOrEqual(50)
        for (const { budgetKey, more } of granted) budget.add(budgetKey, -more)
        expect(budget.total()).toBe(0)
        expect(budget.fits("a", 50)).toBe(true)
      })
    )
  })

  it("refuses an amount above the bound of the key, and always accepts a negative one", () => {
    const budget = makeKeyedBudget(100, 50)
    expect([budget.fits("a", 51), budget.fits("a", 50), budget.fits("a", -1)]).toEqual([false, true, true])
  })
})

/**
 * A budget of bytes that many users share, with a smaller bound for each of them. Its amounts live in the memory of this process.
 */

/** Counts amounts against one limit, and against one for each key. */
export interface KeyedBudget {
  /** Whether `more` is left, in total and for the key. A negative or zero amount always is. */
  readonly fits: (budgetKey: string, more: number) => boolean
  /** Adds an amount. A negative one gives back. */
  readonly add: (budgetKey: string, more: number) => void
  /** The sum of all amounts. */
  readonly total: () => number
}

/** Makes an empty budget. A key with the amount 0 takes no memory. */
export const makeKeyedBudget = (totalMax: number, perKeyMax: number): KeyedBudget => {
  const amounts = new Map<string, number>()
  let total = 0
  return {
    fits: (budgetKey, more) =>
      more <= 0 || (total + more <= totalMax && (amounts.get(budgetKey) ?? 0) + more <= perKeyMax),
    add: (budgetKey, more) => {
      const amount = (amounts.get(budgetKey) ?? 0) + more
      if (amount === 0) amounts.delete(budgetKey)
      else amounts.set(budgetKey, amount)
      total += more
    },
    total: () => total
  }
}

/**
 * Shows whether a promise is over, for code that does other things until then.
 */

/** Whether a promise is over. */
export interface Settlement {
  /** `true` after the promise has resolved or rejected. */
  readonly isOver: boolean
}

/** Follows the promise. A rejection counts as handled. */
export const settlementOf = (promise: Promise<unknown>): Settlement => {
  const settlement = { isOver: false }
  const end = () => {
    settlement.isOver = true
  }
  promise.then(end, end)
  return settlement
}

/**
 * Shows whether a promise is over, for code that does other things until then.
 */

/** Whether a promise is over. */
export interface WatchedPromise {
  /** `true` after the promise has resolved or rejected. */
  readonly isOver: boolean
}

/** Follows the promise. A rejection counts as handled. */
export const watchPromise = (promise: Promise<unknown>): WatchedPromise => {
  const watched = { isOver: false }
  const end = () => {
    watched.isOver = true
  }
  promise.then(end, end)
  return watched
}

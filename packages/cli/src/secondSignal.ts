/**
 * A second signal ends the command at once, for a person who does not want to wait for its grace time.
 */

/** Signals within this time are one: after Ctrl-C, the terminal and `npm` both send one. */
const oneSignalMillis = 1000

/** Returns the function to call for each signal. It calls `endNow` for each signal that arrives later than `oneSignalMillis` after the first. */
export const makeSignalWatch = (now: () => number, endNow: () => void): (() => void) => {
  let firstAt: number | undefined
  return () => {
    firstAt ??= now()
    if (now() - firstAt >= oneSignalMillis) endNow()
  }
}

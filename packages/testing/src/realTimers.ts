/**
 * The timers of the process from when this module is loaded. A test that fakes all timers later does not stop the mail.
 */
import { Scheduler } from "effect"

const { setImmediate, clearImmediate, setTimeout, clearTimeout } = globalThis

/** Runs waiting fibers in the next turn of the event loop. */
export const scheduler = new Scheduler.MixedScheduler("async", (run) => {
  const immediate = setImmediate(run)
  return () => clearImmediate(immediate)
})

/** Resolves in the next turn of the event loop. */
export const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

/** Calls `run` after this much real time, and returns a function that prevents it. */
export const afterMillis = (millis: number, run: () => void): (() => void) => {
  const timer = setTimeout(run, millis)
  return () => clearTimeout(timer)
}

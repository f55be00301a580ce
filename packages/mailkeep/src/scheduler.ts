/**
 * The scheduler of the core's fibers. It keeps the timer of the process from when this module is loaded, so that a test that fakes all timers later
 * does not stop the core between two steps.
 */
import { Scheduler } from "effect"

const { setImmediate, clearImmediate } = globalThis

/** Runs waiting fibers in the next turn of the event loop. */
export const scheduler = new Scheduler.MixedScheduler("async", (run) => {
  const immediate = setImmediate(run)
  return () => clearImmediate(immediate)
})

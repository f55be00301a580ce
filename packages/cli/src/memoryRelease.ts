/**
 * Returns memory after a burst. V8 collects when it allocates: a server that is idle after a burst would keep what the burst took.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schedule } from "effect"

/** A heap and buffers smaller than this together are left alone. */
const restingBytes = 160 * 1024 * 1024

interface Memory {
  /** Bytes of the heap and of buffers that the process holds. */
  readonly heldBytes: () => number
  readonly collect: () => void
}

const processMemory = (): Memory => {
  setFlagsFromString("--expose-gc")
  return {
    heldBytes: () => {
      const { heapTotal, arrayBuffers } = process.memoryUsage()
      return heapTotal + arrayBuffers
    },
    collect: runInNewContext("gc") as () => void
  }
}

/** Collects garbage while the process holds much memory, at most every 2 s; a collection takes some 50 ms. Runs until it is interrupted. */
export const releaseMemory = (memory: () => Memory = processMemory): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { heldBytes, collect } = memory()
    return Effect.sync(() => {
      if (heldBytes() > restingBytes) collect()
    }).pipe(Effect.repeat(Schedule.spaced("2 seconds")), Effect.andThen(Effect.never))
  })

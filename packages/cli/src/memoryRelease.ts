/**
 * Frees memory after a burst. V8 collects garbage only when it allocates, so an idle server would keep the memory of a burst.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schedule } from "effect"

/** A process with less memory than this in its heap and buffers is not collected. */
const idleBytesMax = 160 * 1024 * 1024

interface Memory {
  /** Bytes that the process has allocated for the heap and for buffers. */
  readonly allocatedBytes: () => number
  readonly collect: () => void
}

const processMemory = (): Memory => {
  setFlagsFromString("--expose-gc")
  return {
    allocatedBytes: () => {
      const { heapTotal, arrayBuffers } = process.memoryUsage()
      return heapTotal + arrayBuffers
    },
    collect: runInNewContext("gc") as () => void
  }
}

/**
 * Collects garbage at most every 2 s, only while the process uses much memory. A collection takes about 50 ms. Runs until it is
 * interrupted.
 */
export const releaseMemory = (memory: () => Memory = processMemory): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { allocatedBytes, collect } = memory()
    return Effect.sync(() => {
      if (allocatedBytes() > idleBytesMax) collect()
    }).pipe(Effect.repeat(Schedule.spaced("2 seconds")), Effect.andThen(Effect.never))
  })

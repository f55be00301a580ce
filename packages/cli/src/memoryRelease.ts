/**
 * Frees memory after a burst. V8 collects garbage only when it allocates, so an idle server would keep the memory of a burst.
 */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schedule } from "effect"

/** A process with less memory than this in its heap and buffers is not collected. */
const idleBytesMax = 160 * 1024 * 1024

/** A process that is busy for a larger share of the time allocates, so V8 collects by itself. */
const busyShareMax = 0.5

interface Memory {
  /** Bytes that the process has allocated for the heap and for buffers. */
  readonly allocatedBytes: () => number
  /** The share of the time since the last call in which the event loop was busy, from 0 to 1. */
  readonly busyShare: () => number
  readonly collect: () => void
}

const processMemory = (): Memory => {
  setFlagsFromString("--expose-gc")
  let last = performance.eventLoopUtilization()
  return {
    allocatedBytes: () => {
      const { heapTotal, arrayBuffers } = process.memoryUsage()
      return heapTotal + arrayBuffers
    },
    busyShare: () => {
      const before = last
      last = performance.eventLoopUtilization()
      return performance.eventLoopUtilization(last, before).utilization
    },
    collect: runInNewContext("gc") as () => void
  }
}

/**
 * Collects garbage at most every 2 s, only while the process uses much memory and is not busy. A collection stops the process for 50 to 150 ms. Runs
 * until it is interrupted.
 */
export const releaseMemory = (memory: () => Memory = processMemory): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { allocatedBytes, busyShare, collect } = memory()
    return Effect.sync(() => {
      if (busyShare() <= busyShareMax && allocatedBytes() > idleBytesMax) collect()
    }).pipe(Effect.repeat(Schedule.spaced("2 seconds")), Effect.andThen(Effect.never))
  })

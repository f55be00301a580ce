/**
 * Frees memory during and after a burst. V8 collects garbage only when it allocates, so an idle server would keep the memory of a burst.
 */
import { performance } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { Effect, Schedule } from "effect"

/** A busy process with less memory than this in its heap, buffers and long strings is not collected. */
const busyBytesMax = 96 * 1024 * 1024

const everyMillis = 1000

/** Collections take at most this part of the time. On a machine with too much work each takes longer, so there are fewer. */
const collectionShareMax = 1 / 16

/** A process that uses less of the processor than this between two checks is idle. */
const idleCpuMillis = everyMillis / 20

/** An idle process is collected when its memory has grown by this factor since the last collection while it was idle. */
const growth = 1.1

interface Memory {
  /** Bytes that the process has allocated for the heap, and outside of it for buffers and long strings. */
  readonly allocatedBytes: () => number
  /** The processor time that the process has used since its start. */
  readonly cpuMillis: () => number
  /** Returns how many milliseconds the collection took. `all` also frees what V8 would keep for the next allocations. */
  readonly collect: (extent: "garbage" | "all") => number
}

const processMemory = (): Memory => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as (options?: { readonly type: string; readonly flavor: string }) => void
  return {
    allocatedBytes: () => {
      const { heapTotal, external } = process.memoryUsage()
      return heapTotal + external
    },
    cpuMillis: () => {
      const { user, system } = process.cpuUsage()
      return (user + system) / 1000
    },
    collect: (extent) => {
      const started = performance.now()
      if (extent === "all") gc({ type: "major", flavor: "last-resort" })
      else gc()
      return performance.now() - started
    }
  }
}

/**
 * Collects garbage at most once a second while the process uses much memory, and once when the process is idle after its start or after a burst. A collection
 * usually takes about 50 ms. Runs until it is interrupted.
 */
export const releaseMemory = (memory: () => Memory = processMemory): Effect.Effect<never> =>
  Effect.suspend(() => {
    const { allocatedBytes, cpuMillis, collect } = memory()
    let cpuBefore = cpuMillis()
    let idleBytes = 0
    /** How many checks the busy process is not collected. */
    let skipped = 0
    return Effect.sync(() => {
      const used = cpuMillis() - cpuBefore
      if (used < idleCpuMillis && allocatedBytes() > idleBytes * growth) {
        collect("all")
        idleBytes = allocatedBytes()
      } else if (skipped > 0) skipped--
      else if (used >= idleCpuMillis && allocatedBytes() > busyBytesMax)
        skipped = Math.ceil(collect("garbage") / collectionShareMax / everyMillis) - 1
      cpuBefore = cpuMillis()
    }).pipe(Effect.delay(everyMillis), Effect.repeat(Schedule.forever), Effect.andThen(Effect.never))
  })

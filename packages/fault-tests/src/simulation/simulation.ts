/**
 * Runs simulations on all processors: each worker thread simulates a part of the seeds.
 */
import { once } from "node:events"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { FaultRun } from "../FaultRun.ts"
import type { SimulationOptions, SimulationSums } from "./simulateSeeds.ts"

const simulateInWorker = async (options: SimulationOptions): Promise<SimulationSums> => {
  const worker = new Worker(new URL("worker.ts", import.meta.url), { workerData: options })
  const [sums] = (await once(worker, "message")) as [SimulationSums]
  return sums
}

/** Splits the seeds into one range for each worker. */
const ranges = ({ seeds, from }: SimulationOptions, workers: number): ReadonlyArray<SimulationOptions> => {
  const size = Math.ceil(seeds / workers)
  return Array.from({ length: workers }, (_, n) => ({
    from: from + n * size,
    seeds: Math.max(0, Math.min(size, seeds - n * size))
  }))
}

export const simulation = async (options: SimulationOptions): Promise<FaultRun> => {
  const parts = await Promise.all(ranges(options, availableParallelism()).map(simulateInWorker))
  const sum = (count: (part: SimulationSums) => number) => parts.reduce((total, part) => total + count(part), 0)
  const failures = parts.flatMap((part) => part.failures)
  return {
    counts: {
      [`seeds, starting at ${options.from}`]: options.seeds,
      "processes killed": sum(({ kills }) => kills),
      "processes shut down": sum(({ shutdowns }) => shutdowns),
      "commits applied": sum(({ commits }) => commits),
      "transitions of deliveries, each checked against the transition table": sum(({ transitions }) => transitions),
      sends: sum(({ sends }) => sends),
      "copies received by the relay": sum(({ copies }) => copies),
      "duplicates, each after an ambiguous attempt": sum(({ duplicates }) => duplicates),
      "delivery reports answered": sum(({ reports }) => reports),
      "seeds with a lost, stuck or unexplained delivery": failures.length
    },
    failures
  }
}

/**
 * Runs the simulations of a range of seeds, and adds up what they did.
 */
import type { SimulationResult } from "./simulate.ts"
import { simulateSeed } from "./simulate.ts"

export interface SimulationOptions {
  readonly seeds: number
  readonly from: number
}

/** The sums of the simulations of several seeds. */
export type SimulationSums = Omit<SimulationResult, "problems"> & { readonly failures: ReadonlyArray<string> }

const failuresMax = 20

/** Runs the simulations of several seeds one after the other. Stops after 20 failures. */
export const simulateSeeds = ({ seeds, from }: SimulationOptions): SimulationSums => {
  const failures: Array<string> = []
  const sums = { kills: 0, shutdowns: 0, commits: 0, transitions: 0, sends: 0, copies: 0, duplicates: 0, reports: 0 }
  for (let seed = from; seed < from + seeds && failures.length < failuresMax; seed++) {
    const { problems, ...numbers } = simulateSeed(seed)
    for (const [name, count] of Object.entries(numbers)) sums[name as keyof typeof sums] += count
    if (problems.length > 0) failures.push(`seed ${seed}: ${problems.slice(0, 3).join("; ")}`)
  }
  return { ...sums, failures }
}

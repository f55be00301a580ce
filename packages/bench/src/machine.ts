/**
 * The description of the machine, and the median of measured values.
 */
import { cpus, loadavg, release, totalmem } from "node:os"

/** The machine of a run. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly kernel: string
  readonly node: string
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version
})

export const machineText = ({ cpu, cores, memoryGiB, kernel, node }: Machine): string =>
  `${cores} x ${cpu}, ${memoryGiB} GiB, Linux ${kernel}, Node ${node}`

/** How many threads of all programs wanted a core in the last minute. Above the number of cores, the machine was busy with other work too. */
export const loadAverage = (): number => Math.round(loadavg()[0]! * 10) / 10

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/**
 * The description of the machine, and the median of measured values.
 */
import { cpus, release, totalmem } from "node:os"

export const machine = (): string => {
  const [cpu] = cpus()
  return `${cpus().length} x ${cpu?.model ?? "unknown"}, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`
}

export const median = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

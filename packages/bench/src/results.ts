/**
 * The results of a run, as `docs/performance.json` keeps them.
 */
import type { Machine } from "./machine.ts"
import { loadAverage, machine, median } from "./machine.ts"
import type { Disk, Goal, Row, Size } from "./Row.ts"
import type { SideRounds } from "./runRow.ts"

/** The median of all rounds, and the extremes. */
interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
}

/** The result of one side, by the name of the metric. `ratios` are the medians of Mailkeep divided by this peer, round by round. */
export interface SideResult {
  readonly name: string
  readonly figures: Readonly<Record<string, Spread>>
  readonly ratios?: Readonly<Record<string, number>>
}

/** The result of one row on one disk. Mailkeep is the first side. */
export interface RowResult {
  readonly row: string
  readonly disk: Disk
  readonly size: Size
  readonly rounds: number
  readonly machine: Machine
  /** The load average at the end of the row. */
  readonly load: number
  readonly sides: readonly [SideResult, ...Array<SideResult>]
}

/** Four significant digits. */
const rounded = (value: number): number => Number(value.toPrecision(4))

/** The median of the rounds, and the median of the ratios of each round, because the speed of a machine varies between rounds. */
export const toResult = (
  { name, metrics }: Row,
  { disk, size }: { readonly disk: Disk; readonly size: Size },
  sides: ReadonlyArray<SideRounds>
): RowResult => {
  const names = metrics.map((metric) => metric.name)
  const ours = sides[0]!
  const spread = ({ rounds }: SideRounds, metric: string): Spread | undefined => {
    const values = rounds.map((figures) => figures[metric]).filter((value) => value !== undefined)
    if (values.length === 0) return undefined
    return {
      median: rounded(median(values)),
      min: rounded(Math.min(...values)),
      max: rounded(Math.max(...values))
    }
  }
  const defined = <A>(entries: ReadonlyArray<readonly [string, A | undefined]>): Readonly<Record<string, A>> =>
    Object.fromEntries(entries.filter((entry): entry is [string, A] => entry[1] !== undefined))
  const ratio = ({ rounds }: SideRounds, metric: string): number | undefined => {
    const ratios = rounds.flatMap((figures, round) => {
      const [mine, theirs] = [ours.rounds[round]?.[metric], figures[metric]]
      return mine === undefined || theirs === undefined || theirs === 0 ? [] : [mine / theirs]
    })
    return ratios.length === 0 ? undefined : rounded(median(ratios))
  }
  const results = sides.map((side): SideResult => {
    const figures = defined(names.map((metric) => [metric, spread(side, metric)] as const))
    return side === ours
      ? { name: side.name, figures }
      : { name: side.name, figures, ratios: defined(names.map((metric) => [metric, ratio(side, metric)] as const)) }
  })
  return {
    row: name,
    disk,
    size,
    rounds: ours.rounds.length,
    machine: machine(),
    load: loadAverage(),
    sides: results as unknown as RowResult["sides"]
  }
}

/** The value that a goal is about, or `undefined` if the peer did not run. */
export const goalValue = ({ sides }: RowResult, goal: Goal): number | undefined =>
  "value" in goal
    ? sides[0].figures[goal.metric]?.median
    : sides.find(({ name }) => name === goal.peer)?.ratios?.[goal.metric]

/** Whether the goal is reached. */
export const isReached = (value: number, goal: Goal): boolean => {
  const bound = "value" in goal ? goal.value : goal.ratio
  return goal.is === "at least" ? value >= bound : value <= bound
}

/** The results with those of another run in place of the same row on the same disk, in the order of `order`. */
export const mergeResults = (
  existing: ReadonlyArray<RowResult>,
  added: ReadonlyArray<RowResult>,
  order: ReadonlyArray<string>
): ReadonlyArray<RowResult> => {
  const isReplaced = (one: RowResult) => added.some(({ row, disk }) => row === one.row && disk === one.disk)
  return [...existing.filter((one) => order.includes(one.row) && !isReplaced(one)), ...added].toSorted(
    (a, b) => order.indexOf(a.row) - order.indexOf(b.row) || a.disk.localeCompare(b.disk) * -1
  )
}

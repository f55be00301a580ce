/**
 * Compares the counted work of each operation with its budget.
 */

/** What is counted, with what one unit of it is called. */
export const workKinds = {
  reads: "statements that read",
  writes: "statements in transactions that write",
  syncs: "disk syncs",
  bytes: "bytes in the write-ahead log",
  messages: "messages between threads"
} as const

/** A kind of counted work. */
export type WorkKind = keyof typeof workKinds
/** The work of one operation. `null`: not counted, because it depends on the timing. */
export type Work = Readonly<Record<WorkKind, number | null>>
/** The work of each operation, by its name. */
export type Budget = Readonly<Record<string, Work>>

/** What differs from the budget. Any entry of `over` is a failure. */
export interface Comparison {
  /** An operation that costs more than its budget, or that has no budget, or a budget without its operation. */
  readonly over: ReadonlyArray<string>
  /** An operation that costs less: a smaller budget can be recorded. */
  readonly under: ReadonlyArray<string>
}

const kindsOf = Object.entries(workKinds) as ReadonlyArray<readonly [WorkKind, string]>

/** One sentence for each kind of work that differs in the direction of `differs`. */
const differences = (
  name: string,
  counted: Work,
  recorded: Work,
  differs: (counted: number, recorded: number) => boolean
): ReadonlyArray<string> =>
  kindsOf
    .filter(([kind]) => differs(counted[kind] ?? 0, recorded[kind] ?? 0))
    .map(
      ([kind, unit]) => `${name}: ${counted[kind] ?? "uncounted"} ${unit}; the budget is ${recorded[kind] ?? "none"}`
    )

/** Compares the work of the operations that were counted with all recorded budgets. */
export const compareBudget = (counted: Budget, recorded: Budget): Comparison => {
  const known = Object.entries(counted).flatMap(([name, work]) => {
    const budget = recorded[name]
    return budget === undefined ? [] : [{ name, work, budget }]
  })
  const missing = Object.keys(counted)
    .filter((name) => recorded[name] === undefined)
    .map((name) => `${name}: has no budget; record it with --write`)
  const left = Object.keys(recorded)
    .filter((name) => counted[name] === undefined)
    .map((name) => `${name}: has a budget, but no operation; remove it with --write`)
  return {
    over: [
      ...known.flatMap(({ name, work, budget }) => differences(name, work, budget, (a, b) => a > b)),
      ...missing,
      ...left
    ],
    under: known.flatMap(({ name, work, budget }) => differences(name, work, budget, (a, b) => a < b))
  }
}

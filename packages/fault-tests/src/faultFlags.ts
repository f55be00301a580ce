/**
 * The flags of `pnpm faults`. A flag with a number that is no amount is refused: a run with it would test nothing and pass.
 */
import { parseArgs } from "node:util"

/** The flags with a number, and the smallest number of each. */
const smallest = {
  cycles: 1,
  cuts: 1,
  seeds: 1,
  requests: 1,
  deliveries: 1,
  /** Duration of the attacks: 90 in CI, 1,800 with `--long`. */
  seconds: 1,
  contacts: 1,
  /** The first seed, or the seed to replay. */
  seed: 0
} as const
type NumberFlag = keyof typeof smallest

/** The amounts of a run: `--long` multiplies those of CI by this number. */
const longFactor = 20

export interface FaultFlags {
  /** The names of the runs. Empty: all runs. */
  readonly names: ReadonlyArray<string>
  readonly long: boolean
  /** Runs only the attacks whose name contains this text. */
  readonly only: string
  /** Checks against the bounds that a server must reach on a machine without other work, not against those of CI. */
  readonly goal: boolean
  /** Runs the attacks one after the other. */
  readonly each: boolean
  /** `undefined` without the flag. */
  readonly seed: number | undefined
  /** The number from the flag. Without the flag, the number for CI, or `inLong` with `--long`. By default `inLong` is 20 times as large. */
  readonly amount: (flag: Exclude<NumberFlag, "seed">, inCi: number, inLong?: number) => number
}

/** Reads the number of a flag. Throws a sentence that names the flag. */
const numberOf = (flag: NumberFlag, text: string): number => {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number) || number < smallest[flag])
    throw new Error(`--${flag} must be a whole number from ${smallest[flag]}, and not "${text}".`)
  return number
}

const text = { type: "string" } as const
const yes = { type: "boolean", default: false } as const

/** Reads the arguments of the command. Throws an error whose message names the wrong flag. */
export const readFlags = (args: ReadonlyArray<string>): FaultFlags => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      cycles: text,
      cuts: text,
      seeds: text,
      requests: text,
      deliveries: text,
      seconds: text,
      contacts: text,
      seed: text,
      only: { ...text, default: "" },
      long: yes,
      goal: yes,
      each: yes
    }
  })
  const { long, only, goal, each } = values
  const numbers = new Map<NumberFlag, number>()
  for (const flag of Object.keys(smallest) as ReadonlyArray<NumberFlag>) {
    const given = values[flag]
    if (given !== undefined) numbers.set(flag, numberOf(flag, given))
  }
  return {
    names: positionals,
    long,
    only,
    goal,
    each,
    seed: numbers.get("seed"),
    amount: (flag, inCi, inLong = inCi * longFactor) => numbers.get(flag) ?? (long ? inLong : inCi)
  }
}

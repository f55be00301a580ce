/**
 * Lengths of time as a test writes them.
 */
const unitMillis = {
  milliseconds: 1,
  seconds: 1000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
  weeks: 604_800_000
} as const

type Unit = keyof typeof unitMillis
type UnitName = Unit | "millisecond" | "second" | "minute" | "hour" | "day" | "week"

/**
 * A length of time: milliseconds, a text such as `"1 day"` or `"90 minutes"`, or an object such as `{ hours: 1, minutes: 30 }`. An object of
 * `Temporal.Duration` without months and years has this form too.
 */
export type DurationInput = number | `${number} ${UnitName}` | { readonly [unit in Unit]?: number | undefined }

const units = Object.keys(unitMillis) as ReadonlyArray<Unit>

const ofText = (text: string): number => {
  const [, amount, name] = /^(\d+(?:\.\d+)?) ([a-z]+)$/.exec(text) ?? []
  const unit = units.find((one) => one === name || one === `${name}s`)
  return unit === undefined ? Number.NaN : Number(amount) * unitMillis[unit]
}

/** Whether the object has only units of a fixed length. An object of `Temporal.Duration` has no field of its own, and shows each unit. */
const hasOnlyUnits = (input: object): boolean =>
  units.some((unit) => unit in input) &&
  Object.keys(input).every((name) => Object.hasOwn(unitMillis, name)) &&
  ["months", "years"].every((name) => (Reflect.get(input, name) ?? 0) === 0)

const ofObject = (input: object): number =>
  hasOnlyUnits(input)
    ? units.reduce((sum, unit) => {
        const amount: unknown = Reflect.get(input, unit) ?? 0
        return typeof amount === "number" ? sum + amount * unitMillis[unit] : Number.NaN
      }, 0)
    : Number.NaN

/** The length in whole milliseconds. Throws a `RangeError` for a negative length and for another form. */
export const toMillis = (input: DurationInput): number => {
  const millis =
    typeof input === "number"
      ? input
      : typeof input === "string"
        ? ofText(input)
        : typeof input === "object" && input !== null
          ? ofObject(input)
          : Number.NaN
  if (!Number.isFinite(millis) || millis < 0)
    throw new RangeError(
      'A length of time is a number of milliseconds, a text such as "1 day", or an object such as { hours: 1 }.'
    )
  return Math.round(millis)
}

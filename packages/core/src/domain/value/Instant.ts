/**
 * Instants as UTC milliseconds, with conversions to ISO 8601 text and UTC days.
 * This module does not read a clock.
 */
import { timeOfDate } from "./timeOfDate.ts"

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** A UTC calendar day, `YYYY-MM-DD`. */
export type UtcDay = string

/** The milliseconds of a second. */
export const secondMillis = 1_000
/** The milliseconds of a minute. */
export const minuteMillis = 60 * secondMillis
/** The milliseconds of an hour. */
export const hourMillis = 60 * minuteMillis
/** The milliseconds of 24 hours. */
export const dayMillis = 24 * hourMillis

const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)$/

/**
 * Parses an ISO 8601 date and time with `Z` or an offset (`+01:00`, `+0100`, `+01`). Seconds and their fraction are optional.
 * Returns `undefined` if the text has no offset, or if the date or time does not exist.
 * A leap second gives the next second, as in POSIX time. Source: decision 0033.
 */
export const parseInstant = (text: string): Instant | undefined => {
  const match = dateTime.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number
  ]
  const offsetHours = Number(match[9] ?? 0)
  const offsetMinutes = Number(match[10] ?? 0)
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const millis = Number(((match[7] ?? "") + "000").slice(0, 3))
  const local = date.getTime() + hour * hourMillis + minute * minuteMillis + second * secondMillis + millis
  const offset = (offsetHours * hourMillis + offsetMinutes * minuteMillis) * (match[8] === "-" ? -1 : 1)
  return local - offset
}

const bareDate = /^\d{4}-\d{2}-\d{2}$/

/** Parses a date and time like `parseInstant`, or a date without a time. A date gives the first or last millisecond of its UTC day. */
export const parseInstantOrDay = (text: string, edge: "start" | "end"): Instant | undefined => {
  if (!bareDate.test(text)) return parseInstant(text)
  const start = parseInstant(`${text}T00:00Z`)
  return start === undefined || edge === "start" ? start : start + dayMillis - 1
}

/** Formats an instant as ISO 8601 in UTC with milliseconds. */
export const formatInstant = (instant: Instant): string => new Date(instant).toISOString()

/** Formats an instant as `formatInstant` does. Returns `null` for `null`. */
export const formatInstantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)

/** The last day that was asked for. Almost always it is today, and each send asks twice. */
let lastDay = { number: Number.NaN, day: "" }

/** Returns the UTC day of an instant. */
export const utcDayOf = (instant: Instant): UtcDay => {
  const number = Math.floor(instant / dayMillis)
  if (number !== lastDay.number) lastDay = { number, day: formatInstant(instant).slice(0, 10) }
  return lastDay.day
}

/** A time in the input of a program: a `Date`, UTC milliseconds, or an ISO 8601 text with an offset such as `2026-12-24T18:00:00Z`. */
export type TimeInput = Date | number | string

/** The first and the last instant whose year has four digits. */
const instantMin = Date.UTC(-1, 12)
const instantMax = Date.UTC(10_000, 0) - 1

/** Converts a time in the input of a program. Returns `undefined` if the value is not a time in the years 0 to 9999. */
export const instantOfInput = (input: unknown): Instant | undefined => {
  const instant = typeof input === "string" ? parseInstant(input) : (timeOfDate(input) ?? input)
  return typeof instant === "number" && Number.isInteger(instant) && instant >= instantMin && instant <= instantMax
    ? instant
    : undefined
}

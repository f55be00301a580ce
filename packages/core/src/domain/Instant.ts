/**
 * Instants as UTC milliseconds, their RFC 3339 text and their UTC day.
 * Nothing here reads a clock.
 */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = number

/** A UTC calendar day, `YYYY-MM-DD`. */
export type UtcDay = string

export const secondMillis = 1_000
export const minuteMillis = 60 * secondMillis
export const hourMillis = 60 * minuteMillis
export const dayMillis = 24 * hourMillis

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/

/**
 * Reads an RFC 3339 timestamp with `Z` or an offset; `undefined` when it has none, or names a date or time that does not
 * exist. A leap second is read as the second after it, as POSIX time does.
 */
export const parseInstant = (text: string): Instant | undefined => {
  const match = rfc3339.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
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

/** An instant as RFC 3339 in UTC with milliseconds. */
export const formatInstant = (instant: Instant): string => new Date(instant).toISOString()

export const formatInstantOrNull = (instant: Instant | null): string | null =>
  instant === null ? null : formatInstant(instant)

/** The UTC day that holds the instant. */
export const utcDayOf = (instant: Instant): UtcDay => formatInstant(instant).slice(0, 10)

/**
 * Recognizes a `Date` in the input of a program.
 */

const { getTime } = Date.prototype

/**
 * The milliseconds of a `Date`, `NaN` for an invalid one, and `undefined` for any other value. Knows a `Date` of another realm, such as one of
 * `structuredClone` in Jest, and one from before a test replaced the class. `instanceof` knows neither.
 */
export const timeOfDate = (value: unknown): number | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  try {
    return Reflect.apply(getTime, value, [])
  } catch {
    return undefined
  }
}

/**
 * Reads the header `Retry-After`. Source: RFC 9110 §10.2.3.
 */

/** The current form of an HTTP date, and the two obsolete forms that a recipient must also read. */
const httpDates = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/
]

/**
 * The seconds to wait after `nowMillis`, at least 0. Returns `null` without a header, and for text that is neither a number of seconds nor
 * an HTTP date. The core bounds the wait.
 */
export const retryAfterSeconds = (text: string | undefined, nowMillis: number): number | null => {
  if (text === undefined) return null
  if (/^\d+$/.test(text)) return Number(text)
  if (!httpDates.some((form) => form.test(text))) return null
  const date = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - nowMillis) / 1000))
}

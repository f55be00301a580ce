/**
 * A pseudo-random number that spreads retries over time.
 */

/** Returns a number in [0, 1). The same record and attempt give the same number, so that a retried decision does not change. */
export const jitterOf = (id: string, attempt: number): number => {
  let hash = 0x811c9dc5 ^ attempt
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193)
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32
}

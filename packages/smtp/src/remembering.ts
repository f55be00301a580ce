/**
 * Remembers the last results of a function that always gives the same result for the same text.
 */

/** What is remembered. */
export interface Remembered {
  /** At most so many results: those that were used last. */
  readonly countMax: number
  /** Only results of texts up to this length, in UTF-16 units. */
  readonly lengthMax: number
}

/** Returns a function with the same results. It computes a remembered result no second time. */
export const remembering = <A>(
  compute: (text: string) => A,
  { countMax, lengthMax }: Remembered
): ((text: string) => A) => {
  // The result that was used longest ago is the first.
  const results = new Map<string, A>()
  return (text) => {
    const result = results.has(text) ? (results.get(text) as A) : compute(text)
    if (text.length > lengthMax) return result
    results.delete(text)
    results.set(text, result)
    if (results.size > countMax) results.delete(results.keys().next().value!)
    return result
  }
}

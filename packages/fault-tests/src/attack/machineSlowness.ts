/**
 * Measures how slow the processor is. On a slow machine the attackers send less often, so that they give the server about the same share of its work on every
 * machine. At the full rate, a processor of half the speed never ends its work, and the run measures the machine instead of the server.
 */

/** The time of the work below on a machine where the attacks take a large part of one processor. */
const referenceMillis = 6
const runs = 7

const records = Array.from({ length: 2000 }, (_, n) => ({
  id: `rec_${n}`,
  address: `person${n}@example.org`,
  at: n * 7919
}))
const text = JSON.stringify(records)

/** What a server does most: it parses, sorts and writes records. */
const workOfServer = (): number => {
  let length = 0
  for (let round = 0; round < 8; round++) {
    const parsed = JSON.parse(text) as typeof records
    parsed.sort((a, b) => (a.address < b.address ? -1 : 1))
    length += JSON.stringify(parsed.map(({ id, address, at }) => ({ id, address: address.toUpperCase(), at }))).length
  }
  return length
}

/** How many times longer the processor needs than that of the reference, from the fastest time of several runs. At least 1. */
export const slownessOf = (millis: ReadonlyArray<number>): number => Math.max(1, Math.min(...millis) / referenceMillis)

export const measureSlowness = (): number =>
  slownessOf(
    Array.from({ length: runs }, () => {
      const begun = performance.now()
      workOfServer()
      return performance.now() - begun
    })
  )

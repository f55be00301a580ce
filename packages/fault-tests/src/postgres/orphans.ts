/**
 * Measures how soon the deliveries that were under way at a fault are under work again.
 */
import { setTimeout as wait } from "node:timers/promises"
import { Client } from "pg"

/** A delivery that a product was handing over when a fault began. */
interface Orphan {
  readonly since: number
  /** Grows with each claim. */
  readonly fencingToken: string
}

interface UnderWay {
  readonly id: string
  readonly fencing_token: string
}

/** How long a delivery may wait for another product, when the product that handed it over was killed. */
const orphanMillisMax = 45_000

const underWay = async (url: string): Promise<ReadonlyMap<string, string>> => {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<UnderWay>(
      "SELECT id, fencing_token FROM mailkeep.deliveries WHERE status = 'sending'"
    )
    return new Map(rows.map(({ id, fencing_token }) => [id, fencing_token]))
  } finally {
    await client.end()
  }
}

/** `url` returns the address of the server that is the primary now. */
export const makeOrphans = (url: () => string) => {
  const orphans = new Map<string, Orphan>()
  let longestMillis = 0

  /** Forgets the deliveries that have ended or were claimed again. */
  const forgetRecovered = (current: ReadonlyMap<string, string>): void => {
    for (const [id, { since, fencingToken }] of orphans) {
      longestMillis = Math.max(longestMillis, performance.now() - since)
      if (current.get(id) !== fencingToken) orphans.delete(id)
    }
  }

  /** Call it when a fault has been injected. */
  const remember = async (): Promise<void> => {
    const current = await underWay(url())
    forgetRecovered(current)
    for (const [id, fencingToken] of current)
      if (!orphans.has(id)) orphans.set(id, { since: performance.now(), fencingToken })
  }

  /** Waits until every remembered delivery has ended or was claimed again. Returns a sentence if one was not in time. */
  const recovered = async (): Promise<ReadonlyArray<string>> => {
    const until = performance.now() + orphanMillisMax
    while (orphans.size > 0 && performance.now() < until) {
      await wait(200)
      forgetRecovered(await underWay(url()))
    }
    return longestMillis <= orphanMillisMax && orphans.size === 0
      ? []
      : [`a delivery was under way for ${Math.round(longestMillis / 1000)} s after a fault; ${orphans.size} still are`]
  }

  return { remember, recovered, longestSeconds: () => Math.ceil(longestMillis / 1000) }
}

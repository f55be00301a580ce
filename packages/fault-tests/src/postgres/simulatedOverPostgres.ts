/**
 * The simulation over PostgreSQL. A seed gives the same run over every store that keeps the laws, so each seed runs over the memory store too. The
 * answers, the counts and all records at the end must be equal.
 */
import { isDeepStrictEqual } from "node:util"
import { digestStore } from "@mailkeep/core/move"
import * as NodeCrypto from "@mailkeep/core/node"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { MemoryMailStore } from "@mailkeep/memory"
import { openWatched, startPostgres } from "@mailkeep/test-support/postgres"
import type { SynchronousStores } from "@mailkeep/test-support/synchronousPostgres"
import { startSynchronousStores } from "@mailkeep/test-support/synchronousPostgres"
import { Effect } from "effect"
import type { FaultRun } from "../FaultRun.ts"
import type { Sabotage } from "../simulation/simulate.ts"
import { simulateOver } from "../simulation/simulate.ts"
import type { SimulationOptions } from "../simulation/simulateSeeds.ts"

/** Runs a seed, and returns its result with the digest of all records. */
const simulated = (store: MailStoreShape, seed: number) => {
  const { problems, ...counts } = simulateOver(store, seed)
  return { problems, counts, digest: Effect.runSync(Effect.provide(digestStore(store), NodeCrypto.layer)) }
}

/** Runs a seed over both stores. Returns the problems, and the counts of the run over PostgreSQL. */
export const compareStores = (stores: SynchronousStores, seed: number, sabotage: Sabotage = (store) => store) => {
  const expected = simulated(Effect.runSync(MemoryMailStore.make), seed)
  const { store, close } = stores.open()
  const { problems, counts, digest } = simulated(sabotage(store), seed)
  close()
  const differences = [
    ...(isDeepStrictEqual(problems, expected.problems) ? [] : ["the checks differ from those over the memory store"]),
    ...(isDeepStrictEqual(counts, expected.counts)
      ? []
      : [`the counts are ${JSON.stringify(counts)}, and ${JSON.stringify(expected.counts)} over the memory store`]),
    ...(isDeepStrictEqual(digest, expected.digest)
      ? []
      : ["the records at the end differ from those of the memory store"])
  ]
  return { problems: [...problems, ...differences], counts }
}

/** Runs `use` with stores in a new database of a new server. */
const withSynchronousStores = async <A>(use: (stores: SynchronousStores) => A): Promise<A> => {
  const watched = openWatched({ isInMemory: true })
  try {
    const server = await startPostgres(watched)
    const stores = startSynchronousStores(server.urlOf(await server.createDatabase()))
    try {
      return use(stores)
    } finally {
      await stores.end()
    }
  } finally {
    await watched.close()
  }
}

export const simulatedOverPostgres = ({ seeds, from }: SimulationOptions): Promise<FaultRun> =>
  withSynchronousStores((stores) => {
    const failures: Array<string> = []
    const sums = { commits: 0, transitions: 0, kills: 0 }
    for (let seed = from; seed < from + seeds; seed++) {
      const { problems, counts } = compareStores(stores, seed)
      for (const name of ["commits", "transitions", "kills"] as const) sums[name] += counts[name]
      if (problems.length > 0) failures.push(`seed ${seed}: ${problems.slice(0, 3).join("; ")}`)
    }
    return {
      counts: {
        [`seeds, starting at ${from}`]: seeds,
        "processes killed": sums.kills,
        "commits applied": sums.commits,
        "transitions of deliveries, each checked against the transition table": sums.transitions,
        "seeds with a problem, or with another end than over the memory store": failures.length
      },
      failures
    }
  })

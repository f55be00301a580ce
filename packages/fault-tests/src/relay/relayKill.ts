/**
 * The kill loop with a real Postfix as the relay. After each kill and recovery, Postfix must have received what the core says that it accepted:
 * no delivery is lost, and a second copy exists only after an ambiguous attempt. With the policy `fail` there is no second copy.
 */
import type { OnAmbiguous } from "@mailkeep/core"
import type { FaultRun } from "../FaultRun.ts"
import type { KillRelay } from "../kill/killLoop.ts"
import { killLoop } from "../kill/killLoop.ts"
import { explainedMails } from "./arrivedMails.ts"
import type { Collector } from "./peers/collector.ts"
import { startCollector } from "./peers/collector.ts"
import type { Postfix } from "./peers/postfix.ts"
import { startPostfix } from "./peers/postfix.ts"
import { relayTransport } from "./relayTransport.ts"
import { newFolder, removeFolder } from "@mailkeep/test-support/runEnd"

const postfixRelay = (postfix: Postfix, collector: Collector, onAmbiguous: OnAmbiguous): KillRelay => ({
  // Postfix takes fewer messages a second than the core accepts. More callers would only make the recovery longer.
  callers: 4,
  // In every second cycle the kill finds most attempts without an answer to their end of data.
  ofWorkers: (cycle) => ({ port: cycle % 2 === 0 ? postfix.relayPort : postfix.slowPort, onAmbiguous }),
  transport: relayTransport(postfix.relayPort),
  // Before a cycle, Postfix has no message.
  isInUse: () => postfix.queued() > 0,
  arrived: async (store) => {
    const isEmpty = await postfix.emptied()
    const arrived = explainedMails(store, collector.spool, onAmbiguous)
    const unexplained = isEmpty ? [] : [`Postfix still has ${postfix.queued()} messages`]
    return { ...arrived, unexplained: [...unexplained, ...arrived.unexplained] }
  }
})

/** Runs the cycles with one policy for ambiguous attempts. */
const withPolicy = async (cycles: number, onAmbiguous: OnAmbiguous): Promise<FaultRun> => {
  const folder = newFolder("mailkeep-relay-")
  try {
    await using collector = await startCollector(folder)
    await using postfix = await startPostfix({ collectorPort: collector.port, bouncePort: collector.port })
    return await killLoop({ cycles, processes: 1 }, () => postfixRelay(postfix, collector, onAmbiguous))
  } finally {
    removeFolder(folder)
  }
}

/** Half of the cycles with each policy, both at the same time, each with a Postfix of its own. */
export const relayKill = async ({ cycles }: { readonly cycles: number }): Promise<FaultRun> => {
  const policies = ["retry", "fail"] as const
  const runs = await Promise.all(policies.map((policy) => withPolicy(Math.ceil(cycles / policies.length), policy)))
  const labelled = runs.flatMap(({ counts }, n) =>
    Object.entries(counts).map(([what, count]) => [`${what}, policy ${policies[n]}`, count] as const)
  )
  return {
    counts: Object.fromEntries(labelled),
    failures: runs.flatMap(({ failures }, n) => failures.map((failure) => `policy ${policies[n]}: ${failure}`))
  }
}

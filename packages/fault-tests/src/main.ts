/**
 * Runs all fault tests with the amounts that CI uses, or the named ones. Flags change the amounts.
 */
import { attackRun } from "./attack/attackRun.ts"
import { measureSlowness } from "./attack/machineSlowness.ts"
import { bounds, ciBounds, singleAttackBounds } from "./attack/attackVerdict.ts"
import type { FaultFlags } from "./faultFlags.ts"
import { readFlags } from "./faultFlags.ts"
import type { FaultRun } from "./FaultRun.ts"
import { ended, printed } from "./FaultRun.ts"
import { freezeLoop } from "./freeze/freezeLoop.ts"
import { httpFuzz } from "./fuzz/httpFuzz.ts"
import { killLoop } from "./kill/killLoop.ts"
import { powerCuts } from "./power/powerCuts.ts"
import { withStrace } from "./power/withStrace.ts"
import { commitCuts } from "./postgres/commitCuts.ts"
import { serverFaultRun } from "./postgres/serverFaults.ts"
import { simulatedOverPostgres } from "./postgres/simulatedOverPostgres.ts"
import { withPostgres } from "./postgres/withPostgres.ts"
import { bounceRun } from "./relay/bounces/bounceRun.ts"
import { exactlyOnce } from "./relay/exactlyOnce.ts"
import { firstMailRun } from "./relay/guide/firstMailRun.ts"
import { deliveredMailRun } from "./relay/guide/deliveredMailRun.ts"
import { injectionRun } from "./relay/injection/injectionRun.ts"
import { withPeers } from "./relay/peers/installed.ts"
import { relayKill } from "./relay/relayKill.ts"
import { endOnSignals } from "@mailkeep/test-support/runEnd"
import { simulation } from "./simulation/simulation.ts"
import { everyCall } from "./syscalls/everyCall.ts"
import { transactionRun } from "./transactions/transactionRun.ts"

/** Ends the program with a sentence about the command line. */
const refuse = (sentence: string): never => {
  console.error(sentence)
  process.exit(2)
}

const parsedFlags = (): FaultFlags => {
  try {
    return readFlags(process.argv.slice(2))
  } catch (cause) {
    return refuse((cause as Error).message)
  }
}

const { amount, ...flags } = parsedFlags()
endOnSignals()

/** Runs several fault runs and adds up their results. */
const combined = async (runs: ReadonlyArray<() => Promise<FaultRun>>): Promise<FaultRun> => {
  const counts: Record<string, number> = {}
  const failures: Array<string> = []
  const skipped: Array<string> = []
  for (const run of runs) {
    const one = await run()
    for (const [what, count] of Object.entries(one.counts)) counts[what] = (counts[what] ?? 0) + count
    failures.push(...one.failures)
    if (one.skipped !== undefined) skipped.push(one.skipped)
  }
  return skipped.length === 0 ? { counts, failures } : { counts, failures, skipped: skipped.join(" ") }
}

const seed = flags.seed ?? Date.now() % 1_000_000_000

const boundsOfAttacks = () => {
  if (!flags.goal) return ciBounds
  return flags.each ? singleAttackBounds : bounds
}

const faults: Readonly<Record<string, () => Promise<FaultRun>>> = {
  kill: () => killLoop({ cycles: amount("cycles", 60), processes: 1 }),
  processes: () => combined([2, 4].map((processes) => () => killLoop({ cycles: amount("cycles", 4), processes }))),
  transactions: () => transactionRun({ kills: amount("cycles", 40) }),
  freeze: () => freezeLoop({ cycles: amount("cycles", 6) }),
  power: () => withStrace(() => powerCuts({ cuts: amount("cuts", 500), sends: 150, atOnce: 12, seed })),
  syscalls: () => withStrace(() => everyCall({ stride: flags.long ? 1 : 8, seed })),
  simulate: () => simulation({ seeds: amount("seeds", 1200), from: seed }),
  http: () => httpFuzz({ requests: amount("requests", 20_000), seed }),
  relay: () =>
    withPeers(() =>
      exactlyOnce({
        deliveries: amount("deliveries", 1000, 10_000),
        signatures: flags.long ? 2000 : 200,
        tampered: flags.long ? 50 : 10,
        seed
      })
    ),
  "relay-kill": () => withPeers(() => relayKill({ cycles: amount("cycles", 50) })),
  injection: () => withPeers(() => injectionRun({ stride: flags.long ? 1 : 5 })),
  bounces: () => withPeers(bounceRun),
  guide: () => combined([firstMailRun, () => withPeers(deliveredMailRun)]),
  "postgres-product": () => withPostgres(() => serverFaultRun("product", amount("cycles", 15))),
  "postgres-server": () => withPostgres(() => serverFaultRun("server", amount("cycles", 10))),
  "postgres-failover": () => withPostgres(() => serverFaultRun("failover", amount("cycles", 2))),
  "postgres-cuts": () => withPostgres(commitCuts),
  "postgres-simulate": () => withPostgres(() => simulatedOverPostgres({ seeds: amount("seeds", 15), from: seed })),
  attack: () =>
    attackRun({
      seconds: amount("seconds", 90),
      // The goal is for one kind of machine, so it is not adapted.
      slowness: flags.goal ? 1 : measureSlowness(),
      contacts: amount("contacts", 200_000, 200_000),
      only: flags.only,
      each: flags.each,
      bound: boundsOfAttacks(),
      progress: (line) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
    })
}

const names = flags.names.length === 0 ? Object.keys(faults) : flags.names
const unknown = names.filter((name) => faults[name] === undefined)
if (unknown.length > 0)
  refuse(`Unknown fault test: ${unknown.join(", ")}. Use one of: ${Object.keys(faults).join(", ")}.`)

let broken = 0
for (const name of names) {
  const begun = performance.now()
  const run = await ended(faults[name]!)
  console.log(printed(name, (performance.now() - begun) / 1000, run))
  if (run.failures.length > 0) broken++
}
process.exitCode = broken > 0 ? 1 : 0

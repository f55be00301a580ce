/**
 * Runs all fault tests with the amounts that CI uses, or the named ones. Flags change the amounts.
 */
import { parseArgs } from "node:util"
import { attackRun } from "./attack/attackRun.ts"
import { bounds, ciBounds, singleAttackBounds } from "./attack/attackVerdict.ts"
import type { FaultRun } from "./FaultRun.ts"
import { printed } from "./FaultRun.ts"
import { freezeLoop } from "./freeze/freezeLoop.ts"
import { httpFuzz } from "./fuzz/httpFuzz.ts"
import { killLoop } from "./kill/killLoop.ts"
import { powerCuts } from "./power/powerCuts.ts"
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
import { simulation } from "./simulation/simulation.ts"
import { everyCall } from "./syscalls/everyCall.ts"
import { transactionRun } from "./transactions/transactionRun.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Twenty times the amounts that CI uses, and every system call instead of every eighth. */
    long: { type: "boolean", default: false },
    cycles: { type: "string" },
    cuts: { type: "string" },
    seeds: { type: "string" },
    requests: { type: "string" },
    deliveries: { type: "string" },
    /** Duration of the attacks: 90 in CI, 1,800 with `--long`. */
    seconds: { type: "string" },
    contacts: { type: "string", default: "200000" },
    /** Runs only the attacks whose name contains this text. */
    only: { type: "string", default: "" },
    /** Checks against the bounds that a server must reach on a machine without other work, not against those of CI. */
    goal: { type: "boolean", default: false },
    /** Runs the attacks one after the other. */
    each: { type: "boolean", default: false },
    /** The first seed, or the seed to replay. */
    seed: { type: "string" }
  }
})

/** The number from the flag; without the flag, the number for CI, times 20 with `--long`. */
const amount = (given: string | undefined, inCi: number): number =>
  given === undefined ? inCi * (values.long ? 20 : 1) : Number(given)

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

const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)

const boundsOfAttacks = () => {
  if (!values.goal) return ciBounds
  return values.each ? singleAttackBounds : bounds
}

const faults: Readonly<Record<string, () => Promise<FaultRun>>> = {
  kill: () => killLoop({ cycles: amount(values.cycles, 60), processes: 1 }),
  processes: () => combined([2, 4].map((processes) => () => killLoop({ cycles: amount(values.cycles, 4), processes }))),
  transactions: () => transactionRun({ kills: amount(values.cycles, 40) }),
  freeze: () => freezeLoop({ cycles: amount(values.cycles, 6) }),
  power: () => powerCuts({ cuts: amount(values.cuts, 500), sends: 150, atOnce: 12, seed }),
  syscalls: () => everyCall({ stride: values.long ? 1 : 8, seed }),
  simulate: () => simulation({ seeds: amount(values.seeds, 1200), from: seed }),
  http: () => httpFuzz({ requests: amount(values.requests, 20_000), seed }),
  relay: () =>
    withPeers(() =>
      exactlyOnce({
        deliveries: values.deliveries === undefined ? (values.long ? 10_000 : 1000) : Number(values.deliveries),
        signatures: values.long ? 2000 : 200,
        tampered: values.long ? 50 : 10,
        seed
      })
    ),
  "relay-kill": () => withPeers(() => relayKill({ cycles: amount(values.cycles, 50) })),
  injection: () => withPeers(() => injectionRun({ stride: values.long ? 1 : 5 })),
  bounces: () => withPeers(bounceRun),
  guide: () => combined([firstMailRun, () => withPeers(deliveredMailRun)]),
  "postgres-product": () => withPostgres(() => serverFaultRun("product", amount(values.cycles, 15))),
  "postgres-server": () => withPostgres(() => serverFaultRun("server", amount(values.cycles, 10))),
  "postgres-failover": () => withPostgres(() => serverFaultRun("failover", amount(values.cycles, 2))),
  "postgres-cuts": () => withPostgres(commitCuts),
  "postgres-simulate": () => withPostgres(() => simulatedOverPostgres({ seeds: amount(values.seeds, 15), from: seed })),
  attack: () =>
    attackRun({
      seconds: amount(values.seconds, 90),
      contacts: Number(values.contacts),
      only: values.only,
      each: values.each,
      bound: boundsOfAttacks(),
      progress: (line) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
    })
}

const names = positionals.length === 0 ? Object.keys(faults) : positionals
const unknown = names.filter((name) => faults[name] === undefined)
if (unknown.length > 0) {
  console.error(`Unknown fault test: ${unknown.join(", ")}. Use one of: ${Object.keys(faults).join(", ")}.`)
  process.exit(2)
}

let broken = 0
for (const name of names) {
  const begun = performance.now()
  const run = await faults[name]!()
  console.log(printed(name, (performance.now() - begun) / 1000, run))
  if (run.failures.length > 0) broken++
}
process.exitCode = broken > 0 ? 1 : 0

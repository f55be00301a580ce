/**
 * Runs the faults: all of them in the measure of CI, or one by name, longer by its flags.
 */
import { parseArgs } from "node:util"
import { attackRun } from "./attack/attackRun.ts"
import { bounds, boundsReached } from "./attack/attackVerdict.ts"
import type { FaultRun } from "./FaultRun.ts"
import { printed } from "./FaultRun.ts"
import { freezeLoop } from "./freeze/freezeLoop.ts"
import { httpFuzz } from "./fuzz/httpFuzz.ts"
import { killLoop } from "./kill/killLoop.ts"
import { powerCuts } from "./power/powerCuts.ts"
import { simulation } from "./simulation/simulate.ts"
import { everyCall } from "./syscalls/everyCall.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** Twenty times the measure of CI. */
    long: { type: "boolean", default: false },
    cycles: { type: "string" },
    cuts: { type: "string" },
    seeds: { type: "string" },
    requests: { type: "string" },
    /** How long the attacks last: 90 in CI, 1,800 with `--long`. */
    seconds: { type: "string" },
    contacts: { type: "string", default: "200000" },
    /** Only the attacks whose name holds this text. */
    only: { type: "string", default: "" },
    /** Judges by the bounds that a server is to reach, and not by those that it has reached. */
    goal: { type: "boolean", default: false },
    /** Each attack alone, one after the other. */
    each: { type: "boolean", default: false },
    /** Where to begin: the first seed, or the one to replay. */
    seed: { type: "string" }
  }
})

const measure = (given: string | undefined, inCi: number): number =>
  given === undefined ? inCi * (values.long ? 20 : 1) : Number(given)

/** Several runs as one. */
const together = async (runs: ReadonlyArray<() => Promise<FaultRun>>): Promise<FaultRun> => {
  const counts: Record<string, number> = {}
  const failures: Array<string> = []
  for (const run of runs) {
    const one = await run()
    for (const [what, count] of Object.entries(one.counts)) counts[what] = (counts[what] ?? 0) + count
    failures.push(...one.failures)
  }
  return { counts, failures }
}

const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : Number(values.seed)

const faults: Readonly<Record<string, () => Promise<FaultRun>>> = {
  kill: () => killLoop({ cycles: measure(values.cycles, 60), processes: 1 }),
  processes: () =>
    together([2, 4].map((processes) => () => killLoop({ cycles: measure(values.cycles, 4), processes }))),
  freeze: () => freezeLoop({ cycles: measure(values.cycles, 6) }),
  power: () => powerCuts({ cuts: measure(values.cuts, 1000), sends: 150, atOnce: 12, seed }),
  syscalls: everyCall,
  simulate: () => simulation({ seeds: measure(values.seeds, 2000), from: seed }),
  http: () => httpFuzz({ requests: measure(values.requests, 20_000), seed }),
  attack: () =>
    attackRun({
      seconds: measure(values.seconds, 90),
      contacts: Number(values.contacts),
      only: values.only,
      each: values.each,
      bound: values.goal ? bounds : boundsReached,
      progress: (line) => console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`)
    })
}

const names = positionals.length === 0 ? Object.keys(faults) : positionals
const unknown = names.filter((name) => faults[name] === undefined)
if (unknown.length > 0) {
  console.error(`There is no fault ${unknown.join(", ")}; there are ${Object.keys(faults).join(", ")}.`)
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

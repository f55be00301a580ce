/**
 * A process that runs several attacks concurrently until its time is over or it gets SIGTERM. Then it prints the answers of each attack.
 */
import { setMaxListeners } from "node:events"
import { setPriority } from "node:os"
import type { Address, AnswerCounts, PreparedRecords } from "./Attack.ts"
import type { AttackerProcess } from "./everyAttack.ts"
import { attackerProcesses } from "./everyAttack.ts"

export interface AttackerOptions {
  readonly process: AttackerProcess
  readonly address: Address
  readonly prepared: PreparedRecords
  readonly seconds: number
  readonly slowness: number
  /** The attacks to run, by name. */
  readonly names: ReadonlyArray<string>
}

const { process: group, address, prepared, seconds, slowness, names } = JSON.parse(process.argv[2]!) as AttackerOptions

// Real attackers use other machines. Here they share the processor with the server, so they get a lower priority.
setPriority(10)

const stopping = new AbortController()
process.on("SIGTERM", () => stopping.abort())
const signal = AbortSignal.any([AbortSignal.timeout(seconds * 1000), stopping.signal])
setMaxListeners(0, signal)

const counts: Record<string, Record<string, number>> = {}
await Promise.all(
  attackerProcesses[group]
    .filter(({ name }) => names.includes(name))
    .map(({ name, run }) => {
      const answers: Record<string, number> = (counts[name] = {})
      return run({
        address,
        prepared,
        slowness,
        signal,
        count: (answer) => {
          answers[answer] = (answers[answer] ?? 0) + 1
        }
      })
    })
)
process.stdout.write(`${JSON.stringify(counts satisfies AnswerCounts)}\n`, () => process.exit(0))

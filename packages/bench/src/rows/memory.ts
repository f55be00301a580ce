/**
 * Row: the memory of a server.
 */
import { setTimeout as wait } from "node:timers/promises"
import { loadSends } from "../httpLoad.ts"
import type { Row, Side } from "../Row.ts"
import type { ServerKind } from "../serverUnderLoad.ts"
import { withServer } from "../serverUnderLoad.ts"
import { bySize } from "../workload.ts"

const idleMillis = 3000
const afterMillis = 60_000

const side = (name: string, kind: ServerKind): Side => ({
  name,
  run: ({ folder, size }) =>
    withServer(kind, folder, async ({ target, settled, megabytes }) => {
      await wait(idleMillis)
      const idle = megabytes("VmRSS")
      await loadSends(target, { first: 0, count: bySize(size, 20_000, 100_000), connections: 64 })
      await settled()
      const peak = megabytes("VmHWM")
      await wait(afterMillis)
      return { peak, idle, after: megabytes("VmRSS") }
    })
})

export const memory: Row = {
  name: "memory",
  title: "Memory of a server",
  about:
    "The memory of the process (resident set): while it is idle after the start, at its peak, and a minute after the load. The load is 20,000 messages (small run) or 100,000 (full run), which the process accepts and hands over. The peer is the server that is written by hand with Fastify, which only accepts.",
  metrics: [
    { name: "peak", unit: "MB", better: "lower" },
    { name: "idle", unit: "MB", better: "lower" },
    { name: "after", unit: "MB after 1 min", better: "lower" }
  ],
  ours: side("mailkeep", "mailkeep-dispatching"),
  peers: [side("Fastify", "fastify")],
  goals: [
    { metric: "idle", is: "at most", value: 120 },
    { metric: "peak", is: "at most", value: 250 },
    { metric: "after", is: "at most", value: 144 }
  ],
  disks: ["as-is"],
  roundsMax: 1
}

/**
 * Row: how late the timers of a product are while it sends.
 */
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { setTimeout as wait } from "node:timers/promises"
import { openMail, sqlite, stub } from "mailkeep"
import { openByHand } from "../peers/byHand.ts"
import type { Row } from "../Row.ts"
import { disks } from "../Row.ts"
import { message } from "../workload.ts"

const seconds = 4
const perTick = 5
const tickMillis = 10

/** Sends 500 messages a second, beside a timer of 1 ms. Returns how late the timer is. */
const lateness = async (send: (n: number) => unknown) => {
  const late: Array<number> = []
  let expected = performance.now() + 1
  // The timer of the product, as any other program of it would have one.
  const timer = globalThis.setInterval(() => {
    const now = performance.now()
    late.push(Math.max(0, now - expected))
    expected = now + 1
  }, 1)
  const pending: Array<unknown> = []
  for (let tick = 0; tick < (seconds * 1000) / tickMillis; tick++) {
    for (let n = 0; n < perTick; n++) pending.push(send(tick * perTick + n))
    await wait(tickMillis)
  }
  clearInterval(timer)
  await Promise.all(pending)
  const sorted = late.toSorted((a, b) => a - b)
  return { p99: sorted[Math.floor(sorted.length * 0.99)]!, longest: sorted.at(-1)! }
}

export const eventLoop: Row = {
  name: "event-loop",
  title: "Timers of the product beside 500 sends a second",
  about:
    "A product has a timer of 1 ms and accepts 500 messages a second for 4 s. The values say how late the timer is. The peer is written by hand with better-sqlite3: one transaction with one disk sync for each send, on the same thread. Both sync before they answer.",
  metrics: [
    { name: "p99", unit: "ms late", better: "lower" },
    { name: "longest", unit: "ms late", better: "lower" }
  ],
  ours: {
    name: "mailkeep",
    run: async ({ folder }) => {
      const mail = await openMail({
        store: sqlite(join(folder, "mail.db")),
        transport: stub(),
        domains: ["example.com"],
        background: false,
        onLog: () => {}
      })
      const send = (n: number) => mail.send({ ...message(n), idempotencyKey: `key-${n}` })
      await Promise.all(Array.from({ length: 500 }, (_, n) => send(-1 - n)))
      const figures = await lateness(send)
      await mail.close()
      return figures
    }
  },
  peers: [
    {
      name: "by hand",
      run: async ({ folder }) => {
        const store = openByHand(join(folder, "hand.db"))
        const send = (n: number) => store.accept(message(n), `key-${n}`)
        for (let n = 1; n <= 500; n++) send(-n)
        const figures = await lateness(send)
        store.close()
        return figures
      }
    }
  ],
  goals: [{ metric: "p99", is: "at most", value: 5 }],
  disks
}

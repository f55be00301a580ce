/**
 * Rows: sends that are accepted in the process of the product.
 */
import { setImmediate as nextTurn } from "node:timers/promises"
import { join } from "node:path"
import { Sending } from "@mailkeep/core"
import { Effect } from "effect"
import { openMail, sqlite, stub } from "mailkeep"
import { openByHand } from "../peers/byHand.ts"
import type { Goal, Metric, RoundContext, Row, Side } from "../Row.ts"
import {
  bySize,
  coreOver,
  measured,
  message,
  numbers,
  prepareProject,
  project,
  senders,
  together,
  warmUp
} from "../workload.ts"

const handGroup = 100
const countOf = ({ size }: RoundContext) => bySize(size, 10_000, 50_000)

const metrics: readonly [Metric, ...Array<Metric>] = [
  { name: "per second", unit: "sends/s", better: "higher" },
  { name: "main thread", unit: "µs per send", better: "lower" },
  { name: "event loop p99", unit: "ms", better: "lower" }
]

const goals: ReadonlyArray<Goal> = [
  { metric: "per second", is: "at least", value: 12_000 },
  { metric: "per second", is: "at least", ratio: 0.6, peer: "by hand" },
  { metric: "main thread", is: "at most", value: 60 },
  { metric: "event loop p99", is: "at most", value: 5 }
]

const byHand: Side = {
  name: "by hand",
  run: async (context) => {
    const store = openByHand(join(context.folder, "hand.db"))
    const acceptFrom = async (first: number, count: number) => {
      for (let from = first; from < first + count; from += handGroup) {
        store.acceptGroup(numbers(handGroup).map((n) => [message(from + n), `key-${from + n}`] as const))
        await nextTurn()
      }
    }
    await acceptFrom(0, warmUp)
    const figures = await measured(countOf(context), () => acceptFrom(warmUp, countOf(context)))
    store.close()
    return figures
  }
}

const groups =
  "The peer is a loop that is written by hand with better-sqlite3 on one thread. It looks up the domain, the suppression, the contact, the counter and the idempotency key. It checks the input and inserts the same rows in groups of 100. Both sync each transaction to the disk. The loop answers nobody and does not wait for anything, so it is an upper bound."

export const accept: Row = {
  name: "accept",
  title: "Accept in process, with promises",
  about: `64 senders call \`mail.send\` of \`openMail\` on one SQLite file. ${groups}`,
  metrics,
  ours: {
    name: "mailkeep",
    run: async (context) => {
      const mail = await openMail({
        store: sqlite(join(context.folder, "mail.db")),
        transport: stub(),
        domains: ["example.com"],
        projectId: project,
        background: false,
        onLog: () => {}
      })
      const send = (n: number) => mail.send({ ...message(n), idempotencyKey: `key-${n}` })
      await together(warmUp, senders, send)
      const figures = await measured(countOf(context), () =>
        together(countOf(context), senders, (n) => send(warmUp + n))
      )
      await mail.close()
      return figures
    }
  },
  peers: [byHand],
  goals
}

export const acceptEffect: Row = {
  name: "accept-effect",
  title: "Accept in process, with Effect",
  about: `The same with \`Sending.send\` of \`@mailkeep/core\`, in 64 fibers. ${groups}`,
  metrics,
  ours: {
    name: "mailkeep",
    run: (context) =>
      Effect.gen(function* () {
        yield* prepareProject
        const sending = yield* Sending
        const sendFrom = (first: number, count: number) =>
          Effect.forEach(
            numbers(count),
            (n) => sending.send(project, message(first + n), { idempotencyKey: `key-${first + n}` }),
            { concurrency: senders, discard: true }
          )
        yield* sendFrom(0, warmUp)
        const services = yield* Effect.context<never>()
        return yield* Effect.promise(() =>
          measured(countOf(context), () => Effect.runPromiseWith(services)(sendFrom(warmUp, countOf(context))))
        )
      }).pipe(Effect.provide(coreOver(join(context.folder, "mail.db"))), Effect.runPromise)
  },
  peers: [byHand],
  goals
}

/**
 * Row: the time from a send to its hand-off, while another project has a long queue.
 */
import { join } from "node:path"
import { performance } from "node:perf_hooks"
import { Dispatcher, Domains, Sending, Transport } from "@mailkeep/core"
import type { TransportShape } from "@mailkeep/core/adapter"
import { StubTransport } from "@mailkeep/smtp"
import { Deferred, Effect, Layer } from "effect"
import { median } from "../machine.ts"
import type { Figures, RoundContext, Row } from "../Row.ts"
import { bySize, coreOver, message, numbers, prepareProject, project, senders } from "../workload.ts"

const other = "prj_other"
const sends = 20
const handOffMillis = 50

/** A transport that takes its time, and reports each recipient when its hand-off begins. */
const slowTransport = (began: (recipient: string) => Effect.Effect<unknown>) =>
  Layer.effect(
    Transport,
    Effect.map(StubTransport.StubTransport, (stub): TransportShape => ({
      ...stub,
      handOff: (handOff) =>
        Effect.andThen(began(handOff.envelope.to), Effect.andThen(Effect.sleep(handOffMillis), stub.handOff(handOff)))
    }))
  ).pipe(Layer.provide(StubTransport.layer({ keep: 1 })))

/** The median time from the answer of a send to the begin of its hand-off. */
const measure = async ({ folder }: RoundContext, queued: number): Promise<Figures> => {
  const waiting = new Map<string, Deferred.Deferred<number>>()
  const began = (recipient: string) =>
    Effect.suspend(() => {
      const deferred = waiting.get(recipient)
      return deferred === undefined ? Effect.void : Deferred.succeed(deferred, performance.now())
    })
  return Effect.gen(function* () {
    yield* prepareProject
    yield* (yield* Domains).create(other, { domain: "example.com", verified: true })
    const sending = yield* Sending
    yield* Effect.forEach(
      numbers(queued),
      (n) => sending.send(project, { ...message(n), html: "<p>News.</p>" }, { idempotencyKey: `key-${n}` }),
      { concurrency: senders, discard: true }
    )
    yield* Effect.forkScoped((yield* Dispatcher).run)
    yield* Effect.sleep("500 millis")
    const times: Array<number> = []
    for (const n of numbers(sends)) {
      const to = `person${n}@example.org`
      const deferred = yield* Deferred.make<number>()
      waiting.set(to, deferred)
      yield* sending.send(other, { ...message(n), to })
      const accepted = performance.now()
      times.push(Math.max(0, (yield* Deferred.await(deferred)) - accepted))
      yield* Effect.sleep("70 millis")
    }
    return { "time to hand-off": median(times), longest: Math.max(...times) }
  }).pipe(
    Effect.scoped,
    Effect.provide(coreOver(join(folder, "mail.db"), { dispatcher: { graceMillis: 100 } }, slowTransport(began))),
    Effect.runPromise
  )
}

export const fairness: Row = {
  name: "fairness",
  title: "Hand-off while another project has a long queue",
  about:
    "The time from the answer to a send until its hand-off begins, while another project has 10,000 queued deliveries (small run) or 100,000 (full run). The transport takes 50 ms for each message. The peer is the same with an empty queue.",
  metrics: [
    { name: "time to hand-off", unit: "ms", better: "lower" },
    { name: "longest", unit: "ms", better: "lower" }
  ],
  ours: { name: "mailkeep", run: (context) => measure(context, bySize(context.size, 10_000, 100_000)) },
  peers: [{ name: "empty queue", run: (context) => measure(context, 0) }],
  goals: [{ metric: "time to hand-off", is: "at most", value: 50 }],
  disks: ["as-is"]
}

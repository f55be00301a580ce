/**
 * The time from a send of a project to its hand-off, while another project has 100,000 queued deliveries, in comparison with an empty queue.
 * One process on SQLite. The transport takes 50 ms for each message, and the dispatcher works on the backlog all the time.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Dispatcher, Domains, MailCore, MailStore, PlanSource, Sending, Transport } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import type { Change, Delivery, Message, TransportShape } from "@mailkeep/core/adapter"
import { freshState, inCommitOrder } from "@mailkeep/core/adapter"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Deferred, Duration, Effect, Layer } from "effect"
import { machine, median } from "./machine.ts"

const backlogOf = process.argv.indexOf("--backlog")
const backlogSize = backlogOf < 0 ? 100_000 : Number(process.argv[backlogOf + 1])
const sends = 40
const handOffMillis = 50
const batch = 500

const [busy, other] = ["prj_busy", "prj_other"]

/** The message and the delivery of one send of the busy project, as accepted at `now`. */
const queuedSend = (n: number, now: number): ReadonlyArray<Change> => {
  const name = `queued${String(n).padStart(20, "0")}`
  const message: Message = {
    id: `msg_${name}`,
    projectId: busy,
    apiKeyId: null,
    source: "embedded",
    from: "hello@example.com",
    fromName: null,
    replyTo: null,
    domain: "example.com",
    templateId: null,
    subject: "News",
    html: null,
    text: "News.",
    to: [],
    cc: [],
    attachments: [],
    headers: {},
    listUnsubscribe: false,
    metadata: {},
    idempotencyKey: name,
    onAmbiguous: null,
    expiresAt: null,
    createdAt: now
  }
  const delivery: Delivery = {
    ...freshState,
    id: `del_${name}`,
    projectId: busy,
    messageId: message.id,
    kind: "to",
    recipient: `r${n}@example.org`,
    address: `r${n}@example.org`,
    contactId: null,
    source: "embedded",
    bulk: false,
    createdAt: now,
    dueAt: now,
    dueSetAt: now,
    queuedAt: now
  }
  return [
    { _tag: "InsertMessage", message },
    { _tag: "InsertDelivery", delivery }
  ]
}

const fillQueue = (size: number) =>
  Effect.gen(function* () {
    const store = yield* MailStore
    const now = Date.now()
    for (let from = 0; from < size; from += batch) {
      const numbers = Array.from({ length: Math.min(batch, size - from) }, (_, n) => from + n)
      yield* store.commit(inCommitOrder(numbers.flatMap((n) => queuedSend(n, now))))
    }
  })

/** A transport that takes its time, and reports each recipient when its hand-off begins. */
const slowTransport = (began: (recipient: string) => Effect.Effect<unknown>) =>
  Layer.effect(
    Transport,
    Effect.map(StubTransport.StubTransport, (stub): TransportShape => ({
      ...stub,
      handOff: (handOff) =>
        Effect.andThen(
          began(handOff.envelope.to),
          Effect.andThen(Effect.sleep(Duration.millis(handOffMillis)), stub.handOff(handOff))
        )
    }))
  ).pipe(Layer.provide(StubTransport.layer({ keep: 1 })))

/** Milliseconds from the answer of each send to the begin of its hand-off. */
const measure = async (size: number): Promise<ReadonlyArray<number>> => {
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-bench-"))
  const waiting = new Map<string, Deferred.Deferred<number>>()
  const began = (recipient: string) =>
    Effect.suspend(() => {
      const deferred = waiting.get(recipient)
      return deferred === undefined ? Effect.void : Deferred.succeed(deferred, performance.now())
    })
  const program = Effect.gen(function* () {
    const domains = yield* Domains
    for (const project of [busy, other]) yield* domains.create(project, { domain: "example.com", verified: true })
    yield* fillQueue(size)
    yield* Effect.forkScoped((yield* Dispatcher).run)
    yield* Effect.sleep("2 seconds")
    const times: Array<number> = []
    for (let n = 0; n < sends; n++) {
      const to = `person${n}@example.org`
      const deferred = yield* Deferred.make<number>()
      waiting.set(to, deferred)
      yield* (yield* Sending).send(other, { from: "hello@example.com", to, subject: "Your code", text: "17" })
      const accepted = performance.now()
      times.push(Math.max(0, (yield* Deferred.await(deferred)) - accepted))
      yield* Effect.sleep("150 millis")
    }
    const { queued } = yield* (yield* Dispatcher).health
    return { times, queued }
  })
  try {
    const { times, queued } = await Effect.runPromise(
      Effect.scoped(program).pipe(
        Effect.provide(
          MailCore.layerWith({ dispatcher: { graceMillis: 100 } }).pipe(
            Layer.provideMerge(
              Layer.mergeAll(
                SqliteMailStore.layer({ filename: join(folder, "mail.db") }),
                slowTransport(began),
                PlanSource.layerFixed({}),
                NodeCrypto.layer
              )
            )
          )
        )
      )
    )
    console.log(`${size} queued at first, ${queued} at the end`)
    return times
  } finally {
    rmSync(folder, { recursive: true })
  }
}

console.log(machine())
const textOfTimes = (times: ReadonlyArray<number>) =>
  `median ${median(times).toFixed(1)} ms, longest ${Math.max(...times).toFixed(1)} ms`
const empty = await measure(0)
const behind = await measure(backlogSize)
console.log(`send to hand-off, empty queue:                   ${textOfTimes(empty)}`)
console.log(`send to hand-off, ${backlogSize} queued in another project: ${textOfTimes(behind)}`)
console.log(`ratio of the medians: ${(median(behind) / median(empty)).toFixed(2)}`)

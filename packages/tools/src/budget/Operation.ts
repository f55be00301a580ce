/**
 * One operation of the core whose work is counted, and the core that it runs on.
 */
import { createHash } from "node:crypto"
import type { EventSinkShape } from "@mailkeep/core/adapter"
import type { SendInput, SendOptions } from "@mailkeep/core"
import { Crypto, Dispatcher, Domains, EventSender, EventSink, MailCore, PlanSource, Sending } from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import type { Scope } from "effect"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"

/** The project of every operation. It has the verified domain `example.com`. */
export const project = "prj_budget"
/** The time at which every operation is prepared. */
export const start = Date.UTC(2026, 10, 21, 12)

/** The same bytes in every run, because ids are random and their order decides which pages of the file change. */
const repeatableCrypto = Layer.effect(
  Crypto,
  Effect.map(Crypto, (crypto) => {
    let calls = 0
    const randomBytes = (count: number): Uint8Array => {
      const call = calls++
      const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, block) =>
        createHash("sha256").update(`${call}.${block}`).digest()
      )
      return new Uint8Array(Buffer.concat(blocks).subarray(0, count))
    }
    return { ...crypto, randomBytes }
  })
).pipe(Layer.provide(NodeCrypto.layer))

const acceptingSink: EventSinkShape = {
  capabilities: { carriesHeaders: true },
  send: () => Effect.succeed({ _tag: "Accepted", status: 204 })
}

/** The complete core over a file of SQLite, with the stub transport, a sink that accepts every event, and the test clock. */
export const coreOver = (filename: string, commitThread: "caller" | "worker") =>
  MailCore.layerWith({ webhooks: { allowLoopback: true } }).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        SqliteMailStore.layer({ filename, commitThread }),
        StubTransport.layer(),
        PlanSource.layerFixed({}),
        repeatableCrypto,
        Layer.succeed(EventSink, acceptingSink)
      )
    ),
    Layer.provideMerge(TestClock.layer())
  )

/** The services that an operation may use. */
type Core = Layer.Success<ReturnType<typeof coreOver>>

/** An effect over the core. A failure of an operation ends the count. */
export type OverCore<A> = Effect.Effect<A, unknown, Core | Scope.Scope>

/** One operation: what must exist before it, and the effect whose work is counted. */
export interface Operation {
  /** Names the operation in `budget.json`. */
  readonly name: string
  /** The operation writes several times at once. Which writes share a message between threads depends on the timing, so messages are not counted. */
  readonly isConcurrent?: true
  /** Prepares the records, and returns the counted effect. */
  readonly prepare: OverCore<OverCore<unknown>>
}

/**
 * Sets the clock, and creates the domain. The first send and the first turns of the loops also read keys and leases, so they are made before the
 * count. A core that has dispatched does not look for a missing dispatcher.
 */
export const prepareCore = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
  const [dispatcher, eventSender] = [yield* Dispatcher, yield* EventSender]
  yield* dispatcher.tick
  yield* send("first")
  yield* dispatcher.tick
  yield* eventSender.tick
})

/** A message with a body of 2 KB, with some fields changed. */
export const sendInput = (change: Partial<SendInput> = {}): SendInput => ({
  from: "hello@example.com",
  to: "ada@example.org",
  subject: "Your receipt",
  html: `<p>Thank you.</p>${"<p>One more line of the receipt.</p>".repeat(55)}`,
  ...change
})

/** A send by the embedding product. */
export const send = (idempotencyKey: string, change: Partial<SendInput> = {}, options: SendOptions = {}) =>
  Effect.flatMap(Sending, (sending) => sending.send(project, sendInput(change), { ...options, idempotencyKey }))

/** Numbers from 0. */
export const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Makes so many sends, one after the other, a second apart. */
export const sendMany = (count: number, change: (n: number) => Partial<SendInput> = () => ({})) =>
  Effect.forEach(
    numbers(count),
    (n) => Effect.andThen(TestClock.adjust("1 second"), send(`many-${n}`, { to: `r${n}@example.org`, ...change(n) })),
    { discard: true }
  )

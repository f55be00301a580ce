/**
 * The messages of all rows, the core over SQLite, and how the work of a thread is measured.
 */
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { Domains, MailCore, PlanSource } from "@mailkeep/core"
import type { MailCoreOptions, MailStore } from "@mailkeep/core"
import type { TransportShape } from "@mailkeep/core/adapter"
import { Transport } from "@mailkeep/core/adapter"
import * as NodeCrypto from "@mailkeep/core/node"
import { SqliteMailStore } from "@mailkeep/sqlite"
import { Effect, Layer, Option } from "effect"
import type { HandSend } from "./peers/byHand.ts"
import type { Size } from "./Row.ts"

/** The project of all rows. */
export const project = "prj_bench"
/** How many sends are under way at once. */
export const senders = 64
/** How many operations each process of a row of sends, hand-offs, events or queues does before the clock starts, because V8 compiles what runs often. */
export const warmUp = 2000

const html = `<p>Thank you.</p>${"<p>One more line of the receipt.</p>".repeat(55)}`

/** A message with a body of 2 KB. */
export const message = (n: number): HandSend => ({
  from: "hello@example.com",
  to: `r${n}@example.org`,
  subject: "Your receipt",
  html
})

/** Numbers from 0. */
export const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Chooses a number of records by the size. */
export const bySize = (size: Size, small: number, full: number): number => (size === "small" ? small : full)

/** Calls `work` for each number, with at most `atOnce` calls under way. */
export const together = async (count: number, atOnce: number, work: (n: number) => Promise<unknown>): Promise<void> => {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(numbers(atOnce).map(one))
}

/** Seconds since `started`, a value of `performance.now()`. */
export const secondsSince = (started: number): number => (performance.now() - started) / 1000

const nanosPerMilli = 1e6

/** Measures `count` operations: their rate, the processor time of this thread for each, and how late the event loop is. */
export const measured = async (count: number, work: () => Promise<unknown>) => {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const cpu = process.threadCpuUsage()
  delay.enable()
  const started = performance.now()
  await work()
  const seconds = secondsSince(started)
  delay.disable()
  const { user, system } = process.threadCpuUsage(cpu)
  return {
    "per second": count / seconds,
    "main thread": (user + system) / count,
    "event loop p99": delay.percentile(99) / nanosPerMilli
  }
}

/** Takes every message at once, and sends and keeps nothing. It signals no end of data, like a transport over HTTP and like a job of a queue. */
const noTransport: TransportShape = {
  capabilities: {
    confirmsDelivery: true,
    signalsFinalize: false,
    idempotentHandOff: false,
    maxMessageBytes: null,
    smtpUtf8: true
  },
  handOff: () =>
    Effect.succeed({
      _tag: "Delivered",
      reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Ok" }
    })
}

export const noTransportLayer = Layer.succeed(Transport, noTransport)

/** The complete core over a store. */
export const coreOn = <S, E>(
  store: Layer.Layer<S | MailStore, E>,
  options: MailCoreOptions = {},
  transport: Layer.Layer<Transport, unknown> = noTransportLayer
) =>
  MailCore.layerWith(options).pipe(
    Layer.provideMerge(Layer.mergeAll(store, transport, PlanSource.layerFixed({}), NodeCrypto.layer))
  )

/** The complete core over a file of SQLite. */
export const coreOver = (filename: string, options?: MailCoreOptions, transport?: Layer.Layer<Transport, unknown>) =>
  coreOn(SqliteMailStore.layer({ filename }), options, transport)

/** Waits for the commit thread of SQLite, and creates the sender domain. */
export const prepareProject = Effect.gen(function* () {
  const sqlite = yield* Effect.serviceOption(SqliteMailStore.SqliteMailStore)
  if (Option.isSome(sqlite)) yield* sqlite.value.commitThreadStarted
  yield* (yield* Domains).ensure(project, { domain: "example.com", verified: true })
})

/**
 * The whole core over a store, with a clock that moves by hand and a scripted transport.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryMailStore } from "@mailkeep/memory"
import type { StubOptions } from "@mailkeep/smtp"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import type { Scope } from "effect"
import { Effect, Fiber, Layer, ManagedRuntime, Result } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual } from "node:assert/strict"
import type {
  DnsResolverShape,
  EventSinkShape,
  Instant,
  InvalidArgument,
  MailCoreOptions,
  MailStoreShape,
  Plan,
  ProjectId,
  SendBody,
  SendOptions,
  StoreNotOpened,
  TransportShape
} from "@mailkeep/core"
import {
  DeliveryLog,
  Dispatcher,
  DnsResolver,
  Domains,
  embedder,
  EventRelay,
  EventSink,
  HandOffs,
  MailCore,
  MailStore,
  noLogFilters,
  parseSend,
  PlanSource,
  Sending,
  Transport
} from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"

const temporaryFile = Layer.unwrap(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "mailkeep-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ).pipe(Effect.map((folder) => SqliteMailStore.layer({ filename: join(folder, "mail.db") })))
)

/** The stores that every claim about the services is tried on. */
export const stores = [
  { name: "memory", layer: MemoryMailStore.layer },
  { name: "sqlite", layer: temporaryFile }
] as const satisfies ReadonlyArray<StoreUnderTest>

export interface StoreUnderTest {
  readonly name: string
  readonly layer: Layer.Layer<MailStore, StoreNotOpened>
}

export const project: ProjectId = "prj_test"
export const sender = "hello@example.com"
/** When every test begins. */
export const start: Instant = Date.UTC(2026, 10, 21, 12)

export interface HouseOptions extends MailCoreOptions {
  readonly plan?: Partial<Plan>
  /** In place of one plan for all. */
  readonly plans?: Layer.Layer<PlanSource, InvalidArgument>
  readonly stub?: StubOptions
  /** What takes pushes to webhooks; none are pushed without it. */
  readonly sink?: EventSinkShape
  /** What answers for DNS; nothing is reached without it. */
  readonly dns?: DnsResolverShape
}

export const houseLayer = (
  store: StoreUnderTest,
  { plan = {}, plans = PlanSource.layerFixed(plan), stub = {}, sink, dns, ...core }: HouseOptions = {}
) =>
  MailCore.layerWith(core).pipe(
    Layer.provideMerge(Layer.mergeAll(store.layer, StubTransport.layer(stub), plans, NodeCrypto.layer)),
    Layer.provideMerge(sink === undefined ? Layer.empty : Layer.succeed(EventSink, sink)),
    Layer.provideMerge(dns === undefined ? Layer.empty : Layer.succeed(DnsResolver, dns)),
    Layer.provideMerge(TestClock.layer())
  )

export type House = Layer.Success<ReturnType<typeof houseLayer>>

/** The clock at `start`, and a project with a verified domain. */
const settle = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
})

/** Runs one test's effect in a house of its own. */
export const inHouse =
  (store: StoreUnderTest, options?: HouseOptions) =>
  <A, E>(test: Effect.Effect<A, E, House | Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.andThen(settle, test).pipe(Effect.provide(houseLayer(store, options)), Effect.scoped))

/** A house that outlives one effect, for command sequences. */
export const openHouse = async (store: StoreUnderTest, options?: HouseOptions) => {
  const runtime = ManagedRuntime.make(houseLayer(store, options))
  await runtime.runPromise(settle)
  return runtime
}

export const sendBody = (change: Partial<SendBody> = {}): SendBody => ({
  from: sender,
  to: "ada@example.org",
  subject: "Hello",
  text: "Hi",
  ...change
})

/** A send by the embedding product. */
export const send = (key: string, change: Partial<SendBody> = {}, options: SendOptions = {}, projectId = project) =>
  Effect.flatMap(Sending, (sending) =>
    sending.send(embedder(projectId), Result.getOrThrow(parseSend(sendBody(change), options)), key)
  )

/** The delivery of a send to one recipient. */
export const sendOne = Effect.map(send("k"), ({ result }) => result.deliveryIds[0]!)

export const tick = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.tick)

/** Interrupts a loop, and lets the time pass that its end may take. */
export const stopped = (running: Fiber.Fiber<never>) =>
  Effect.gen(function* () {
    const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
    while (stopping.pollUnsafe() === undefined) {
      yield* TestClock.adjust("5 seconds")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

/** Everything that is due goes to its consumers, once. */
export const relay = Effect.flatMap(EventRelay, (relay) => relay.tick)

export const delivery = (id: string) =>
  Effect.flatMap(DeliveryLog, (log) => Effect.map(log.get(project, id), ({ delivery }) => delivery))

export const detail = (id: string) => Effect.flatMap(DeliveryLog, (log) => log.get(project, id))

export const summaries = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.page(project, noLogFilters, { limit: 100, cursor: null }), ({ items }) => items)
)

export const events = Effect.flatMap(DeliveryLog, (log) => log.events(project, { after: null, limit: 1000 }))

const sorted = (counts: Record<string, number>) => Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** The ledger of decision 0015 adds up: every counter is what the records say. */
export const expectBalanced = Effect.gen(function* () {
  const { counters, waiting, charged, counted, contacts, unsubscribed } = yield* (yield* DeliveryLog).ledger(project)
  const named = Object.fromEntries(
    counters
      .filter(({ name, value }) => value !== 0 && !/^(?:list|property):/.test(name))
      .map(({ name, value }) => [name, value])
  )
  const expected = {
    waiting,
    allowance: charged,
    contacts,
    unsubscribed,
    ...Object.fromEntries(counted.map(({ day, deliveries }) => [`daily:${day}`, deliveries]))
  }
  deepStrictEqual(
    sorted(named),
    sorted(Object.fromEntries(Object.entries(expected).filter(([, value]) => value !== 0)))
  )
})

/** A dispatcher of its own, with one of its ports replaced. */
const dispatcherOn = <I>(replaced: Layer.Layer<I>) =>
  Dispatcher.layerWith().pipe(
    Layer.provide(HandOffs.layerWith()),
    Layer.provide(MailCore.storeGate),
    Layer.provide(replaced),
    Layer.fresh
  )

const runOf = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run)

export const tickWith = (transport: TransportShape) =>
  Effect.provide(tick, dispatcherOn(Layer.succeed(Transport, transport)))

export const tickOver = (store: MailStoreShape) => Effect.provide(tick, dispatcherOn(Layer.succeed(MailStore, store)))

export const runOver = (store: MailStoreShape) => Effect.provide(runOf, dispatcherOn(Layer.succeed(MailStore, store)))

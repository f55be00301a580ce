/**
 * The complete core over a store, with a test clock and a scripted transport.
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
  embeddedPrincipal,
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

/** The stores that the tests of the services run on. */
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
/** The time at which every test starts. */
export const start: Instant = Date.UTC(2026, 10, 21, 12)

export interface TestMailOptions extends MailCoreOptions {
  readonly plan?: Partial<Plan>
  /** Replaces `plan`, for example with one plan per project. */
  readonly plans?: Layer.Layer<PlanSource, InvalidArgument>
  readonly stub?: StubOptions
  /** The sink for event deliveries. Without it, no event is sent to a webhook. */
  readonly sink?: EventSinkShape
  /** The DNS resolver. Without it, no name can be resolved. */
  readonly dns?: DnsResolverShape
}

/** The complete core with its ports and the test clock. */
export const testMailLayer = (
  store: StoreUnderTest,
  { plan = {}, plans = PlanSource.layerFixed(plan), stub = {}, sink, dns, ...core }: TestMailOptions = {}
) =>
  MailCore.layerWith(core).pipe(
    Layer.provideMerge(Layer.mergeAll(store.layer, StubTransport.layer(stub), plans, NodeCrypto.layer)),
    Layer.provideMerge(sink === undefined ? Layer.empty : Layer.succeed(EventSink, sink)),
    Layer.provideMerge(dns === undefined ? Layer.empty : Layer.succeed(DnsResolver, dns)),
    Layer.provideMerge(TestClock.layer())
  )

export type TestMail = Layer.Success<ReturnType<typeof testMailLayer>>

/** Sets the clock to `start` and adds a verified domain to the project. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* (yield* Domains).add(project, { domain: "example.com", verified: true })
})

/** Runs the effect of one test with a new core and store. */
export const withTestMail =
  (store: StoreUnderTest, options?: TestMailOptions) =>
  <A, E>(test: Effect.Effect<A, E, TestMail | Scope.Scope>): Promise<A> =>
    Effect.runPromise(Effect.andThen(prepare, test).pipe(Effect.provide(testMailLayer(store, options)), Effect.scoped))

/** Opens a core that several effects can use, for sequences of commands. */
export const openTestMail = async (store: StoreUnderTest, options?: TestMailOptions) => {
  const runtime = ManagedRuntime.make(testMailLayer(store, options))
  await runtime.runPromise(prepare)
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
    sending.send(embeddedPrincipal(projectId), Result.getOrThrow(parseSend(sendBody(change), options)), key)
  )

/** Sends to one recipient and returns the delivery id. */
export const sendOne = Effect.map(send("k"), ({ result }) => result.deliveryIds[0]!)

export const tick = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.tick)

/** Interrupts a loop and advances the clock until it has ended. */
export const stopped = (running: Fiber.Fiber<never>) =>
  Effect.gen(function* () {
    const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
    while (stopping.pollUnsafe() === undefined) {
      yield* TestClock.adjust("5 seconds")
      yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
    }
  })

/** Sends every due event delivery once. */
export const relay = Effect.flatMap(EventRelay, (relay) => relay.tick)

export const delivery = (id: string) =>
  Effect.flatMap(DeliveryLog, (log) => Effect.map(log.get(project, id), ({ delivery }) => delivery))

export const detail = (id: string) => Effect.flatMap(DeliveryLog, (log) => log.get(project, id))

export const summaries = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.page(project, noLogFilters, { limit: 100, cursor: null }), ({ items }) => items)
)

export const events = Effect.flatMap(DeliveryLog, (log) => log.events(project, { after: null, limit: 1000 }))

const sorted = (counts: Record<string, number>) => Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Fails if the usage audit of decision 0015 does not balance: every counter must equal the number of records that it counts. */
export const expectBalanced = Effect.gen(function* () {
  const { counters, scheduledRecipients, charged, counted, contacts, unsubscribed } =
    yield* (yield* DeliveryLog).usageAudit(project)
  const named = Object.fromEntries(
    counters
      .filter(({ name, value }) => value !== 0 && !/^(?:list|property):/.test(name))
      .map(({ name, value }) => [name, value])
  )
  const expected = {
    scheduledRecipients,
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

/** A separate dispatcher with one port replaced. */
const dispatcherWith = <I>(replaced: Layer.Layer<I>) =>
  Dispatcher.layerWith().pipe(
    Layer.provide(HandOffs.layerWith()),
    Layer.provide(MailCore.checkedStore),
    Layer.provide(replaced),
    Layer.fresh
  )

const runOf = Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.run)

export const tickWith = (transport: TransportShape) =>
  Effect.provide(tick, dispatcherWith(Layer.succeed(Transport, transport)))

export const tickOver = (store: MailStoreShape) => Effect.provide(tick, dispatcherWith(Layer.succeed(MailStore, store)))

export const runOver = (store: MailStoreShape) => Effect.provide(runOf, dispatcherWith(Layer.succeed(MailStore, store)))

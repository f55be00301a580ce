/**
 * The complete core over a store, with a test clock and a scripted transport.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { MemoryMailStore } from "@mailkeep/memory"
import type { StubOptions } from "@mailkeep/smtp"
import { StubTransport } from "@mailkeep/smtp"
import { SqliteMailStore } from "@mailkeep/sqlite"
import type { Scope } from "effect"
import { Effect, Fiber, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import { deepStrictEqual } from "node:assert/strict"
import type {
  DnsResolverShape,
  EventSinkShape,
  FileReaderShape,
  MailStoreShape,
  TransportShape
} from "@mailkeep/core/adapter"
import { FileReader } from "@mailkeep/core/adapter"
import type {
  Instant,
  InvalidArgument,
  MailCoreOptions,
  Plan,
  ProjectId,
  SendInput,
  SendOptions,
  StoreNotOpened
} from "@mailkeep/core"
import {
  DeliveryLog,
  DeliveryNotFound,
  Dispatcher,
  DnsResolver,
  Domains,
  EventSender,
  EventSink,
  HandOffs,
  MailCore,
  MailStore,
  PlanSource,
  Sending,
  Transport
} from "@mailkeep/core"
import * as NodeCrypto from "@mailkeep/core/node"
import { commitsOfOneProject } from "./commitsOfOneProject.ts"
import { sharedPostgres } from "./postgresServer.ts"
import type { SynchronousStores } from "./synchronousPostgres.ts"
import { startSynchronousStores } from "./synchronousPostgres.ts"

const makeFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "mailkeep-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

const openFile = (filename: string) => SqliteMailStore.layer({ filename, commitThread: "caller" })

let emptyStoreFile: Promise<Uint8Array> | undefined

/** The bytes of a file with the tables and without a record. */
const makeEmptyStoreFile = (): Promise<Uint8Array> =>
  Effect.gen(function* () {
    const filename = join(yield* makeFolder, "mail.db")
    yield* Effect.scoped(Layer.build(openFile(filename)))
    return readFileSync(filename)
  }).pipe(Effect.scoped, Effect.runPromise)

/** A new file. It has its tables already, because to make them takes longer than most tests. */
const temporaryFile = Layer.unwrap(
  Effect.gen(function* () {
    const filename = join(yield* makeFolder, "mail.db")
    writeFileSync(filename, yield* Effect.promise(() => (emptyStoreFile ??= makeEmptyStoreFile())))
    return openFile(filename)
  })
)

let databaseStores: Promise<SynchronousStores> | undefined

const startDatabaseStores = async (): Promise<SynchronousStores> => {
  const server = await sharedPostgres()
  return startSynchronousStores(server.urlOf(await server.createDatabase()))
}

/** A database of PostgreSQL whose calls end at once, because the clock of these tests passes only when they say so. */
const database = Layer.effect(
  MailStore,
  Effect.promise(() => (databaseStores ??= startDatabaseStores())).pipe(
    Effect.flatMap((stores) =>
      Effect.acquireRelease(
        Effect.sync(() => stores.open()),
        ({ close }) => Effect.sync(close)
      )
    ),
    Effect.map(({ store }) => store)
  )
)

const memory = { name: "memory", layer: commitsOfOneProject(MemoryMailStore.layer) }
const sqlite = { name: "sqlite", layer: commitsOfOneProject(temporaryFile) }
const postgres = { name: "postgres", layer: commitsOfOneProject(database) }

/** The stores that the tests of the services run on. With `MAILKEEP_TEST_STORE=postgres`, the second one is PostgreSQL. */
export const stores: readonly [StoreUnderTest, StoreUnderTest] = [
  memory,
  process.env["MAILKEEP_TEST_STORE"] === "postgres" ? postgres : sqlite
]

/** A store that tests run on, with its name in test titles. */
export interface StoreUnderTest {
  readonly name: string
  readonly layer: Layer.Layer<MailStore, StoreNotOpened>
}

/** The project of every test. It has the verified domain of `sender`. */
export const project: ProjectId = "prj_test"
/** A sender whose domain is verified. */
const sender = "hello@example.com"
/** The time at which every test starts. */
export const start: Instant = Date.UTC(2026, 10, 21, 12)

/** The options of the core, and the ports that a test replaces. */
export interface TestMailOptions extends MailCoreOptions {
  /** The limits of every project. By default, none. */
  readonly plan?: Partial<Plan>
  /** Replaces `plan`, for example with one plan per project. */
  readonly plans?: Layer.Layer<PlanSource, InvalidArgument>
  /** The script of the stub transport. By default, it delivers everything. */
  readonly stub?: StubOptions
  /** Replaces the stub transport for the hand-offs. */
  readonly transport?: TransportShape
  /** The sink for event deliveries. Without it, no event is sent to a webhook. */
  readonly sink?: EventSinkShape
  /** The DNS resolver. Without it, no name can be resolved. */
  readonly dns?: DnsResolverShape
  /** The reader of files. Without it, an attachment with a path is refused. */
  readonly files?: FileReaderShape
}

/** The complete core with its ports and the test clock. */
export const testMailLayer = (
  store: StoreUnderTest,
  {
    plan = {},
    plans = PlanSource.layerFixed(plan),
    stub = {},
    transport,
    sink,
    dns,
    files,
    ...core
  }: TestMailOptions = {}
) =>
  MailCore.layerWith(core).pipe(
    Layer.provide(transport === undefined ? Layer.empty : Layer.succeed(Transport, transport)),
    Layer.provideMerge(Layer.mergeAll(store.layer, StubTransport.layer(stub), plans, NodeCrypto.layer)),
    Layer.provideMerge(sink === undefined ? Layer.empty : Layer.succeed(EventSink, sink)),
    Layer.provideMerge(files === undefined ? Layer.empty : Layer.succeed(FileReader, files)),
    Layer.provideMerge(dns === undefined ? Layer.empty : Layer.succeed(DnsResolver, dns)),
    Layer.provideMerge(TestClock.layer())
  )

/** The services that `testMailLayer` provides. */
export type TestMail = Layer.Success<ReturnType<typeof testMailLayer>>

/** Sets the clock to `start` and adds a verified domain to the project. */
const prepare = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  yield* (yield* Domains).create(project, { domain: "example.com", verified: true })
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

/** A valid message to one recipient, with some fields changed. */
export const sendInput = (change: Partial<SendInput> = {}): SendInput => ({
  from: sender,
  to: "ada@example.org",
  subject: "Hello",
  text: "Hi",
  ...change
})

/** A send by the embedding product. */
export const send = (
  idempotencyKey: string,
  change: Partial<SendInput> = {},
  options: SendOptions = {},
  projectId = project
) => Effect.flatMap(Sending, (sending) => sending.send(projectId, sendInput(change), { ...options, idempotencyKey }))

/** Sends to one recipient and returns the delivery id. */
export const sendOne = Effect.map(send("k"), ({ deliveryIds }) => deliveryIds[0]!)

/** Runs one tick of the dispatcher: hands over every due delivery once. */
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
export const sendEvents = Effect.flatMap(EventSender, (eventSender) => eventSender.tick)

/** A delivery as the log shows it. */
export const detail = (id: string) => Effect.flatMap(DeliveryLog, (log) => log.get(project, id))

/** The messages that the stub transport has accepted, oldest first. */
export const captured = Effect.map(StubTransport.StubTransport, (stub) => stub.captured())

/** The stored record of a delivery, also the fields that the services do not return. */
export const delivery = (id: string) =>
  Effect.gen(function* () {
    const [found] = yield* (yield* MailStore).read([{ _tag: "Delivery", projectId: project, id }])
    return found ?? (yield* new DeliveryNotFound({ deliveryId: id }))
  })

/** The newest 100 deliveries of the project, as the log lists them. */
export const summaries = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.list(project, { limit: 100 }), ({ items }) => items)
)

/** The newest 1,000 events of the project. */
export const events = Effect.flatMap(DeliveryLog, (log) => log.listEvents(project, { limit: 1000 }))

const sorted = (counts: Record<string, number>) => Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1))

/** Fails if the usage audit of decision 0015 does not balance: every counter must equal the number of records that it counts. */
export const expectBalanced = Effect.gen(function* () {
  const { counters, scheduledRecipients, charged, counted, contacts, unsubscribed } =
    yield* (yield* DeliveryLog).usageAudit(project)
  const named = Object.fromEntries(
    counters
      .filter(({ name, value }) => value !== 0 && !/^(?:list:|property:|deleted)/.test(name))
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

/** Runs one tick of a dispatcher with another transport. */
export const tickWith = (transport: TransportShape) =>
  Effect.provide(tick, dispatcherWith(Layer.succeed(Transport, transport)))

/** Runs one tick of a dispatcher over another store. */
export const tickOver = (store: MailStoreShape) => Effect.provide(tick, dispatcherWith(Layer.succeed(MailStore, store)))

/** Runs a dispatcher over another store until it is interrupted. */
export const runOver = (store: MailStoreShape) => Effect.provide(runOf, dispatcherWith(Layer.succeed(MailStore, store)))

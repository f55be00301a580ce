/**
 * The adapters of plain async functions: the meaning of a rejection, and the effect of an interruption. `@mailkeep/conformance`
 * checks their laws.
 */
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Context, Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { HandOff } from "../../src/port/Transport.ts"
import type { PromiseStore } from "../../src/port/PromiseStore.ts"
import type { PromiseTransport } from "../../src/port/PromiseTransport.ts"
import { EventSink, MailStore, StoreNotOpened, StoreUnavailable, Transport } from "../../src/index.ts"
import { HandOffRevoked, TransportUnavailable } from "../../src/port/Transport.ts"
import { SinkUnavailable } from "../../src/port/EventSink.ts"
import { sinkFromPromises } from "../../src/port/PromiseSink.ts"
import { storeFromPromises } from "../../src/port/PromiseStore.ts"
import { transportFromPromises } from "../../src/port/PromiseTransport.ts"

const emptyStore: PromiseStore = {
  capabilities: { durable: false, multiProcess: false },
  commit: async () => undefined,
  claim: async () => [],
  claimEventDeliveries: async () => [],
  read: async () => [],
  sweep: async () => 0,
  sweepMessages: async () => ({ deleted: 0, next: null })
}

const inStore = <A, E>(store: Partial<PromiseStore>, use: (store: MailStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(MailStore, use).pipe(
    Effect.provide(storeFromPromises(async () => ({ ...emptyStore, ...store }))),
    Effect.runPromiseExit
  )

/** The value of an exit, its failure or its defect. */
const outcomeOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? { defect: reason.defect } : reason?._tag
}

const put = [{ _tag: "PutSetting", name: "a", value: "1" }] as const

describe("an adapter of plain JavaScript", () => {
  it("allows a value in place of a promise, and a throw in place of a rejection", async () => {
    const plain = (sweep: () => unknown) =>
      inStore({ sweep: sweep as PromiseStore["sweep"] }, (store) =>
        store.sweep({ kind: "events", before: 0, limit: 1 } as never)
      )
    expect(outcomeOf(await plain(() => 3))).toBe(3)
    const unavailable = () => {
      throw new StoreUnavailable({ reason: "full" })
    }
    expect(Exit.isFailure(await plain(unavailable))).toBe(true)
    expect(outcomeOf(await plain(unavailable))).toEqual(
      outcomeOf(
        await inStore({ sweep: () => Promise.reject(new StoreUnavailable({ reason: "full" })) }, (store) =>
          store.sweep({} as never)
        )
      )
    )
  })
})

describe("a store of plain async functions", () => {
  it.each([undefined, null])("has applied a commit that resolves to %s", async (refused) => {
    const exit = await inStore({ commit: async () => refused }, (store) => store.commit(put))
    expect(Exit.isSuccess(exit)).toBe(true)
  })

  it("fails with a Conflict when a commit returns the refused change and the reason", async () => {
    const exit = await inStore({ commit: async () => ({ at: 0, reason: "AlreadyExists" }) }, (store) =>
      store.commit(put)
    )
    expect(outcomeOf(exit)).toMatchObject({ _tag: "Conflict", at: 0, change: "PutSetting", reason: "AlreadyExists" })
  })

  it("fails with a thrown StoreUnavailable, and dies of every other error", async () => {
    const cause = new Error("ECONNRESET")
    const unreachable = inStore(
      { read: () => Promise.reject(new StoreUnavailable({ reason: "unreachable", cause })) },
      (store) => store.read([])
    )
    expect(outcomeOf(await unreachable)).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable", cause })
    expect(
      outcomeOf(await inStore({ sweep: () => Promise.reject(cause) }, (store) => store.sweep({} as never)))
    ).toEqual({
      defect: cause
    })
    const thrown = inStore(
      {
        claim: () => {
          throw cause
        }
      },
      (store) => store.claim({} as never)
    )
    expect(outcomeOf(await thrown)).toEqual({ defect: cause })
  })

  it("fails when the store does not open, and closes the store with its layer", async () => {
    const refused = new StoreNotOpened({ reason: "locked", where: "here" })
    const opening = Layer.build(storeFromPromises(() => Promise.reject(refused)))
    expect(outcomeOf(await Effect.runPromiseExit(Effect.scoped(opening)))).toBe(refused)
    let closed = false
    await inStore({ close: async () => void (closed = true) }, () => Effect.void)
    expect(closed).toBe(true)
  })

  it("fails after its layer has closed, and does not call the store", async () => {
    const calls: Array<string> = []
    const open = async (): Promise<PromiseStore> => ({
      capabilities: { durable: false, multiProcess: false },
      commit: async () => void calls.push("commit"),
      claim: async () => (calls.push("claim"), []),
      claimEventDeliveries: async () => (calls.push("claimEventDeliveries"), []),
      read: async () => (calls.push("read"), []),
      sweep: async () => calls.push("sweep"),
      sweepMessages: async () => (calls.push("sweepMessages"), { deleted: 0, next: null })
    })
    const context = await Effect.runPromise(Effect.scoped(Layer.build(storeFromPromises(open))))
    const store = Context.get(context, MailStore)
    const late: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
      store.commit([]),
      store.claim({} as never),
      store.claimEventDeliveries({} as never),
      store.read([]),
      store.sweep({} as never),
      store.sweepMessages({} as never)
    ]
    for (const call of late)
      expect(await Effect.runPromise(Effect.flip(call))).toMatchObject({ _tag: "StoreUnavailable", reason: "closed" })
    expect(calls).toEqual([])
  })

  it("reports changes until the last listener ends", async () => {
    let listening = 0
    const onCommitOfOtherProcess = (notify: () => void) => {
      listening++
      notify()
      notify()
      return () => void listening--
    }
    const exit = await inStore({ onCommitOfOtherProcess }, (store) =>
      Stream.runCollect(Stream.take(store.commitsOfOtherProcesses, 2))
    )
    expect(outcomeOf(exit)).toHaveLength(2)
    expect(listening).toBe(0)
  })
})

const handOff = (beforeFinalize: HandOff["beforeFinalize"] = Effect.void): HandOff => ({
  projectId: "prj_test",
  deliveryId: "del_1",
  attempt: 1,
  envelope: { from: "a@example.com", to: "b@example.org" },
  dkim: null,
  message: {
    messageIdHeader: "<del_1@example.com>",
    date: 0,
    from: { name: null, address: "a@example.com" },
    replyTo: null,
    to: ["b@example.org"],
    cc: [],
    subject: "s",
    html: null,
    text: "t",
    headers: {},
    attachments: []
  },
  beforeFinalize
})

const handing = (hand: PromiseTransport["handOff"], one = handOff()) =>
  Effect.flatMap(Transport, (transport) => transport.handOff(one)).pipe(
    Effect.provide(
      transportFromPromises({
        capabilities: {
          confirmsDelivery: false,
          signalsFinalize: true,
          idempotentHandOff: false,
          maxMessageBytes: null,
          smtpUtf8: true
        },
        handOff: hand
      })
    )
  )

describe("a transport of plain async functions", () => {
  it("fails with HandOffRevoked when beforeFinalize revokes the hand-off", async () => {
    const revoked = new HandOffRevoked({ why: "suppressed" })
    const exit = await Effect.runPromiseExit(
      handing(
        async ({ beforeFinalize }) => {
          await beforeFinalize()
          throw new Error("the message was sent")
        },
        handOff(Effect.fail(revoked))
      )
    )
    expect(outcomeOf(exit)).toMatchObject({ _tag: "HandOffRevoked", why: "suppressed" })
  })

  it("fails with TransportUnavailable, and dies of every other error", async () => {
    const lost = new TransportUnavailable({ reason: "lost" })
    const mistake = new TypeError("no such method")
    expect(outcomeOf(await Effect.runPromiseExit(handing(() => Promise.reject(lost))))).toBe(lost)
    expect(outcomeOf(await Effect.runPromiseExit(handing(() => Promise.reject(mistake))))).toEqual({
      defect: mistake
    })
  })

  it("aborts its signal when the hand-off is interrupted", async () => {
    let aborted = false
    const under = Effect.runFork(
      handing((_, signal) => new Promise(() => signal.addEventListener("abort", () => (aborted = true))))
    )
    await Effect.runPromise(Fiber.interrupt(under))
    expect(aborted).toBe(true)
  })

  it("waits at an interruption for the commit of beforeFinalize that has begun, because its phase would be unknown", () =>
    Effect.gen(function* () {
      const [began, stored] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      let isStored = false
      const commit = Effect.andThen(
        Deferred.succeed(began, undefined),
        Effect.map(Deferred.await(stored), () => void (isStored = true))
      )
      const under = yield* Effect.forkChild(
        handing(async ({ beforeFinalize }) => {
          await beforeFinalize()
          throw new Error("the message was sent")
        }, handOff(commit))
      )
      yield* Deferred.await(began)
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(under))
      yield* eventLoopTurns(10)
      expect(interrupting.pollUnsafe()).toBeUndefined()
      yield* Deferred.succeed(stored, undefined)
      yield* Fiber.join(interrupting)
      expect(isStored).toBe(true)
    }).pipe(Effect.runPromise))

  it("rejects beforeFinalize after an interruption, and begins no commit", async () => {
    let commits = 0
    const rejected = Promise.withResolvers<unknown>()
    const under = Effect.runFork(
      handing(
        ({ beforeFinalize }, signal) =>
          new Promise(() =>
            signal.addEventListener("abort", () => void beforeFinalize().then(rejected.resolve, rejected.resolve))
          ),
        handOff(Effect.sync(() => void commits++))
      )
    )
    await Effect.runPromise(Fiber.interrupt(under))
    expect(await rejected.promise).toMatchObject({ _tag: "TransportUnavailable" })
    expect(commits).toBe(0)
  })
})

describe("an event sink of plain async functions", () => {
  const sending = (cause: unknown) =>
    Effect.flatMap(EventSink, (sink) =>
      sink.send({ id: "evt_1", endpoint: "e", headers: {}, body: new Uint8Array() })
    ).pipe(
      Effect.provide(sinkFromPromises({ capabilities: { carriesHeaders: true }, send: () => Promise.reject(cause) })),
      Effect.runPromiseExit
    )

  it("fails with SinkUnavailable, and dies of every other error", async () => {
    const lost = new SinkUnavailable({ reason: "lost" })
    expect(outcomeOf(await sending(lost))).toBe(lost)
    expect(outcomeOf(await sending("nonsense"))).toEqual({ defect: "nonsense" })
  })
})

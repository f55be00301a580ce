/**
 * The bridges for plain async functions: what a rejection means, and what an interruption reaches. Their laws are judged in
 * `@mailkeep/conformance`.
 */
import { Effect, Exit, Fiber, Layer, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { HandOff, PromiseStore, PromiseTransport } from "../../src/index.ts"
import {
  EventSink,
  HandOffRevoked,
  MailStore,
  SinkUnavailable,
  sinkFromPromises,
  storeFromPromises,
  StoreNotOpened,
  StoreUnavailable,
  Transport,
  transportFromPromises,
  TransportUnavailable
} from "../../src/index.ts"

const nothing: PromiseStore = {
  capabilities: { durable: false, multiProcess: false },
  commit: async () => undefined,
  claim: async () => [],
  claimPushes: async () => [],
  read: async () => [],
  sweep: async () => 0
}

const inStore = <A, E>(store: Partial<PromiseStore>, use: (store: MailStore["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(MailStore, use).pipe(
    Effect.provide(storeFromPromises(async () => ({ ...nothing, ...store }))),
    Effect.exit,
    Effect.runPromise
  )

/** How it ended: a failure's tag and reason, or the defect. */
const told = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isSuccess(exit)) return exit.value
  const [reason] = exit.cause.reasons
  return reason?._tag === "Fail" ? reason.error : reason?._tag === "Die" ? { defect: reason.defect } : reason?._tag
}

const put = [{ _tag: "PutSetting", name: "a", value: "1" }] as const

describe("a bridge over plain JavaScript", () => {
  it("takes a value in place of a promise, and a throw in place of a rejection", async () => {
    const plain = (sweep: () => unknown) =>
      inStore({ sweep: sweep as PromiseStore["sweep"] }, (store) =>
        store.sweep({ kind: "events", before: 0, limit: 1 } as never)
      )
    expect(told(await plain(() => 3))).toBe(3)
    const unavailable = () => {
      throw new StoreUnavailable({ reason: "full" })
    }
    expect(Exit.isFailure(await plain(unavailable))).toBe(true)
    expect(told(await plain(unavailable))).toEqual(
      told(
        await inStore({ sweep: () => Promise.reject(new StoreUnavailable({ reason: "full" })) }, (store) =>
          store.sweep({} as never)
        )
      )
    )
  })
})

describe("a store of plain async functions", () => {
  it("refuses a change by answering which, and why", async () => {
    const exit = await inStore({ commit: async () => ({ at: 0, reason: "AlreadyExists" }) }, (store) =>
      store.commit(put)
    )
    expect(told(exit)).toMatchObject({ _tag: "Conflict", at: 0, change: "PutSetting", reason: "AlreadyExists" })
  })

  it("is out of reach when it says so, with its cause; anything else is a mistake", async () => {
    const cause = new Error("ECONNRESET")
    const away = inStore(
      { read: () => Promise.reject(new StoreUnavailable({ reason: "unreachable", cause })) },
      (store) => store.read([])
    )
    expect(told(await away)).toMatchObject({ _tag: "StoreUnavailable", reason: "unreachable", cause })
    expect(told(await inStore({ sweep: () => Promise.reject(cause) }, (store) => store.sweep({} as never)))).toEqual({
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
    expect(told(await thrown)).toEqual({ defect: cause })
  })

  it("may fail to open, and is closed with its layer", async () => {
    const refused = new StoreNotOpened({ reason: "locked", where: "here" })
    const opening = Layer.build(storeFromPromises(() => Promise.reject(refused)))
    expect(told(await Effect.runPromise(Effect.exit(Effect.scoped(opening))))).toBe(refused)
    let closed = false
    await inStore({ close: async () => void (closed = true) }, () => Effect.void)
    expect(closed).toBe(true)
  })

  it("tells of changes until nobody listens", async () => {
    let listening = 0
    const onChange = (tell: () => void) => {
      listening++
      tell()
      tell()
      return () => void listening--
    }
    const exit = await inStore({ onChange }, (store) => Stream.runCollect(Stream.take(store.changes, 2)))
    expect(told(exit)).toHaveLength(2)
    expect(listening).toBe(0)
  })
})

const handOff = (beforeFinalDot: HandOff["beforeFinalDot"] = Effect.void): HandOff => ({
  deliveryId: "del_1",
  attempt: 1,
  envelope: { from: "a@example.com", to: "b@example.org" },
  message: {
    messageId: "<del_1@example.com>",
    date: 0,
    from: { name: null, address: "a@example.com" },
    replyTo: null,
    to: ["b@example.org"],
    cc: [],
    subject: "s",
    html: null,
    text: "t",
    headers: {}
  },
  beforeFinalDot
})

const handing = (hand: PromiseTransport["handOff"], one = handOff()) =>
  Effect.flatMap(Transport, (transport) => transport.handOff(one)).pipe(
    Effect.provide(
      transportFromPromises({
        capabilities: {
          confirmsDelivery: false,
          marksFinalDot: true,
          idempotentHandoff: false,
          maxMessageBytes: null,
          smtpUtf8: true
        },
        handOff: hand
      })
    )
  )

describe("a transport of plain async functions", () => {
  it("passes on why the final dot may not go", async () => {
    const revoked = new HandOffRevoked({ why: "suppressed" })
    const exit = await Effect.runPromise(
      Effect.exit(
        handing(
          async ({ beforeFinalDot }) => {
            await beforeFinalDot()
            throw new Error("the dot was sent")
          },
          handOff(Effect.fail(revoked))
        )
      )
    )
    expect(told(exit)).toMatchObject({ _tag: "HandOffRevoked", why: "suppressed" })
  })

  it("fails when the relay is lost, and dies of a mistake", async () => {
    const lost = new TransportUnavailable({ reason: "lost" })
    const mistake = new TypeError("no such method")
    expect(told(await Effect.runPromise(Effect.exit(handing(() => Promise.reject(lost)))))).toBe(lost)
    expect(told(await Effect.runPromise(Effect.exit(handing(() => Promise.reject(mistake)))))).toEqual({
      defect: mistake
    })
  })

  it("is told by its signal that it must end", async () => {
    let aborted = false
    const under = Effect.runFork(
      handing((_, signal) => new Promise(() => signal.addEventListener("abort", () => (aborted = true))))
    )
    await Effect.runPromise(Fiber.interrupt(under))
    expect(aborted).toBe(true)
  })
})

describe("an event sink of plain async functions", () => {
  const pushing = (cause: unknown) =>
    Effect.flatMap(EventSink, (sink) =>
      sink.push({ id: "evt_1", endpoint: "e", headers: {}, body: new Uint8Array() })
    ).pipe(
      Effect.provide(sinkFromPromises({ capabilities: { carriesHeaders: true }, push: () => Promise.reject(cause) })),
      Effect.exit,
      Effect.runPromise
    )

  it("fails when the consumer is lost, and dies of a mistake", async () => {
    const lost = new SinkUnavailable({ reason: "lost" })
    expect(told(await pushing(lost))).toBe(lost)
    expect(told(await pushing("nonsense"))).toEqual({ defect: "nonsense" })
  })
})

import { MemoryMailStore } from "@mailkeep/memory"
import { testMailLayer, withTestMail, project, sendEvents, send, start, stores, tick } from "@mailkeep/test-support"
import { Context, Effect, Layer, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { ResourceOf } from "../../../src/domain/store/Resource.ts"
import type { EventSinkShape, SinkRequest } from "../../../src/port/EventSink.ts"
import { MailStore, Webhooks } from "../../../src/index.ts"
import { wrapStore } from "../../../src/port/wrapStore.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"

const first = "a".repeat(32)
const another = "b".repeat(32)

/** Opens the store with each secret in turn, `null` for no secret, and returns each result. */
const opened = (store: Layer.Layer<MailStore, unknown>, ...secrets: ReadonlyArray<string | null>) =>
  Effect.gen(function* () {
    const results: Array<string> = []
    for (const secret of secrets) {
      const layer = secret === null ? Secrets.layer : Secrets.layerGiven(Redacted.make(secret))
      const result = yield* Effect.result(Effect.scoped(Layer.build(Layer.fresh(layer))))
      results.push(
        Result.isSuccess(result)
          ? "opened"
          : result.failure._tag === "MasterSecretRefused"
            ? result.failure.reason
            : "unavailable"
      )
    }
    return results
  }).pipe(Effect.provide([store, NodeCrypto.layer]), Effect.scoped, Effect.runPromise)

describe.each(stores)("the master secret, over $name", ({ layer }) => {
  it("refuses another master secret, and still allows the first one", async () =>
    expect(await opened(layer, first, another, first)).toEqual(["opened", "different", "opened"]))

  it("refuses a master secret shorter than 32 characters before it writes anything", async () =>
    expect(await opened(layer, "c".repeat(31), another)).toEqual(["too_short", "opened"]))

  it("requires a master secret when the store was first opened with one", async () =>
    expect(await opened(layer, first, null, first)).toEqual(["opened", "missing", "opened"]))

  it("refuses a master secret when the store has generated its own", async () =>
    expect(await opened(layer, null, first, null)).toEqual(["opened", "store_has_own_secret", "opened"]))
})

/** A store between whose answers and their readers other work runs, as with a store on another machine. */
const slowStore = Layer.effect(
  MailStore,
  Effect.map(MemoryMailStore.make, (store) =>
    wrapStore(store, (one) => ({ ...one, read: (queries) => Effect.tap(one.read(queries), Effect.yieldNow) }))
  )
)

describe.each([
  ["different secrets", [first, another]],
  ["a secret and without one", [first, null]],
  ["no secret and with one", [null, first]]
])("two processes that open a new store at once, with %s", (_, secrets) => {
  it("opens the store for one of them, and refuses the other one", async () => {
    const layers = secrets.map((secret) =>
      Layer.fresh(secret === null ? Secrets.layer : Secrets.layerGiven(Redacted.make(secret)))
    )
    const results = await Effect.all(
      layers.map((layer) => Effect.result(Layer.build(layer))),
      { concurrency: "unbounded" }
    ).pipe(Effect.provide([slowStore, NodeCrypto.layer]), Effect.scoped, Effect.runPromise)
    expect(results.filter(Result.isSuccess)).toHaveLength(1)
    expect(results.flatMap((result) => (Result.isFailure(result) ? [result.failure._tag] : []))).toEqual([
      "MasterSecretRefused"
    ])
  })
})

describe("two processes that open a new store at once, without a secret", () => {
  it("gives two processes that open a new store at once the same secret", async () => {
    const results = await Effect.all(
      [Secrets.layer, Secrets.layer].map((layer) => Layer.build(Layer.fresh(layer))),
      { concurrency: "unbounded" }
    ).pipe(Effect.provide([slowStore, NodeCrypto.layer]), Effect.scoped, Effect.runPromise)
    const [one, other] = results.map((context) => Context.get(context, Secrets).signer("cursor")("text"))
    expect(one).toBe(other)
  })
})

describe("a store that was first opened with a master secret", () => {
  it("does not open a store with another master secret, and fails no event delivery", async () => {
    const got: Array<SinkRequest> = []
    const sink: EventSinkShape = {
      capabilities: { carriesHeaders: true },
      send: (eventDelivery) => Effect.sync(() => (got.push(eventDelivery), { _tag: "Accepted", status: 200 } as const))
    }
    const store = { name: "memory", layer: Layer.succeed(MailStore, await Effect.runPromise(MemoryMailStore.make)) }
    const under = (secret: string) => ({ sink, masterSecret: Redacted.make(secret) })
    await withTestMail(
      store,
      under(first)
    )(
      Effect.gen(function* () {
        yield* (yield* Webhooks).create(project, { url: "https://hooks.example.net/a" })
        yield* send("k")
        yield* tick
      })
    )
    const refused = await Effect.runPromiseExit(Effect.scoped(Layer.build(testMailLayer(store, under(another)))))
    expect(String(refused)).toContain("The store was first opened with another master secret. Give that master secret")
    await Effect.runPromise(
      Effect.andThen(TestClock.setTime(start), sendEvents).pipe(
        Effect.provide(testMailLayer(store, under(first))),
        Effect.scoped
      )
    )
    expect(got).toHaveLength(1)
  })
})

describe.each(stores)("an event delivery whose webhook secret cannot be read, over $name", (store) => {
  it("keeps an event delivery pending without an attempt until its webhook secret can be read", () => {
    const got: Array<SinkRequest> = []
    const sink: EventSinkShape = {
      capabilities: { carriesHeaders: true },
      send: (eventDelivery) => Effect.sync(() => (got.push(eventDelivery), { _tag: "Accepted", status: 200 } as const))
    }
    return withTestMail(store, { sink })(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const mailStore = yield* MailStore
        const { webhook } = yield* webhooks.create(project, { url: "https://hooks.example.net/a" })
        const stored = Effect.map(
          mailStore.read([{ _tag: "Resource", projectId: project, id: webhook.id }]),
          ([found]) => found as ResourceOf<"webhook">
        )
        const putSecrets = (secrets: ResourceOf<"webhook">["content"]["secrets"]) =>
          Effect.flatMap(stored, (record) => {
            const resource = { ...record, revision: record.revision + 1, content: { ...record.content, secrets } }
            return mailStore.commit([{ _tag: "PutResource", resource, replaces: record.revision }])
          })
        yield* putSecrets([{ encrypted: "x", until: null }])
        yield* send("k")
        yield* tick
        for (let n = 0; n < 30; n++) {
          yield* sendEvents
          yield* TestClock.adjust(5 * minuteMillis)
        }
        const [pending] = (yield* webhooks.listEventDeliveries(project, webhook.id)).items
        expect(pending).toMatchObject({ status: "pending", attemptCount: 0 })
        expect(pending!.attempts.at(-1)).toMatchObject({ error: "secret_unreadable" })
        expect(pending!.attempts.length).toBeLessThanOrEqual(20)
        expect(got).toEqual([])
        yield* webhooks.rotateSecret(project, webhook.id)
        yield* putSecrets((yield* stored).content.secrets.slice(0, 1))
        yield* sendEvents
        expect(got).toHaveLength(1)
        expect((yield* webhooks.listEventDeliveries(project, webhook.id)).items).toMatchObject([
          { status: "delivered" }
        ])
      })
    )
  })
})

/**
 * Several sends in one call. Source: decision 0048.
 */
import type { StoreUnderTest } from "@mailkeep/test-support"
import { expectBalanced, project, send, sendInput, stores, summaries, withTestMail } from "@mailkeep/test-support"
import { Effect, Latch, Layer, Result } from "effect"
import { describe, expect, it } from "vitest"
import type { SendBatchOptions, SendInput } from "../../../src/index.ts"
import { MailStore, Sending, StoreUnavailable } from "../../../src/index.ts"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { many } from "./sendOptions.ts"

const sendBatch = (inputs: ReadonlyArray<Partial<SendInput>>, options: SendBatchOptions = {}) =>
  Effect.flatMap(Sending, (sending) => sending.sendBatch(project, inputs.map(sendInput), options))

const refusalsOf = (results: ReadonlyArray<Result.Result<unknown, { readonly _tag: string }>>) =>
  results.map((one) => (Result.isSuccess(one) ? "accepted" : one.failure._tag))

const acceptedOf = <A>(results: ReadonlyArray<Result.Result<A, unknown>>) => results.map(Result.getOrThrow)

/** The store, with another function that commits. */
const committing = (
  store: StoreUnderTest,
  commit: (inner: MailStoreShape) => MailStoreShape["commit"]
): StoreUnderTest => ({
  name: store.name,
  layer: Layer.effect(
    MailStore,
    Effect.map(MailStore, (inner) => ({ ...inner, commit: commit(inner) }))
  ).pipe(Layer.provide(store.layer))
})

describe.each(stores)("a batch, over $name", (store) => {
  it("returns one result for each message, in order, and refuses only the messages that are wrong", () =>
    withTestMail(store, { plan: { sendingAllowance: 4 } })(
      Effect.gen(function* () {
        const results = yield* sendBatch([
          { to: "a@example.org" },
          { to: "nobody" },
          { from: "hello@unknown.example" },
          { to: many(4) },
          { to: ["b@example.org", "c@example.org"] },
          { templateId: "none" }
        ])
        expect(refusalsOf(results)).toEqual([
          "accepted",
          "InvalidArgument",
          "SenderDomainNotVerified",
          "PlanLimitReached",
          "accepted",
          "InvalidArgument"
        ])
        const issues = results.flatMap((one) =>
          Result.isFailure(one) && one.failure._tag === "InvalidArgument" ? [one.failure.message] : []
        )
        expect(issues).toEqual([
          "messages[1].to must be an address such as ada@example.com or Ada <ada@example.com>",
          "messages[5].templateId is not a published template of this project"
        ])
        expect((yield* summaries).map(({ recipient }) => recipient).toSorted()).toEqual([
          "a@example.org",
          "b@example.org",
          "c@example.org"
        ])
        yield* expectBalanced
      })
    ))

  it("accepts as many messages as a limit allows, whatever their order", () =>
    withTestMail(store, { plan: { dailySends: 7 } })(
      Effect.gen(function* () {
        const results = yield* sendBatch(many(20).map((to) => ({ to })))
        expect(refusalsOf(results).toSorted()).toEqual([
          ...Array.from({ length: 13 }, () => "PlanLimitReached"),
          ...Array.from({ length: 7 }, () => "accepted")
        ])
        expect(yield* summaries).toHaveLength(7)
        yield* expectBalanced
      })
    ))

  it("replays each accepted message of a repeat, and tries the others again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const inputs = [{ to: "a@example.org" }, { from: "hello@unknown.example" }, { to: "c@example.org" }]
        const first = yield* sendBatch(inputs, { idempotencyKey: "k" })
        const again = yield* sendBatch([inputs[0]!, { to: "b@example.org" }, inputs[2]!], { idempotencyKey: "k" })
        const [a, , c] = first as [(typeof first)[0], unknown, (typeof first)[0]]
        expect(acceptedOf(again)).toEqual([
          { ...Result.getOrThrow(a), replayed: true },
          expect.objectContaining({ replayed: false }),
          { ...Result.getOrThrow(c), replayed: true }
        ])
        expect(yield* summaries).toHaveLength(3)
      })
    ))

  it("sends each message once when two equal batches run at the same time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const inputs = many(30).map((to) => ({ to }))
        const [a, b] = yield* Effect.all(
          [1, 2].map(() => sendBatch(inputs, { idempotencyKey: "k" })),
          {
            concurrency: 2
          }
        )
        const ids = (results: typeof a) => acceptedOf(results!).map(({ messageId }) => messageId)
        expect(ids(a)).toEqual(ids(b))
        expect(yield* summaries).toHaveLength(30)
        yield* expectBalanced
      })
    ))

  it("keeps its idempotency keys apart from those of single sends", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const single = yield* send("k")
        const [first] = acceptedOf(yield* sendBatch([{}], { idempotencyKey: "k" }))
        expect([first!.replayed, first!.messageId === single.messageId]).toEqual([false, false])
      })
    ))

  it("sends each time without an idempotency key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* sendBatch([{}, {}])
        yield* sendBatch([{}, {}])
        expect(yield* summaries).toHaveLength(4)
      })
    ))

  it("commits up to 100 messages of all batches at the same time, and no more", async () => {
    let underWay = 0
    let most = 0
    const hundred = Latch.makeUnsafe(false)
    const counting = committing(store, (inner) => (changes) => {
      if (!changes.some(({ _tag }) => _tag === "InsertMessage")) return inner.commit(changes)
      return Effect.acquireUseRelease(
        Effect.sync(() => {
          most = Math.max(most, ++underWay)
          if (underWay === 100) hundred.openUnsafe()
        }),
        () => Effect.andThen(hundred.await, inner.commit(changes)),
        () => Effect.sync(() => underWay--)
      )
    })
    await withTestMail(counting)(
      Effect.gen(function* () {
        const inputs = many(100).map((to) => ({ to }))
        const batches = yield* Effect.all([sendBatch(inputs), sendBatch(inputs)], { concurrency: 2 })
        expect(batches.flatMap(refusalsOf).every((one) => one === "accepted")).toBe(true)
      })
    )
    expect(most).toBe(100)
  })
})

describe("a batch that is refused as a whole", () => {
  const [memory] = stores

  it.each<[string, unknown, unknown, object]>([
    ["that is no list", "x", {}, { argument: "input", issues: [{ path: ["messages"], code: "invalid_type" }] }],
    ["without messages", [], {}, { argument: "input", issues: [{ path: ["messages"], code: "too_short" }] }],
    [
      "with a wrong idempotency key",
      [sendInput()],
      { idempotencyKey: "a b" },
      { argument: "options", issues: [{ path: ["idempotencyKey"], code: "invalid_value" }] }
    ],
    [
      "with shown recipients",
      [sendInput()],
      { shownRecipients: { to: ["a@example.org"] } },
      { argument: "options", issues: [{ path: ["shownRecipients"], code: "not_allowed_here" }] }
    ]
  ])("refuses a batch %s", (_, inputs, options, failure) =>
    withTestMail(memory)(
      Effect.gen(function* () {
        const sending = yield* Sending
        const refused = yield* Effect.flip(sending.sendBatch(project, inputs as [], options as {}))
        expect(refused).toMatchObject({ _tag: "InvalidArgument", ...failure })
        expect(yield* summaries).toEqual([])
      })
    )
  )

  it("refuses a batch with more than 30 MiB of texts and files, also when files are given by their path", () => {
    const content = new Uint8Array(11 * 1024 * 1024)
    const files = { read: () => Effect.succeed(content) }
    const attached = { attachments: [{ filename: "a.bin", content }] }
    const byPath = { attachments: [{ path: "/a.bin" }] }
    return withTestMail(memory, { files })(
      Effect.gen(function* () {
        for (const third of [attached, byPath])
          expect(yield* Effect.flip(sendBatch([attached, byPath, third]))).toMatchObject({
            issues: [{ path: ["messages"], code: "too_large" }]
          })
        expect(yield* summaries).toEqual([])
        expect(refusalsOf(yield* sendBatch([attached, byPath]))).toEqual(["accepted", "accepted"])
      })
    )
  })

  it("fails with StoreUnavailable when the store took no message", () =>
    withTestMail(
      committing(
        memory,
        (inner) => (changes) =>
          changes.some(({ _tag }) => _tag === "InsertMessage")
            ? Effect.fail(new StoreUnavailable({ reason: "full" }))
            : inner.commit(changes)
      )
    )(
      Effect.gen(function* () {
        const failure = yield* Effect.flip(sendBatch([{}, { to: "nobody" }]))
        expect(failure).toMatchObject({ _tag: "StoreUnavailable", reason: "full" })
      })
    ))

  it("returns StoreUnavailable for the messages that the store did not take", () => {
    let left = 1
    return withTestMail(
      committing(
        memory,
        (inner) => (changes) =>
          changes.some(({ _tag }) => _tag === "InsertMessage") && left-- <= 0
            ? Effect.fail(new StoreUnavailable({ reason: "full" }))
            : inner.commit(changes)
      )
    )(
      Effect.gen(function* () {
        const results = yield* sendBatch([{}, {}], { idempotencyKey: "k" })
        expect(refusalsOf(results)).toEqual(["accepted", "StoreUnavailable"])
        left = 9
        expect(acceptedOf(yield* sendBatch([{}, {}], { idempotencyKey: "k" })).map(({ replayed }) => replayed)).toEqual(
          [true, false]
        )
      })
    )
  })
})

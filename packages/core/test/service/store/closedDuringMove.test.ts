/**
 * A move that closes its source: which writes fail meanwhile and afterwards, and what stays open when the move fails.
 */
import { MemoryMailStore } from "@mailkeep/memory"
import { StubTransport } from "@mailkeep/smtp"
import { Cause, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { Change, Crypto, MailStoreShape } from "../../../src/adapter.ts"
import { MailStore } from "../../../src/adapter.ts"
import { MailCore, PlanSource, Projects } from "../../../src/index.ts"
import type { MoveOptions, MoveProgress } from "../../../src/move.ts"
import { digestStore, moveStore } from "../../../src/move.ts"
import * as NodeCrypto from "../../../src/node/NodeCrypto.ts"

const setting = (name: string): Change => ({ _tag: "PutSetting", name, value: "1" })

const run = <A, E>(effect: Effect.Effect<A, E, Crypto>) =>
  Effect.runPromise(effect.pipe(Effect.provide(NodeCrypto.layer), Effect.provide(TestClock.layer())))

const twoStores = Effect.gen(function* () {
  const [from, to] = [yield* MemoryMailStore.make, yield* MemoryMailStore.make]
  yield* from.commit([setting("color"), setting("size")])
  return { from, to }
})

/** Moves and closes the source. Lets the time pass that a move waits before it copies. */
const closingMove = (from: MailStoreShape, to: MailStoreShape, options: MoveOptions = {}) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(moveStore(from, to, { closeSource: "sqlite:new.db", ...options }), {
      startImmediately: true
    })
    yield* TestClock.adjust("2 seconds")
    return yield* Fiber.join(fiber)
  })

const refusal = (from: MailStoreShape, to: MailStoreShape, options?: MoveOptions) =>
  Effect.map(Effect.flip(closingMove(from, to, options)), (failure) =>
    failure._tag === "MoveRefused" ? failure.reason : failure._tag
  )

/** Opens a core over the store, and creates a project. */
const writeThroughCore = (store: MailStoreShape) =>
  Effect.gen(function* () {
    const { ensure } = yield* Projects
    return (yield* ensure("prj_a")).id
  }).pipe(
    Effect.provide(
      MailCore.layer.pipe(
        Layer.provide(
          Layer.mergeAll(
            Layer.succeed(MailStore, store),
            StubTransport.layer(),
            PlanSource.layerFixed({}),
            NodeCrypto.layer
          )
        )
      )
    )
  )

describe("moveStore with closeSource", () => {
  it("closes the source for good and opens the target, and both still have the same digest", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        const { digest, written } = yield* closingMove(from, to)
        expect(written).toBe(2)
        expect(yield* digestStore(from)).toEqual(digest)
        expect(yield* digestStore(to)).toEqual(digest)
        expect(yield* Effect.flip(writeThroughCore(from))).toMatchObject({
          _tag: "StoreUnavailable",
          reason: "moved",
          isRetryable: false,
          message: "The records of this store were moved to sqlite:new.db. Use that store."
        })
        expect(yield* writeThroughCore(to)).toBe("prj_a")
      })
    ))

  it("copies what a commit writes that found the source open and then waited for a lock", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        // Another process keeps the lock for 3.5 s, from the moment at which the source is closed.
        let closes = 0
        const locked: MailStoreShape = {
          ...from,
          commit: (changes) =>
            changes.some(({ _tag }) => _tag === "RenewLease") && closes++ > 0
              ? Effect.delay(from.commit(changes), "2 seconds")
              : from.commit(changes)
        }
        yield* Effect.forkChild(Effect.delay(from.commit([setting("late")]), "6 seconds"), { startImmediately: true })
        const move = yield* Effect.forkChild(moveStore(locked, to, { closeSource: "sqlite:new.db" }), {
          startImmediately: true
        })
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(move)).written).toBe(3)
      })
    ))

  it("refuses the writes of a core that was open before, within a second", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        const program = Effect.gen(function* () {
          const { ensure, list } = yield* Projects
          yield* ensure("prj_a")
          let duringCopy: Exit.Exit<unknown, unknown> = Exit.void
          const onProgress = ({ phase }: MoveProgress) =>
            phase === "copy"
              ? Effect.map(Effect.exit(ensure("prj_b")), (exit) => {
                  duringCopy = exit
                })
              : Effect.void
          yield* closingMove(from, to, { onProgress })
          expect(Exit.isFailure(duringCopy) && Cause.squash(duringCopy.cause)).toMatchObject({
            reason: "moving",
            isRetryable: true
          })
          expect(yield* Effect.flip(ensure("prj_c"))).toMatchObject({ reason: "moved" })
          expect((yield* list).map(({ id }) => id)).toEqual(["prj_a"])
        })
        const ports = Layer.mergeAll(
          Layer.succeed(MailStore, from),
          StubTransport.layer(),
          PlanSource.layerFixed({}),
          NodeCrypto.layer
        )
        yield* Effect.provide(program, Layer.provide(MailCore.layer, ports))
      })
    ))

  it("opens the source again and keeps the target closed when the copy fails after its first page", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        let pages = 0
        const onProgress = () => (++pages === 2 ? Effect.die(new Error("stopped")) : Effect.void)
        yield* Effect.exit(closingMove(from, to, { onProgress }))
        expect(yield* writeThroughCore(from)).toBe("prj_a")
        expect(yield* Effect.flip(writeThroughCore(to))).toMatchObject({ reason: "moving" })
        expect(yield* refusal(to, yield* MemoryMailStore.make)).toBe("source_incomplete")
        const { digest } = yield* closingMove(from, to, { resume: true })
        expect(yield* digestStore(to)).toEqual(digest)
        expect(yield* writeThroughCore(to)).toBe("prj_a")
      })
    ))

  it("opens both stores again when it is refused before it wrote anything", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        yield* to.commit([{ _tag: "PutSetting", name: "color", value: "other" }])
        expect(yield* refusal(from, to, { resume: true })).toBe("target_not_empty")
        expect(yield* writeThroughCore(from)).toBe("prj_a")
        expect(yield* writeThroughCore(to)).toBe("prj_a")
      })
    ))

  it("lets the source open a minute after its move was killed", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        // A process that is killed writes nothing more.
        let isAlive = true
        const killable: MailStoreShape = {
          ...from,
          commit: (changes) => (isAlive ? from.commit(changes) : Effect.interrupt)
        }
        const move = moveStore(killable, to, { closeSource: "sqlite:new.db" })
        const fiber = yield* Effect.forkChild(move, { startImmediately: true })
        expect(yield* Effect.flip(writeThroughCore(from))).toMatchObject({ reason: "moving" })
        isAlive = false
        yield* Fiber.interrupt(fiber)
        expect(yield* Effect.flip(writeThroughCore(from))).toMatchObject({ reason: "moving" })
        yield* TestClock.adjust("1 minute")
        expect(yield* writeThroughCore(from)).toBe("prj_a")
      })
    ))

  it("refuses a source that was moved before, unless the same move is resumed", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        yield* closingMove(from, to)
        const other = yield* MemoryMailStore.make
        expect(yield* refusal(from, other)).toBe("source_moved")
        expect(yield* refusal(from, to, { resume: true, closeSource: "sqlite:third.db" })).toBe("source_moved")
        expect((yield* closingMove(from, to, { resume: true })).written).toBe(0)
        expect((yield* closingMove(from, other, { force: true })).written).toBe(2)
      })
    ))

  it("refuses a target that was moved before, and a target that is the source", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        expect(yield* refusal(from, from, { resume: true })).toBe("same_store")
        expect(yield* writeThroughCore(from)).toBe("prj_a")
        yield* closingMove(from, to)
        expect(yield* refusal(to, from, { resume: true })).toBe("target_moved")
      })
    ))

  it("refuses a source whose worker has claimed mail while the move waited", () =>
    run(
      Effect.gen(function* () {
        const { from, to } = yield* twoStores
        const fiber = yield* Effect.forkChild(Effect.flip(moveStore(from, to, { closeSource: "sqlite:new.db" })), {
          startImmediately: true
        })
        yield* from.commit([{ _tag: "RenewLease", worker: "w", renewedAt: 0, leaseUntil: 45_000 }])
        yield* TestClock.adjust("2 seconds")
        expect(yield* Fiber.join(fiber)).toMatchObject({ reason: "source_in_use" })
        expect(yield* writeThroughCore(to)).toBe("prj_a")
      })
    ))
})

/**
 * Keeps deliveries moving: releases what is due, recovers what a dead worker held, hands over what is queued.
 * Wakes at once on new work and sleeps until the next due time. What a hand-off does is in `HandOffs`.
 */
import { Clock, Context, Duration, Effect, FiberSet, Latch, Layer, Stream } from "effect"
import type { Claim, ClaimKind } from "../domain/Claim.ts"
import { sweepKinds } from "../domain/Claim.ts"
import type { Delivery } from "../domain/Delivery.ts"
import { dayMillis, hourMillis, minuteMillis, secondMillis } from "../domain/Instant.ts"
import type { Backlog } from "../domain/Query.ts"
import { commitChanges } from "../internal/decideAndCommit.ts"
import { Crypto } from "../port/Crypto.ts"
import type { StoreUnavailable } from "../port/MailStore.ts"
import { MailStore } from "../port/MailStore.ts"
import { HandOffs } from "./HandOffs.ts"
import { WorkSignal } from "./WorkSignal.ts"

export interface DispatcherOptions {
  /** Hand-offs under way at once. */
  readonly concurrency: number
  /** How long a worker that says nothing is believed to live; renewed three times as often. */
  readonly leaseMillis: number
  /** How long a shutdown waits for hand-offs under way before it sends them back to the queue. */
  readonly graceMillis: number
}

export const defaultDispatcherOptions: DispatcherOptions = {
  concurrency: 32,
  leaseMillis: 30 * secondMillis,
  graceMillis: 15 * secondMillis
}

/** How many deliveries one step took, by what was done with them. */
export interface StepReport {
  readonly released: number
  readonly recovered: number
  readonly handedOver: number
}

const eventRetentionMillis = 30 * dayMillis
const sweepEveryMillis = 10 * minuteMillis
const sweepLimit = 500
/** The longest sleep: a clock that was set forward and a lease that lapsed are noticed after this at the latest. */
const sleepMillisMax = 15 * secondMillis
/** How many due deliveries one claim releases or recovers. */
const releaseLimit = 100

/** Which defect it was, without its words: they may quote what a caller sent. */
const nameOf = (defect: unknown): string => (defect instanceof Error ? defect.name : typeof defect)

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** One step for hosts without a loop: takes what is due now, up to the limits, and waits until it is dealt with. */
    readonly tick: Effect.Effect<StepReport, StoreUnavailable>
    /** Runs until interrupted; then takes nothing more, waits for hand-offs under way and gives its lease back. */
    readonly run: Effect.Effect<never>
    /** What waits, and since when the oldest of it has been due. */
    readonly health: Effect.Effect<Backlog & { readonly oldestDueAgeMillis: number }, StoreUnavailable>
  }
>()("@mailkeep/core/service/Dispatcher") {
  static readonly layerWith = (options: Partial<DispatcherOptions> = {}) =>
    Layer.effect(
      Dispatcher,
      Effect.gen(function* () {
        const settings = { ...defaultDispatcherOptions, ...options }
        const store = yield* MailStore
        const crypto = yield* Crypto
        const handOffs = yield* HandOffs
        const signal = yield* WorkSignal

        const workerName = () => [...crypto.randomBytes(8)].map((byte) => byte.toString(16).padStart(2, "0")).join("")

        /** The names this process has claimed under, each with how many deliveries it holds. */
        const held = new Map<string, number>()
        let worker = workerName()
        let lastSweepAt = Number.NEGATIVE_INFINITY

        /** Claims from now on are made under another name; what this one still holds is taken up when its lease is over. */
        const changeName = Effect.sync(() => {
          worker = workerName()
        })

        const claim = Effect.fnUntraced(function* (kind: ClaimKind, limit: number) {
          if (limit <= 0) return []
          const now = yield* Clock.currentTimeMillis
          const request: Claim = { kind, now, limit, worker, leaseUntil: now + settings.leaseMillis }
          return yield* store.claim(request).pipe(
            // The claim may have stood: its rows must not wait for a name that lives on.
            Effect.tapError(() => changeName)
          )
        })

        /**
         * Works on a claimed delivery while its worker's name is known to hold something. One that cannot be worked on, such as a
         * row that makes no sense, holds up no other.
         */
        const holding = (delivery: Delivery, work: Effect.Effect<unknown>) => {
          const name = delivery.worker!
          const add = (by: number) =>
            Effect.sync(() => {
              const count = (held.get(name) ?? 0) + by
              if (count > 0) held.set(name, count)
              else held.delete(name)
            })
          const spared = Effect.catchDefect(work, (defect) =>
            Effect.andThen(
              changeName,
              Effect.logError("A delivery could not be worked on.", {
                delivery: delivery.id,
                defect: nameOf(defect)
              })
            )
          )
          return Effect.acquireUseRelease(
            add(1),
            () => spared,
            () => add(-1)
          )
        }

        const renewLeases = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          yield* Effect.forEach(
            [...held.keys()],
            (name) =>
              commitChanges(store, [{ _tag: "RenewLease", worker: name, leaseUntil: now + settings.leaseMillis }]),
            { discard: true }
          )
        }).pipe(Effect.ignore)

        const heartbeat = renewLeases.pipe(
          Effect.delay(Duration.millis(Math.floor(settings.leaseMillis / 3))),
          Effect.forever
        )

        const sweep = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (now - lastSweepAt < sweepEveryMillis) return
          lastSweepAt = now
          const before = { events: now - eventRetentionMillis, idempotency: now, leases: now - hourMillis }
          for (const kind of sweepKinds) {
            const more: Effect.Effect<void, StoreUnavailable> = Effect.flatMap(
              store.sweep({ kind, before: before[kind], limit: sweepLimit }),
              (count) => (count < sweepLimit ? Effect.void : more)
            )
            yield* more
          }
        })

        /** Takes what is due and starts work on it; `room` is how many hand-offs may begin. */
        const step = Effect.fnUntraced(function* (
          room: number,
          start: (delivery: Delivery, work: Effect.Effect<unknown>) => Effect.Effect<unknown>
        ) {
          const recovering = yield* claim("lapsedSending", releaseLimit)
          yield* Effect.forEach(recovering, (delivery) => holding(delivery, handOffs.recover(delivery)), {
            concurrency: "unbounded",
            discard: true
          })
          const releasing = yield* claim("dueScheduled", releaseLimit)
          yield* Effect.forEach(releasing, (delivery) => holding(delivery, handOffs.release(delivery)), {
            concurrency: "unbounded",
            discard: true
          })
          const handing = yield* claim("dueQueued", room)
          yield* Effect.forEach(
            handing,
            (delivery) => start(delivery, holding(delivery, handOffs.handOver(delivery))),
            {
              concurrency: "unbounded",
              discard: true
            }
          )
          return {
            released: releasing.length,
            recovered: recovering.length,
            handedOver: handing.length
          } satisfies StepReport
        })

        const tick = Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.forkScoped(heartbeat)
            const report = yield* step(settings.concurrency, (_, work) => work)
            yield* sweep
            return report
          })
        )

        const sleepMillis = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [next] = yield* store.read([{ _tag: "NextDue", worker, now }])
          return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(1, next - now))
        })

        const loop = Effect.gen(function* () {
          const wake = yield* signal.subscribe
          const slotFreed = yield* Latch.make()
          const underWay = yield* FiberSet.make<unknown, never>()
          // Runs before the hand-offs' own interruption: they get their grace first.
          yield* Effect.addFinalizer(() =>
            FiberSet.awaitEmpty(underWay).pipe(Effect.timeoutOption(Duration.millis(settings.graceMillis)))
          )
          const start = (_: Delivery, work: Effect.Effect<unknown>) =>
            FiberSet.run(underWay, Effect.ensuring(work, slotFreed.open))

          const turn = Effect.gen(function* () {
            yield* wake.close
            yield* slotFreed.close
            const room = settings.concurrency - (yield* FiberSet.size(underWay))
            const { released, recovered, handedOver } = yield* step(room, start)
            yield* sweep
            if (released + recovered + handedOver > 0) return
            const full = (yield* FiberSet.size(underWay)) >= settings.concurrency
            const awaited = full ? slotFreed.await : wake.await
            yield* Effect.timeoutOption(awaited, Duration.millis(full ? sleepMillisMax : yield* sleepMillis))
          })
          return yield* turn.pipe(
            Effect.catch((failure) =>
              Effect.logWarning("The dispatcher waits for the store.", failure.reason).pipe(Effect.delay("1 second"))
            ),
            Effect.catchDefect((defect) =>
              Effect.logError("The dispatcher failed and goes on.", nameOf(defect)).pipe(Effect.delay("1 second"))
            ),
            Effect.forever
          )
        })

        const giveLeaseBack = Effect.suspend(() => Effect.ignore(commitChanges(store, [{ _tag: "EndLease", worker }])))

        const run = Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.addFinalizer(() => giveLeaseBack)
            yield* Effect.forkScoped(heartbeat)
            yield* Effect.forkScoped(Stream.runForEach(store.changes, () => signal.notify))
            return yield* Effect.scoped(loop)
          })
        )

        const health = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [backlog] = yield* store.read([{ _tag: "Backlog", now }])
          return {
            ...backlog,
            oldestDueAgeMillis: backlog.oldestDueAt === null ? 0 : Math.max(0, now - backlog.oldestDueAt)
          }
        })

        return { tick, run, health }
      })
    )
}

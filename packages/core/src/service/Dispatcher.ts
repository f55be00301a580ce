/**
 * Keeps deliveries moving: releases what is due, recovers what a dead worker held, hands over what is queued.
 * Wakes at once on new work and sleeps until the next due time. What a hand-off does is in `HandOffs`.
 */
import { Clock, Context, Duration, Effect, FiberSet, Layer, Stream } from "effect"
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
/** How many names are remembered, to end their leases on shutdown. */
const formerNamesMax = 64
/** Releases and recoveries under way at once. */
const settlingMax = 100

/** How much may be started. */
interface Room {
  readonly settling: number
  readonly handing: number
}

interface Start {
  readonly settling: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
  readonly handing: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>
}

/** Runs what is started at once, and waits for all of it. */
const together = <A, E>(
  use: (start: (work: Effect.Effect<unknown>) => Effect.Effect<unknown>) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    const works: Array<Effect.Effect<unknown>> = []
    return Effect.tap(
      use((work) => Effect.sync(() => works.push(work))),
      () => Effect.all(works, { concurrency: "unbounded", discard: true })
    )
  })

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
        const formerNames: Array<string> = []
        let lastSweepAt = Number.NEGATIVE_INFINITY

        /** Claims from now on are made under another name; what this one still holds is taken up when its lease is over. */
        const changeName = Effect.sync(() => {
          formerNames.push(worker)
          if (formerNames.length > formerNamesMax) formerNames.shift()
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

        const renewLease = (name: string) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            yield* commitChanges(store, [{ _tag: "RenewLease", worker: name, leaseUntil: now + settings.leaseMillis }])
          }).pipe(Effect.ignoreCause)

        const heartbeat = Effect.suspend(() => Effect.forEach([...held.keys()], renewLease, { discard: true })).pipe(
          Effect.delay(Duration.millis(Math.floor(settings.leaseMillis / 3))),
          Effect.forever
        )

        /** One batch of each kind, when it is time; whether more is left. */
        const sweep = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          if (now - lastSweepAt < sweepEveryMillis) return false
          const before = { events: now - eventRetentionMillis, idempotency: now, leases: now - hourMillis }
          const counts = yield* Effect.forEach(sweepKinds, (kind) =>
            store.sweep({ kind, before: before[kind], limit: sweepLimit })
          )
          const more = counts.some((count) => count === sweepLimit)
          if (!more) lastSweepAt = now
          return more
        })

        /** What is left of a delivery once it is released or recovered may be due at once. */
        const thenLook = (work: Effect.Effect<unknown>) => Effect.andThen(work, signal.notify)

        /**
         * Takes what is due and starts work on it, within the room there is. Interrupted half-way, what was claimed is left to its
         * lease.
         */
        const step = (room: Room, start: Start) =>
          Effect.gen(function* () {
            const recovering = yield* claim("lapsedSending", room.settling)
            for (const delivery of recovering)
              yield* start.settling(holding(delivery, thenLook(handOffs.recover(delivery))))
            const releasing = yield* claim("dueScheduled", room.settling - recovering.length)
            for (const delivery of releasing)
              yield* start.settling(holding(delivery, thenLook(handOffs.release(delivery))))
            const handing = yield* claim("dueQueued", room.handing)
            for (const delivery of handing) yield* start.handing(holding(delivery, handOffs.handOver(delivery)))
            return {
              released: releasing.length,
              recovered: recovering.length,
              handedOver: handing.length
            } satisfies StepReport
          }).pipe(Effect.onInterrupt(() => changeName))

        const tick = Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.forkScoped(heartbeat)
            const room = { settling: settlingMax, handing: settings.concurrency }
            // What is released becomes due for a hand-off in the same step.
            const settled = yield* together((start) =>
              step({ ...room, handing: 0 }, { settling: start, handing: start })
            )
            const handed = yield* together((start) =>
              step({ ...room, settling: 0 }, { settling: start, handing: start })
            )
            yield* sweep
            return { ...settled, handedOver: handed.handedOver }
          })
        )

        const sleepMillis = Effect.gen(function* () {
          const now = yield* Clock.currentTimeMillis
          const [next] = yield* store.read([{ _tag: "NextDue", worker, now }])
          return next === null ? sleepMillisMax : Math.min(sleepMillisMax, Math.max(1, next - now))
        })

        const loop = Effect.gen(function* () {
          const wake = yield* signal.subscribe
          const settling = yield* FiberSet.make<unknown, never>()
          const handing = yield* FiberSet.make<unknown, never>()
          // Runs before their own interruption: what is under way gets its grace first.
          yield* Effect.addFinalizer(() =>
            Effect.all([FiberSet.awaitEmpty(settling), FiberSet.awaitEmpty(handing)], { concurrency: 2 }).pipe(
              Effect.timeoutOption(Duration.millis(settings.graceMillis))
            )
          )
          const start: Start = {
            settling: (work) => FiberSet.run(settling, Effect.ensuring(work, wake.open)),
            handing: (work) => FiberSet.run(handing, Effect.ensuring(work, wake.open))
          }
          const roomNow = Effect.gen(function* () {
            return {
              settling: settlingMax - (yield* FiberSet.size(settling)),
              handing: settings.concurrency - (yield* FiberSet.size(handing))
            } satisfies Room
          })

          const turn = Effect.gen(function* () {
            yield* wake.close
            const { released, recovered, handedOver } = yield* step(yield* roomNow, start)
            const moreToSweep = yield* sweep
            if (released + recovered + handedOver > 0 || moreToSweep) return
            // With no room left, an end makes some; what is due already must not be looked for all the while.
            const room = yield* roomNow
            const full = room.settling <= 0 || room.handing <= 0
            yield* Effect.timeoutOption(wake.await, Duration.millis(full ? secondMillis : yield* sleepMillis))
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

        const giveLeasesBack = Effect.suspend(() =>
          Effect.ignore(
            commitChanges(
              store,
              [...formerNames, worker].map((name) => ({ _tag: "EndLease", worker: name }) as const)
            )
          )
        )

        const run = Effect.scoped(
          Effect.gen(function* () {
            yield* Effect.addFinalizer(() => giveLeasesBack)
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

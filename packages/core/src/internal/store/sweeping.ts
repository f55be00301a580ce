/**
 * Deletes expired records in bounded batches: in the background once the clock has been steady for some time, or at once. Source: decision 0035.
 */
import { Effect } from "effect"
import type { SweepKind } from "../../domain/store/Claim.ts"
import { sweepKinds } from "../../domain/store/Claim.ts"
import type { Position } from "../../domain/store/Paging.ts"
import type { RetentionOptions } from "../../domain/store/Retention.ts"
import { eventsMillisDefault } from "../../domain/store/Retention.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../domain/value/Instant.ts"
import type { Crypto } from "../../port/Crypto.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import type { ClockReading } from "../worker/clockJumpDetector.ts"
import type { Moment } from "../worker/moment.ts"
import { currentMoment } from "../worker/moment.ts"
import { makePruning } from "./pruning.ts"
import { makeEndUnattempted } from "../event/unattemptedEvents.ts"

const everyMillis = 10 * minuteMillis
const batchMax = 500
/** A message can have 50 deliveries and 20 MiB of files, whose deletion takes 10 ms. */
const messageBatchMax = 100

/** A process watches its clock for this time before it sweeps. A clock that is wrong at the start is usually corrected soon. */
const watchedMillisMin = 10 * minuteMillis
/** A process does not sweep for this time after the wall clock jumped forward, because the clock may be set back. */
const pauseAfterJumpMillis = dayMillis

/**
 * Deletes old messages, one batch at a time, oldest first. After the last batch it begins again at the oldest message, for messages that had not
 * ended. Returns whether another batch follows now.
 */
const makeMessageSweeping = (store: MailStoreShape) => {
  let after: Position | null = null
  return (before: number): Effect.Effect<boolean, StoreUnavailable> =>
    Effect.suspend(() =>
      Effect.map(store.sweepMessages({ before, after, limit: messageBatchMax }), ({ next }) => {
        after = next
        return next !== null
      })
    )
}

/** What the sweeps need. */
export interface SweepingDeps {
  readonly store: MailStoreShape
  readonly crypto: Crypto["Service"]
}

/** Deletes the next batch of everything that has expired at a moment. Returns whether more is left. */
type SweepBatch = (moment: Moment) => Effect.Effect<boolean, StoreUnavailable>

/** A batch deletes some records of each kind, ends some event deliveries that no process attempts, and prunes a page of messages. */
const makeSweepBatch = (
  { store, crypto }: SweepingDeps,
  { messagesMillis, bodiesMillis, attachmentsMillis, eventsMillis }: RetentionOptions
): SweepBatch => {
  const sweepMessages = makeMessageSweeping(store)
  const prunePage = makePruning(store)
  const endUnattempted = makeEndUnattempted(store, crypto)
  const eventRetentionMillis = eventsMillis ?? eventsMillisDefault
  const ago = (now: number, millis: number | null | undefined) =>
    millis === null || millis === undefined ? null : now - millis
  return ({ now, monotonicMillis }) =>
    Effect.gen(function* () {
      const before: Readonly<Record<SweepKind, number>> = {
        events: now - eventRetentionMillis,
        idempotency: now,
        leases: now - hourMillis,
        eventDeliveries: now - eventRetentionMillis
      }
      const areMoreLeft = yield* Effect.forEach(sweepKinds, (kind) =>
        Effect.map(store.sweep({ kind, before: before[kind], limit: batchMax }), (count) => count === batchMax)
      )
      const isEnding = yield* endUnattempted(before.events, now, batchMax)
      const messagesBefore = ago(now, messagesMillis)
      const isSweeping = messagesBefore !== null && (yield* sweepMessages(messagesBefore))
      const pruneBefore = { bodies: ago(now, bodiesMillis), attachments: ago(now, attachmentsMillis) }
      const isPruning = yield* prunePage(pruneBefore, monotonicMillis)
      return isPruning || isSweeping || isEnding || areMoreLeft.includes(true)
    })
}

/**
 * Makes the sweep of a process that runs for long: one batch at each call, until nothing is left, and then none for 10 min. Returns whether more
 * expired records are left.
 */
export const makeSweeping = (
  deps: SweepingDeps & { readonly readClock: Effect.Effect<ClockReading> },
  retention: RetentionOptions
): Effect.Effect<boolean, StoreUnavailable> => {
  const sweepBatch = makeSweepBatch(deps, retention)
  let lastMillis = Number.NEGATIVE_INFINITY
  return Effect.gen(function* () {
    const { sinceJumpMillis, watchedMillis, ...moment } = yield* deps.readClock
    if (watchedMillis < watchedMillisMin || sinceJumpMillis < pauseAfterJumpMillis) return false
    if (moment.monotonicMillis - lastMillis < everyMillis) return false
    // Set before the batch, so that a batch that fails delays the mail once in this time, and not in each turn.
    lastMillis = moment.monotonicMillis
    const more = yield* sweepBatch(moment)
    if (more) lastMillis = Number.NEGATIVE_INFINITY
    return more
  })
}

/** Deletes everything that has expired now, batch by batch. Trusts the clock. */
export const sweepAll = (deps: SweepingDeps, retention: RetentionOptions): Effect.Effect<void, StoreUnavailable> =>
  Effect.gen(function* () {
    const sweepBatch = makeSweepBatch(deps, retention)
    const moment = yield* currentMoment
    while (yield* sweepBatch(moment));
  })

/**
 * Measures the commits of a store: their number by result, their time, and the facts that they stored. Remembers when the last write failed.
 * Source: decision 0046.
 */
import { Clock, Context, Effect } from "effect"
import { measurementsOf } from "../../domain/observability/measurements.ts"
import type { Measurement } from "../../domain/observability/metricTable.ts"
import type { Change } from "../../domain/store/Change.ts"
import type { Conflict, StoreUnavailableReason } from "../../domain/store/Conflict.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { recordMetric, recordMetricsUnsafe } from "../../telemetry/metrics.ts"
import type { MailStoreShape, StoreUnavailable } from "../../port/MailStore.ts"
import { skipEmptyCommit } from "./skipEmptyCommit.ts"

/** The last write that failed. */
export interface WriteFailure {
  readonly at: Instant
  readonly reason: StoreUnavailableReason
}

/** What this process knows about the writes of its store. */
export class StoreWriteStatus extends Context.Service<
  StoreWriteStatus,
  {
    /** The last write, if it failed; `null` after a write that did not. */
    readonly lastWriteFailure: Effect.Effect<WriteFailure | null>
  }
>()("@mailkeep/core/internal/StoreWriteStatus") {}

/** A store under load and a conflict with another writer are no faults of the store. */
const isFault = (reason: StoreUnavailableReason): boolean => reason !== "overloaded" && reason !== "contended"

const nanosPerSecond = 1e9

const applied: Measurement = { name: "mailkeep_commits_total", labels: { result: "applied" }, value: 1 }

export const makeMeasuredStore = (store: MailStoreShape) => {
  let lastFailure: WriteFailure | null = null

  const recordFailure = (failure: Conflict | StoreUnavailable) =>
    Effect.flatMap(Clock.currentTimeMillis, (at) => {
      if (failure._tag === "StoreUnavailable" && isFault(failure.reason)) lastFailure = { at, reason: failure.reason }
      return recordMetric(
        "mailkeep_commits_total",
        { result: failure._tag === "Conflict" ? "conflict" : failure.reason },
        1
      )
    })

  // Every send passes here, so the clock and the metrics are used without effects of their own.
  const commit = (changes: ReadonlyArray<Change>) =>
    Effect.flatMap(Effect.context<never>(), (context) => {
      const clock = Context.get(context, Clock.Clock)
      const startedNanos = clock.monotonicTimeNanosUnsafe()
      const committed = Effect.map(store.commit(changes), () => {
        lastFailure = null
        const value = Number(clock.monotonicTimeNanosUnsafe() - startedNanos) / nanosPerSecond
        const took: Measurement = { name: "mailkeep_commit_seconds", labels: {}, value }
        recordMetricsUnsafe([applied, took, ...measurementsOf(changes)], context)
      })
      return committed.pipe(
        Effect.tapError(recordFailure),
        Effect.tapDefect(() => recordMetric("mailkeep_commits_total", { result: "bug" }, 1))
      )
    })

  // The commit of a transaction that the store joins is that of the product, so what is written in it is not measured.
  const measured: MailStoreShape = {
    ...store,
    commit: skipEmptyCommit(commit)
  }
  return { store: measured, writeStatus: { lastWriteFailure: Effect.sync(() => lastFailure) } }
}

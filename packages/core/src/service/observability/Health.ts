/**
 * The health of this process: whether its store answers, whether mail moves, and how the relay is doing. Source: decision 0046.
 */
import { Clock, Context, Duration, Effect, Layer, Option, Result } from "effect"
import type { HealthFacts, HealthFault, HealthReport, StoreFault } from "../../decide/observability/decideHealth.ts"
import { decideHealth } from "../../decide/observability/decideHealth.ts"
import type { Measurement } from "../../domain/observability/metricTable.ts"
import type { Instant } from "../../domain/value/Instant.ts"
import { dayMillis, minuteMillis, secondMillis } from "../../domain/value/Instant.ts"
import type { OptionRules } from "../../domain/value/OptionRule.ts"
import { checkedOptions, wholeOption } from "../../domain/value/OptionRule.ts"
import type { WriteFailure } from "../../internal/store/measuredStore.ts"
import { StoreWriteStatus } from "../../internal/store/measuredStore.ts"
import type { RelayHealth } from "../../internal/delivery/relayLimiter.ts"
import { leaseRule } from "../../internal/worker/workerLease.ts"
import type { MailStoreShape } from "../../port/MailStore.ts"
import { MailStore } from "../../port/MailStore.ts"
import { recordMetrics, registerMetrics } from "../../telemetry/metrics.ts"
import { HandOffs } from "../delivery/HandOffs.ts"
import { WakeUp } from "../delivery/WakeUp.ts"

export type {
  HealthFault,
  HealthReason,
  HealthReport,
  HealthStatus,
  StoreFault
} from "../../decide/observability/decideHealth.ts"

/** The times after which work counts as stuck. */
export interface HealthOptions {
  /** A delivery that has been due for this time is late. 1 ms to 366 days. Default 300,000. */
  readonly lateMillis: number
  /**
   * A delivery in status `sending` is stuck when the lease of its worker ended at least this time ago. 1,000 to 3,600,000. Default:
   * `dispatcher.leaseMillis` in `MailCore` and `openMail`, otherwise 30,000.
   */
  readonly leaseMillis: number
  /** How long the store may take to answer before it counts as unavailable. 1 to 86,400,000. Default 5,000. */
  readonly storeMillis: number
}

export const healthRules: OptionRules<HealthOptions> = {
  lateMillis: wholeOption(1, 366 * dayMillis),
  leaseMillis: leaseRule,
  storeMillis: wholeOption(1, dayMillis)
}

const defaultHealthOptions: HealthOptions = {
  lateMillis: 5 * minuteMillis,
  leaseMillis: 30 * secondMillis,
  storeMillis: 5 * secondMillis
}

/**
 * A write that failed counts for this time. The traffic that would show that the store works again may be sent elsewhere because of the report.
 */
const writeFailureMillisMax = minuteMillis

interface Work {
  readonly work: HealthFacts["work"]
  readonly fault: StoreFault | null
}

/** Reads the work. A store that fails or takes too long is a fact like any other. */
const readWork = (store: MailStoreShape, options: HealthOptions, now: Instant): Effect.Effect<Work> => {
  const { lateMillis, leaseMillis, storeMillis } = options
  const times = { dueBefore: now - lateMillis, leaseEndedBefore: now - leaseMillis }
  const read = store.read([
    { _tag: "Backlog", now },
    { _tag: "WorkHealth", ...times }
  ])
  return read.pipe(
    Effect.catchDefect(() => Effect.fail({ reason: "unreachable" as const })),
    Effect.result,
    Effect.timeoutOption(Duration.millis(storeMillis)),
    Effect.map(
      Option.match({
        onNone: () => ({ work: null, fault: "timeout" }),
        onSome: Result.match({
          onFailure: ({ reason }) => ({ work: null, fault: reason }),
          onSuccess: ([backlog, health]) => ({ work: { ...backlog, ...health }, fault: null })
        })
      })
    )
  )
}

const recentReason = (failure: WriteFailure | null, now: Instant): StoreFault | null =>
  failure === null || Math.abs(now - failure.at) >= writeFailureMillisMax ? null : failure.reason

/** The words of the relay may contain an address, so they stay behind. */
const withoutWords = ({ lastFault, ...relay }: RelayHealth): HealthFacts["relay"] => {
  if (lastFault === null) return { ...relay, lastFault }
  const { at, kind, wrongSetting, smtpCode, enhancedCode } = lastFault
  const fault: HealthFault = { at, kind, wrongSetting, smtpCode, enhancedCode }
  return { ...relay, lastFault: fault }
}

const circuitNumbers = { closed: 0, throttled: 1, open: 2 } as const
const statusNumbers = { ok: 0, degraded: 1, failing: 2 } as const

/** The gauges of a report. A value that is not known is not a number, and `metricsText` of `@mailkeep/http` omits it. */
const gaugesOf = (report: HealthReport): ReadonlyArray<Measurement> => {
  const number = (value: number | null): number => value ?? Number.NaN
  const ageMillis = report.oldestDueAgeMillis
  return [
    { name: "mailkeep_backlog", labels: { status: "scheduled" }, value: number(report.scheduled) },
    { name: "mailkeep_backlog", labels: { status: "queued" }, value: number(report.queued) },
    { name: "mailkeep_backlog", labels: { status: "sending" }, value: number(report.sending) },
    {
      name: "mailkeep_oldest_due_age_seconds",
      labels: {},
      value: ageMillis === null ? Number.NaN : ageMillis / secondMillis
    },
    { name: "mailkeep_stuck_deliveries", labels: {}, value: number(report.stuck) },
    { name: "mailkeep_event_deliveries_pending", labels: {}, value: number(report.eventDeliveriesPending) },
    { name: "mailkeep_hand_offs_in_flight", labels: {}, value: report.inFlight },
    { name: "mailkeep_relay_circuit", labels: {}, value: circuitNumbers[report.circuit] },
    { name: "mailkeep_dispatcher_running", labels: {}, value: report.dispatcherRunning ? 1 : 0 },
    { name: "mailkeep_store_up", labels: {}, value: report.store === "ok" ? 1 : 0 },
    { name: "mailkeep_health_status", labels: {}, value: statusNumbers[report.status] }
  ]
}

/**
 * Reports how this process is doing, for a load balancer, a supervisor or an alert. A report contains no address, no text of a message and no
 * words of the relay.
 *
 * @example
 * ```ts
 * import { Health } from "@mailkeep/core"
 * import { Effect } from "effect"
 *
 * export const program = Effect.gen(function* () {
 *   const { status, reasons, oldestDueAgeMillis } = yield* (yield* Health).check
 *   if (status !== "ok") yield* Effect.logWarning("The mail needs attention.", { reasons, oldestDueAgeMillis })
 * })
 * ```
 */
export class Health extends Context.Service<
  Health,
  {
    /**
     * Reads the store once and returns the report. Never fails: a store that does not answer within `storeMillis` is `failing`. Also sets the
     * gauges of the metrics. The read counts the rows of an index, so call it at most about once a second.
     */
    readonly check: Effect.Effect<HealthReport>
  }
>()("@mailkeep/core/service/Health") {
  /** The health with other times than the defaults. `MailCore.layerWith` makes it with all other services. */
  static readonly layerWith = (options: Partial<HealthOptions> = {}) =>
    Layer.effect(
      Health,
      Effect.gen(function* () {
        const settings = { ...defaultHealthOptions, ...checkedOptions("health", healthRules, options) }
        const store = yield* MailStore
        const { relayLimiter } = yield* HandOffs
        const { isDispatching } = yield* WakeUp
        const { lastWriteFailure } = yield* StoreWriteStatus
        yield* registerMetrics
        return {
          check: Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            const { work, fault } = yield* readWork(store, settings, now)
            const report = decideHealth({
              now,
              dispatcherRunning: yield* isDispatching,
              relay: withoutWords(yield* relayLimiter.health),
              storeFault: fault ?? recentReason(yield* lastWriteFailure, now),
              work
            })
            yield* recordMetrics(gaugesOf(report))
            return report
          })
        }
      })
    )
}

/**
 * The metrics of this process as text for Prometheus. Source: decision 0046.
 */
import { Health } from "@mailkeep/core"
import { Context, Effect, Metric } from "effect"
import { PrometheusMetrics } from "effect/observability"

type Metadata = Metric.Metric.Metadata<unknown, unknown>

/** A gauge whose value is not known, because the store did not answer. */
const isUnknown = ({ type, hooks }: Metadata, context: Context.Context<never>): boolean =>
  type === "Gauge" && Number.isNaN((hooks.get(context) as Metric.GaugeState<number>).value)

/**
 * Checks the health, and returns all metrics of Mailkeep in the text format 0.0.4 of Prometheus. Contains no address, no id and no metric of the
 * product. A gauge that is not known is absent. The counters belong to the process: two cores in one process share them.
 *
 * @example
 * ```ts
 * import { metricsText } from "@mailkeep/http"
 * import { Effect } from "effect"
 *
 * // The answer to a scrape, in a server of the product.
 * export const scrape = Effect.map(
 *   metricsText,
 *   (text) => new Response(text, { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } })
 * )
 * ```
 */
export const metricsText: Effect.Effect<string, never, Health> = Effect.gen(function* () {
  yield* (yield* Health).check
  const context = yield* Effect.context<never>()
  const known = new Map(
    [...Context.get(context, Metric.MetricRegistry)].filter(
      ([, metric]) => metric.id.startsWith("mailkeep_") && !isUnknown(metric, context)
    )
  )
  return PrometheusMetrics.formatUnsafe(Context.add(context, Metric.MetricRegistry, known))
})

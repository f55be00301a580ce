/**
 * The metrics as metrics of Effect: one series for each combination of label values. They are in the registry of the process, so a product that
 * exports metrics of Effect also exports these. Source: decision 0046.
 */
import type { Context } from "effect"
import { Effect, Metric } from "effect"
import type { LabelsOf, Measurement, MetricName, MetricRow } from "../domain/observability/metricTable.ts"
import { metricTable } from "../domain/observability/metricTable.ts"

type Series = Metric.Metric<number, unknown>

/** The series of a metric by the values of its labels: one level for each label. */
type SeriesTree = Series | ReadonlyMap<string, SeriesTree>

interface MetricSeries {
  readonly kind: MetricRow["kind"]
  readonly labelNames: ReadonlyArray<string>
  readonly tree: SeriesTree
}

const makeSeries = (name: string, { kind, help, boundaries = [] }: MetricRow, attributes: Record<string, string>) => {
  const options = { description: help, attributes }
  if (kind === "histogram") return Metric.histogram(name, { ...options, boundaries })
  return kind === "gauge" ? Metric.gauge(name, options) : Metric.counter(name, { ...options, incremental: true })
}

/** Makes the series of every combination of values of the labels that `attributes` does not have yet. */
const makeTree = (name: string, row: MetricRow, attributes: Record<string, string> = {}): SeriesTree => {
  const entry = Object.entries(row.labels)[Object.keys(attributes).length]
  if (entry === undefined) return makeSeries(name, row, attributes)
  const [label, values] = entry
  return new Map(values.map((value) => [value, makeTree(name, row, { ...attributes, [label]: value })]))
}

const metrics: ReadonlyMap<string, MetricSeries> = new Map(
  Object.entries<MetricRow>(metricTable).map(([name, row]) => [
    name,
    { kind: row.kind, labelNames: Object.keys(row.labels), tree: makeTree(name, row) }
  ])
)

/** Finds the series level by level, because a text of all labels would cost more than the rest of a measurement. */
const seriesOf = (name: MetricName, labels: Readonly<Record<string, string>>): Series | undefined => {
  const metric = metrics.get(name)
  let found: SeriesTree | undefined = metric?.tree
  for (const label of metric?.labelNames ?? []) found = found instanceof Map ? found.get(labels[label]!) : undefined
  return found as Series | undefined
}

/** Adds measurements to their series, for code that has the context of its fiber. Ignores a name and a value that the table does not have. */
export const recordMetricsUnsafe = (
  measurements: ReadonlyArray<Measurement>,
  context: Context.Context<never>
): void => {
  for (const { name, labels, value } of measurements) seriesOf(name, labels)?.updateUnsafe(value, context)
}

/** Adds measurements to their series. Ignores a name and a value that the table does not have. */
export const recordMetrics = (measurements: ReadonlyArray<Measurement>): Effect.Effect<void> =>
  Effect.map(Effect.context<never>(), (context) => recordMetricsUnsafe(measurements, context))

/** Adds one measurement, such as 1 to a counter, to its series. Ignores a name and a value that the table does not have. */
export const recordMetric = <N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): Effect.Effect<void> =>
  recordMetrics([{ name, labels, value } as Measurement])

const allSeries = (tree: SeriesTree): ReadonlyArray<Series> =>
  tree instanceof Map ? [...tree.values()].flatMap(allSeries) : [tree as Series]

/** Registers each counter and histogram with 0, so that the first increase of a rare one is visible. */
export const registerMetrics: Effect.Effect<void> = Effect.map(Effect.context<never>(), (context) => {
  for (const { kind, tree } of metrics.values())
    if (kind !== "gauge") for (const series of allSeries(tree)) series.valueUnsafe(context)
})

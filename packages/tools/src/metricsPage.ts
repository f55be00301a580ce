/**
 * The reference page of the metrics, from their table. Also which metrics a text names, to check a dashboard.
 */
import type { MetricRow } from "@mailkeep/core/binding"
import { metricTable } from "@mailkeep/core/binding"
import { generatedNotice, table } from "./markdown.ts"

const rows = Object.entries<MetricRow>(metricTable)

const labelsOf = ({ labels }: MetricRow): string =>
  Object.entries(labels)
    .map(([label, values]) => `\`${label}\`: ${values.map((value) => `\`${value}\``).join(", ")}`)
    .join("; ") || "none"

/** The series that Prometheus makes of a metric. */
const seriesOf = ([name, { kind }]: readonly [string, MetricRow]): ReadonlyArray<string> =>
  kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]

const known: ReadonlySet<string> = new Set(rows.flatMap(seriesOf))

/** The series of Mailkeep that a text names although no metric of the table has them. */
export const unknownSeries = (text: string): ReadonlyArray<string> => [
  ...new Set([...text.matchAll(/\bmailkeep_[a-z_]+/g)].map(([name]) => name).filter((name) => !known.has(name)))
]

/** The metrics of the table that a text does not name. */
export const unusedMetrics = (text: string): ReadonlyArray<string> =>
  rows.filter((row) => !seriesOf(row).some((name) => new RegExp(`\\b${name}\\b`).test(text))).map(([name]) => name)

const boundariesOf = (rows: ReadonlyArray<readonly [string, MetricRow]>): string =>
  table(
    ["Histogram", "Upper bounds of the buckets"],
    rows.flatMap(([name, { boundaries }]) => (boundaries === undefined ? [] : [[`\`${name}\``, boundaries.join(", ")]]))
  )

export const metricsPage = (): string => `${generatedNotice("the table of metrics (`metricTable.ts`)")}
# Metrics

\`GET /metrics\` of the operations server shows these metrics in the text format of Prometheus. [Operations](../operations/README.md) explains how
to read them, and has a dashboard for Grafana. Times are in seconds. No label has a project, an address or an id.

${table(
  ["Metric", "Kind", "What it shows", "Labels"],
  rows.map(([name, row]) => [`\`${name}\``, row.kind, row.help, labelsOf(row)])
)}

Counters and histograms belong to one process and begin at 0 when it starts. A commit is counted by the process that made it. The gauges
\`mailkeep_backlog\`, \`mailkeep_oldest_due_age_seconds\`, \`mailkeep_stuck_deliveries\` and \`mailkeep_event_deliveries_pending\` describe the store. With several
processes on one store each process shows the same values, so take their maximum and not their sum. While the store does not answer, they are absent.

${boundariesOf(rows)}
`

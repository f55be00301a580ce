/**
 * The table of all metrics: what each counts or measures, and its closed lists of label values. No label contains a project, an address or an id,
 * so the number of series is fixed. The page `docs/reference/metrics.md` is generated from this table. Source: decision 0046.
 */
import { sendingSources } from "../access/ApiKey.ts"
import { attemptOutcomes } from "../delivery/Delivery.ts"
import { reportKinds } from "../delivery/DeliveryReport.ts"
import { storeUnavailableReasons } from "../store/Conflict.ts"

/** The statuses that a delivery reaches by an answer, a report or a decision, and not by waiting for the dispatcher. */
export const reachedStatuses = [
  "accepted",
  "delivered",
  "bounced",
  "complained",
  "failed",
  "suppressed",
  "canceled"
] as const

/** The kinds of subscribers: an endpoint of a customer, and a function in the process of the product. */
const subscriberKinds = ["webhook", "handler"] as const
/** The statuses of the backlog. */
const backlogStatuses = ["scheduled", "queued", "sending"] as const

/**
 * The results of a commit: `applied`, `conflict`, `bug` for a defect, such as a row that a constraint of the operator refuses, or the reason why the store
 * was unavailable.
 */
const commitResults = ["applied", "conflict", "bug", ...storeUnavailableReasons] as const

/** One metric. */
export interface MetricRow {
  /** A counter only grows. A histogram counts values by size. A gauge is a value at the time of a scrape. */
  readonly kind: "counter" | "histogram" | "gauge"
  /** What the metric counts or measures. Prometheus shows this sentence. */
  readonly help: string
  /** The labels, each with all its values. */
  readonly labels: Readonly<Record<string, ReadonlyArray<string>>>
  /** The upper bounds of the buckets of a histogram. */
  readonly boundaries?: ReadonlyArray<number>
}

const commitSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** All metrics by name. Times are in seconds. */
export const metricTable = {
  mailkeep_sends_total: {
    kind: "counter",
    help: "Messages that were accepted for delivery, by the way in which they came. Without those sent in a transaction of the product (`within`), whose commit is not seen.",
    labels: { source: sendingSources }
  },
  mailkeep_deliveries_total: {
    kind: "counter",
    help: "Deliveries that reached a status. One delivery can reach several, such as accepted and then bounced.",
    labels: { status: reachedStatuses }
  },
  mailkeep_hand_offs_total: {
    kind: "counter",
    help: "Attempts to hand a delivery to the transport that have ended, by outcome.",
    labels: { outcome: attemptOutcomes }
  },
  mailkeep_hand_off_seconds: {
    kind: "histogram",
    help: "The time from the begin of an attempt to the answer of the relay, for attempts with an answer.",
    labels: {},
    boundaries: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
  },
  mailkeep_queue_seconds: {
    kind: "histogram",
    help: "The time from the queuing of a delivery to the begin of its first attempt.",
    labels: {},
    boundaries: [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400]
  },
  mailkeep_reports_total: {
    kind: "counter",
    help: "Reports about deliveries after the hand-off, by kind and by what they changed.",
    labels: { kind: reportKinds, outcome: ["recorded", "unchanged", "unmatched"] }
  },
  mailkeep_event_deliveries_total: {
    kind: "counter",
    help: "Event deliveries that have ended, by the kind of the subscriber and by the result.",
    labels: { subscriber: subscriberKinds, outcome: ["delivered", "failed"] }
  },
  mailkeep_commits_total: {
    kind: "counter",
    help: "Commits to the store, by result. A conflict is decided again and is no failure.",
    labels: { result: commitResults }
  },
  mailkeep_commit_seconds: {
    kind: "histogram",
    help: "The time of an applied commit, from the request to the acknowledgment.",
    labels: {},
    boundaries: commitSeconds
  },
  mailkeep_store_group_writes: {
    kind: "histogram",
    help: "Commits that shared one transaction and one disk sync. With SQLite, claims and sweeps count too.",
    labels: {},
    boundaries: [1, 2, 4, 8, 16, 32, 64, 128, 256]
  },
  mailkeep_store_sync_seconds: {
    kind: "histogram",
    help: "The time of the COMMIT of a transaction, which is mostly the disk sync.",
    labels: {},
    boundaries: commitSeconds
  },
  mailkeep_backlog: {
    kind: "gauge",
    help: "Deliveries in the store that need the dispatcher, by status.",
    labels: { status: backlogStatuses }
  },
  mailkeep_oldest_due_age_seconds: {
    kind: "gauge",
    help: "For how long the oldest due delivery has been due; 0 without one.",
    labels: {}
  },
  mailkeep_stuck_deliveries: {
    kind: "gauge",
    help: "Deliveries that should have moved: due for at least the option health.lateMillis (default 5 minutes) while the circuit is closed, or left by a dead worker.",
    labels: {}
  },
  mailkeep_event_deliveries_pending: {
    kind: "gauge",
    help: "Event deliveries in the store that have not ended.",
    labels: {}
  },
  mailkeep_hand_offs_in_flight: {
    kind: "gauge",
    help: "Hand-offs under way in this process.",
    labels: {}
  },
  mailkeep_relay_circuit: {
    kind: "gauge",
    help: "The circuit of the relay as this process sees it: 0 closed, 1 throttled, 2 open.",
    labels: {}
  },
  mailkeep_dispatcher_running: {
    kind: "gauge",
    help: "1 if a dispatcher of this process is at work, else 0.",
    labels: {}
  },
  mailkeep_store_up: {
    kind: "gauge",
    help: "1 if the store answers and its last write did not fail, else 0.",
    labels: {}
  },
  mailkeep_health_status: {
    kind: "gauge",
    help: "The health of this process: 0 ok, 1 degraded, 2 failing.",
    labels: {}
  }
} as const satisfies Readonly<Record<string, MetricRow>>

type Table = typeof metricTable
/** The name of a metric. */
export type MetricName = keyof Table

/** The labels of a metric, each with one of its values. */
export type LabelsOf<N extends MetricName> = {
  readonly [L in keyof Table[N]["labels"]]: Table[N]["labels"][L] extends ReadonlyArray<infer Value> ? Value : never
}

/** One value for one series: an amount for a counter, an observation for a histogram, or the value of a gauge. */
export type Measurement = {
  readonly [N in MetricName]: { readonly name: N; readonly labels: LabelsOf<N>; readonly value: number }
}[MetricName]

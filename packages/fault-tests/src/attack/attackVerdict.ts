/**
 * Checks the observations of an attack run against the bounds. Pure. `test/attackVerdict.test.ts` breaks each bound.
 */
import type { AnswerCounts } from "./Attack.ts"
import type { HonestKind, HonestRequest } from "./HonestRequest.ts"
import { honestKinds, honestRates, expectedStatus } from "./HonestRequest.ts"

export interface Bounds {
  /** Maximum resident memory of the server at any time. */
  readonly rssBytesMax: number
  /** Maximum resident memory after the attacks, as a multiple of the memory before them. */
  readonly rssGrowthMax: number
  /** Maximum time after the attacks to release memory and write-ahead log, under continued honest load. */
  readonly calmMillisMax: number
  /** Maximum 99th percentile of each kind of honest request during the attacks. A wrong answer counts as no answer. */
  readonly p99MillisMax: Readonly<Record<HonestKind, number>>
  /** Maximum size of the write-ahead log after the foreign reader has ended. */
  readonly walBytesMax: number
  /** Minimum share of the scheduled honest requests that were made. With fewer, the percentiles mean little. */
  readonly honestShareMin: number
}

/** The bounds that a server must reach in the end. Source: decision 0024. */
export const bounds: Bounds = {
  rssBytesMax: 400_000_000,
  rssGrowthMax: 1.3,
  calmMillisMax: 30_000,
  p99MillisMax: { send: 250, "list logs": 250, "create contact": 250 },
  walBytesMax: 64 * 1024 * 1024,
  honestShareMin: 0.9
}

/**
 * How much the memory may grow when the memory before the attacks is that of a server that has just started. It grows less in a server in use.
 */
const growthSinceStartMax = 3

/** The bounds for one attack alone, on a server that has just started: it hardly delays the sends of other projects. */
export const singleAttackBounds: Bounds = {
  ...bounds,
  rssGrowthMax: growthSinceStartMax,
  p99MillisMax: { ...bounds.p99MillisMax, send: 50 }
}

/** The bounds of CI. The bound of latency is so large that a machine with other work does not reach it: it finds a server that no longer answers. */
export const ciBounds: Bounds = {
  ...bounds,
  rssBytesMax: 800_000_000,
  rssGrowthMax: growthSinceStartMax,
  calmMillisMax: 120_000,
  p99MillisMax: { send: 20_000, "list logs": 20_000, "create contact": 20_000 }
}

export interface Observation {
  /** The names of the attacks that were started. */
  readonly attacks: ReadonlyArray<string>
  readonly answers: AnswerCounts
  /** Start of the attacks, in milliseconds since the epoch. */
  readonly startedAt: number
  /** End of the attacks, in milliseconds since the epoch. */
  readonly endedAt: number
  /** How the server ended before it was stopped; `null` if it ran until then. */
  readonly ending: string | null
  /** The highest value before the attacks, under honest load. */
  readonly rssBeforeBytes: number
  /** The highest value of the whole run. */
  readonly rssPeakBytes: number
  readonly rssAfterBytes: number
  readonly walAfterBytes: number
  /** The honest requests before, during and after the attacks. */
  readonly honest: ReadonlyArray<HonestRequest>
  /** The final status of each delivery in the logs of the honest projects. */
  readonly log: ReadonlyMap<string, string>
}

/** The percentile of sorted values by nearest rank; 0 for no values. */
const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0

export interface LatencySummary {
  readonly requests: number
  /** Number of requests with an unexpected status or without an answer. */
  readonly refused: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly maxMillis: number
  /** The 99th percentile of the delay of the client itself. */
  readonly lateP99Millis: number
}

const isExpected = ({ kind, status }: HonestRequest) => status === expectedStatus[kind]

/** Summarizes the requests that were scheduled from `from` to before `to`. A refused request has an infinite latency. */
export const summarize = (
  honest: ReadonlyArray<HonestRequest>,
  kind: HonestKind,
  from: number,
  to: number
): LatencySummary => {
  const requests = honest.filter((one) => one.kind === kind && one.intendedAt >= from && one.intendedAt < to)
  const ascending = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)
  const sorted = ascending(requests.map((request) => (isExpected(request) ? request.millis : Number.POSITIVE_INFINITY)))
  const late = ascending(requests.map(({ lateMillis }) => lateMillis))
  return {
    requests: requests.length,
    refused: requests.filter((request) => !isExpected(request)).length,
    p50Millis: percentile(sorted, 0.5),
    p99Millis: percentile(sorted, 0.99),
    maxMillis: sorted.at(-1) ?? 0,
    lateP99Millis: percentile(late, 0.99)
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(0)} MB`

const memoryFailures = (seen: Observation, bound: Bounds): ReadonlyArray<string> => [
  ...(seen.rssPeakBytes > bound.rssBytesMax
    ? [`the server used ${megabytes(seen.rssPeakBytes)} of memory; the bound is ${megabytes(bound.rssBytesMax)}`]
    : []),
  ...(seen.rssAfterBytes > seen.rssBeforeBytes * bound.rssGrowthMax
    ? [
        `the server kept ${megabytes(seen.rssAfterBytes)} of memory after the attacks; before them it used ${megabytes(seen.rssBeforeBytes)}, and the bound is ${bound.rssGrowthMax} times that`
      ]
    : []),
  ...(seen.walAfterBytes > bound.walBytesMax
    ? [`the write-ahead log kept ${megabytes(seen.walAfterBytes)}; the bound is ${megabytes(bound.walBytesMax)}`]
    : [])
]

const latencyFailures = (seen: Observation, bound: Bounds): ReadonlyArray<string> =>
  honestKinds.flatMap((kind) => {
    const { requests, refused, p99Millis } = summarize(seen.honest, kind, seen.startedAt, seen.endedAt)
    const scheduled = ((seen.endedAt - seen.startedAt) / 1000) * honestRates[kind]
    return [
      ...(requests < scheduled * bound.honestShareMin
        ? [`${kind}: only ${requests} of ${scheduled.toFixed(0)} scheduled requests were made`]
        : []),
      ...(p99Millis > bound.p99MillisMax[kind]
        ? [
            `${kind}: the 99th percentile is ${p99Millis.toFixed(0)} ms, ${refused} of ${requests} refused; the bound is ${bound.p99MillisMax[kind]} ms`
          ]
        : [])
    ]
  })

const handedOff = new Set(["delivered", "accepted"])

const lossFailures = ({ honest, log }: Observation): ReadonlyArray<string> =>
  honest
    .flatMap(({ deliveryIds }) => deliveryIds)
    .flatMap((id) => {
      const status = log.get(id)
      if (status === undefined) return [`delivery ${id} was accepted, but is not in the log`]
      return handedOff.has(status) ? [] : [`delivery ${id} was accepted, but is ${status} at the end`]
    })

/** An honest client may get 503 from a server with too much work, but never 500. */
const honestFailures = ({ honest }: Observation): ReadonlyArray<string> =>
  honestKinds.flatMap((kind) => {
    const internalErrors = honest.filter((one) => one.kind === kind && one.status === 500).length
    return internalErrors > 0 ? [`${kind}: was answered 500 ${internalErrors} times`] : []
  })

/** The attacks that got a status 500, or that made no request. */
const attackFailures = ({ attacks, answers }: Observation): ReadonlyArray<string> =>
  attacks.flatMap((name) => {
    const counts = Object.entries(answers[name] ?? {})
    const internalErrors = counts.reduce((sum, [answer, count]) => (answer.endsWith("500") ? sum + count : sum), 0)
    return [
      ...(counts.length === 0 ? [`attack "${name}": made no request`] : []),
      ...(internalErrors > 0 ? [`attack "${name}": was answered 500 ${internalErrors} times`] : [])
    ]
  })

/** Returns a message for each broken bound. Empty when the server kept all bounds. */
export const brokenBounds = (seen: Observation, bound: Bounds): ReadonlyArray<string> => [
  ...(seen.ending === null ? [] : [`the server ended or hangs: ${seen.ending}`]),
  ...memoryFailures(seen, bound),
  ...latencyFailures(seen, bound),
  ...honestFailures(seen),
  ...lossFailures(seen),
  ...attackFailures(seen)
]

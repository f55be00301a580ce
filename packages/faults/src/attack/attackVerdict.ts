/**
 * The judge of the attacks: what was seen from outside the server, held against the bounds. Pure; `test/attackVerdict.test.ts` breaks each bound.
 */
import type { AnswerCounts } from "./Attack.ts"
import type { HonestKind, HonestRequest } from "./HonestRequest.ts"
import { honestKinds, honestRates, wantedStatus } from "./HonestRequest.ts"

export interface Bounds {
  /** Resident memory of the server at any time. */
  readonly rssOctetsMax: number
  /** Resident memory once the attacks are over, as a multiple of what it was before them. */
  readonly rssGrowthMax: number
  /** The 99th percentile of each kind of honest request during the attacks; a wrong answer counts as one that never came. */
  readonly p99MillisMax: Readonly<Record<HonestKind, number>>
  /** The write-ahead log once no foreign reader is left. */
  readonly walOctetsMax: number
  /** The share of the scheduled honest requests that must have been made, or the percentiles say little. */
  readonly honestShareMin: number
}

/** What a server is to withstand. Source: decision 0024. */
export const bounds: Bounds = {
  rssOctetsMax: 400_000_000,
  rssGrowthMax: 1.3,
  p99MillisMax: { send: 250, "list logs": 250, "create contact": 250 },
  walOctetsMax: 64 * 1024 * 1024,
  honestShareMin: 0.9
}

/** A guard against getting worse, on a machine whose disk and processors others use too: memory with a reserve, latency with a large one. */
export const boundsReached: Bounds = {
  ...bounds,
  rssOctetsMax: 480_000_000,
  rssGrowthMax: 1.7,
  p99MillisMax: { send: 1500, "list logs": 3000, "create contact": 1500 }
}

export interface Observation {
  /** The attacks that were to run, by name. */
  readonly attacks: ReadonlyArray<string>
  readonly answers: AnswerCounts
  /** The span of the attacks, in milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
  /** How the server ended before it was asked to; `null` when it did not. */
  readonly ending: string | null
  /** The highest before the attacks, under honest load. */
  readonly rssBeforeOctets: number
  /** From the start of the server until the end. */
  readonly rssPeakOctets: number
  readonly rssAfterOctets: number
  readonly walAfterOctets: number
  /** Of the time before, during and after the attacks. */
  readonly honest: ReadonlyArray<HonestRequest>
  /** The status of each delivery that the honest projects' logs list at the end. */
  readonly log: ReadonlyMap<string, string>
}

/** The value below or at which the share of the sorted values lies (nearest rank); 0 for none. */
const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0

export interface LatencySummary {
  readonly requests: number
  /** Answered with anything else than what the request is for, or not at all. */
  readonly refused: number
  readonly p50Millis: number
  readonly p99Millis: number
  readonly maxMillis: number
  /** The 99th percentile of how late the client itself was. */
  readonly lateP99Millis: number
}

const isWanted = ({ kind, status }: HonestRequest) => status === wantedStatus[kind]

/** Of the requests that were intended within the span. A refused request has an infinite latency. */
export const summarize = (
  honest: ReadonlyArray<HonestRequest>,
  kind: HonestKind,
  from: number,
  to: number
): LatencySummary => {
  const requests = honest.filter((one) => one.kind === kind && one.intendedAt >= from && one.intendedAt < to)
  const ascending = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)
  const sorted = ascending(requests.map((request) => (isWanted(request) ? request.millis : Number.POSITIVE_INFINITY)))
  const late = ascending(requests.map(({ lateMillis }) => lateMillis))
  return {
    requests: requests.length,
    refused: requests.filter((request) => !isWanted(request)).length,
    p50Millis: percentile(sorted, 0.5),
    p99Millis: percentile(sorted, 0.99),
    maxMillis: sorted.at(-1) ?? 0,
    lateP99Millis: percentile(late, 0.99)
  }
}

export const megabytes = (octets: number): string => `${(octets / 1e6).toFixed(0)} MB`

const memoryFailures = (seen: Observation, bound: Bounds): ReadonlyArray<string> => [
  ...(seen.rssPeakOctets > bound.rssOctetsMax
    ? [`the server took ${megabytes(seen.rssPeakOctets)} of memory; ${megabytes(bound.rssOctetsMax)} is the bound`]
    : []),
  ...(seen.rssAfterOctets > seen.rssBeforeOctets * bound.rssGrowthMax
    ? [
        `the server kept ${megabytes(seen.rssAfterOctets)} of memory after the attacks; before them it had ${megabytes(seen.rssBeforeOctets)}, ${bound.rssGrowthMax} times that is the bound`
      ]
    : []),
  ...(seen.walAfterOctets > bound.walOctetsMax
    ? [`the write-ahead log kept ${megabytes(seen.walAfterOctets)}; ${megabytes(bound.walOctetsMax)} is the bound`]
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
            `${kind}: the 99th percentile is ${p99Millis.toFixed(0)} ms, ${refused} of ${requests} refused; ${bound.p99MillisMax[kind]} ms is the bound`
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
      if (status === undefined) return [`delivery ${id} was accepted and is not in the log`]
      return handedOff.has(status) ? [] : [`delivery ${id} was accepted and is ${status} at the end`]
    })

/** An attack that was answered by a bug, or that reached nothing at all. */
const attackFailures = ({ attacks, answers }: Observation): ReadonlyArray<string> =>
  attacks.flatMap((name) => {
    const counts = Object.entries(answers[name] ?? {})
    const bugs = counts.reduce((sum, [answer, count]) => (answer.endsWith("500") ? sum + count : sum), 0)
    return [
      ...(counts.length === 0 ? [`attack "${name}": made no request`] : []),
      ...(bugs > 0 ? [`attack "${name}": was answered 500 ${bugs} times`] : [])
    ]
  })

/** Every fact that breaks a bound; empty when the server withstood. */
export const brokenBounds = (seen: Observation, bound: Bounds): ReadonlyArray<string> => [
  ...(seen.ending === null ? [] : [`the server died or hangs: ${seen.ending}`]),
  ...memoryFailures(seen, bound),
  ...latencyFailures(seen, bound),
  ...lossFailures(seen),
  ...attackFailures(seen)
]

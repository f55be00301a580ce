/**
 * The tables in the report of an attack run.
 */
import type { Observation } from "./attackVerdict.ts"
import { megabytes, summarize } from "./attackVerdict.ts"
import { everyAttack } from "./everyAttack.ts"
import { honestKinds, honestRates } from "./HonestRequest.ts"

const aligned = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd()
  )
}

const millis = (value: number): string => (Number.isFinite(value) ? `${value.toFixed(0)} ms` : "never")

const latencyRows = ({ honest, startedAt, endedAt }: Observation): ReadonlyArray<ReadonlyArray<string>> =>
  (
    [
      ["before", 0, startedAt],
      ["during", startedAt, endedAt],
      ["after", endedAt, Number.MAX_SAFE_INTEGER]
    ] as const
  ).flatMap(([when, from, to]) =>
    honestKinds.map((kind) => {
      const { requests, refused, p50Millis, p99Millis, maxMillis, lateP99Millis } = summarize(honest, kind, from, to)
      return [
        kind,
        when,
        `${honestRates[kind]}/s`,
        String(requests),
        String(refused),
        millis(p50Millis),
        millis(p99Millis),
        millis(maxMillis),
        millis(lateP99Millis)
      ]
    })
  )

const attackRows = ({ attacks, answers }: Observation): ReadonlyArray<ReadonlyArray<string>> =>
  everyAttack
    .filter(({ name }) => attacks.includes(name))
    .map(({ name, bound }) => [
      name,
      Object.entries(answers[name] ?? {})
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([answer, count]) => `${answer}: ${count}`)
        .join(", "),
      bound
    ])

/** Returns lines of text: the latencies of the honest clients, the memory, and the answers of each attack. */
export const attackTables = (seen: Observation, walPeakBytes: number): ReadonlyArray<string> => [
  ...aligned([
    ["honest client", "attacks", "rate", "requests", "refused", "p50", "p99", "max", "client late p99"],
    ...latencyRows(seen)
  ]),
  `memory of the server: ${megabytes(seen.rssBeforeBytes)} before, ${megabytes(seen.rssPeakBytes)} maximum, ${megabytes(seen.rssAfterBytes)} after`,
  `write-ahead log: ${megabytes(walPeakBytes)} maximum, ${megabytes(seen.walAfterBytes)} after`,
  ...aligned([["attack", "answers", "bound"], ...attackRows(seen)])
]

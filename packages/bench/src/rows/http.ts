/**
 * Rows: sends that are accepted over HTTP, with and without the hand-off.
 */
import { performance } from "node:perf_hooks"
import { loadSends } from "../httpLoad.ts"
import type { Figures, RoundContext, Row, Side } from "../Row.ts"
import type { ServerKind } from "../serverUnderLoad.ts"
import { withServer } from "../serverUnderLoad.ts"
import { bySize, secondsSince, warmUp } from "../workload.ts"

const connections = 64
const countOf = ({ size }: RoundContext) => bySize(size, 5000, 30_000)

const percentile = (values: ReadonlyArray<number>, part: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!

const load = (kind: ServerKind) => (context: RoundContext) =>
  withServer(kind, context.folder, async ({ target, settled }): Promise<Figures> => {
    const count = countOf(context)
    await loadSends(target, { first: 0, count: warmUp, connections })
    if (kind === "mailkeep-dispatching") await settled()
    const started = performance.now()
    const millis = await loadSends(target, { first: warmUp, count, connections })
    const accepted = count / secondsSince(started)
    if (kind === "mailkeep-dispatching") await settled()
    return { accepted, p99: percentile(millis, 0.99), "per second": count / secondsSince(started) }
  })

const fastify: Side = { name: "Fastify", run: load("fastify") }
const peerText =
  "The peer is a server that is written by hand: Fastify, a schema that Ajv checks, and one transaction of better-sqlite3 with one disk sync for each request. It knows no API keys and no rate limits. The load comes from another process on the same machine, over 64 connections."

export const httpAccept: Row = {
  name: "http-accept",
  title: "Accept over HTTP",
  about: `The HTTP interface accepts messages, and no dispatcher runs. Both answer 202 after the disk sync. ${peerText}`,
  metrics: [
    { name: "accepted", unit: "sends/s", better: "higher" },
    { name: "p99", unit: "ms", better: "lower" }
  ],
  ours: { name: "mailkeep", run: load("mailkeep") },
  peers: [fastify],
  goals: [
    { metric: "accepted", is: "at least", ratio: 2, peer: "Fastify" },
    { metric: "p99", is: "at most", ratio: 1, peer: "Fastify" }
  ]
}

export const httpDelivered: Row = {
  name: "http-delivered",
  title: "Accept over HTTP and hand over",
  about: `The same, while the dispatcher of the same process hands each message to a transport that does nothing. The time ends when no delivery is queued. ${peerText} It hands over nothing, so its rate is that of accepted sends.`,
  metrics: [
    { name: "per second", unit: "delivered/s", better: "higher" },
    { name: "accepted", unit: "sends/s", better: "higher" },
    { name: "p99", unit: "ms", better: "lower" }
  ],
  ours: { name: "mailkeep", run: load("mailkeep-dispatching") },
  peers: [fastify],
  goals: [{ metric: "per second", is: "at least", ratio: 1.2, peer: "Fastify" }]
}

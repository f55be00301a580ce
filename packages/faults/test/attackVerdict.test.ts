/**
 * The judge of the attacks finds each bound broken, and nothing else, when that bound alone is broken.
 */
import { describe, expect, it } from "vitest"
import { attackTables } from "../src/attack/attackReport.ts"
import type { Observation } from "../src/attack/attackVerdict.ts"
import { bounds, boundsReached, brokenBounds, summarize } from "../src/attack/attackVerdict.ts"
import { everyAttack } from "../src/attack/everyAttack.ts"
import type { HonestKind, HonestRequest } from "../src/attack/HonestRequest.ts"
import { honestKinds, honestRates, wantedStatus } from "../src/attack/HonestRequest.ts"
import { seeded } from "../src/seeded.ts"

const brokenBoundsOf = (seen: Observation) => brokenBounds(seen, bounds)

const startedAt = 1_000_000
const seconds = 60
const endedAt = startedAt + seconds * 1000

const request = (kind: HonestKind, n: number): HonestRequest => ({
  kind,
  project: "prj_north",
  intendedAt: startedAt + (n * 1000) / honestRates[kind],
  millis: 10,
  lateMillis: 1,
  status: wantedStatus[kind],
  deliveryIds: kind === "send" ? [`del_${n}`] : []
})

const requestsOf = (kind: HonestKind) => Array.from({ length: seconds * honestRates[kind] }, (_, n) => request(kind, n))

const withstood: Observation = {
  attacks: ["an attack", "another attack"],
  answers: { "an attack": { "400": 10, "change 200": 4 }, "another attack": { "503": 3 } },
  startedAt,
  endedAt,
  ending: null,
  rssBeforeOctets: 200_000_000,
  rssPeakOctets: bounds.rssOctetsMax,
  rssAfterOctets: 260_000_000,
  walAfterOctets: bounds.walOctetsMax,
  honest: honestKinds.flatMap(requestsOf),
  log: new Map(
    requestsOf("send").map(({ deliveryIds }, n) => [deliveryIds[0]!, n % 2 === 0 ? "delivered" : "accepted"])
  )
}

/** The first `count` requests of a kind, changed. */
const spoiled = (kind: HonestKind, count: number, change: Partial<HonestRequest>): Observation => {
  let left = count
  return {
    ...withstood,
    honest: withstood.honest.map((one) => (one.kind === kind && left-- > 0 ? { ...one, ...change } : one))
  }
}

const onePercent = (kind: HonestKind) => (seconds * honestRates[kind]) / 100

describe("brokenBounds", () => {
  it("finds nothing when every bound is just reached", () => {
    expect(brokenBoundsOf(withstood)).toEqual([])
  })

  it.each<[string, Observation, ReadonlyArray<RegExp>]>([
    [
      "the server died",
      { ...withstood, ending: "SIGABRT: heap out of memory" },
      [/died or hangs: SIGABRT: heap out of memory/]
    ],
    [
      "memory went over its bound",
      { ...withstood, rssPeakOctets: bounds.rssOctetsMax + 1e6 },
      [/took 401 MB of memory/]
    ],
    [
      "memory did not come back",
      { ...withstood, rssAfterOctets: 261_000_000 },
      [/kept 261 MB of memory .* had 200 MB/]
    ],
    ["the write-ahead log did not shrink", { ...withstood, walAfterOctets: 70_000_000 }, [/log kept 70 MB/]],
    [
      "an accepted delivery is not in the log",
      { ...withstood, log: new Map([...withstood.log].filter(([id]) => id !== "del_3")) },
      [/del_3 was accepted and is not in the log/]
    ],
    ...["queued", "sending", "scheduled", "failed", "suppressed"].map(
      (status): [string, Observation, ReadonlyArray<RegExp>] => [
        `an accepted delivery is ${status}`,
        { ...withstood, log: new Map([...withstood.log, ["del_5", status]]) },
        [new RegExp(`del_5 was accepted and is ${status} at the end`)]
      ]
    ),
    [
      "an attack was answered 500",
      { ...withstood, answers: { ...withstood.answers, "an attack": { "500": 2, "change 500": 1 } } },
      [/"an attack": was answered 500 3 times/]
    ],
    [
      "an attack made no request",
      { ...withstood, answers: { "an attack": { "200": 1 }, "another attack": {} } },
      [/"another attack": made no request/]
    ],
    [
      "an attack reported nothing",
      { ...withstood, answers: { "an attack": { "200": 1 } } },
      [/"another attack": made no request/]
    ]
  ])("finds the fact when %s", (_, seen, facts) => {
    const found = brokenBoundsOf(seen)
    expect(found).toHaveLength(facts.length)
    for (const [n, fact] of facts.entries()) expect(found[n]).toMatch(fact)
  })

  it.each(honestKinds)("finds a late 99th percentile of %s, and allows one in a hundred to be late", (kind) => {
    const late = { millis: bounds.p99MillisMax.send + 1 }
    expect(brokenBoundsOf(spoiled(kind, onePercent(kind), late))).toEqual([])
    expect(brokenBoundsOf(spoiled(kind, onePercent(kind) + 1, late))).toEqual([
      expect.stringMatching(new RegExp(`^${kind}: the 99th percentile is 251 ms, 0 of \\d+ refused`))
    ])
  })

  it.each(honestKinds)("counts a refused or unanswered request of %s as never answered", (kind) => {
    for (const status of [null, 429, 503])
      expect(brokenBoundsOf(spoiled(kind, onePercent(kind) + 1, { status, millis: 1, deliveryIds: [] }))).toEqual([
        expect.stringMatching(new RegExp(`^${kind}: the 99th percentile is Infinity ms`))
      ])
  })

  it.each(honestKinds)("finds that too few requests of %s were made", (kind) => {
    const enough = withstood.honest.filter((one, n) => one.kind !== kind || n % 20 !== 0)
    const few = withstood.honest.filter((one, n) => one.kind !== kind || n % 5 !== 0)
    expect(brokenBoundsOf({ ...withstood, honest: enough })).toEqual([])
    expect(brokenBoundsOf({ ...withstood, honest: few })).toEqual([
      expect.stringMatching(new RegExp(`^${kind}: only \\d+ of \\d+ scheduled requests were made`))
    ])
  })

  it("allows more memory and time by the bounds reached so far, and no loss", () => {
    const seen = { ...withstood, rssPeakOctets: 450_000_000, rssAfterOctets: 320_000_000 }
    expect(brokenBounds(seen, boundsReached)).toEqual([])
    expect(brokenBounds({ ...seen, rssPeakOctets: boundsReached.rssOctetsMax + 1e6 }, boundsReached)).toHaveLength(1)
    expect(brokenBounds({ ...seen, log: new Map() }, boundsReached)).not.toEqual([])
  })

  it("judges no latency before the attacks and after them, but loses nothing of that time", () => {
    const outside: ReadonlyArray<HonestRequest> = [startedAt - 1, endedAt].flatMap((intendedAt) =>
      Array.from({ length: 100 }, (_, n) => ({
        ...request("send", n),
        intendedAt,
        millis: 9000,
        deliveryIds: [`out_${intendedAt}`]
      }))
    )
    const found = brokenBoundsOf({ ...withstood, honest: [...withstood.honest, ...outside] })
    expect(new Set(found.map((fact) => fact.replace(/out_\d+/, "…")))).toEqual(
      new Set(["delivery … was accepted and is not in the log"])
    )
  })
})

describe("summarize", () => {
  it("gives the percentiles by nearest rank", () => {
    for (let seed = 0; seed < 100; seed++) {
      const random = seeded(seed)
      const latencies = Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 5000))
      const honest = latencies.map((millis) => ({ ...request("send", 0), millis, lateMillis: millis }))
      const { requests, p50Millis, p99Millis, maxMillis, lateP99Millis } = summarize(honest, "send", startedAt, endedAt)
      const share = (bound: number) => latencies.filter((millis) => millis <= bound).length / latencies.length
      expect([requests, maxMillis]).toEqual([latencies.length, Math.max(...latencies)])
      expect(lateP99Millis).toBe(p99Millis)
      expect(share(p50Millis)).toBeGreaterThanOrEqual(0.5)
      expect(share(p50Millis - 1)).toBeLessThan(0.5)
      expect(share(p99Millis)).toBeGreaterThanOrEqual(0.99)
      expect(share(p99Millis - 1)).toBeLessThan(0.99)
    }
  })
})

describe("attackTables", () => {
  it("shows each attack with its answers and its bound, and each kind of honest request", () => {
    const [attack] = everyAttack
    const seen = { ...withstood, attacks: [attack!.name], answers: { [attack!.name]: { "413": 7 } } }
    const text = attackTables(seen, 123e6).join("\n")
    expect(text).toContain(`${attack!.name}  413: 7   ${attack!.bound}`)
    expect(text).toContain("write-ahead log: 123 MB at most, 67 MB after")
    for (const kind of honestKinds) expect(text).toMatch(new RegExp(`${kind} +during +${honestRates[kind]}/s`))
  })
})

describe("everyAttack", () => {
  it("names each attack once", () => {
    expect(new Set(everyAttack.map(({ name }) => name)).size).toBe(everyAttack.length)
  })
})

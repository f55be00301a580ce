/**
 * The checks of an attack run report each broken bound, and only that bound.
 */
import { describe, expect, it } from "vitest"
import { attackTables } from "../src/attack/attackReport.ts"
import type { Observation } from "../src/attack/attackVerdict.ts"
import { bounds, ciBounds, brokenBounds, singleAttackBounds, summarize } from "../src/attack/attackVerdict.ts"
import { everyAttack } from "../src/attack/everyAttack.ts"
import type { HonestKind, HonestRequest } from "../src/attack/HonestRequest.ts"
import { honestKinds, honestRates, expectedStatus } from "../src/attack/HonestRequest.ts"
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
  status: expectedStatus[kind],
  deliveryIds: kind === "send" ? [`del_${n}`] : []
})

const requestsOf = (kind: HonestKind) => Array.from({ length: seconds * honestRates[kind] }, (_, n) => request(kind, n))

const allBoundsKept: Observation = {
  attacks: ["an attack", "another attack"],
  answers: { "an attack": { "400": 10, "change 200": 4 }, "another attack": { "503": 3 } },
  startedAt,
  endedAt,
  ending: null,
  rssBeforeBytes: 200_000_000,
  rssPeakBytes: bounds.rssBytesMax,
  rssAfterBytes: 260_000_000,
  walAfterBytes: bounds.walBytesMax,
  honest: honestKinds.flatMap(requestsOf),
  log: new Map(
    requestsOf("send").map(({ deliveryIds }, n) => [deliveryIds[0]!, n % 2 === 0 ? "delivered" : "accepted"])
  )
}

/** The observation with the first `count` requests of a kind changed. */
const withChanged = (kind: HonestKind, count: number, change: Partial<HonestRequest>): Observation => {
  let left = count
  return {
    ...allBoundsKept,
    honest: allBoundsKept.honest.map((one) => (one.kind === kind && left-- > 0 ? { ...one, ...change } : one))
  }
}

const onePercent = (kind: HonestKind) => (seconds * honestRates[kind]) / 100

describe("brokenBounds", () => {
  it("reports nothing when every measured value equals its bound", () => {
    expect(brokenBoundsOf(allBoundsKept)).toEqual([])
  })

  it.each<[string, Observation, ReadonlyArray<RegExp>]>([
    [
      "the server ended",
      { ...allBoundsKept, ending: "SIGABRT: heap out of memory" },
      [/ended or hangs: SIGABRT: heap out of memory/]
    ],
    [
      "memory exceeded its bound",
      { ...allBoundsKept, rssPeakBytes: bounds.rssBytesMax + 1e6 },
      [/used 401 MB of memory/]
    ],
    [
      "memory was not released",
      { ...allBoundsKept, rssAfterBytes: 261_000_000 },
      [/kept 261 MB of memory .* used 200 MB/]
    ],
    ["the write-ahead log did not shrink", { ...allBoundsKept, walAfterBytes: 70_000_000 }, [/log kept 70 MB/]],
    [
      "an accepted delivery is not in the log",
      { ...allBoundsKept, log: new Map([...allBoundsKept.log].filter(([id]) => id !== "del_3")) },
      [/del_3 was accepted, but is not in the log/]
    ],
    ...["queued", "sending", "scheduled", "failed", "suppressed"].map(
      (status): [string, Observation, ReadonlyArray<RegExp>] => [
        `an accepted delivery is ${status}`,
        { ...allBoundsKept, log: new Map([...allBoundsKept.log, ["del_5", status]]) },
        [new RegExp(`del_5 was accepted, but is ${status} at the end`)]
      ]
    ),
    [
      "an attack was answered 500",
      { ...allBoundsKept, answers: { ...allBoundsKept.answers, "an attack": { "500": 2, "change 500": 1 } } },
      [/"an attack": was answered 500 3 times/]
    ],
    [
      "an attack made no request",
      { ...allBoundsKept, answers: { "an attack": { "200": 1 }, "another attack": {} } },
      [/"another attack": made no request/]
    ],
    [
      "an attack reported nothing",
      { ...allBoundsKept, answers: { "an attack": { "200": 1 } } },
      [/"another attack": made no request/]
    ]
  ])("reports the broken bound when %s", (_, seen, messages) => {
    const found = brokenBoundsOf(seen)
    expect(found).toHaveLength(messages.length)
    for (const [n, message] of messages.entries()) expect(found[n]).toMatch(message)
  })

  it.each(honestKinds)("reports a late 99th percentile of %s, but allows one late request in a hundred", (kind) => {
    const late = { millis: bounds.p99MillisMax.send + 1 }
    expect(brokenBoundsOf(withChanged(kind, onePercent(kind), late))).toEqual([])
    expect(brokenBoundsOf(withChanged(kind, onePercent(kind) + 1, late))).toEqual([
      expect.stringMatching(new RegExp(`^${kind}: the 99th percentile is 251 ms, 0 of \\d+ refused`))
    ])
  })

  it.each(honestKinds)("counts a refused or unanswered request of %s as never answered", (kind) => {
    for (const status of [null, 429, 503])
      expect(brokenBoundsOf(withChanged(kind, onePercent(kind) + 1, { status, millis: 1, deliveryIds: [] }))).toEqual([
        expect.stringMatching(new RegExp(`^${kind}: the 99th percentile is Infinity ms`))
      ])
  })

  it.each(honestKinds)("reports when too few requests of %s were made", (kind) => {
    const enough = allBoundsKept.honest.filter((one, n) => one.kind !== kind || n % 20 !== 0)
    const few = allBoundsKept.honest.filter((one, n) => one.kind !== kind || n % 5 !== 0)
    expect(brokenBoundsOf({ ...allBoundsKept, honest: enough })).toEqual([])
    expect(brokenBoundsOf({ ...allBoundsKept, honest: few })).toEqual([
      expect.stringMatching(new RegExp(`^${kind}: only \\d+ of \\d+ scheduled requests were made`))
    ])
  })

  it("reports a status 500 to an honest client in the whole run, also when it is less than one in a hundred", () => {
    const wrong = { ...request("list logs", 0), status: 500 }
    for (const intendedAt of [startedAt - 1, startedAt, endedAt])
      for (const bound of [bounds, ciBounds])
        expect(
          brokenBounds({ ...allBoundsKept, honest: [...allBoundsKept.honest, { ...wrong, intendedAt }] }, bound)
        ).toEqual(["list logs: was answered 500 1 times"])
  })

  it("allows more memory and latency in CI, but no lost delivery", () => {
    const slow = withChanged("send", 1000, { millis: 10_000 })
    const seen = { ...slow, rssPeakBytes: 450_000_000, rssAfterBytes: 320_000_000 }
    expect(brokenBounds(seen, ciBounds)).toEqual([])
    expect(brokenBounds({ ...seen, rssPeakBytes: ciBounds.rssBytesMax + 1e6 }, ciBounds)).toHaveLength(1)
    expect(brokenBounds({ ...seen, log: new Map() }, ciBounds)).not.toEqual([])
  })

  it("allows one attack alone to delay the sends of others by 50 ms at the 99th percentile", () => {
    const delayedBy = (millis: number) =>
      brokenBounds(withChanged("send", 2 * onePercent("send"), { millis }), singleAttackBounds)
    expect(delayedBy(50)).toEqual([])
    expect(delayedBy(51)).toHaveLength(1)
  })

  it("checks latency only during the attacks, but checks for lost deliveries in the whole run", () => {
    const outside: ReadonlyArray<HonestRequest> = [startedAt - 1, endedAt].flatMap((intendedAt) =>
      Array.from({ length: 100 }, (_, n) => ({
        ...request("send", n),
        intendedAt,
        millis: 9000,
        deliveryIds: [`out_${intendedAt}`]
      }))
    )
    const found = brokenBoundsOf({ ...allBoundsKept, honest: [...allBoundsKept.honest, ...outside] })
    expect(new Set(found.map((message) => message.replace(/out_\d+/, "…")))).toEqual(
      new Set(["delivery … was accepted, but is not in the log"])
    )
  })
})

describe("summarize", () => {
  it("returns the percentiles by nearest rank", () => {
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
    const seen = { ...allBoundsKept, attacks: [attack!.name], answers: { [attack!.name]: { "413": 7 } } }
    const text = attackTables(seen, 123e6).join("\n")
    expect(text).toContain(`${attack!.name}  413: 7   ${attack!.bound}`)
    expect(text).toContain("write-ahead log: 123 MB maximum, 67 MB after")
    for (const kind of honestKinds) expect(text).toMatch(new RegExp(`${kind} +during +${honestRates[kind]}/s`))
  })
})

describe("everyAttack", () => {
  it("names each attack once", () => {
    expect(new Set(everyAttack.map(({ name }) => name)).size).toBe(everyAttack.length)
  })
})

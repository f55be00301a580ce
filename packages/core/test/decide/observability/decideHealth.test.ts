import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HealthFacts, HealthFault, HealthOfRelay } from "../../../src/decide/observability/decideHealth.ts"
import { decideHealth, healthReasons } from "../../../src/decide/observability/decideHealth.ts"

const now = Date.UTC(2026, 10, 21, 12)

const calm: HealthOfRelay = { circuit: "closed", pausedUntil: null, lastFault: null, inFlight: 0 }
const idle = {
  scheduled: 0,
  queued: 0,
  sending: 0,
  oldestDueAt: null as number | null,
  late: 0,
  abandoned: 0,
  eventDeliveries: 0
}

interface Change {
  readonly relay?: Partial<HealthOfRelay>
  readonly work?: Partial<typeof idle> | null
  readonly storeFault?: HealthFacts["storeFault"]
  readonly dispatcherRunning?: boolean
}

const facts = ({ relay, work, storeFault = null, dispatcherRunning = true }: Change): HealthFacts => ({
  now,
  dispatcherRunning,
  relay: { ...calm, ...relay },
  storeFault,
  work: work === null ? null : { ...idle, ...work }
})

const late = { queued: 5, late: 5 }

const unreachable: HealthFault = {
  at: now,
  kind: "unreachable",
  wrongSetting: null,
  smtpCode: null,
  enhancedCode: null
}
const refusedLogin: HealthFault = { ...unreachable, kind: "busy", wrongSetting: "login", smtpCode: 535 }
const wrongCertificate: HealthFault = { ...unreachable, wrongSetting: "certificate" }

describe("decideHealth", () => {
  it.each<[name: string, change: Change, status: string, reasons: ReadonlyArray<string>]>([
    ["an idle process", {}, "ok", []],
    ["a process without a dispatcher", { dispatcherRunning: false }, "ok", []],
    ["deliveries that wait for their time", { work: { scheduled: 9, queued: 9 } }, "ok", []],
    ["a relay that asks to slow down", { relay: { circuit: "throttled" } }, "ok", []],
    [
      "late deliveries while the relay gets a pause",
      { work: late, relay: { circuit: "throttled" } },
      "degraded",
      ["relay_refuses"]
    ],
    [
      "a relay that refuses the login",
      { relay: { circuit: "throttled", lastFault: refusedLogin } },
      "degraded",
      ["relay_refuses"]
    ],
    [
      "a relay whose certificate was just refused",
      { relay: { circuit: "throttled", lastFault: wrongCertificate } },
      "degraded",
      ["relay_refuses"]
    ],
    [
      "a relay whose certificate is refused again and again",
      { work: late, relay: { circuit: "open", lastFault: wrongCertificate } },
      "degraded",
      ["relay_refuses"]
    ],
    ["a relay that takes mail again after a refused login", { relay: { lastFault: refusedLogin } }, "ok", []],
    [
      "a relay that cannot be reached",
      { relay: { circuit: "open", lastFault: unreachable } },
      "degraded",
      ["relay_unreachable"]
    ],
    [
      "late deliveries behind such a relay",
      { work: late, relay: { circuit: "open" } },
      "degraded",
      ["relay_unreachable"]
    ],
    [
      "late deliveries while others are handed over",
      { work: late, relay: { inFlight: 1 } },
      "degraded",
      ["deliveries_stuck"]
    ],
    [
      "late deliveries while another process hands over",
      { work: { ...late, sending: 1 } },
      "degraded",
      ["deliveries_stuck"]
    ],
    [
      "late deliveries and no dispatcher here",
      { work: late, dispatcherRunning: false },
      "degraded",
      ["deliveries_stuck"]
    ],
    ["late deliveries and an idle dispatcher", { work: late }, "failing", ["nothing_handed_over", "deliveries_stuck"]],
    [
      "late deliveries and only those of a dead worker in sending",
      { work: { ...late, sending: 2, abandoned: 2 } },
      "failing",
      ["nothing_handed_over", "deliveries_stuck"]
    ],
    ["a delivery that a dead worker left", { work: { sending: 1, abandoned: 1 } }, "degraded", ["deliveries_stuck"]],
    ["a store that does not answer", { work: null, storeFault: "timeout" }, "failing", ["store_unavailable"]],
    ["a full disk", { storeFault: "full" }, "failing", ["store_unavailable"]]
  ])("reports %s", (_, change, status, reasons) => {
    expect(decideHealth(facts(change))).toMatchObject({ status, reasons })
  })

  it("counts the late and the abandoned deliveries as stuck, but not the late ones while the circuit is not closed", () => {
    const work = { late: 3, abandoned: 2, sending: 9 }
    expect(decideHealth(facts({ work })).stuck).toBe(5)
    expect(decideHealth(facts({ work, relay: { circuit: "open" } })).stuck).toBe(2)
  })

  it("reports for how long the oldest delivery has been due, and 0 without one or after the clock was set back", () => {
    const ageAt = (oldestDueAt: number | null) => decideHealth(facts({ work: { oldestDueAt } })).oldestDueAgeMillis
    expect([ageAt(now - 90_000), ageAt(null), ageAt(now + 1)]).toEqual([90_000, 0, 0])
  })

  it("knows no number of the store when the store does not answer", () => {
    expect(decideHealth(facts({ work: null, storeFault: "locked" }))).toMatchObject({
      store: "unavailable",
      storeFault: "locked",
      scheduled: null,
      queued: null,
      sending: null,
      oldestDueAgeMillis: null,
      stuck: null,
      eventDeliveriesPending: null
    })
  })

  it("gives for any facts the worst status of its reasons, and ok exactly without a reason", () => {
    const count = fc.nat(3)
    const work = fc.record({
      scheduled: count,
      queued: count,
      sending: count,
      late: count,
      abandoned: count,
      eventDeliveries: count,
      oldestDueAt: fc.constantFrom(null, now - 1, now + 1)
    })
    const any = fc.record({
      now: fc.constant(now),
      dispatcherRunning: fc.boolean(),
      storeFault: fc.constantFrom(null, "full", "timeout"),
      relay: fc.record({
        circuit: fc.constantFrom("closed", "throttled", "open"),
        pausedUntil: fc.constant(null),
        lastFault: fc.constantFrom(null, unreachable, wrongCertificate),
        inFlight: count
      }),
      work: fc.option(work)
    }) as fc.Arbitrary<HealthFacts>
    fc.assert(
      fc.property(any, (one) => {
        const { status, reasons, stuck } = decideHealth(one)
        const worst = reasons.map((reason) => healthReasons[reason]).toSorted()
        expect(status).toBe(worst.at(-1) ?? "ok")
        expect(reasons.includes("deliveries_stuck")).toBe((stuck ?? 0) > 0)
      })
    )
  })
})

import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { HandOffResult } from "../../../src/decide/delivery/handOffResult.ts"
import type { SmtpReply } from "../../../src/domain/delivery/SmtpReply.ts"
import { minuteMillis, secondMillis } from "../../../src/domain/value/Instant.ts"
import type { RelayLimitState } from "../../../src/internal/delivery/relayLimitState.ts"
import {
  circuitOf,
  freeHandOffsOf,
  initialRelayLimit,
  pausedUntilOf,
  relayLimitAfter,
  relayNews,
  relaySignalOf
} from "../../../src/internal/delivery/relayLimitState.ts"

const now = Date.UTC(2026, 10, 21, 12)
const limitMax = 32

const refused = (
  stage: SmtpReply["stage"],
  code: number,
  enhancedCode: string | null = null,
  text = "words"
): HandOffResult => ({
  _tag: "Refused",
  reply: { stage, smtpCode: code, enhancedCode, text }
})
const accepted: HandOffResult = {
  _tag: "Accepted",
  reply: { stage: "endOfData", smtpCode: 250, enhancedCode: "2.0.0", text: "Ok" }
}
const noReply = { _tag: "NoReply", why: "The connection was refused." } as const
const busy = refused("mail", 421, "4.3.2")
const refusedByTransport: HandOffResult = {
  _tag: "Refused",
  reply: { stage: "mail", smtpCode: 552, enhancedCode: "5.3.4", text: "words" },
  reachedRelay: false
}

const after = (results: ReadonlyArray<HandOffResult>, at = now): RelayLimitState =>
  results.reduce((state, result) => relayLimitAfter(state, result, { now: at, limitMax }), initialRelayLimit(limitMax))
const limitNow = (state: RelayLimitState, at: number) => ({
  free: freeHandOffsOf(state, 0, at),
  pausedUntil: pausedUntilOf(state, at)
})
const times = (count: number, result: HandOffResult) => Array.from({ length: count }, () => result)

describe("relaySignalOf", () => {
  it.each<[name: string, result: HandOffResult, signal: string]>([
    ["an acceptance", accepted, "answered"],
    ["a refused recipient", refused("rcpt", 550, "5.1.1"), "answered"],
    ["a deferred recipient", refused("rcpt", 450, "4.2.0"), "answered"],
    ["421", busy, "busy"],
    ["454", refused("auth", 454, "4.7.0"), "busy"],
    ["a refusing greeting", refused("greeting", 554), "busy"],
    ["a refusal by the transport itself", refusedByTransport, "none"],
    ["no reply", noReply, "unreachable"],
    ["a file that cannot be read", { _tag: "NoReply", why: "No file.", relayFault: false }, "none"],
    ["a shutdown", { _tag: "ShutDown" }, "none"],
    ["a revoked hand-off", { _tag: "Revoked" }, "none"]
  ])("reads %s", (_, result, signal) => {
    expect(relaySignalOf(result)).toBe(signal)
  })
})

describe("relayLimitAfter", () => {
  it("halves the limit and pauses for a second after a relay asked to slow down", () => {
    const state = after([busy])
    expect(state.limit).toBe(16)
    expect(circuitOf(state)).toBe("throttled")
    expect(limitNow(state, now)).toEqual({ free: 0, pausedUntil: now + secondMillis })
    expect(freeHandOffsOf(state, 0, now + secondMillis)).toBe(16)
  })

  it("lets one more hand-off run after each answer", () => {
    expect(after([busy, busy, accepted]).limit).toBe(9)
    expect(after([busy, ...times(100, accepted)]).limit).toBe(limitMax)
  })

  it("keeps the pause of a busy relay after a hand-off without a reply", () => {
    const state = after([busy, noReply])
    expect(circuitOf(state)).toBe("throttled")
    expect(limitNow(state, now)).toEqual({ free: 0, pausedUntil: now + secondMillis })
    expect(freeHandOffsOf(state, 0, now + secondMillis)).toBe(16)
  })

  it("opens the circuit after five hand-offs without a reply, and tries one after each pause", () => {
    const closed = after(times(4, noReply))
    expect([circuitOf(closed), freeHandOffsOf(closed, 0, now)]).toEqual(["throttled", limitMax])
    const open = after(times(5, noReply))
    expect([circuitOf(open), freeHandOffsOf(open, 0, now)]).toEqual(["open", 0])
    expect(freeHandOffsOf(open, 0, now + secondMillis)).toBe(1)
    expect(freeHandOffsOf(open, 1, now + secondMillis)).toBe(0)
  })

  it("keeps the circuit closed while a busy relay answers between the hand-offs without a reply", () => {
    const state = after([...times(4, noReply), busy, ...times(4, noReply)])
    expect([circuitOf(state), state.limit]).toEqual(["throttled", 16])
    expect(circuitOf(after([...times(4, noReply), busy, ...times(5, noReply)]))).toBe("open")
  })

  it("doubles the pause of an open circuit up to a minute", () => {
    let [state, at] = [after(times(5, noReply)), now]
    const pauses: Array<number> = []
    for (let n = 0; n < 8; n++) {
      pauses.push((state.pausedUntil - at) / secondMillis)
      at = state.pausedUntil
      state = relayLimitAfter(state, noReply, { now: at, limitMax })
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
  })

  it.each([
    ["no reply", noReply],
    ["421", busy]
  ])("pauses for a second when all hand-offs under way end at once with %s", (_, result) => {
    expect(after(times(limitMax, result)).pausedUntil).toBe(now + secondMillis)
  })

  it("doubles the pause when the relay is busy again after the pause", () => {
    const second = relayLimitAfter(after(times(3, busy)), busy, { now: now + secondMillis, limitMax })
    expect(second.pausedUntil).toBe(now + 3 * secondMillis)
  })

  it("closes the circuit at the first answer", () => {
    const state = after([...times(9, noReply), accepted])
    expect([circuitOf(state), limitNow(state, now)]).toEqual(["closed", { free: 2, pausedUntil: null }])
  })

  it.each([
    ["a relay that does not answer", noReply],
    ["a busy relay", busy]
  ])("changes nothing for %s after a refusal by the transport itself", (_, result) => {
    expect(after([...times(9, result), refusedByTransport])).toEqual(after(times(9, result)))
  })

  it("ignores a pause that a clock set back would lengthen", () => {
    expect(limitNow(after(times(9, noReply)), now - 10 * minuteMillis)).toEqual({ free: 1, pausedUntil: null })
  })

  it("keeps the words of the last fault", () => {
    expect(after([noReply, accepted]).lastFault).toEqual({
      at: now,
      kind: "unreachable",
      wrongSetting: null,
      smtpCode: null,
      enhancedCode: null,
      text: "The connection was refused."
    })
    expect(after([busy]).lastFault).toMatchObject({ kind: "busy", smtpCode: 421, enhancedCode: "4.3.2" })
  })

  it.each<[name: string, result: HandOffResult, wrongSetting: string | null]>([
    ["a refused certificate", { ...noReply, wrongSetting: "certificate" }, "certificate"],
    ["a wrong password", refused("auth", 535, "5.7.8"), "login"],
    ["a relay that asks for a login", refused("mail", 530, "5.7.0"), "login"],
    [
      "a relay that asks for encryption",
      refused("mail", 530, "5.7.0", "Must issue a STARTTLS command first"),
      "encryption"
    ],
    ["a login that needs encryption", refused("auth", 538, "5.7.11"), "encryption"],
    ["a lost connection", noReply, null],
    ["a relay that asks to slow down", busy, null]
  ])("names the wrong setting of %s", (_, result, wrongSetting) => {
    expect(after([result]).lastFault).toMatchObject({ wrongSetting })
  })

  it("always allows a try within a minute, and never more than the limit", () => {
    const results = fc.array(fc.constantFrom(accepted, busy, noReply, refused("rcpt", 450)), {
      maxLength: 60,
      size: "max"
    })
    fc.assert(
      fc.property(results, fc.nat(40), (results, underWay) => {
        const state = after(results)
        expect(freeHandOffsOf(state, 0, now + minuteMillis)).toBeGreaterThanOrEqual(1)
        expect(freeHandOffsOf(state, underWay, now)).toBeLessThanOrEqual(Math.max(0, limitMax - underWay))
      })
    )
  })
})

describe("relayNews", () => {
  const wrongPassword = refused("auth", 535, "5.7.8")
  const login = "The login to the relay fails (535 5.7.8). Mail waits in the queue."
  const unanswered =
    "The relay has not answered since the start. Mail waits in the queue. The health has the reason as lastFault."
  const gone = "The relay cannot be reached. Mail waits in the queue."
  const certificate = "The certificate of the relay is not accepted. Mail waits in the queue."
  const wrongCertificate: HandOffResult = { ...noReply, wrongSetting: "certificate" }

  it.each<[name: string, before: ReadonlyArray<HandOffResult>, result: HandOffResult, news: string | undefined]>([
    ["nothing about accepted mail", [accepted], accepted, undefined],
    ["nothing about a relay that asks to slow down", [], busy, undefined],
    ["nothing when such a relay takes mail again", [busy], accepted, undefined],
    ["that the relay has not answered since the start", [], noReply, unanswered],
    ["nothing more about such a relay until the circuit opens", times(3, noReply), noReply, undefined],
    ["nothing about a hand-off without a reply after an answer", [busy], noReply, undefined],
    ["that the relay cannot be reached", times(4, noReply), noReply, gone],
    ["nothing more about the same relay", times(5, noReply), noReply, undefined],
    ["that the relay takes mail again", times(5, noReply), accepted, "The relay takes mail again."],
    ["that the login fails", [], wrongPassword, login],
    ["nothing more about the same login", [wrongPassword], wrongPassword, undefined],
    ["that the login succeeds again", [wrongPassword], accepted, "The relay takes mail again."],
    ["that the relay answers, and the login fails", times(5, noReply), wrongPassword, login],
    ["that the certificate is not accepted", [], wrongCertificate, certificate],
    ["that the certificate is not accepted any more", [accepted], wrongCertificate, certificate],
    ["nothing more about the same certificate", times(4, wrongCertificate), wrongCertificate, undefined],
    ["that the certificate is accepted again", times(5, wrongCertificate), accepted, "The relay takes mail again."]
  ])("says %s", (_, before, result, news) => {
    const state = after(before)
    expect(relayNews(state, relayLimitAfter(state, result, { now, limitMax }))).toBe(news)
  })
})

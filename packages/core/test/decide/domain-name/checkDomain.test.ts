import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { DnsFinding } from "../../../src/decide/domain-name/checkDomain.ts"
import { checkDomain } from "../../../src/decide/domain-name/checkDomain.ts"
import type { DnsRecord, SenderDomainRecord } from "../../../src/domain/domain-name/SenderDomain.ts"
import { dnsFailingMillisMax, toSenderDomain } from "../../../src/domain/domain-name/SenderDomain.ts"
import { dayMillis, hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { domain, now } from "../fixtures.ts"

const record = (id: string, requiredForSending: boolean): DnsRecord => ({
  id,
  purpose: "dkim",
  type: "TXT",
  name: `${id}.example.com`,
  value: "v",
  priority: null,
  status: "not_started",
  requiredForSending,
  lastCheckedAt: null,
  errorCode: null,
  errorMessage: null
})

const records = [record("required", true), record("optional", false)]
const verified = domain({ records })
const pending = domain({ records, status: "pending", lastVerifiedAt: null })

const finding = (recordId: string, status: DnsFinding["status"]): DnsFinding => ({
  recordId,
  status,
  errorCode: status === "verified" ? null : "nxdomain",
  errorMessage: status === "verified" ? null : `${recordId} is wrong`
})

const check = (existing: SenderDomainRecord, required: DnsFinding["status"], optional: DnsFinding["status"]) => {
  const findings = [finding("required", required), finding("optional", optional)]
  const decided = checkDomain("dom_1", { now, ids: { time: now, high: 0, low: 0 }, existing, findings })
  const { answer, changes } = Result.getOrThrow(decided)
  const events = changes.flatMap((change) => (change._tag === "AppendEvent" ? [change.event.kind] : []))
  return { after: answer, events, changes }
}

describe("checkDomain", () => {
  it("refuses a domain that was deleted", () =>
    expect(
      checkDomain("dom_1", { now, ids: { time: now, high: 0, low: 0 }, existing: null, findings: [] })
    ).toMatchObject({ failure: { _tag: "RecordNotFound", id: "dom_1" } }))

  it("stores the check of each record and counts the check", () => {
    const { after, changes } = check(pending, "failed", "verified")
    expect(changes[0]).toEqual({ _tag: "PutDomain", domain: after, replaces: 1 })
    expect(after).toMatchObject({ verificationAttempts: 1, verificationAttemptedAt: now, revision: 2 })
    expect(after.records).toMatchObject([
      { id: "required", status: "failed", lastCheckedAt: now, errorCode: "nxdomain" },
      { id: "optional", status: "verified", lastCheckedAt: now, errorCode: null }
    ])
  })

  it.each<readonly [ReadonlyArray<DnsFinding["status"]>, boolean]>([
    [["verified"], true],
    [["verified", "temporary_failure", "temporary_failure"], true],
    [["failed", "temporary_failure"], false],
    [["temporary_failure"], false],
    [["verified", "failed", "temporary_failure"], false]
  ])("uses the last definite answer of DNS for a record after the checks %j", (statuses, published) => {
    const after = statuses.reduce((existing, status) => check(existing, "verified", status).after, pending)
    expect(after.records[1]).toMatchObject({ status: statuses.at(-1), published })
    expect(toSenderDomain(after).records[1]).not.toHaveProperty("published")
  })

  it("leaves a record without a finding unchanged", () => {
    const decided = checkDomain("dom_1", {
      now,
      ids: { time: now, high: 0, low: 0 },
      existing: pending,
      findings: [finding("required", "verified"), finding("unknown", "failed")]
    })
    expect(Result.getOrThrow(decided).answer.records[1]).toEqual(records[1])
  })

  it.each([
    ["verified", "verified", "verified", null, ["domain.verified"]],
    ["verified", "verified", "failed", null, ["domain.verified"]],
    ["failed", "failed", "verified", "required is wrong", ["domain.failed"]],
    ["pending", "temporary_failure", "verified", "required is wrong", []]
  ] as const)("makes a pending domain %s when its required record is %s and its optional record %s", (...row) => {
    const [status, required, optional, verificationError, events] = row
    const checked = check(pending, required, optional)
    expect(checked.after).toMatchObject({ status, verificationError })
    expect(checked.events).toEqual(events)
  })

  it("keeps a verified domain for 24 hours of definite failures, and then fails it", () => {
    const first = check(verified, "failed", "verified")
    expect(first.after).toMatchObject({ status: "verified", failingSince: now, nextCheckAt: now + hourMillis })
    expect(first.events).toEqual([])
    const failing = domain({ records, failingSince: now - dnsFailingMillisMax + 1 })
    expect(check(failing, "failed", "verified").after.status).toBe("verified")
    const failed = check(domain({ records, failingSince: now - dnsFailingMillisMax }), "failed", "verified")
    expect(failed.after.status).toBe("failed")
    expect(failed.events).toEqual(["domain.failed"])
  })

  it("keeps a verified domain at a temporary failure, and checks it again after 10 minutes", () =>
    expect(check(verified, "temporary_failure", "verified").after).toMatchObject({
      status: "verified",
      failingSince: null,
      lastVerifiedAt: now,
      nextCheckAt: now + 10 * minuteMillis
    }))

  it.each([
    [0, 5 * minuteMillis],
    [5 * minuteMillis, 5 * minuteMillis],
    [40 * minuteMillis, 40 * minuteMillis],
    [3 * dayMillis, dayMillis],
    [-hourMillis, 5 * minuteMillis]
  ])("checks a domain of %j ms that is not verified again after %j ms, however often a user has asked", (age, wait) => {
    for (const verificationAttempts of [0, 1, 12, 1000]) {
      const existing = { ...pending, createdAt: now - age, verificationAttempts }
      expect(check(existing, "failed", "verified").after.nextCheckAt).toBe(now + wait)
    }
  })

  it("clears the failure of a domain that is right again, and checks it after a day", () => {
    const { after, events } = check(domain({ records, failingSince: now - 1, lastVerifiedAt: 1 }), "verified", "failed")
    expect(after).toMatchObject({
      status: "verified",
      failingSince: null,
      verificationError: null,
      lastVerifiedAt: now,
      nextCheckAt: now + dayMillis
    })
    expect(events).toEqual([])
  })

  it("keeps a manually verified domain verified, and plans no check of it", () => {
    const existing = domain({ records, manuallyVerified: true, failingSince: now - 10 * dnsFailingMillisMax })
    expect(check(existing, "failed", "failed").after).toMatchObject({ status: "verified", nextCheckAt: null })
  })
})

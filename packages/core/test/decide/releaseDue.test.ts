import { describe, expect, it } from "vitest"
import { beginAttempt, markFinalizing } from "../../src/decide/beginAttempt.ts"
import type { ReleaseFacts } from "../../src/decide/releaseDue.ts"
import { releaseDue } from "../../src/decide/releaseDue.ts"
import type { ApiKey } from "../../src/domain/ApiKey.ts"
import { noLimits } from "../../src/domain/Plan.ts"
import { suppressionReasons } from "../../src/domain/Suppression.ts"
import { attempt, delivery, domain, message, now, scheduled, suppression } from "./fixtures.ts"

const key = (revokedAt: number | null): ApiKey => ({
  id: "key_1",
  projectId: "prj_test",
  publicId: "p",
  secretHash: "h",
  name: "",
  permissions: ["email.send"],
  domainScope: null,
  createdAt: now - 9,
  expiresAt: now - 1,
  revokedAt,
  lastUsedAt: null,
  revision: 2
})

const facts = (change: Partial<ReleaseFacts> = {}): ReleaseFacts => ({
  now,
  eventId: "evt_1",
  plan: { ...noLimits, sendingAllowance: 5 },
  delivery: scheduled(),
  message: message(),
  key: key(null),
  domain: domain(),
  suppression: null,
  allowanceUsed: 4,
  ...change
})

const spends = (changes: ReturnType<typeof releaseDue>["changes"]) =>
  Object.fromEntries(changes.flatMap((change) => (change._tag === "SpendCounter" ? [[change.name, change.by]] : [])))

const unsent = { scheduledRecipients: -1, "daily:2026-11-21": -1 }

describe("releaseDue", () => {
  it.each<[string, Partial<ReleaseFacts>, object, object]>([
    [
      "releases a due delivery",
      {},
      { status: "queued", chargedAt: now, dueAt: now },
      { scheduledRecipients: -1, allowance: 1 }
    ],
    [
      "keeps a delivery scheduled and unclaimed when the clock was set back after its claim",
      { delivery: scheduled({ dueAt: now + 1, worker: "w" }) },
      { status: "scheduled", dueAt: now + 1, worker: null },
      {}
    ],
    [
      "releases a delivery without an API key",
      { key: null },
      { status: "queued" },
      { scheduledRecipients: -1, allowance: 1 }
    ],
    [
      "fails a delivery when the allowance is used up",
      { allowanceUsed: 5 },
      { status: "failed", reason: "quota_exceeded", chargedAt: null },
      unsent
    ],
    [
      "fails a delivery when its API key is revoked",
      { key: key(now - 5) },
      { status: "failed", reason: "api_key_revoked" },
      unsent
    ],
    [
      "fails a delivery when its domain is removed",
      { domain: null },
      { status: "failed", reason: "sending_failed" },
      unsent
    ],
    [
      "fails a delivery when its domain is pending",
      { domain: domain({ status: "pending" }) },
      { status: "failed", reason: "sending_failed" },
      unsent
    ],
    ...suppressionReasons.map(
      (reason) =>
        [
          `suppresses a delivery for the reason ${reason} before any other failure`,
          { suppression: suppression(reason), key: key(1), domain: null, allowanceUsed: 9 },
          { status: "suppressed", reason },
          unsent
        ] as [string, Partial<ReleaseFacts>, object, object]
    )
  ])("%s", (_, change, expected, counters) => {
    const { answer, changes } = releaseDue(facts(change))
    expect(answer).toMatchObject(expected)
    expect(spends(changes)).toEqual(counters)
  })

  it("charges a due delivery under the plan's limit, with guards on its API key and domain", () => {
    const { changes } = releaseDue(facts())
    expect(changes).toContainEqual(expect.objectContaining({ _tag: "SpendCounter", name: "allowance", by: 1, max: 5 }))
    expect(changes.filter(({ _tag }) => _tag === "Expect")).toMatchObject([
      { record: { kind: "ApiKey" }, revision: 2 },
      { record: { kind: "Domain" }, revision: 1 }
    ])
  })
})

describe("beginAttempt", () => {
  const begin = (change = {}) =>
    beginAttempt({
      now,
      eventId: "evt_1",
      maxMessageBytes: null,
      delivery: delivery({ worker: "w" }),
      message: message(),
      suppression: null,
      ...change
    })

  it("moves the delivery to sending with the next fencing token, and keeps its worker", () => {
    const { answer, changes } = begin()
    expect(answer).toMatchObject({
      delivery: { status: "sending", fencingToken: 8, worker: "w", attempts: 1 },
      attempt: { number: 1, phase: "started" }
    })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["MoveDelivery", "InsertAttempt"])
  })

  it.each([
    ["a suppression", { suppression: suppression("complaint") }, "suppressed"],
    ["a send that has expired", { message: message({ expiresAt: now }) }, "failed"],
    ["a message that is too large", { maxMessageBytes: 1 }, "failed"]
  ])("ends the delivery and refunds its charge because of %s", (_, change, status) => {
    const { answer, changes } = begin(change)
    expect(answer).toBeNull()
    expect(changes).toContainEqual(
      expect.objectContaining({ _tag: "MoveDelivery", next: expect.objectContaining({ status, chargedAt: null }) })
    )
    expect(spends(changes)).toEqual({ allowance: -1, "daily:2026-11-21": -1 })
  })
})

describe("beginAttempt, after the clock was set back", () => {
  it("returns a delivery to the queue unclaimed and keeps its charge when it is not due yet", () => {
    const claimed = delivery({ worker: "w", dueAt: now + 1 })
    const { answer, changes } = beginAttempt({
      now,
      eventId: "evt_1",
      maxMessageBytes: null,
      delivery: claimed,
      message: message(),
      suppression: null
    })
    expect(answer).toBeNull()
    expect(changes).toMatchObject([
      { _tag: "MoveDelivery", next: { status: "queued", dueAt: now + 1, worker: null, chargedAt: claimed.chargedAt } }
    ])
  })
})

describe("markFinalizing", () => {
  const begun = { delivery: delivery({ status: "sending", worker: "w" }), attempt: attempt() }
  const mark = (existing: ReturnType<typeof suppression> | null) =>
    markFinalizing({
      now,
      eventId: "evt_1",
      ...begun,
      addressKey: "key-of-ada",
      suppression: existing,
      leaseUntil: now + 30_000
    })

  it("permits finalizing only while the suppression is unchanged since it was read", () => {
    expect(mark(null)).toMatchObject({
      answer: true,
      changes: [
        { _tag: "Expect", revision: null },
        { _tag: "MoveAttempt", from: "started", next: { phase: "finalizing" } },
        { _tag: "RenewLease", worker: "w", leaseUntil: now + 30_000 }
      ]
    })
    const lapsed = { ...suppression("temporary_failure"), reasons: { temporary_failure: 0 } }
    expect(mark(lapsed)).toMatchObject({ answer: true, changes: [{ _tag: "Expect", revision: 3 }, {}, {}] })
  })

  it("refuses finalizing for a suppressed recipient, and refunds the charge", () => {
    const { answer, changes } = mark(suppression("unsubscribed"))
    expect(answer).toBe(false)
    expect(changes.find(({ _tag }) => _tag === "MoveDelivery")).toMatchObject({
      next: { status: "suppressed", reason: "unsubscribed", chargedAt: null }
    })
  })
})

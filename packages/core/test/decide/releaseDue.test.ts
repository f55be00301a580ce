import { describe, expect, it } from "vitest"
import { beginAttempt, markDot } from "../../src/decide/beginAttempt.ts"
import type { ReleaseFacts } from "../../src/decide/releaseDue.ts"
import { releaseDue } from "../../src/decide/releaseDue.ts"
import type { ApiKey } from "../../src/domain/ApiKey.ts"
import { unlimited } from "../../src/domain/Plan.ts"
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
  plan: { ...unlimited, sendingAllowance: 5 },
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

const unsent = { waiting: -1, "daily:2026-11-21": -1 }

describe("a due delivery", () => {
  it.each<[string, Partial<ReleaseFacts>, object, object]>([
    ["goes", {}, { status: "queued", chargedAt: now, dueAt: now }, { waiting: -1, allowance: 1 }],
    [
      "waits on, held by nobody, when the clock was set back after its claim",
      { delivery: scheduled({ dueAt: now + 1, worker: "w" }) },
      { status: "scheduled", dueAt: now + 1, worker: null },
      {}
    ],
    ["goes without a key", { key: null }, { status: "queued" }, { waiting: -1, allowance: 1 }],
    [
      "stops at the allowance",
      { allowanceUsed: 5 },
      { status: "failed", reason: "quota_exceeded", chargedAt: null },
      unsent
    ],
    ["stops at a revoked key", { key: key(now - 5) }, { status: "failed", reason: "api_key_revoked" }, unsent],
    ["stops at a domain that is gone", { domain: null }, { status: "failed", reason: "sending_failed" }, unsent],
    [
      "stops at a pending domain",
      { domain: domain({ status: "pending" }) },
      { status: "failed", reason: "sending_failed" },
      unsent
    ],
    ...suppressionReasons.map(
      (reason) =>
        [
          `stops at a suppression (${reason}), whatever else is wrong`,
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

  it("is charged under the plan's limit, with the key and the domain as they were read", () => {
    const { changes } = releaseDue(facts())
    expect(changes).toContainEqual(expect.objectContaining({ _tag: "SpendCounter", name: "allowance", by: 1, max: 5 }))
    expect(changes.filter(({ _tag }) => _tag === "Expect")).toMatchObject([
      { record: { kind: "ApiKey" }, revision: 2 },
      { record: { kind: "Domain" }, revision: 1 }
    ])
  })
})

describe("beginning an attempt", () => {
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

  it("moves the delivery to sending under the next token, and keeps its worker", () => {
    const { answer, changes } = begin()
    expect(answer).toMatchObject({
      delivery: { status: "sending", token: 8, worker: "w", attempts: 1 },
      attempt: { number: 1, phase: "started" }
    })
    expect(changes.map(({ _tag }) => _tag)).toEqual(["MoveDelivery", "InsertAttempt"])
  })

  it.each([
    ["a suppression", { suppression: suppression("complaint") }, "suppressed"],
    ["a send that is too late", { message: message({ expiresAt: now }) }, "failed"],
    ["a message that is too large", { maxMessageBytes: 1 }, "failed"]
  ])("ends the delivery at %s, and gives its charge back", (_, change, status) => {
    const { answer, changes } = begin(change)
    expect(answer).toBeNull()
    expect(changes).toContainEqual(
      expect.objectContaining({ _tag: "MoveDelivery", next: expect.objectContaining({ status, chargedAt: null }) })
    )
    expect(spends(changes)).toEqual({ allowance: -1, "daily:2026-11-21": -1 })
  })
})

describe("a delivery claimed while the clock stood ahead", () => {
  it("goes back to the queue, held by nobody, and is charged as it was", () => {
    const held = delivery({ worker: "w", dueAt: now + 1 })
    const { answer, changes } = beginAttempt({
      now,
      eventId: "evt_1",
      maxMessageBytes: null,
      delivery: held,
      message: message(),
      suppression: null
    })
    expect(answer).toBeNull()
    expect(changes).toMatchObject([
      { _tag: "MoveDelivery", next: { status: "queued", dueAt: now + 1, worker: null, chargedAt: held.chargedAt } }
    ])
  })
})

describe("the final dot", () => {
  const begun = { delivery: delivery({ status: "sending", worker: "w" }), attempt: attempt() }
  const mark = (standing: ReturnType<typeof suppression> | null) =>
    markDot({
      now,
      eventId: "evt_1",
      ...begun,
      addressKey: "key-of-ada",
      suppression: standing,
      leaseUntil: now + 30_000
    })

  it("may go only while the suppression is what was read", () => {
    expect(mark(null)).toMatchObject({
      answer: true,
      changes: [
        { _tag: "Expect", revision: null },
        { _tag: "MoveAttempt", from: "started", next: { phase: "dot" } },
        { _tag: "RenewLease", worker: "w", leaseUntil: now + 30_000 }
      ]
    })
    const lapsed = { ...suppression("temporary_failure"), reasons: { temporary_failure: 0 } }
    expect(mark(lapsed)).toMatchObject({ answer: true, changes: [{ _tag: "Expect", revision: 3 }, {}, {}] })
  })

  it("is withheld from a suppressed recipient, and the charge given back", () => {
    const { answer, changes } = mark(suppression("unsubscribed"))
    expect(answer).toBe(false)
    expect(changes.find(({ _tag }) => _tag === "MoveDelivery")).toMatchObject({
      next: { status: "suppressed", reason: "unsubscribed", chargedAt: null }
    })
  })
})

import { describe, expect, it } from "vitest"
import type { QueueDueFacts } from "../../../src/decide/delivery/queueDue.ts"
import { queueDue } from "../../../src/decide/delivery/queueDue.ts"
import type { ApiKeyRecord } from "../../../src/domain/access/ApiKey.ts"
import { noLimits } from "../../../src/domain/plan/Plan.ts"
import { suppressionReasons } from "../../../src/domain/contact/Suppression.ts"
import { counterChanges, domain, message, nextState, now, scheduled, suppression } from "../fixtures.ts"

const apiKey = (revokedAt: number | null): ApiKeyRecord => ({
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

const facts = (change: Partial<QueueDueFacts> = {}): QueueDueFacts => ({
  now,
  eventId: "evt_1",
  plan: { ...noLimits, sendingAllowance: 5 },
  claimed: scheduled(),
  delivery: change.claimed ?? scheduled(),
  message: message(),
  apiKey: apiKey(null),
  domain: domain(),
  suppression: null,
  allowanceUsed: 4,
  ...change
})

const unsentCounters = { scheduledRecipients: -1, "daily:2026-11-21": -1 }

describe("queueDue", () => {
  it.each<[string, Partial<QueueDueFacts>, object, object]>([
    [
      "queues a due delivery",
      {},
      { status: "queued", chargedAt: now, dueAt: now, queuedAt: now },
      { scheduledRecipients: -1, allowance: 1 }
    ],
    [
      "keeps a delivery scheduled and unclaimed when the clock was set back after its claim",
      { claimed: scheduled({ dueAt: now + 1, worker: "w" }) },
      { status: "scheduled", dueAt: now + 1, worker: null },
      {}
    ],
    [
      "queues a delivery without an API key",
      { apiKey: null },
      { status: "queued" },
      { scheduledRecipients: -1, allowance: 1 }
    ],
    [
      "fails a delivery when the allowance is used up",
      { allowanceUsed: 5 },
      { status: "failed", reason: "quota_exceeded", chargedAt: null },
      unsentCounters
    ],
    [
      "fails a delivery when its API key is revoked",
      { apiKey: apiKey(now - 5) },
      { status: "failed", reason: "api_key_revoked" },
      unsentCounters
    ],
    [
      "fails a delivery when its domain is removed",
      { domain: null },
      { status: "failed", reason: "sending_failed" },
      unsentCounters
    ],
    [
      "fails a delivery when its domain is pending",
      { domain: domain({ status: "pending" }) },
      { status: "failed", reason: "sending_failed" },
      unsentCounters
    ],
    ...suppressionReasons.map(
      (reason) =>
        [
          `suppresses a delivery for the reason ${reason} before any other failure`,
          { suppression: suppression(reason), apiKey: apiKey(1), domain: null, allowanceUsed: 9 },
          { status: "suppressed", reason },
          unsentCounters
        ] as [string, Partial<QueueDueFacts>, object, object]
    )
  ])("%s", (_, change, expected, counters) => {
    const { answer, changes } = queueDue(facts(change))
    const next = nextState(changes)
    expect(next).toMatchObject(expected)
    expect(answer).toBe(next.status)
    expect(counterChanges(changes)).toEqual(counters)
  })

  it("charges a due delivery under the plan's limit, with guards on its API key and domain", () => {
    const { changes } = queueDue(facts())
    expect(changes).toContainEqual(expect.objectContaining({ _tag: "AddToCounter", name: "allowance", by: 1, max: 5 }))
    expect(changes.filter(({ _tag }) => _tag === "Expect")).toMatchObject([
      { record: { kind: "ApiKey" }, revision: 2 },
      { record: { kind: "Domain" }, revision: 1 }
    ])
  })

  it("writes nothing when another worker has claimed the delivery since", () => {
    const claimed = scheduled({ fencingToken: 7 })
    expect(queueDue(facts({ claimed, delivery: scheduled({ fencingToken: 8 }) }))).toEqual({
      answer: "claim_lost",
      changes: []
    })
    expect(queueDue(facts({ claimed, delivery: null }))).toEqual({ answer: "claim_lost", changes: [] })
  })
})

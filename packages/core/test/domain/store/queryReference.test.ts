import { describe, expect, it } from "vitest"
import { evaluateBacklog, evaluateNextDue } from "../../../src/domain/store/queryReference.ts"
import { delivery, now } from "../../decide/fixtures.ts"

describe("a store with very many deliveries", () => {
  const waiting = delivery({ status: "queued", worker: null, dueAt: now })
  const deliveries = [...Array.from({ length: 300_000 }, () => waiting), { ...waiting, dueAt: now - 1 }]

  it("finds the oldest due delivery of the backlog", () => {
    expect(evaluateBacklog(deliveries, now)).toMatchObject({ queued: 300_001, oldestDueAt: now - 1 })
  })

  it("finds the next due time", () => {
    expect(evaluateNextDue(deliveries, [], { _tag: "NextDue", worker: "w", now })).toBe(now - 1)
  })
})

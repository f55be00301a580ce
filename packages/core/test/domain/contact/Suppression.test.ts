import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dayMillis } from "../../../src/domain/value/Instant.ts"
import type { SuppressionRecord } from "../../../src/domain/contact/Suppression.ts"
import {
  suppressedFor,
  suppressionReasons,
  withoutReason,
  withReason
} from "../../../src/domain/contact/Suppression.ts"

const add = (existing: SuppressionRecord | null, reason: (typeof suppressionReasons)[number], now = 0) =>
  withReason({ projectId: "prj", address: "a@example.com", addressKey: "k" }, existing, reason, now) ?? existing

describe("a suppression", () => {
  it("keeps all reasons and shows the strongest reason", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...suppressionReasons), { minLength: 1 }), (reasons) => {
        const existing = reasons.reduce<SuppressionRecord | null>((existing, reason) => add(existing, reason), null)
        const strongest = suppressionReasons.find((reason) => reasons.includes(reason))
        expect(suppressedFor(existing, 1)).toBe(strongest)
        expect(Object.keys(existing!.reasons).toSorted()).toEqual([...reasons].toSorted())
      })
    )
  })

  it("expires after 30 days only when its reason is temporary_failure", () => {
    for (const reason of suppressionReasons) {
      const existing = add(null, reason)
      expect(suppressedFor(existing, 30 * dayMillis - 1)).toBe(reason)
      expect(suppressedFor(existing, 30 * dayMillis)).toBe(reason === "temporary_failure" ? null : reason)
    }
  })

  it("removes one reason and keeps the others", () => {
    const existing = add(add(null, "complaint"), "unsubscribed")
    expect(suppressedFor(withoutReason(existing, "complaint")!, 0)).toBe("unsubscribed")
    expect(withoutReason(existing, "manual")).toBeUndefined()
    expect(suppressedFor(null, 0)).toBeNull()
  })
})

import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { dayMillis } from "../../src/domain/Instant.ts"
import type { Suppression } from "../../src/domain/Suppression.ts"
import { suppressedFor, suppressionReasons, withoutReason, withReason } from "../../src/domain/Suppression.ts"

const add = (standing: Suppression | null, reason: (typeof suppressionReasons)[number], now = 0) =>
  withReason({ projectId: "prj", address: "a@example.com", addressKey: "k" }, standing, reason, now) ?? standing

describe("a suppression", () => {
  it("keeps all reasons and shows the strongest", () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom(...suppressionReasons), { minLength: 1 }), (reasons) => {
        const standing = reasons.reduce<Suppression | null>((standing, reason) => add(standing, reason), null)
        const strongest = suppressionReasons.find((reason) => reasons.includes(reason))
        expect(suppressedFor(standing, 1)).toBe(strongest)
        expect(Object.keys(standing!.reasons).toSorted()).toEqual([...reasons].toSorted())
      })
    )
  })

  it("lapses for temporary failures after 30 days, and for nothing else", () => {
    for (const reason of suppressionReasons) {
      const standing = add(null, reason)
      expect(suppressedFor(standing, 30 * dayMillis - 1)).toBe(reason)
      expect(suppressedFor(standing, 30 * dayMillis)).toBe(reason === "temporary_failure" ? null : reason)
    }
  })

  it("loses one reason at a time", () => {
    const standing = add(add(null, "complaint"), "unsubscribed")
    expect(suppressedFor(withoutReason(standing, "complaint")!, 0)).toBe("unsubscribed")
    expect(withoutReason(standing, "manual")).toBeUndefined()
    expect(suppressedFor(null, 0)).toBeNull()
  })
})

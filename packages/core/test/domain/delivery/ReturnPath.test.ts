import { createHmac } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isReportedInTime, readReturnPath, returnPathOf } from "../../../src/domain/delivery/ReturnPath.ts"
import { blockFrom, idAt, idTime } from "../../../src/domain/value/Id.ts"
import { dayMillis } from "../../../src/domain/value/Instant.ts"

const now = Date.UTC(2026, 10, 21, 12)

const signer = (secret: string) => (text: string) => createHmac("sha256", secret).update(text).digest("hex")
const verify = { sign: signer("ours"), equal: (a: string, b: string) => a === b }

const deliveryIds = fc
  .tuple(fc.integer({ min: now - 20 * dayMillis, max: now }), fc.uint8Array({ minLength: 10, maxLength: 10 }))
  .map(([time, random]) => idAt(blockFrom(time, random), "del", 0))

describe("readReturnPath", () => {
  it("returns the delivery of its return path, in any case of letters", () => {
    fc.assert(
      fc.property(deliveryIds, fc.boolean(), (id, upper) => {
        const address = returnPathOf(id, "bounces.acme.example", verify.sign)
        expect(readReturnPath(upper ? address.toUpperCase() : address, verify)).toBe(id)
      })
    )
  })

  it("has a local part of at most 64 characters", () => {
    fc.assert(
      fc.property(deliveryIds, (id) => {
        expect(returnPathOf(id, "a.example", verify.sign).split("@")[0]!.length).toBeLessThanOrEqual(64)
      })
    )
  })

  it("refuses a return path of another secret", () => {
    fc.assert(
      fc.property(deliveryIds, (id) => {
        expect(readReturnPath(returnPathOf(id, "a.example", signer("theirs")), verify)).toBeUndefined()
      })
    )
  })

  it("refuses a return path with a changed character before the @", () => {
    fc.assert(
      fc.property(
        deliveryIds,
        fc.nat(48),
        fc.constantFrom(..."0123456789abcdefghjkmnpqrstvwxyz"),
        (id, at, character) => {
          const address = returnPathOf(id, "a.example", verify.sign)
          fc.pre(address[at] !== character)
          const changed = address.slice(0, at) + character + address.slice(at + 1)
          expect(readReturnPath(changed, verify)).toBeUndefined()
        }
      )
    )
  })

  it("returns nothing for any other text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 400 }), (text) => {
        expect(readReturnPath(text, verify)).toBeUndefined()
      })
    )
  })
})

describe("isReportedInTime", () => {
  it("ends 60 days after the creation of the delivery, or 30 days after it was queued if that is later", () => {
    fc.assert(
      fc.property(deliveryIds, fc.integer({ min: 0, max: 200 }), (id, days) => {
        const created = idTime(id)
        const queuedAt = created + days * dayMillis
        const end = Math.max(created + 60 * dayMillis, queuedAt + 30 * dayMillis)
        expect(isReportedInTime({ id, queuedAt }, end - 1)).toBe(true)
        expect(isReportedInTime({ id, queuedAt }, end)).toBe(false)
        expect(isReportedInTime({ id, queuedAt: null }, created + 60 * dayMillis - 1)).toBe(true)
        expect(isReportedInTime({ id, queuedAt: null }, created + 60 * dayMillis)).toBe(false)
      })
    )
  })
})

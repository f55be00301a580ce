/**
 * The behaviour of suppressions of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { RecordNotFound } from "../../src/index.ts"
import { all, rejection } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const suppressionCases = ({ open }: HandleUnderTest): void => {
  describe("suppressions", () => {
    it("adds a reason, lists it and deletes it", async () => {
      const { mail } = await open()
      const added = await mail.suppressions.addReason("Ada@Example.org", "manual")
      expect(added).toMatchObject({ reason: "manual", reasons: [{ reason: "manual", since: expect.any(Number) }] })
      expect(await mail.suppressions.addReason("ada@example.org", "manual")).toEqual(added)
      const page = await mail.suppressions.list({ search: "ada", limit: 1 })
      expect(page).toEqual({ items: [added], limit: 1, hasMore: false, nextCursor: null })
      const { totalQueued, deliveryIds } = await mail.send({
        from: "hi@acme.example",
        to: "ada@example.org",
        subject: "Welcome",
        text: "Hello."
      })
      expect(totalQueued).toBe(0)
      expect(await mail.deliveries.get(deliveryIds[0]!)).toMatchObject({ status: "suppressed", reason: "manual" })
      await mail.suppressions.delete("ada@example.org")
      const failure = await rejection(mail.suppressions.delete("ada@example.org"))
      expect(failure).toBeInstanceOf(RecordNotFound)
      expect(failure).toMatchObject({ record: "suppression", id: "" })
    })

    it("iterates over all addresses by address", async () => {
      const { mail } = await open()
      const addresses = Array.from({ length: 110 }, (_, n) => `c${String(n).padStart(3, "0")}@example.org`)
      await Promise.all(addresses.map((address) => mail.suppressions.addReason(address, "manual")))
      expect((await all(mail.suppressions.each())).map(({ email }) => email)).toEqual(addresses)
      expect((await all(mail.suppressions.each({ search: "c10" }))).length).toBe(10)
    })

    it("refuses a text that is no address", async () => {
      const { mail } = await open()
      expect(await rejection(mail.suppressions.addReason("nobody", "manual"))).toMatchObject({
        _tag: "InvalidArgument",
        argument: "input",
        issues: [{ path: ["email"], code: "invalid_value" }]
      })
    })
  })
}

/**
 * The behaviour of segments of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { all, rejection } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const segmentCases = ({ open }: HandleUnderTest): void => {
  describe("segments", () => {
    const filter = {
      any: [{ field: "properties.plan", op: "eq", value: "pro" }, { not: { field: "email", op: "set" } }]
    } as const

    it("creates, reads, changes and deletes a segment", async () => {
      const { mail } = await open()
      await mail.properties.create({ key: "plan", type: "string" })
      const created = await mail.segments.create({ name: "Pro", filter })
      expect(created.filter).toEqual(filter)
      expect(await mail.segments.get(created.id)).toEqual(created)
      await mail.contacts.create({ email: "ada@example.org", properties: { plan: "pro" } })
      await mail.contacts.create({ email: "bob@example.org" })
      expect((await all(mail.contacts.each({ segmentId: created.id }))).map(({ email }) => email)).toEqual([
        "ada@example.org"
      ])
      expect((await mail.segments.update(created.id, { name: "Paid" })).name).toBe("Paid")
      expect((await mail.segments.list({ limit: 1 })).total).toBe(1)
      expect((await all(mail.segments.each())).length).toBe(1)
      await mail.segments.delete(created.id)
      expect(await rejection(mail.segments.get(created.id))).toMatchObject({ record: "segment" })
    })

    it("names the wrong part of a filter", async () => {
      const { mail } = await open()
      expect(await rejection(mail.segments.create({ name: "Pro", filter }))).toMatchObject({
        argument: "input",
        issues: [{ path: ["filter", "any", 0, "field"], code: "invalid_value" }]
      })
    })
  })
}

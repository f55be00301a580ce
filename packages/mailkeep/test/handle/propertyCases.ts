/**
 * The behaviour of custom properties of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { PropertyInUse, TooManyRecords } from "../../src/index.ts"
import { rejection } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const propertyCases = ({ open }: HandleUnderTest): void => {
  describe("properties", () => {
    it("creates, changes and deletes a property", async () => {
      const { mail } = await open()
      const created = await mail.properties.create({ key: "plan", type: "string", fallbackValue: "free" })
      expect(created).toMatchObject({ id: expect.stringMatching(/^prop_/), fallbackValue: "free" })
      expect(await mail.properties.list()).toEqual([created])
      expect((await mail.properties.update(created.id, { fallbackValue: null })).fallbackValue).toBeNull()
      await mail.properties.delete(created.id)
      expect(await rejection(mail.properties.delete(created.id))).toMatchObject({ record: "property" })
    })

    it("names a wrong field as the caller does", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.properties.create({ key: "score", type: "number", fallbackValue: "many" }))
      expect(failure).toMatchObject({ issues: [{ path: ["fallbackValue"], code: "invalid_type" }] })
      const wireName = { key: "score", type: "number", fallback_value: "1" } as const
      expect(await rejection(mail.properties.create(wireName))).toMatchObject({
        issues: [{ path: ["fallback_value"], code: "unknown_field" }]
      })
    })

    it("refuses another type while a contact has a value", async () => {
      const { mail } = await open()
      const { id } = await mail.properties.create({ key: "plan", type: "string" })
      await mail.contacts.create({ email: "ada@example.org", properties: { plan: "pro" } })
      const failure = await rejection(mail.properties.update(id, { type: "number" }))
      expect(failure).toBeInstanceOf(PropertyInUse)
      expect(failure).toMatchObject({ kind: "conflict", propertyId: id })
    })

    it("refuses a key that is taken, and the 201st property", async () => {
      const { mail } = await open()
      for (let n = 0; n < 200; n++) await mail.properties.create({ key: `p${n}`, type: "string" })
      expect(await rejection(mail.properties.create({ key: "P7", type: "string" }))).toMatchObject({
        _tag: "NameTaken",
        record: "property",
        field: "key"
      })
      const failure = await rejection(mail.properties.create({ key: "last", type: "string" }))
      expect(failure).toBeInstanceOf(TooManyRecords)
      expect(failure).toMatchObject({ kind: "conflict", record: "property", max: 200 })
    })
  })
}

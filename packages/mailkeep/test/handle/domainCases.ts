/**
 * The behaviour of domains of each `ProjectHandle`.
 */
import { describe, expect, it } from "vitest"
import { DomainTaken, RecordNotFound } from "../../src/index.ts"
import { all, rejection } from "../testMail.ts"
import type { HandleUnderTest } from "./handleUnderTest.ts"

export const domainCases = ({ open }: HandleUnderTest): void => {
  describe("domains", () => {
    it("creates a domain with the records to publish", async () => {
      const { mail, core } = await open({ mailHost: "mail.acme.example" })
      const created = await mail.domains.create({ domain: "Shop.Example" })
      expect(created).toMatchObject({ domain: "shop.example", status: "pending", verificationAttempts: 0 })
      expect(created.records.map(({ purpose }) => purpose)).toContain("dkim")
      expect(await core.domains.get(created.id)).toMatchObject(created)
      expect(await mail.domains.get(created.id)).toMatchObject(created)
    })

    it("lists, filters and deletes domains", async () => {
      const { mail } = await open()
      const { id } = await mail.domains.create({ domain: "shop.example" })
      expect((await mail.domains.list()).total).toBe(2)
      expect((await mail.domains.list({ search: "SHOP" })).items.map((one) => one.id)).toEqual([id])
      expect((await all(mail.domains.each({ status: "verified" }))).map(({ domain }) => domain)).toEqual([
        "acme.example"
      ])
      await mail.domains.delete(id)
      const failure = await rejection(mail.domains.get(id))
      expect(failure).toBeInstanceOf(RecordNotFound)
      expect(failure).toMatchObject({ record: "domain", id })
    })

    it("checks a domain now", async () => {
      // No name server listens at this port.
      const { mail } = await open({ nameServers: ["127.0.0.1:1"] })
      const { id } = await mail.domains.create({ domain: "shop.example" })
      const checked = await mail.domains.verify(id)
      expect(checked).toMatchObject({ status: "pending", verificationAttempts: 1 })
      expect(checked.records.map(({ status }) => status)).toContain("temporary_failure")
    })

    it("refuses a domain that exists, and a text that is no domain", async () => {
      const { mail } = await open()
      const failure = await rejection(mail.domains.create({ domain: "acme.example" }))
      expect(failure).toBeInstanceOf(DomainTaken)
      expect(failure).toMatchObject({ kind: "duplicate_error", isRetryable: false })
      expect(await rejection(mail.domains.create({ domain: "no domain" }))).toMatchObject({
        issues: [{ path: ["domain"] }]
      })
    })
  })
}

import { describe, expect, it } from "vitest"
import { checkDnsRecord } from "../../../src/decide/domain-name/checkDnsRecord.ts"
import type { DnsPurpose, DnsRecord } from "../../../src/domain/domain-name/SenderDomain.ts"
import { recordsToPublish } from "../../../src/domain/domain-name/SenderDomain.ts"

const records = recordsToPublish("shop.example", "mk1", "MIIB", { host: "mx.example", returnPathLabel: "bounces" })

const record = (purpose: DnsPurpose): DnsRecord => ({
  ...records.find((one) => one.purpose === purpose)!,
  id: "rec_1",
  status: "not_started",
  lastCheckedAt: null,
  errorCode: null,
  errorMessage: null
})

describe("checkDnsRecord", () => {
  it.each<[DnsPurpose, ReadonlyArray<string>]>([
    ["dkim", ["v=DKIM1; k=rsa; p=MIIB"]],
    ["dkim", ["other text", "v=DKIM1;k=rsa; p = MI IB"]],
    ["spf", ["v=spf1 a:mx.example ~all"]],
    ["spf", ["google-site-verification=x", "V=SPF1 include:x.example A:MX.example -all"]],
    ["spf", ["v=spf1 +a:mx.example ~all"]],
    ["spf", ["v=spf1 include:all.example a:mx.example"]],
    ["dmarc", ["v=DMARC1; p=reject"]],
    ["return_path", ["MX.example."]],
    ["return_path", ["other.example", "mx.example"]]
  ])("verifies the %s record %j", (purpose, values) =>
    expect(checkDnsRecord(record(purpose), { _tag: "Found", values })).toEqual({
      recordId: "rec_1",
      status: "verified",
      errorCode: null,
      errorMessage: null
    })
  )

  it("verifies the SPF record as it is shown when the mail host has capital letters", () => {
    const stored = { ...record("spf"), value: "v=spf1 a:MX.Example ~all" }
    for (const published of [stored.value, "v=spf1 a:mx.example ~all"])
      expect(checkDnsRecord(stored, { _tag: "Found", values: [published] })).toMatchObject({ status: "verified" })
  })

  it("shows the mail host in lower-case A-labels", () => {
    const host = { host: "Mail.BÜCHER.example", returnPathLabel: "bounces" }
    const values = recordsToPublish("shop.example", "mk1", "MIIB", host).map(({ value }) => value)
    expect(values[1]).toBe("v=spf1 a:mail.xn--bcher-kva.example ~all")
    expect(values[3]).toBe("mail.xn--bcher-kva.example")
  })

  it.each<[DnsPurpose, ReadonlyArray<string>, string]>([
    ["dkim", ["v=DKIM1; p=AAAA"], "mk1._domainkey.shop.example: The DKIM record has another key."],
    ["dkim", [], "mk1._domainkey.shop.example: The DKIM record has another key."],
    ["spf", ["v=spf1 -all"], "bounces.shop.example: The SPF record does not contain a:mx.example."],
    [
      "spf",
      ["v=spf1 include:x.example -all a:mx.example"],
      "bounces.shop.example: The SPF record has a:mx.example after all, where it has no effect."
    ],
    [
      "spf",
      ["v=spf1 ALL A:mx.example"],
      "bounces.shop.example: The SPF record has a:mx.example after all, where it has no effect."
    ],
    ["spf", ["v=spf1 -a:mx.example"], "bounces.shop.example: The SPF record does not contain a:mx.example."],
    ["spf", ["v=spf10 a:mx.example"], "bounces.shop.example: The SPF record does not contain a:mx.example."],
    ["spf", ["v=spf1 a:mx.example", "v=spf1 -all"], "bounces.shop.example: There is more than one SPF record."],
    ["dmarc", ["v=DMARC1", "v=DMARC1; p=none"], "_dmarc.shop.example: There is not exactly one DMARC record."],
    ["dmarc", ["v=DMARC10; p=none"], "_dmarc.shop.example: There is not exactly one DMARC record."],
    ["return_path", ["mx.example.evil"], "bounces.shop.example: No MX record names mx.example."]
  ])("fails the %s record %j", (purpose, values, errorMessage) =>
    expect(checkDnsRecord(record(purpose), { _tag: "Found", values })).toEqual({
      recordId: "rec_1",
      status: "failed",
      errorCode: "wrong_value",
      errorMessage
    })
  )

  it.each([
    ["nxdomain", true, "failed", "The name does not exist."],
    ["nodata", true, "failed", "The name has no record of this type."],
    ["timeout", false, "temporary_failure", "The name servers did not answer."]
  ])("reports the DNS error %s", (code, definite, status, message) =>
    expect(checkDnsRecord(record("dmarc"), { _tag: "Missing", definite, code })).toEqual({
      recordId: "rec_1",
      status,
      errorCode: code,
      errorMessage: `_dmarc.shop.example: ${message}`
    })
  )
})

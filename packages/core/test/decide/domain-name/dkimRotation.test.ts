import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { RotateDkimKeyFacts } from "../../../src/decide/domain-name/dkimRotation.ts"
import {
  afterRotation,
  importDkimKey,
  isRotating,
  rotateDkimKey
} from "../../../src/decide/domain-name/dkimRotation.ts"
import { createDomain } from "../../../src/decide/domain-name/senderDomain.ts"
import type { SenderDomainRecord, StoredDnsRecord } from "../../../src/domain/domain-name/SenderDomain.ts"
import { parseCreateDomain } from "../../../src/domain/domain-name/SenderDomain.ts"
import { dayMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { now, project } from "../fixtures.ts"

const key = (publicKey: string) => ({ selector: "mk", encryptedPrivateKey: `private of ${publicKey}`, publicKey })
const host = { host: "mx.example", returnPathLabel: "bounces" }
const ids = { time: now, high: 0, low: 0 }

const created: SenderDomainRecord = Result.getOrThrow(
  createDomain(Result.getOrThrow(parseCreateDomain({ domain: "example.com" })), {
    now,
    ids,
    projectId: project,
    domainScope: null,
    existing: null,
    count: 0,
    dkimKey: key("FIRST"),
    host
  })
).answer

const withStatus = (records: ReadonlyArray<StoredDnsRecord>, status: StoredDnsRecord["status"]) =>
  records.map((record) => ({ ...record, status, published: status === "verified" }))

const verified: SenderDomainRecord = {
  ...created,
  status: "verified",
  records: withStatus(created.records, "verified"),
  nextCheckAt: now + dayMillis
}

const rotate = (existing: SenderDomainRecord, change: Partial<RotateDkimKeyFacts> = {}) =>
  Result.getOrThrow(
    rotateDkimKey(existing.id, {
      now,
      ids: { ...ids, high: 1 },
      host,
      domainScope: null,
      existing,
      dkimKey: key("SECOND"),
      ...change
    })
  )

const dkimRecords = ({ records }: Pick<SenderDomainRecord, "records">) =>
  records
    .filter(({ purpose }) => purpose === "dkim")
    .map(({ name, value, requiredForSending }) => [name, value.split("p=")[1], requiredForSending])

describe("rotateDkimKey", () => {
  it("keeps the key that signs, and adds the record of the new key, which is not required", () => {
    const { answer, changes } = rotate(verified)
    expect(answer.dkim).toEqual({
      ...verified.dkim,
      next: { selector: "mk-00000000", encryptedPrivateKey: "private of SECOND" }
    })
    expect(dkimRecords(answer)).toEqual([
      ["mk._domainkey.example.com", "FIRST", true],
      ["mk-00000000._domainkey.example.com", "SECOND", false]
    ])
    expect(answer.records).toHaveLength(5)
    expect(new Set(answer.records.map(({ id }) => id)).size).toBe(5)
    expect(answer).toMatchObject({ status: "verified", nextCheckAt: now + 5 * minuteMillis, revision: 2 })
    expect(changes).toEqual([{ _tag: "PutDomain", domain: answer, replaces: 1 }])
    expect(isRotating(answer)).toBe(true)
  })

  it("changes nothing while the new key waits for its record", () => {
    const { answer } = rotate(verified)
    expect(rotate(answer, { dkimKey: key("THIRD") })).toEqual({ answer, changes: [] })
  })

  it.each<[string, SenderDomainRecord]>([
    ["a domain whose record was never in DNS", created],
    ["a failed domain", { ...verified, status: "failed", records: withStatus(created.records, "failed") }]
  ])("replaces the key of %s at once", (_, existing) => {
    const { answer } = rotate(existing)
    expect(answer.dkim).toEqual({ selector: "mk-00000000", encryptedPrivateKey: "private of SECOND" })
    expect(dkimRecords(answer)).toEqual([["mk-00000000._domainkey.example.com", "SECOND", true]])
    expect(answer.records).toHaveLength(4)
    expect(isRotating(answer)).toBe(false)
  })

  it("gives a domain without DNS records its key and its records, and no check", () => {
    const { answer } = rotate({ ...verified, manuallyVerified: true, dkim: null, records: [], nextCheckAt: null })
    expect(answer.records.map(({ purpose }) => purpose)).toEqual(["dkim", "spf", "dmarc", "return_path"])
    expect(answer).toMatchObject({ dkim: { selector: "mk-00000000" }, nextCheckAt: null })
  })

  it("keeps an earlier check", () =>
    expect(rotate({ ...verified, nextCheckAt: now + 1 }).answer.nextCheckAt).toBe(now + 1))

  it("refuses a domain that does not exist or is outside the scope of the API key", () => {
    const facts = { now, ids, host, dkimKey: key("SECOND") }
    expect(rotateDkimKey("dom_1", { ...facts, domainScope: null, existing: null })).toMatchObject({
      failure: { _tag: "RecordNotFound" }
    })
    expect(rotateDkimKey("dom_1", { ...facts, domainScope: ["other.example"], existing: verified })).toMatchObject({
      failure: { _tag: "SenderOutsideScope" }
    })
  })
})

describe("importDkimKey", () => {
  const imported = (publicKey: string, selector = "s1") => ({ ...key(publicKey), selector })
  const importInto = (existing: SenderDomainRecord, dkimKey = imported("OWN")) =>
    importDkimKey(existing.id, { now, ids: { ...ids, high: 2 }, host, domainScope: null, existing, dkimKey })
  const importedInto = (existing: SenderDomainRecord, dkimKey = imported("OWN")) =>
    Result.getOrThrow(importInto(existing, dkimKey))
  const nextOf = (selector: string, publicKey: string) => ({ selector, encryptedPrivateKey: `private of ${publicKey}` })

  it("keeps the key that signs until DNS has the record of the given key, which keeps its selector", () => {
    const { answer, changes } = importedInto(verified)
    expect(answer.dkim).toEqual({ ...verified.dkim, next: nextOf("s1", "OWN") })
    expect(dkimRecords(answer)).toEqual([
      ["mk._domainkey.example.com", "FIRST", true],
      ["s1._domainkey.example.com", "OWN", false]
    ])
    expect(answer).toMatchObject({ status: "verified", nextCheckAt: now + 5 * minuteMillis, revision: 2 })
    expect(changes).toEqual([{ _tag: "PutDomain", domain: answer, replaces: 1 }])
  })

  it.each([
    ["that signs", verified, imported("FIRST", "mk")],
    ["that waits for its record", importedInto(verified).answer, imported("OWN")],
    ["whose record was never in DNS", created, imported("FIRST", "mk")]
  ])("changes nothing when the domain has the key, %s", (_, existing, dkimKey) => {
    expect(importedInto(existing, dkimKey)).toEqual({ answer: existing, changes: [] })
  })

  it.each([
    ["another selector", imported("OWN")],
    ["the same selector", imported("OWN", "mk")]
  ])("replaces a key at once whose record was never in DNS, by a key with %s", (_, dkimKey) => {
    const { answer } = importedInto(created, dkimKey)
    expect(answer.dkim).toEqual(nextOf(dkimKey.selector, "OWN"))
    expect(dkimRecords(answer)).toEqual([[`${dkimKey.selector}._domainkey.example.com`, "OWN", true]])
    expect(answer.records).toHaveLength(4)
  })

  it.each([
    ["of a rotation", rotate(verified).answer],
    ["of an earlier import with the same selector", importedInto(verified, imported("WRONG")).answer]
  ])("replaces a key that waits for its record, %s", (_, existing) => {
    const { answer } = importedInto(existing)
    expect(answer.dkim).toEqual({ ...verified.dkim, next: nextOf("s1", "OWN") })
    expect(dkimRecords(answer).map(([name]) => name)).toEqual([
      "mk._domainkey.example.com",
      "s1._domainkey.example.com"
    ])
    expect(answer.records).toHaveLength(5)
  })

  it("refuses another key with the selector of the one that signs", () => {
    expect(Result.getOrThrow(Result.flip(importInto(verified, imported("OWN", "mk"))))).toMatchObject({
      _tag: "InvalidArgument",
      issues: [{ path: ["selector"], code: "invalid_value" }]
    })
  })

  it("gives a domain without DNS records its key and its records", () => {
    const { answer } = importedInto({ ...created, status: "verified", manuallyVerified: true, dkim: null, records: [] })
    expect(answer.dkim).toEqual(nextOf("s1", "OWN"))
    expect(answer.records.map(({ purpose }) => purpose)).toEqual(["dkim", "spf", "dmarc", "return_path"])
  })

  it("refuses a domain of another scope and an unknown domain", () => {
    const facts = { now, ids, host, dkimKey: imported("OWN") }
    const tagOf = (existing: SenderDomainRecord | null, domainScope: ReadonlyArray<string> | null) =>
      Result.getOrThrow(Result.flip(importDkimKey("dom_1", { ...facts, existing, domainScope })))._tag
    expect(tagOf(null, null)).toBe("RecordNotFound")
    expect(tagOf(verified, ["other.example"])).toBe("SenderOutsideScope")
  })
})

describe("afterRotation", () => {
  const { answer: rotating } = rotate(verified)
  const withNext = (change: Partial<StoredDnsRecord>) =>
    rotating.records.map((record) => (record.name.startsWith("mk-") ? { ...record, ...change } : record))

  it.each<[string, Partial<StoredDnsRecord>]>([
    ["has another value", { status: "failed", published: false }],
    ["was not looked for", { status: "not_started" }],
    ["got no answer", { status: "temporary_failure", published: false }]
  ])("keeps the current key when the record of the new key %s", (_, change) => {
    const records = withNext(change)
    expect(afterRotation(rotating, records)).toEqual({ dkim: rotating.dkim, records })
  })

  it("lets the new key sign when its record is in DNS, and shows the earlier record no longer", () => {
    const after = afterRotation(rotating, withNext({ status: "verified", published: true }))
    expect(after.dkim).toEqual({ selector: "mk-00000000", encryptedPrivateKey: "private of SECOND" })
    expect(dkimRecords(after)).toEqual([["mk-00000000._domainkey.example.com", "SECOND", true]])
    expect(after.records.map(({ purpose }) => purpose)).toEqual(["dkim", "spf", "dmarc", "return_path"])
  })

  it("changes nothing in a domain whose key is not being rotated", () => {
    expect(afterRotation(verified, verified.records)).toEqual({ dkim: verified.dkim, records: verified.records })
    expect(afterRotation({ ...verified, dkim: null }, [])).toEqual({ dkim: null, records: [] })
  })
})

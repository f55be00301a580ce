import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { expectNoDeletion } from "../../../src/decide/store/expectation.ts"
import type { CreateDomainFacts } from "../../../src/decide/domain-name/senderDomain.ts"
import {
  createDomain,
  deleteDomain,
  domainInScope,
  ensureDomain,
  giveDkimKey,
  needsDkimKey
} from "../../../src/decide/domain-name/senderDomain.ts"
import type { CreateDomainInput } from "../../../src/domain/domain-name/SenderDomain.ts"
import { domainsMax, parseCreateDomain } from "../../../src/domain/domain-name/SenderDomain.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import { domain, now, project } from "../fixtures.ts"

const dkimKey = { selector: "mk1", encryptedPrivateKey: "encrypted", publicKey: "MIIB" }
const host = { host: "mx.example", returnPathLabel: "bounces" }
const ids = { time: now, high: 0, low: 0 }

const facts = (change: Partial<CreateDomainFacts> = {}): CreateDomainFacts => ({
  now,
  ids,
  projectId: project,
  domainScope: null,
  existing: null,
  count: 0,
  dkimKey,
  host,
  ...change
})

const valid = (input: Partial<CreateDomainInput> = {}) =>
  Result.getOrThrow(parseCreateDomain({ domain: "example.com", ...input }))

const pending = domain({ status: "pending", lastVerifiedAt: null, dkim: dkimKey })

describe.each([
  ["createDomain", createDomain],
  ["ensureDomain", ensureDomain]
] as const)("%s", (_, decide) => {
  it("makes a pending domain with the DNS records to publish and a first check after 5 minutes", () => {
    const { answer, changes } = Result.getOrThrow(decide(valid({ domain: "Example.COM" }), facts()))
    expect(changes).toEqual([expectNoDeletion(answer.projectId), { _tag: "PutDomain", domain: answer, replaces: null }])
    expect(answer).toMatchObject({
      projectId: project,
      domain: "example.com",
      status: "pending",
      manuallyVerified: false,
      dkim: { selector: "mk1", encryptedPrivateKey: "encrypted" },
      lastVerifiedAt: null,
      nextCheckAt: now + 5 * minuteMillis,
      revision: 1
    })
    expect(answer.records.map(({ purpose, status }) => [purpose, status])).toEqual([
      ["dkim", "not_started"],
      ["spf", "not_started"],
      ["dmarc", "not_started"],
      ["return_path", "not_started"]
    ])
    expect(new Set(answer.records.map(({ id }) => id)).size).toBe(4)
  })

  it("makes a manually verified domain without DNS records and without checks", () => {
    const { answer } = Result.getOrThrow(decide(valid({ verified: true }), facts({ dkimKey: null })))
    expect(answer).toMatchObject({
      status: "verified",
      manuallyVerified: true,
      dkim: null,
      records: [],
      lastVerifiedAt: now,
      nextCheckAt: null
    })
  })

  it("verifies an existing pending domain manually when the operator asks for that", () => {
    const { answer, changes } = Result.getOrThrow(decide(valid({ verified: true }), facts({ existing: pending })))
    expect(changes).toEqual([{ _tag: "PutDomain", domain: answer, replaces: 1 }])
    expect(answer).toMatchObject({ id: pending.id, status: "verified", manuallyVerified: true, revision: 2 })
  })

  it.each([
    [
      "the domain is outside the caller's scope",
      {},
      { domainScope: ["other.example"] },
      { _tag: "SenderOutsideScope" }
    ],
    ["the project has too many domains", {}, { count: domainsMax }, { _tag: "TooManyRecords", max: domainsMax }]
  ])("refuses a domain when %s", (_, input, change, failure) =>
    expect(decide(valid(input), facts(change))).toMatchObject({ failure })
  )
})

describe("createDomain", () => {
  it("refuses an existing domain unless it verifies the domain for the first time", () => {
    const taken = { failure: { _tag: "DomainTaken", domainId: "dom_1" } }
    expect(createDomain(valid(), facts({ existing: pending }))).toMatchObject(taken)
    expect(createDomain(valid(), facts({ existing: domain() }))).toMatchObject(taken)
    expect(createDomain(valid({ verified: true }), facts({ existing: domain() }))).toMatchObject(taken)
  })
})

describe("ensureDomain", () => {
  it.each([
    ["pending", pending, false],
    ["verified by DNS", domain(), false],
    ["manually verified", domain({ manuallyVerified: true }), true]
  ])("leaves an existing domain that is %s unchanged", (_, existing, verified) => {
    const decided = ensureDomain(valid({ verified }), facts({ existing, count: domainsMax }))
    expect(decided).toEqual(Result.succeed({ answer: existing, changes: [] }))
  })

  it("marks a domain that DNS verified as manually verified", () => {
    const { answer } = Result.getOrThrow(ensureDomain(valid({ verified: true }), facts({ existing: domain() })))
    expect(answer).toMatchObject({ manuallyVerified: true, nextCheckAt: null, revision: 2 })
  })
})

describe("needsDkimKey", () => {
  it("needs a DKIM key only for a new domain that DNS verifies", () => {
    expect(needsDkimKey(valid(), { existing: null })).toBe(true)
    expect(needsDkimKey(valid({ verified: true }), { existing: null })).toBe(false)
    expect(needsDkimKey(valid(), { existing: pending })).toBe(false)
  })
})

describe("giveDkimKey", () => {
  const give = (existing: typeof pending | null) => giveDkimKey("dom_1", { now, ids, host, dkimKey, existing })

  it("adds the DKIM key and the DNS records to a domain without a key", () => {
    const { answer, changes } = Result.getOrThrow(give(domain()))
    expect(changes).toEqual([{ _tag: "PutDomain", domain: answer, replaces: 1 }])
    expect(answer).toMatchObject({ dkim: { selector: "mk1" }, revision: 2 })
    expect(answer.records).toHaveLength(4)
  })

  it("keeps an existing DKIM key, and refuses a domain that was deleted", () => {
    expect(give(pending)).toEqual(Result.succeed({ answer: pending, changes: [] }))
    expect(give(null)).toMatchObject({ failure: { _tag: "RecordNotFound", id: "dom_1" } })
  })
})

describe("domainInScope and deleteDomain", () => {
  it("refuses a domain that does not exist or is outside the caller's scope", () => {
    for (const decide of [domainInScope, deleteDomain]) {
      expect(decide("dom_1", { domainScope: null, existing: null })).toMatchObject({
        failure: { _tag: "RecordNotFound", record: "domain", id: "dom_1" }
      })
      expect(decide("dom_1", { domainScope: ["other.example"], existing: domain() })).toMatchObject({
        failure: { _tag: "SenderOutsideScope", domain: "example.com" }
      })
    }
  })

  it("returns and deletes a domain in the caller's scope", () => {
    const allowed = { domainScope: ["example.com"], existing: domain({ revision: 4 }) }
    expect(domainInScope("dom_1", allowed)).toEqual(Result.succeed(allowed.existing))
    expect(Result.getOrThrow(deleteDomain("dom_1", allowed)).changes).toEqual([
      { _tag: "RemoveDomain", projectId: project, domain: "example.com", revision: 4 }
    ])
  })
})

import { events, inHouse, project, send, start, stores } from "@mailkeep/proving"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { createPrivateKey, createPublicKey } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { DnsResolverShape, SenderDomain } from "../../src/index.ts"
import { DnsFailure, Domains, hourMillis, minuteMillis, Secrets } from "../../src/index.ts"

type Zone = Map<string, ReadonlyArray<string> | DnsFailure["code"]>

const definite = new Set(["nxdomain", "nodata"])

/** A resolver over a zone that a test changes. */
const resolver = () => {
  const zone: Zone = new Map()
  const answer = (key: string) => {
    const found = zone.get(key) ?? "nxdomain"
    return typeof found === "string"
      ? Effect.fail(new DnsFailure({ definite: definite.has(found), code: found }))
      : Effect.succeed(found)
  }
  const dns: DnsResolverShape = {
    texts: (name) => answer(`TXT ${name}`),
    exchanges: (name) =>
      Effect.map(answer(`MX ${name}`), (hosts) => hosts.map((exchange) => ({ exchange, priority: 10 })))
  }
  const publish = ({ records }: SenderDomain) => {
    for (const { type, name, value } of records) zone.set(`${type} ${name}`, [value])
  }
  return { dns, zone, publish }
}

const domains = { mailHost: { host: "mx.mailkeep.example", returnPathLabel: "bounces" } }
const add = (domain = "shop.example") =>
  Effect.flatMap(Domains, (domains) => domains.add(project, { domain, verified: false }))
const verify = ({ id }: SenderDomain) => Effect.flatMap(Domains, (domains) => domains.verify(project, id))
const statuses = ({ records }: SenderDomain) =>
  Object.fromEntries(records.map(({ purpose, status }) => [purpose, status]))
const told = Effect.map(events, (all) => all.map(({ kind }) => kind).filter((kind) => kind.startsWith("domain.")))

describe.each(stores)("a sender domain, over $name", (store) => {
  it("is the same when it is ensured again, and verified by the operator's word alone", () => {
    const ensure = (verified: boolean, domain = "shop.example") =>
      Effect.flatMap(Domains, (domains) => domains.ensure(project, { domain, verified }))
    return inHouse(store, { domains })(
      Effect.gen(function* () {
        const made = yield* ensure(false)
        expect(made).toMatchObject({ domain: "shop.example", status: "pending", vouched: false, revision: 1 })
        expect(made.records).toHaveLength(4)
        expect(yield* ensure(false, "SHOP.example")).toEqual(made)
        const verified = yield* ensure(true)
        expect(verified).toEqual({
          ...made,
          status: "verified",
          vouched: true,
          lastVerifiedAt: start,
          nextCheckAt: null,
          revision: 2
        })
        expect(yield* ensure(true)).toEqual(verified)
        expect(yield* ensure(false)).toEqual(verified)
        const [one, two] = yield* Effect.all([ensure(true, "b.example"), ensure(true, "b.example")], {
          concurrency: "unbounded"
        })
        expect(two).toEqual(one)
        expect(yield* Effect.flip(ensure(true, "no domain"))).toMatchObject({ _tag: "InvalidArgument" })
      })
    )
  })

  it("keeps the operator's word of an ensured domain that DNS had verified", () => {
    const { dns, zone, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        expect((yield* verify(domain)).vouched).toBe(false)
        yield* Effect.flatMap(Domains, (domains) => domains.ensure(project, { domain: domain.domain, verified: true }))
        zone.clear()
        yield* TestClock.adjust("3 days")
        yield* verify(domain)
        yield* TestClock.adjust("3 days")
        expect(yield* verify(domain)).toMatchObject({ status: "verified", vouched: true })
      })
    )
  })

  it("shows the records to publish, with a key of its own whose private half is kept encrypted", () =>
    inHouse(store, { domains })(
      Effect.gen(function* () {
        const domain = yield* add("Münchner-Shop.example")
        expect(domain).toMatchObject({ domain: "xn--mnchner-shop-dlb.example", status: "pending", vouched: false })
        const published = domain.records.map(({ type, name, value, priority }) => [type, name, value, priority])
        expect(published).toEqual([
          [
            "TXT",
            `mailkeep._domainkey.${domain.domain}`,
            expect.stringMatching(/^v=DKIM1; k=rsa; p=MII[\w+/]+=*$/),
            null
          ],
          ["TXT", `bounces.${domain.domain}`, "v=spf1 a:mx.mailkeep.example ~all", null],
          ["TXT", `_dmarc.${domain.domain}`, "v=DMARC1; p=none", null],
          ["MX", `bounces.${domain.domain}`, "mx.mailkeep.example", 10]
        ])
        const sealed = domain.dkim!.encryptedPrivateKey
        expect(sealed).not.toContain("PRIVATE KEY")
        const pem = (yield* Secrets).vault("dkim").decrypt(sealed)!
        const key = createPublicKey(createPrivateKey(pem))
        expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 })
        const der = key.export({ type: "spki", format: "der" }).toString("base64")
        expect(published[0]![2]).toBe(`v=DKIM1; k=rsa; p=${der}`)
        expect((yield* Secrets).vault("webhook").decrypt(sealed)).toBeNull()
      })
    ))

  it("is verified when DNS has what it must, and only then sends", () => {
    const { dns, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        const sending = Effect.result(send(`k${Math.random()}`, { from: "hello@shop.example" }))
        expect(Result.isSuccess(yield* sending)).toBe(false)
        publish(domain)
        const verified = yield* verify(domain)
        expect(verified).toMatchObject({
          status: "verified",
          verificationError: null,
          verificationAttempts: 1,
          lastVerifiedAt: start
        })
        expect(new Set(Object.values(statuses(verified)))).toEqual(new Set(["verified"]))
        expect(yield* told).toEqual(["domain.verified"])
        expect(Result.isSuccess(yield* sending)).toBe(true)
        expect(JSON.stringify(yield* events)).not.toContain(domain.dkim!.encryptedPrivateKey)
      })
    )
  })

  it.each<[string, (zone: Zone, domain: SenderDomain) => void, string, string]>([
    ["no record", (zone, { records }) => zone.delete(`TXT ${records[0]!.name}`), "dkim", "nxdomain"],
    ["a name without this type", (zone, { records }) => zone.set(`TXT ${records[1]!.name}`, "nodata"), "spf", "nodata"],
    [
      "another key",
      (zone, { records }) => zone.set(`TXT ${records[0]!.name}`, ["v=DKIM1; p=AAAA"]),
      "dkim",
      "wrong_value"
    ],
    [
      "an SPF record without us",
      (zone, { records }) => zone.set(`TXT ${records[1]!.name}`, ["v=spf1 -all"]),
      "spf",
      "wrong_value"
    ],
    [
      "two SPF records",
      (zone, { records }) => zone.set(`TXT ${records[1]!.name}`, [records[1]!.value, "v=spf1 -all"]),
      "spf",
      "wrong_value"
    ]
  ])("fails definitely with %s", (_, spoil, purpose, errorCode) => {
    const { dns, zone, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        spoil(zone, domain)
        const checked = yield* verify(domain)
        expect(checked.status).toBe("failed")
        expect(checked.verificationError).toContain(domain.records.find((one) => one.purpose === purpose)!.name)
        expect(checked.records.find((one) => one.purpose === purpose)).toMatchObject({ status: "failed", errorCode })
        publish(domain)
        expect((yield* verify(domain)).status).toBe("verified")
      })
    )
  })

  it("reads a key however it is spaced, and an SPF record with more in it", () => {
    const { dns, zone, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        const [dkim, spf] = domain.records
        zone.set(`TXT ${dkim!.name}`, ["other text", dkim!.value.replaceAll(" ", "").replace("p=", " p = ")])
        zone.set(`TXT ${spf!.name}`, ["v=spf1 include:x.example A:mx.mailkeep.example -all"])
        zone.set(`MX ${domain.records[3]!.name}`, ["MX.mailkeep.example."])
        expect(statuses(yield* verify(domain))).toMatchObject({
          dkim: "verified",
          spf: "verified",
          return_path: "verified"
        })
      })
    )
  })

  it.each(["servfail", "timeout", "refused"] as const)("is not demoted by %s", (code) => {
    const { dns, zone, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        yield* verify(domain)
        zone.set(`TXT ${domain.records[0]!.name}`, code)
        yield* TestClock.adjust("30 days")
        const checked = yield* verify(domain)
        expect(checked).toMatchObject({ status: "verified", failingSince: null })
        expect(statuses(checked)).toMatchObject({ dkim: "temporary_failure", spf: "verified" })
        expect(checked.nextCheckAt! - checked.verificationAttemptedAt!).toBe(10 * minuteMillis)
        expect(yield* told).toEqual(["domain.verified"])
      })
    )
  })

  it("that was verified keeps sending for 24 hours of definite failure, and is checked by itself", () => {
    const { dns, zone, publish } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const domain = yield* add()
        publish(domain)
        const status = Effect.map(service.get(project, domain.id), ({ status }) => status)
        yield* TestClock.adjust("5 minutes")
        expect(yield* service.tick).toBe(1)
        expect(yield* status).toBe("verified")
        expect(yield* service.tick).toBe(0)
        zone.delete(`TXT ${domain.records[0]!.name}`)
        yield* TestClock.adjust("24 hours")
        yield* service.tick
        for (let hour = 1; hour < 24; hour++) {
          yield* TestClock.adjust(hourMillis)
          expect(yield* service.tick).toBe(1)
          expect(yield* status).toBe("verified")
        }
        yield* TestClock.adjust(hourMillis)
        yield* service.tick
        expect(yield* status).toBe("failed")
        expect(yield* told).toEqual(["domain.verified", "domain.failed"])
        publish(domain)
        yield* TestClock.adjust("24 hours")
        yield* service.tick
        expect(yield* status).toBe("verified")
      })
    )
  })

  it("of the operator's word gets a key when it is checked, and is not demoted", () => {
    const { dns } = resolver()
    return inHouse(store, { dns, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const [vouched] = (yield* service.page(project, { page: 1, limit: 1 })).items
        expect(vouched).toMatchObject({ vouched: true, dkim: null, records: [], nextCheckAt: null })
        const checked = yield* service.verify(project, vouched!.id)
        expect(checked).toMatchObject({ status: "verified", nextCheckAt: null })
        expect(statuses(checked)).toMatchObject({ dkim: "failed" })
      })
    )
  })

  it("that is removed sends nothing more, and can be added anew", () =>
    inHouse(store)(
      Effect.gen(function* () {
        const service = yield* Domains
        const domain = yield* add()
        expect(yield* Effect.flip(add())).toMatchObject({ kind: "duplicate_error" })
        expect(yield* Effect.flip(service.remove("prj_other", domain.id))).toMatchObject({ kind: "not_found" })
        yield* service.remove(project, domain.id)
        expect(yield* Effect.flip(service.get(project, domain.id))).toMatchObject({ kind: "not_found" })
        expect((yield* add()).id).not.toBe(domain.id)
      })
    ))
})

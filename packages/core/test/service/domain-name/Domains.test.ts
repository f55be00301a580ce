import { StubTransport } from "@mailkeep/smtp"
import { events, withTestMail, project, send, start, stores, tickWith } from "@mailkeep/test-support"
import { makeInterleavedStore } from "@mailkeep/test-support/interleavedStore"
import { Effect, Logger, Result } from "effect"
import { TestClock } from "effect/testing"
import { createPrivateKey, createPublicKey } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { DnsResolverShape } from "../../../src/port/DnsResolver.ts"
import type { HandOff } from "../../../src/port/Transport.ts"
import type { SenderDomain } from "../../../src/index.ts"
import { DnsFailure } from "../../../src/port/DnsResolver.ts"
import { Domains, MailStore } from "../../../src/index.ts"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"

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
const add = (domain = "shop.example") => Effect.flatMap(Domains, (domains) => domains.create(project, { domain }))
const verify = ({ id }: SenderDomain) => Effect.flatMap(Domains, (domains) => domains.verify(project, id))
/** The domain as the store keeps it. */
const stored = ({ id }: SenderDomain) =>
  Effect.flatMap(MailStore, (store) =>
    Effect.map(store.read([{ _tag: "DomainById", projectId: project, id }]), ([record]) => record!)
  )
const statuses = ({ records }: SenderDomain) =>
  Object.fromEntries(records.map(({ purpose, status }) => [purpose, status]))
const domainEvents = Effect.map(events, (all) =>
  all.map(({ kind }) => kind).filter((kind) => kind.startsWith("domain."))
)

describe.each(stores)("a sender domain, over $name", (store) => {
  it("ensures a domain once, and verifies it manually only when asked", () => {
    const ensure = (verified: boolean, domain = "shop.example") =>
      Effect.flatMap(Domains, (domains) => domains.ensure(project, { domain, verified }))
    return withTestMail(store, { domains })(
      Effect.gen(function* () {
        const made = yield* ensure(false)
        expect(made).toMatchObject({ domain: "shop.example", status: "pending", manuallyVerified: false })
        expect(made.records).toHaveLength(4)
        expect(yield* ensure(false, "SHOP.example")).toEqual(made)
        const verified = yield* ensure(true)
        expect(verified).toEqual({
          ...made,
          status: "verified",
          manuallyVerified: true,
          lastVerifiedAt: start
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

  it("keeps the manual verification of a domain that DNS verified before", () => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        expect((yield* verify(domain)).manuallyVerified).toBe(false)
        yield* Effect.flatMap(Domains, (domains) => domains.ensure(project, { domain: domain.domain, verified: true }))
        zone.clear()
        yield* TestClock.adjust("3 days")
        yield* verify(domain)
        yield* TestClock.adjust("3 days")
        expect(yield* verify(domain)).toMatchObject({ status: "verified", manuallyVerified: true })
      })
    )
  })

  it("shows the DNS records to publish, and stores the DKIM private key encrypted", () =>
    withTestMail(store, { domains })(
      Effect.gen(function* () {
        const domain = yield* add("Münchner-Shop.example")
        expect(domain).toMatchObject({
          domain: "xn--mnchner-shop-dlb.example",
          status: "pending",
          manuallyVerified: false
        })
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
        const encrypted = (yield* stored(domain)).dkim!.encryptedPrivateKey
        expect(encrypted).not.toContain("PRIVATE KEY")
        const pem = (yield* Secrets).encryption("dkim").decrypt(encrypted)!
        const key = createPublicKey(createPrivateKey(pem))
        expect(key.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048 })
        const der = key.export({ type: "spki", format: "der" }).toString("base64")
        expect(published[0]![2]).toBe(`v=DKIM1; k=rsa; p=${der}`)
        expect((yield* Secrets).encryption("webhook").decrypt(encrypted)).toBeNull()
      })
    ))

  it("verifies a domain when DNS has its records, and permits sends only then", () => {
    const { dns, publish } = resolver()
    return withTestMail(store, { dns, domains })(
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
        expect(yield* domainEvents).toEqual(["domain.verified"])
        expect(Result.isSuccess(yield* sending)).toBe(true)
        expect(JSON.stringify(yield* events)).not.toContain((yield* stored(domain)).dkim!.encryptedPrivateKey)
      })
    )
  })

  it.each<[string, (zone: Zone, domain: SenderDomain) => void, string, string]>([
    ["a missing record", (zone, { records }) => zone.delete(`TXT ${records[0]!.name}`), "dkim", "nxdomain"],
    [
      "a name without a record of this type",
      (zone, { records }) => zone.set(`TXT ${records[1]!.name}`, "nodata"),
      "spf",
      "nodata"
    ],
    [
      "another DKIM key",
      (zone, { records }) => zone.set(`TXT ${records[0]!.name}`, ["v=DKIM1; p=AAAA"]),
      "dkim",
      "wrong_value"
    ],
    [
      "an SPF record without the mail host",
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
  ])("fails the verification of a domain because of %s", (_, spoil, purpose, errorCode) => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
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

  it("allows a DKIM key with any spaces, and an SPF record with more terms", () => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
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

  it.each(["servfail", "timeout", "refused"] as const)("keeps a domain verified after the DNS error %s", (code) => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        publish(domain)
        yield* verify(domain)
        zone.set(`TXT ${domain.records[0]!.name}`, code)
        yield* TestClock.adjust("30 days")
        const checked = yield* verify(domain)
        expect(checked.status).toBe("verified")
        const record = yield* stored(checked)
        expect(record.failingSince).toBeNull()
        expect(statuses(checked)).toMatchObject({ dkim: "temporary_failure", spf: "verified" })
        expect(record.nextCheckAt! - checked.verificationAttemptedAt!).toBe(10 * minuteMillis)
        expect(yield* domainEvents).toEqual(["domain.verified"])
      })
    )
  })

  it.each(["checked by DNS", "verified manually"])(
    "keeps the return path and the DKIM signature of a domain that is %s while DNS does not answer",
    (how) => {
      const { dns, zone, publish } = resolver()
      return withTestMail(store, { dns, domains })(
        Effect.gen(function* () {
          const domain =
            how === "checked by DNS"
              ? yield* add()
              : yield* (yield* Domains).create(project, { domain: "shop.example", verified: true })
          const records = yield* verify(domain)
          publish(records)
          yield* verify(domain)
          /** Whether the mail is signed, and the domain of its return path. */
          const sent = (key: string) =>
            Effect.gen(function* () {
              yield* send(key, { from: "hello@shop.example" })
              const stub = yield* StubTransport.StubTransport
              const handOffs: Array<HandOff> = []
              yield* tickWith({ ...stub, handOff: (one) => (handOffs.push(one), stub.handOff(one)) })
              return handOffs.map(({ envelope, dkim }) => [envelope.from.split("@")[1], dkim !== null])
            })
          expect(yield* sent("before")).toEqual([["bounces.shop.example", true]])
          for (const { type, name } of records.records) zone.set(`${type} ${name}`, "servfail")
          for (let n = 0; n < 2; n++)
            expect(statuses(yield* verify(domain))).toMatchObject({
              dkim: "temporary_failure",
              return_path: "temporary_failure"
            })
          expect(yield* sent("during")).toEqual([["bounces.shop.example", true]])
          zone.set(`MX ${records.records[3]!.name}`, "nodata")
          yield* verify(domain)
          zone.set(`MX ${records.records[3]!.name}`, "servfail")
          yield* verify(domain)
          expect(yield* sent("after")).toEqual([["shop.example", true]])
        })
      )
    }
  )

  it("fails a verified domain after 24 hours of definite failures, and checks it by itself", () => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
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
        expect(yield* domainEvents).toEqual(["domain.verified", "domain.failed"])
        publish(domain)
        yield* TestClock.adjust("24 hours")
        yield* service.tick
        expect(yield* status).toBe("verified")
      })
    )
  })

  it("checks all domains that are due without a pause, also when one is deleted during its check", () => {
    const { dns } = resolver()
    let deleteOne = Effect.void
    const deleting: DnsResolverShape = {
      texts: (name) => Effect.andThen(deleteOne, dns.texts(name)),
      exchanges: dns.exchanges
    }
    return withTestMail(store, { dns: deleting, domains })(
      Effect.gen(function* () {
        const mailStore = yield* MailStore
        const service = yield* Domains
        const first = yield* stored(yield* add())
        const others = Array.from({ length: 60 }, (_, n) => `d${n}.example`)
        yield* mailStore.commit(
          others.map((domain) => ({
            _tag: "PutDomain",
            domain: { ...first, id: `dom_${domain}`, domain },
            replaces: null
          }))
        )
        yield* TestClock.adjust("5 minutes")
        const due = Effect.map(
          mailStore.read([{ _tag: "DomainsDue", now: start + 5 * minuteMillis, limit: 100 }]),
          ([found]) => found
        )
        const [oldest, ...rest] = yield* due
        expect(rest).toHaveLength(60)
        deleteOne = Effect.suspend(() => {
          deleteOne = Effect.void
          return Effect.ignore(service.delete(project, oldest!.id))
        })
        yield* Effect.forkScoped(service.run)
        for (let turn = 0; turn < 2000 && (yield* due).length > 0; turn++) yield* Effect.yieldNow
        expect(yield* due).toEqual([])
      }).pipe(Effect.scoped)
    )
  })

  it("checks the other domains when the resolver dies for one of them, and logs the class of the error", () => {
    const { dns, publish } = resolver()
    const lines: Array<unknown> = []
    const logger = Logger.make(({ message }) => void lines.push(message))
    const dying: DnsResolverShape = {
      ...dns,
      texts: (name) => (name.endsWith("dying.example") ? Effect.die(new Error("a bug")) : dns.texts(name))
    }
    return withTestMail(store, { dns: dying, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const { id } = yield* add("dying.example")
        const other = yield* add()
        publish(other)
        yield* TestClock.adjust("5 minutes")
        expect(yield* service.tick).toBe(1)
        expect(yield* service.get(project, other.id)).toMatchObject({ status: "verified" })
        expect(lines).toEqual([["The check of a domain failed.", { domainId: id, error: "Error" }]])
      }).pipe(Effect.provide(Logger.layer([logger])))
    )
  })

  it("ends the checks of all domains when the resolver never answers for one of them", () => {
    const { dns, publish } = resolver()
    const silent: DnsResolverShape = {
      ...dns,
      texts: (name) => (name.endsWith("silent.example") ? Effect.never : dns.texts(name))
    }
    return withTestMail(store, { dns: silent, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const one = yield* add("silent.example")
        const other = yield* add()
        publish(other)
        yield* TestClock.adjust("5 minutes")
        const checks = yield* Effect.forkChild(service.tick)
        for (let turn = 0; turn < 20 && checks.pollUnsafe() === undefined; turn++) {
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          yield* TestClock.adjust("10 seconds")
        }
        expect(checks.pollUnsafe()).toMatchObject({ value: 2 })
        expect(yield* service.get(project, one.id)).toMatchObject({
          status: "pending",
          records: [{ status: "temporary_failure", errorCode: "timeout" }, {}, {}, {}]
        })
        expect(yield* service.get(project, other.id)).toMatchObject({ status: "verified" })
      })
    )
  })

  it("creates a DKIM key when a manually verified domain is checked, and keeps it verified", () => {
    const { dns } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const [manuallyVerified] = (yield* service.list(project)).items
        expect(manuallyVerified).toMatchObject({ manuallyVerified: true, records: [] })
        expect(yield* stored(manuallyVerified!)).toMatchObject({ dkim: null, nextCheckAt: null })
        const checked = yield* service.verify(project, manuallyVerified!.id)
        expect(checked.status).toBe("verified")
        expect((yield* stored(checked)).nextCheckAt).toBeNull()
        expect(statuses(checked)).toMatchObject({ dkim: "failed" })
      })
    )
  })

  it("deletes a domain, and permits creating it again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const service = yield* Domains
        const domain = yield* add()
        expect(yield* Effect.flip(add())).toMatchObject({ kind: "duplicate_error" })
        expect(yield* Effect.flip(service.delete("prj_other", domain.id))).toMatchObject({ kind: "not_found" })
        yield* service.delete(project, domain.id)
        expect(yield* Effect.flip(service.get(project, domain.id))).toMatchObject({ kind: "not_found" })
        expect((yield* add()).id).not.toBe(domain.id)
      })
    ))
})

describe("Domains.ensure while the domain is deleted", () => {
  it("creates the domain again, with the DNS records to publish", () => {
    const { store, runMeanwhile } = makeInterleavedStore(() => true)
    return withTestMail(store, { domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const { id, domain, records } = yield* add()
        runMeanwhile(service.delete(project, id))
        const ensured = yield* service.ensure(project, { domain })
        expect(ensured.id).not.toBe(id)
        const shape = (all: SenderDomain["records"]) => all.map(({ purpose, name }) => [purpose, name])
        expect(shape(ensured.records)).toEqual(shape(records))
      })
    )
  })
})

/**
 * The verification of a domain by its DNS records.
 */
import { StubTransport } from "@mailkeep/smtp"
import { events, withTestMail, project, send, start, stores, tickWith } from "@mailkeep/test-support"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { HandOff } from "../../../src/port/Transport.ts"
import type { SenderDomain } from "../../../src/index.ts"
import { Domains } from "../../../src/index.ts"
import { minuteMillis } from "../../../src/domain/value/Instant.ts"
import type { Zone } from "./domainZone.ts"
import { add, addVerified, domainEvents, domains, resolver, statuses, stored, verify } from "./domainZone.ts"

describe.each(stores)("a sender domain, over $name", (store) => {
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
        const domain = yield* addVerified(publish)
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
})

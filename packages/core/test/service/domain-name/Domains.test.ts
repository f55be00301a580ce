import { withTestMail, project, start, stores } from "@mailkeep/test-support"
import { makeInterleavedStore } from "@mailkeep/test-support/interleavedStore"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createPrivateKey, createPublicKey } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { SenderDomain } from "../../../src/index.ts"
import { Domains } from "../../../src/index.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import { add, domains, resolver, stored, verify } from "./domainZone.ts"

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

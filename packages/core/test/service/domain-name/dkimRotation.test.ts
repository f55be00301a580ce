/**
 * The rotation of the DKIM key of a domain, and the import of another one.
 */
import { generateKeyPairSync } from "node:crypto"
import { StubTransport } from "@mailkeep/smtp"
import { project, send, stores, tickWith, withTestMail } from "@mailkeep/test-support"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { ImportDkimKeyInput, SenderDomain } from "../../../src/index.ts"
import { Domains } from "../../../src/index.ts"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { add, addVerified, domainEvents, domains, resolver, stored, verify } from "./domainZone.ts"

const rotate = ({ id }: SenderDomain) => Effect.flatMap(Domains, (domains) => domains.rotateDkimKey(project, id))
const dkimNames = ({ records }: SenderDomain) =>
  records.filter(({ purpose }) => purpose === "dkim").map(({ name }) => name)

/** Sends a message, and returns the name of the DNS record that its signature needs. */
const signedWith = (idempotencyKey: string) =>
  Effect.gen(function* () {
    yield* send(idempotencyKey, { from: "hello@shop.example" })
    const stub = yield* StubTransport.StubTransport
    const names: Array<string | null> = []
    yield* tickWith({
      ...stub,
      handOff: (one) => {
        names.push(one.dkim === null ? null : `${one.dkim.selector}._domainkey.${one.dkim.domain}`)
        return stub.handOff(one)
      }
    })
    return names
  })

describe.each(stores)("the rotation of a DKIM key, over $name", (store) => {
  it("signs with the earlier key until DNS has the new record, then with the new key", () => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* addVerified(publish)
        const rotating = yield* rotate(domain)
        const [first, next] = dkimNames(rotating)
        expect(dkimNames(domain)).toEqual([first])
        expect(next).toMatch(/^mailkeep-[0-9a-z]{8}\._domainkey\.shop\.example$/)
        expect(yield* signedWith("before")).toEqual([first])

        // The record is not there yet: the domain stays verified, and is checked again within an hour.
        const waiting = yield* verify(domain)
        expect(waiting).toMatchObject({ status: "verified", verificationError: null })
        expect((yield* stored(waiting)).nextCheckAt! - waiting.verificationAttemptedAt!).toBe(hourMillis)
        expect(yield* signedWith("waiting")).toEqual([first])
        expect(yield* rotate(domain)).toEqual(waiting)

        publish(rotating)
        const rotated = yield* verify(domain)
        expect(dkimNames(rotated)).toEqual([next])
        expect(rotated.status).toBe("verified")
        expect(yield* signedWith("after")).toEqual([next])

        // The earlier record is not needed any more, and the next rotation has another selector.
        zone.delete(`TXT ${first}`)
        expect((yield* verify(domain)).status).toBe("verified")
        expect(dkimNames(yield* rotate(domain))[1]).not.toBe(next)
        expect(yield* domainEvents).toEqual(["domain.verified"])
      })
    )
  })

  it("finds the new record by itself within minutes", () => {
    const { dns, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* addVerified(publish)
        const rotating = yield* rotate(domain)
        publish(rotating)
        yield* TestClock.adjust(5 * minuteMillis)
        const service = yield* Domains
        expect(yield* service.tick).toBe(1)
        expect(dkimNames(yield* service.get(project, domain.id))).toEqual(dkimNames(rotating).slice(1))
      })
    )
  })

  it("makes no key for an unknown domain", () =>
    withTestMail(store, { domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const rotated = yield* Effect.result(service.rotateDkimKey(project, "dom_01m8jmcv4wvzfj7pjkeztk1fng"))
        expect(Result.isFailure(rotated) && rotated.failure._tag).toBe("RecordNotFound")
      })
    ))

  it("lets two projects verify one domain, each with its own selector", () => {
    const { dns, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const service = yield* Domains
        const domain = yield* add()
        publish(domain)
        expect((yield* verify(domain)).status).toBe("verified")
        const { id } = yield* service.create("prj_newsletter", { domain: "shop.example" })
        expect((yield* service.verify("prj_newsletter", id)).status).toBe("failed")
        publish(yield* service.rotateDkimKey("prj_newsletter", id))
        expect((yield* service.verify("prj_newsletter", id)).status).toBe("verified")
        expect((yield* verify(domain)).status).toBe("verified")
      })
    )
  })
})

const ownKey = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({
  type: "pkcs1",
  format: "pem"
}) as string
const importKey = ({ id }: SenderDomain, input: ImportDkimKeyInput) =>
  Effect.flatMap(Domains, (service) => service.importDkimKey(project, id, input))

describe.each(stores)("the import of a DKIM key, over $name", (store) => {
  it("signs with the key of the caller from the first check, because DNS has its record already", () => {
    const { dns, zone, publish } = resolver()
    return withTestMail(store, { dns, domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        const importing = yield* importKey(domain, { selector: "S1", privateKey: ownKey })
        expect(dkimNames(importing)).toEqual(["s1._domainkey.shop.example"])
        expect(yield* importKey(domain, { selector: "s1", privateKey: ownKey })).toEqual(importing)
        publish(importing)
        // Another program wrote the record, so it has other tags and parts.
        const { name, value } = importing.records.find(({ purpose }) => purpose === "dkim")!
        zone.set(`TXT ${name}`, [`k=rsa; t=s; ${value.slice(value.indexOf("p="))}`])
        expect((yield* verify(domain)).status).toBe("verified")
        expect(yield* signedWith("own")).toEqual(["s1._domainkey.shop.example"])
      })
    )
  })

  it.each([
    ["selector", { selector: "-s1", privateKey: ownKey }],
    ["selector", { selector: "s".repeat(64), privateKey: ownKey }],
    ["privateKey", { selector: "s1", privateKey: "secret" }],
    ["privateKey", { selector: "s1", privateKey: ownKey.replaceAll("\n", "\\n") }],
    ["privateKey", { selector: "s1", privateKey: "secret".repeat(3000) }]
  ])("refuses an invalid %s without its value, and changes nothing", (field, input) =>
    withTestMail(store, { domains })(
      Effect.gen(function* () {
        const domain = yield* add()
        const failure = yield* Effect.flip(importKey(domain, input))
        expect(failure).toMatchObject({ _tag: "InvalidArgument", argument: "input", issues: [{ path: [field] }] })
        expect(JSON.stringify(failure)).not.toContain("secret")
        expect(yield* Effect.flatMap(Domains, (service) => service.get(project, domain.id))).toEqual(domain)
      })
    )
  )
})

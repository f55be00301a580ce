/**
 * The checks of domains that run by themselves.
 */
import { withTestMail, project, start, stores } from "@mailkeep/test-support"
import { Effect, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { DnsResolverShape } from "../../../src/port/DnsResolver.ts"
import { Domains, MailStore } from "../../../src/index.ts"
import { hourMillis, minuteMillis } from "../../../src/domain/value/Instant.ts"
import { add, domainEvents, domains, resolver, statuses, stored } from "./domainZone.ts"

describe.each(stores)("a sender domain, over $name", (store) => {
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
})

/**
 * Limits of domains: their number in a project, and the number of keys that are generated at once.
 */
import { withTestMail, project, start, stores } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"
import { Deferred, Effect, Fiber, Layer, Semaphore } from "effect"
import { describe, expect, it } from "vitest"
import type { Caller, ListDomainsInput } from "../../../src/index.ts"
import { Crypto, Domains, MailStore, Principal } from "../../../src/index.ts"
import type { SenderDomainRecord } from "../../../src/domain/domain-name/SenderDomain.ts"
import { domainsMax } from "../../../src/domain/domain-name/SenderDomain.ts"
import { inCommitOrder } from "../../../src/domain/store/commitOrder.ts"

const add = (domain: string, caller: Caller = project) =>
  Effect.flatMap(Domains, (service) => service.create(caller, { domain }))

/** `Domains` over a `Crypto` whose key generation the test controls. */
const withKeys = (rsaKeyPair: (made: Effect.Effect<void>) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const crypto = yield* Crypto
    const counts = { made: 0, atOnce: 0, atOnceMax: 0 }
    const counting = Effect.sync(() => {
      counts.made++
      counts.atOnceMax = Math.max(counts.atOnceMax, ++counts.atOnce)
    })
    const pair = { privateKey: "private", publicKey: "public" }
    const counted: Crypto["Service"] = {
      ...crypto,
      rsaKeyPair: rsaKeyPair(counting).pipe(Effect.ensuring(Effect.sync(() => counts.atOnce--)), Effect.as(pair))
    }
    const layer = Domains.layerWith().pipe(Layer.provide(Layer.succeed(Crypto, counted)), Layer.fresh)
    return { counts, layer }
  })

describe.each(stores)("adding a domain, over $name", (store) => {
  it("generates no DKIM key for a domain that is refused", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { counts, layer } = yield* withKeys((made) => made)
        const scoped = { ...Principal.embedded(project), domainScope: ["shop.example"] }
        yield* Effect.gen(function* () {
          yield* add("shop.example")
          for (let n = 0; n < 5; n++)
            expect(yield* Effect.flip(add("Shop.example"))).toMatchObject({ kind: "duplicate_error" })
          expect(yield* Effect.flip(add("other.example", scoped))).toMatchObject({ kind: "not_allowed" })
          expect(yield* Effect.flip(add("nodots"))).toMatchObject({ kind: "invalid_argument" })
        }).pipe(Effect.provide(layer))
        expect(counts.made).toBe(1)
      })
    ))

  it(`refuses more than ${domainsMax} domains in a project`, () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const store = yield* MailStore
        const [first] = yield* store.read([{ _tag: "Domain", projectId: project, domain: "example.com" }])
        const existing = Array.from({ length: domainsMax - 1 }, (_, n): SenderDomainRecord => ({
          ...first!,
          id: `dom_${n}`,
          domain: `d${n}.example`,
          createdAt: start
        }))
        const changes = existing.map((domain) => ({ _tag: "PutDomain", domain, replaces: null }) as const)
        yield* store.commit(inCommitOrder(changes))
        const { counts, layer } = yield* withKeys((made) => made)
        expect(yield* Effect.flip(Effect.provide(add("one-more.example"), layer))).toMatchObject({
          _tag: "TooManyRecords",
          kind: "conflict",
          max: domainsMax
        })
        expect(counts.made).toBe(0)
        expect((yield* add("one-more.example", "prj_other")).domain).toBe("one-more.example")
      })
    ))

  it("generates one DKIM key at a time, queues 16 more, and refuses the next as overloaded", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        const { counts, layer } = yield* withKeys((made) => Effect.andThen(made, Deferred.await(go)))
        yield* Effect.gen(function* () {
          const fibers = yield* Effect.forEach(Array.from({ length: 20 }), (_, n) =>
            Effect.forkChild(Effect.result(add(`d${n}.example`)), { startImmediately: true })
          )
          yield* eventLoopTurns(50)
          expect(counts.made).toBe(1)
          yield* Deferred.succeed(go, undefined)
          const ended = yield* Effect.forEach(fibers, Fiber.join)
          const reasons = ended.map((one) => (one._tag === "Success" ? "added" : one.failure))
          expect(reasons.filter((one) => one === "added")).toHaveLength(17)
          expect(reasons.filter((one) => one !== "added")).toMatchObject(
            Array.from({ length: 3 }, () => ({ _tag: "StoreUnavailable", reason: "overloaded" }))
          )
          expect(counts).toMatchObject({ made: 17, atOnceMax: 1 })
          // The queue is empty again, so another domain is accepted.
          yield* add("later.example")
        }).pipe(Effect.provide(layer))
      })
    ))

  it("generates the DKIM key of a project after the one under way, while another project has as many waiting as it may", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const turn = yield* Semaphore.make(0)
        const { layer } = yield* withKeys((made) => Effect.andThen(made, turn.take(1)))
        yield* Effect.gen(function* () {
          const others = yield* Effect.forEach(Array.from({ length: 30 }), (_, n) =>
            Effect.forkChild(Effect.result(add(`d${n}.example`, "prj_other")), { startImmediately: true })
          )
          yield* eventLoopTurns(50)
          const own = yield* Effect.forkChild(add("shop.example"), { startImmediately: true })
          yield* eventLoopTurns(50)
          // The key under way, and the one of this project.
          yield* turn.release(2)
          expect((yield* Fiber.join(own)).domain).toBe("shop.example")
          yield* Fiber.interruptAll(others)
        }).pipe(Effect.provide(layer))
      })
    ))

  it("checks a domain at once while name servers do not answer for as many domains of another project as it may check", () =>
    withTestMail(store, {
      dns: {
        texts: (name) => (name.endsWith(".silent.example") ? Effect.never : Effect.succeed([])),
        exchanges: () => Effect.succeed([])
      }
    })(
      Effect.gen(function* () {
        const service = yield* Domains
        const own = yield* add("shop.example")
        const silent = yield* add("d.silent.example", "prj_other")
        const others = yield* Effect.forEach(Array.from({ length: 90 }), () =>
          Effect.forkChild(Effect.result(service.verify("prj_other", silent.id)), { startImmediately: true })
        )
        yield* eventLoopTurns(50)
        expect((yield* service.verify(project, own.id)).status).toBe("failed")
        yield* Fiber.interruptAll(others)
      })
    ))
})

describe.each(stores)("a list of domains, over $name", (store) => {
  it("lists the domains that match the filters and the scope of the caller", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const service = yield* Domains
        yield* service.create(project, { domain: "shop.example", verified: true })
        yield* add("mail.shop.example")
        const names = (caller: Caller, input: ListDomainsInput = {}) =>
          Effect.map(service.list(caller, input), ({ items, total }) => [
            total,
            ...items.map(({ domain }) => domain).toSorted()
          ])
        expect(yield* names(project, { search: "SHOP" })).toEqual([2, "mail.shop.example", "shop.example"])
        expect(yield* names(project, { status: "pending" })).toEqual([1, "mail.shop.example"])
        const scoped = { ...Principal.embedded(project), domainScope: ["shop.example", "absent.example"] }
        expect(yield* names(scoped)).toEqual([1, "shop.example"])
        expect(yield* names(scoped, { status: "pending" })).toEqual([0])
      })
    ))
})

import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import type { CreateApiKeyInput } from "../../../src/index.ts"
import { Access, ApiKeys, Crypto, Domains, IdSource, MailStore, Projects } from "../../../src/index.ts"
import { formatApiKey, mintApiKey, publicIdLength } from "../../../src/domain/access/ApiKey.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import { withTestMail, project, start, stores } from "@mailkeep/test-support"
import { eventLoopTurns } from "@mailkeep/test-support/eventLoop"

const create = (change: Partial<CreateApiKeyInput> = {}) =>
  Effect.gen(function* () {
    const { apiKey, secret } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"], ...change })
    return { apiKey, secret: Redacted.value(secret) }
  })

const authenticate = (presented: string) => Effect.flatMap(Access, (access) => access.authenticate(presented))

describe.each(stores)("API keys, over $name", (store) => {
  it("authenticates an API key with its project, permissions and domain scope", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { apiKey, secret } = yield* create({ domainScope: ["Example.com", "münchen.example"] })
        expect(yield* authenticate(secret)).toEqual({
          projectId: project,
          apiKeyId: apiKey.id,
          permissions: ["email.send"],
          domainScope: ["example.com", "xn--mnchen-3ya.example"],
          source: "api"
        })
      })
    ))

  it("refuses a missing, malformed, unknown, wrong, revoked or expired API key with the same message", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const revoked = yield* create()
        yield* (yield* ApiKeys).revoke(revoked.apiKey.id)
        const expired = yield* create({ expiresAt: start + 1000 })
        const first = yield* create()
        const second = yield* create()
        const mixed = first.secret.slice(0, 16) + second.secret.slice(16)
        yield* TestClock.adjust("1 second")
        const refusals = yield* Effect.forEach(
          ["", "x", "mk_a_b", mixed, revoked.secret, expired.secret],
          (presented) => Effect.flip(authenticate(presented))
        )
        for (const refusal of refusals)
          expect(refusal).toMatchObject({ kind: "unauthorized", message: refusals[0]!.message })
      })
    ))

  it("does the same work to refuse an API key, whether its public id is known or not", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const [inner, crypto] = [yield* MailStore, yield* Crypto]
        const calls: Array<string> = []
        const spiedStore: MailStoreShape = {
          ...inner,
          read: (queries) =>
            Effect.tap(inner.read(queries), (answers) =>
              Effect.sync(() =>
                calls.push(...queries.map(({ _tag }, n) => `${_tag} ${answers[n] === null ? "none" : "one"}`))
              )
            )
        }
        const spiedCrypto: Crypto["Service"] = {
          ...crypto,
          sha256: (text) => (calls.push("sha256"), crypto.sha256(text)),
          equal: (a, b) => (calls.push(`equal ${a.length} ${b.length}`), crypto.equal(a, b))
        }
        const spied = Access.layer.pipe(
          Layer.provide(Layer.succeed(MailStore, spiedStore)),
          Layer.provide(Layer.succeed(Crypto, spiedCrypto)),
          Layer.fresh
        )
        const one = yield* create()
        const revoked = yield* create()
        yield* (yield* ApiKeys).revoke(revoked.apiKey.id)
        const withSecretOf = (publicId: string) => {
          const digits = [...publicId].map((character) => Number.parseInt(character, 36))
          return formatApiKey(
            mintApiKey(Uint8Array.from([...digits, ...crypto.randomBytes(200)].filter((byte) => byte < 252)))
          )
        }
        yield* Effect.gen(function* () {
          const access = yield* Access
          yield* access.authenticate(one.secret)
          const costOf = (presented: string) =>
            Effect.gen(function* () {
              calls.length = 0
              yield* Effect.flip(access.authenticate(presented))
              return calls.toSorted()
            })
          const unknown = yield* costOf(withSecretOf("000000000000"))
          expect(unknown).toEqual(["ApiKeyByPublicId none", "ApiKeyByPublicId one", "equal 64 64", "sha256"])
          expect(yield* costOf(withSecretOf(one.secret.slice("mk_".length, "mk_".length + publicIdLength)))).toEqual(
            unknown
          )
          expect(yield* costOf(revoked.secret)).toEqual(unknown)
        }).pipe(Effect.provide(spied))
      })
    ))

  it("stores no secret of an API key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { secret } = yield* create()
        const listed = yield* (yield* ApiKeys).list(project)
        expect(JSON.stringify(listed)).not.toContain(secret.slice(16))
      })
    ))

  it("grants no permission that an API key does not list", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const access = yield* Access
        const full = yield* authenticate((yield* create({ permissions: ["email.full_access"] })).secret)
        yield* access.authorize(full, "email.full_access")
        expect(yield* Effect.flip(access.authorize(full, "email.send"))).toMatchObject({
          kind: "not_allowed",
          message: expect.stringContaining("email.send")
        })
      })
    ))

  it("records the last use of an API key to the minute", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { apiKey, secret } = yield* create()
        yield* TestClock.setTime(start + 90_000)
        yield* authenticate(secret)
        yield* authenticate(secret)
        yield* eventLoopTurns()
        const [listed] = yield* (yield* ApiKeys).list(project)
        expect(listed).toMatchObject({ id: apiKey.id, lastUsedAt: start + 60_000 })
      })
    ))

  it("refuses a new API key with fields of the wrong form, and names each of them, then a past expiry time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(
          create({
            permissions: ["email.none" as never],
            domainScope: ["nodots"],
            name: "x".repeat(101),
            expiresAt: start
          })
        )
        expect(refused).toMatchObject({
          issues: [
            { path: ["permissions", 0], code: "invalid_value" },
            { path: ["name"], code: "too_long" },
            { path: ["domainScope", 0], code: "invalid_value" }
          ]
        })
        expect(yield* Effect.flip(create({ expiresAt: start }))).toMatchObject({
          issues: [{ path: ["expiresAt"], code: "not_in_future" }]
        })
        expect(yield* Effect.flip(create({ permissions: [] }))).toMatchObject({
          issues: [{ path: ["permissions"], code: "required" }]
        })
      })
    ))

  it("revokes an API key once, and fails with not_found for an unknown id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { apiKey } = yield* create()
        yield* keys.revoke(apiKey.id)
        yield* TestClock.adjust("1 hour")
        expect((yield* keys.revoke(apiKey.id)).revokedAt).toBe(start)
        expect(yield* Effect.flip(keys.revoke("key_x"))).toMatchObject({ kind: "not_found" })
      })
    ))
})

describe.each(stores)("projects and domains, over $name", (store) => {
  it("creates a project once when it is ensured twice", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const projects = yield* Projects
        yield* projects.ensure("prj_b")
        yield* projects.ensure("prj_b")
        expect((yield* projects.list).map(({ id }) => id)).toEqual(["prj_b", project])
        expect(yield* Effect.flip(projects.ensure("no spaces"))).toMatchObject({ issues: [{ path: ["projectId"] }] })
      })
    ))

  it("refuses a duplicate domain in a project, and verifies a pending domain manually", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const domains = yield* Domains
        yield* domains.create(project, { domain: "Mail.Example" })
        expect(yield* Effect.flip(domains.create(project, { domain: "mail.example" }))).toMatchObject({
          kind: "duplicate_error"
        })
        expect(yield* domains.create(project, { domain: "mail.example", verified: true })).toMatchObject({
          status: "verified"
        })
        expect(yield* Effect.flip(domains.create(project, { domain: "mail.example", verified: true }))).toMatchObject({
          kind: "duplicate_error"
        })
        expect(yield* Effect.flip(domains.create(project, { domain: "nodots", verified: true }))).toMatchObject({
          issues: [{ path: ["domain"], code: "invalid_value" }]
        })
        expect(yield* domains.list(project, { limit: 1 })).toMatchObject({
          total: 2,
          items: [{ domain: "mail.example" }]
        })
        expect(yield* domains.list("prj_other")).toMatchObject({ total: 0, items: [] })
      })
    ))
})

describe.each(stores)("Secrets and IdSource, over $name", (store) => {
  it("signs differently for each label, with one master secret that the store keeps", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const secrets = yield* Secrets
        expect(secrets.signer("cursor")("x")).toBe(secrets.signer("cursor")("x"))
        expect(secrets.signer("cursor")("x")).not.toBe(secrets.signer("unsubscribe")("x"))
        const [kept] = yield* (yield* MailStore).read([{ _tag: "Setting", name: "master_secret" }])
        expect(kept).toMatch(/^[0-9a-f]{64}$/)
      })
    ))

  it("reserves ids in order, also when the clock steps back", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const ids = yield* IdSource
        const blocks = yield* Effect.forEach([5000, 5000, 4000, 1, 5001], (now) => ids.reserve(now, 3))
        const positions = blocks.map(({ time, high, low }) => [time, high, low] as const)
        const sorted = [...positions].toSorted((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
        expect(positions).toEqual(sorted)
      })
    ))
})

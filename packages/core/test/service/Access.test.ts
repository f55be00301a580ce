import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { MailStoreShape } from "../../src/index.ts"
import {
  Access,
  ApiKeys,
  Crypto,
  Domains,
  IdSource,
  MailStore,
  mintKey,
  printKey,
  Projects,
  Secrets
} from "../../src/index.ts"
import { withTestMail, project, start, stores } from "@mailkeep/testing"

const issue = (change = {}) =>
  Effect.gen(function* () {
    const { key, printed } = yield* (yield* ApiKeys).create(project, { permissions: ["email.send"], ...change })
    return { key, printed: Redacted.value(printed) }
  })

const authenticate = (presented: string) => Effect.flatMap(Access, (access) => access.authenticate(presented))

describe.each(stores)("API keys, over $name", (store) => {
  it("authenticates an API key with its project, permissions and domain scope", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { key, printed } = yield* issue({ domainScope: ["Example.com", "münchen.example"] })
        expect(yield* authenticate(printed)).toEqual({
          projectId: project,
          apiKeyId: key.id,
          permissions: ["email.send"],
          domainScope: ["example.com", "xn--mnchen-3ya.example"],
          source: "api"
        })
      })
    ))

  it("refuses a missing, malformed, unknown, wrong, revoked or expired API key with the same message", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const revoked = yield* issue()
        yield* (yield* ApiKeys).revoke(revoked.key.id)
        const expired = yield* issue({ expiresAt: start + 1000 })
        const first = yield* issue()
        const second = yield* issue()
        const mixed = first.printed.slice(0, 16) + second.printed.slice(16)
        yield* TestClock.adjust("1 second")
        const refusals = yield* Effect.forEach(
          ["", "x", "mk_a_b", mixed, revoked.printed, expired.printed],
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
        const one = yield* issue()
        const revoked = yield* issue()
        yield* (yield* ApiKeys).revoke(revoked.key.id)
        const withSecretOf = (publicId: string) => {
          const digits = [...publicId].map((character) => Number.parseInt(character, 36))
          return printKey(
            mintKey(Uint8Array.from([...digits, ...crypto.randomBytes(200)].filter((byte) => byte < 252)))
          )
        }
        yield* Effect.gen(function* () {
          const access = yield* Access
          yield* access.authenticate(one.printed)
          const costOf = (presented: string) =>
            Effect.gen(function* () {
              calls.length = 0
              yield* Effect.flip(access.authenticate(presented))
              return calls.toSorted()
            })
          const unknown = yield* costOf(withSecretOf("000000000000"))
          expect(unknown).toEqual(["ApiKeyByPublicId none", "ApiKeyByPublicId one", "equal 64 64", "sha256"])
          expect(yield* costOf(withSecretOf(one.key.publicId))).toEqual(unknown)
          expect(yield* costOf(revoked.printed)).toEqual(unknown)
        }).pipe(Effect.provide(spied))
      })
    ))

  it("stores no secret of an API key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { printed } = yield* issue()
        const listed = yield* (yield* ApiKeys).list(project)
        expect(JSON.stringify(listed)).not.toContain(printed.slice(16))
      })
    ))

  it("grants no permission that an API key does not list", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const access = yield* Access
        const full = yield* authenticate((yield* issue({ permissions: ["email.full_access"] })).printed)
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
        const { key, printed } = yield* issue()
        yield* TestClock.setTime(start + 90_000)
        yield* authenticate(printed)
        yield* authenticate(printed)
        for (let turn = 0; turn < 20; turn++)
          yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        const [listed] = yield* (yield* ApiKeys).list(project)
        expect(listed).toMatchObject({ id: key.id, lastUsedAt: start + 60_000, revision: 1 })
      })
    ))

  it("refuses a new API key with invalid fields, and names every field", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const refused = yield* Effect.flip(
          issue({ permissions: ["email.none"], domainScope: ["nodots"], name: "x".repeat(101), expiresAt: start })
        )
        expect(refused).toMatchObject({
          issues: [
            { path: ["permissions", 0], code: "invalid_value" },
            { path: ["name"], code: "too_long" },
            { path: ["domainScope", 0], code: "invalid_value" }
          ]
        })
        expect(yield* Effect.flip(issue({ expiresAt: start }))).toMatchObject({
          issues: [{ path: ["expiresAt"], code: "not_in_future" }]
        })
        expect(yield* Effect.flip(issue({ permissions: [] }))).toMatchObject({
          issues: [{ path: ["permissions"], code: "required" }]
        })
      })
    ))

  it("revokes an API key once, and fails with not_found for an unknown id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const keys = yield* ApiKeys
        const { key } = yield* issue()
        yield* keys.revoke(key.id)
        yield* TestClock.adjust("1 hour")
        expect((yield* keys.revoke(key.id)).revokedAt).toBe(start)
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
        expect(yield* Effect.flip(projects.ensure("no spaces"))).toMatchObject({ issues: [{ path: ["project"] }] })
      })
    ))

  it("refuses a duplicate domain in a project, and verifies a pending domain manually", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const domains = yield* Domains
        yield* domains.add(project, { domain: "Mail.Example", verified: false })
        expect(yield* Effect.flip(domains.add(project, { domain: "mail.example", verified: false }))).toMatchObject({
          kind: "duplicate_error"
        })
        expect(yield* domains.add(project, { domain: "mail.example", verified: true })).toMatchObject({
          status: "verified"
        })
        expect(yield* Effect.flip(domains.add(project, { domain: "mail.example", verified: true }))).toMatchObject({
          kind: "duplicate_error"
        })
        expect(yield* Effect.flip(domains.add(project, { domain: "nodots", verified: true }))).toMatchObject({
          issues: [{ path: ["domain"], code: "invalid_value" }]
        })
        expect(yield* domains.page(project, { page: 1, limit: 1 })).toMatchObject({
          total: 2,
          items: [{ domain: "mail.example" }]
        })
        expect(yield* domains.page("prj_other", { page: 1, limit: 10 })).toMatchObject({ total: 0, items: [] })
      })
    ))
})

describe.each(stores)("Secrets and IdSource, over $name", (store) => {
  it("signs differently for each label, with one master secret that the store keeps", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const secrets = yield* Secrets
        expect(secrets.seal("cursor")("x")).toBe(secrets.seal("cursor")("x"))
        expect(secrets.seal("cursor")("x")).not.toBe(secrets.seal("unsubscribe")("x"))
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

import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { Suppressions } from "../../../src/index.ts"
import { expectBalanced, withTestMail, project, start, stores } from "@mailkeep/test-support"
import { create, page, update } from "./contactCalls.ts"

describe.each(stores)("contacts, over $name", (store) => {
  it("creates a contact as subscribed, with omitted fields unset", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        expect(yield* create({ email: " Ada@Example.ORG " })).toMatchObject({
          email: "Ada@Example.ORG",
          userId: null,
          firstName: "",
          lastName: "",
          phoneNumber: null,
          emailStatus: "subscribed",
          source: "manual",
          createdAt: start,
          updatedAt: start
        })
        yield* expectBalanced
      })
    ))

  it("refuses a second contact with the same address in a project, in any notation", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* create({ email: "ada@münchen.example" })
        expect(yield* Effect.flip(create({ email: "ADA@xn--mnchen-3ya.example" }))).toMatchObject({
          kind: "duplicate_error"
        })
        yield* create({ email: "ada@münchen.example" }, "prj_other")
      })
    ))

  it("creates one contact when 100 creates with one address run at once", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          Array.from({ length: 100 }, () => Effect.result(create({ email: "ada@example.org" }))),
          { concurrency: "unbounded" }
        )
        expect(answers.filter(Result.isSuccess)).toHaveLength(1)
        expect(answers.filter(Result.isFailure).every(({ failure }) => failure._tag === "ContactEmailTaken")).toBe(true)
        expect((yield* page()).total).toBe(1)
        yield* expectBalanced
      })
    ))

  it("refuses contacts over the plan's limit, and reports a duplicate first", () =>
    withTestMail(store, { plan: { contacts: 1 } })(
      Effect.gen(function* () {
        const answers = yield* Effect.all(
          ["a", "b", "c"].map((name) => Effect.result(create({ email: `${name}@example.org` }))),
          { concurrency: "unbounded" }
        )
        expect(answers.filter(Result.isSuccess)).toHaveLength(1)
        expect(yield* Effect.flip(create({ email: "d@example.org" }))).toMatchObject({ code: "contact_limit_exceeded" })
        expect(yield* Effect.flip(create({ email: "a@example.org" }))).toMatchObject({ kind: "duplicate_error" })
      })
    ))

  it("refuses a custom property that is not defined", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contact = yield* create({ email: "ada@example.org", properties: {} })
        const issues = [{ path: ["properties", "plan"], code: "undefined_property" }]
        expect(yield* Effect.flip(create({ email: "b@example.org", properties: { plan: "pro" } }))).toMatchObject({
          issues
        })
        expect(
          yield* Effect.flip(update(contact.id, { email: "b@example.org", properties: { plan: "pro" } }))
        ).toMatchObject({ issues })
      })
    ))

  it("keeps fields that an update omits, and clears fields that it sets to empty", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const all = { userId: "u1", firstName: "Ada", lastName: "Lovelace", phoneNumber: "+44" }
        const contact = yield* create({ email: "ada@example.org", ...all })
        yield* TestClock.adjust("1 minute")
        expect(yield* update(contact.id, { email: "ada@example.org" })).toMatchObject({
          ...all,
          updatedAt: start + 60_000
        })
        const cleared = { userId: null, firstName: "", lastName: "" }
        expect(yield* update(contact.id, { email: "ada@example.org", ...cleared, phoneNumber: "" })).toMatchObject({
          ...cleared,
          phoneNumber: null,
          createdAt: start
        })
      })
    ))

  it("fails with not_found for an unknown id, an id of another project or a malformed id", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const other = yield* create({ email: "ada@example.org" }, "prj_other")
        for (const id of [other.id, "con_x", "", "msg_01m7yf9jettrbzpjqxq5qtb3m7"])
          expect(yield* Effect.flip(update(id, { email: "b@example.org" }))).toMatchObject({ kind: "not_found" })
      })
    ))

  it("refuses the address of another contact, and permits a new spelling of the own address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const ada = yield* create({ email: "ada@example.org" })
        yield* create({ email: "bob@example.org" })
        expect(yield* Effect.flip(update(ada.id, { email: "BOB@example.org" }))).toMatchObject({
          kind: "duplicate_error"
        })
        expect(yield* update(ada.id, { email: "ADA@example.org" })).toMatchObject({ email: "ADA@example.org" })
        yield* update(ada.id, { email: "new@example.org" })
        yield* create({ email: "ada@example.org" })
      })
    ))
})

describe.each(stores)("suppressions, over $name", (store) => {
  it("refuses to suppress an invalid address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        expect(yield* Effect.flip((yield* Suppressions).addReason(project, "nobody", "manual"))).toMatchObject({
          kind: "invalid_argument"
        })
      })
    ))

  it("keeps the first time of a reason that is added twice", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.addReason(project, "ada@example.org", "manual")
        yield* TestClock.adjust("1 hour")
        expect(yield* suppressions.addReason(project, "ADA@example.org", "manual")).toMatchObject({
          email: "ada@example.org",
          reason: "manual",
          reasons: [{ reason: "manual", since: start }]
        })
        expect(yield* suppressions.removeReason(project, "ada@example.org", "complaint")).toMatchObject({
          email: "ada@example.org",
          reason: "manual",
          reasons: [{ reason: "manual", since: start }]
        })
      })
    ))
})

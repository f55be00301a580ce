import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import type { ListContactsInput, CreateContactInput, UpdateContactInput } from "../../../src/index.ts"
import { Contacts, MailStore, Suppressions } from "../../../src/index.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"
import { events, expectBalanced, withTestMail, project, start, stores } from "@mailkeep/test-support"

const create = (input: CreateContactInput, projectId = project) =>
  Effect.flatMap(Contacts, (contacts) => contacts.create(projectId, input))
const update = (id: string, input: UpdateContactInput) =>
  Effect.flatMap(Contacts, (contacts) => contacts.update(project, id, input))
const page = (query: ListContactsInput = {}, limit = 100, page = 1) =>
  Effect.flatMap(Contacts, (contacts) => contacts.list(project, { ...query, page, limit }))

const unsubscriptions = Effect.map(events, (all) => all.filter(({ kind }) => kind === "contact.unsubscribed"))

/** The reasons that the store keeps for an address. */
const reasons = (address: string) =>
  Effect.gen(function* () {
    const { addressKey } = yield* Secrets
    const [[suppression]] = yield* (yield* MailStore).read([
      { _tag: "Suppressions", projectId: project, addressKeys: [addressKey(address)] }
    ])
    return Object.keys(suppression?.reasons ?? {}).toSorted()
  })

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

  it("emits contact.unsubscribed only when the status changes", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* create({ email: "ada@example.org" })
        const status = (emailStatus: "subscribed" | "unsubscribed") =>
          update(id, { email: "ada@example.org", emailStatus })
        yield* status("subscribed")
        yield* status("unsubscribed")
        yield* status("unsubscribed")
        yield* status("subscribed")
        yield* status("unsubscribed")
        const emitted = yield* unsubscriptions
        expect(emitted).toHaveLength(2)
        expect(emitted[0]).toMatchObject({
          data: { reason: "unsubscribed", contact: { id, emailStatus: "unsubscribed" } }
        })
      })
    ))

  it("sets the status unsubscribed only for the reason unsubscribed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "ada@example.org" })
        yield* suppressions.addReason(project, "ada@example.org", "complaint")
        expect((yield* page()).items[0]).toMatchObject({ emailStatus: "subscribed" })
        yield* suppressions.addReason(project, "ada@example.org", "unsubscribed")
        expect((yield* page()).items[0]).toMatchObject({ emailStatus: "unsubscribed" })
        yield* update(id, { email: "ada@example.org", emailStatus: "subscribed" })
        expect(yield* reasons("ada@example.org")).toEqual(["complaint"])
      })
    ))

  it("copies the reason unsubscribed to a new address, and keeps it at the old address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* create({ email: "old@example.org" })
        yield* update(id, { email: "old@example.org", emailStatus: "unsubscribed" })
        expect(yield* update(id, { email: "new@example.org" })).toMatchObject({ emailStatus: "unsubscribed" })
        expect(yield* reasons("old@example.org")).toEqual(["unsubscribed"])
        expect(yield* reasons("new@example.org")).toEqual(["unsubscribed"])
        expect(yield* unsubscriptions).toHaveLength(1)
      })
    ))

  it("unsubscribes a contact that moves to an unsubscribed address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* (yield* Suppressions).addReason(project, "gone@example.org", "unsubscribed")
        const { id } = yield* create({ email: "ada@example.org" })
        expect(yield* update(id, { email: "gone@example.org" })).toMatchObject({ emailStatus: "unsubscribed" })
        expect(yield* unsubscriptions).toHaveLength(1)
      })
    ))

  it("removes only the reason unsubscribed when a contact is created", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.addReason(project, "ada@example.org", "unsubscribed")
        yield* suppressions.addReason(project, "ada@example.org", "hard_bounce")
        expect(yield* create({ email: "ada@example.org" })).toMatchObject({ emailStatus: "subscribed" })
        expect(yield* reasons("ada@example.org")).toEqual(["hard_bounce"])
      })
    ))

  it("agrees with the suppression list after concurrent changes", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (let round = 0; round < 20; round++) {
          const email = `r${round}@example.org`
          yield* Effect.all(
            [
              Effect.result(create({ email })),
              suppressions.addReason(project, email, "unsubscribed"),
              Effect.result(create({ email })),
              suppressions.removeReason(project, email, "unsubscribed"),
              suppressions.addReason(project, email, "unsubscribed")
            ],
            { concurrency: "unbounded" }
          )
          const { items } = yield* page({ search: email })
          const suppressed = (yield* reasons(email)).includes("unsubscribed")
          expect(items[0]?.emailStatus).toBe(suppressed ? "unsubscribed" : "subscribed")
        }
      })
    ))

  it("lists contacts newest first, in pages, with the total", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        for (let i = 0; i < 7; i++) yield* create({ email: `c${i}@example.org` })
        const pages = yield* Effect.forEach([1, 2, 3, 4, 999_999_999_999_999], (n) => page({}, 3, n))
        expect(pages.map(({ items }) => items.map(({ email }) => email[1]).join(""))).toEqual([
          "654",
          "321",
          "0",
          "",
          ""
        ])
        expect(pages.every(({ total }) => total === 7)).toBe(true)
      })
    ))

  it.each([
    ["ADA", ["ada"]],
    ["lovelace", ["ada"]],
    ["ada love", ["ada"]],
    ["example.org", ["grace", "ada"]],
    ["ÉLODIE", ["grace"]],
    ["%", []],
    ["_", []],
    ["nobody", []]
  ])("finds contacts by a part of the email or name: %s", (search, found) =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* create({ email: "ada@example.org", firstName: "Ada", lastName: "Lovelace" })
        yield* create({ email: "grace@example.org", firstName: "élodie" })
        const { items, total } = yield* page({ search })
        expect(items.map(({ email }) => email.split("@")[0])).toEqual(found)
        expect(total).toBe(found.length)
      })
    )
  )

  it.each(["müller", "ADA@Müller.example", "Müller."])(
    "finds the email of a contact by %s, whose domain has A-labels, and a name with the same text",
    (search) =>
      withTestMail(store)(
        Effect.gen(function* () {
          yield* create({ email: "ada@xn--mller-kva.example" })
          yield* create({ email: "bob@example.org", lastName: `of ${search}` })
          yield* create({ email: "carol@example.org", lastName: "Miller" })
          const { items, total } = yield* page({ search })
          expect(items.map(({ email }) => email.split("@")[0])).toEqual(["bob", "ada"])
          expect(total).toBe(2)
        })
      )
  )

  it("filters contacts by status, and finds none for an unknown list or segment", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const { id } = yield* create({ email: "ada@example.org" })
        yield* create({ email: "bob@example.org" })
        yield* update(id, { email: "ada@example.org", emailStatus: "unsubscribed" })
        expect((yield* page({ emailStatus: "unsubscribed" })).items.map(({ id }) => id)).toEqual([id])
        expect(yield* page({ emailStatus: "subscribed" })).toMatchObject({ total: 1 })
        expect(yield* page({ listId: "lst_x" })).toMatchObject({ items: [], total: 0 })
        expect(yield* page({ segmentId: "seg_x" })).toMatchObject({ items: [], total: 0 })
      })
    ))

  it("does not list contacts of another project", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* create({ email: "ada@example.org" }, "prj_other")
        expect(yield* page()).toMatchObject({ items: [], total: 0 })
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

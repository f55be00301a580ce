import { events, expectBalanced, withTestMail, project, send, stores } from "@mailkeep/test-support"
import { Effect, Result, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { ContactFilterInput, CreateContactInput, CreatePropertyInput } from "../../../src/index.ts"
import type { SegmentFilter } from "../../../src/domain/contact/Segment.ts"
import {
  ContactLists,
  Contacts,
  DeliveryLog,
  MailStore,
  Properties,
  Segments,
  Suppressions
} from "../../../src/index.ts"
import { Secrets } from "../../../src/service/access/Secrets.ts"

const create = (input: CreateContactInput) => Effect.flatMap(Contacts, (contacts) => contacts.create(project, input))
const createProperty = (input: CreatePropertyInput) =>
  Effect.flatMap(Properties, (properties) => properties.create(project, input))
const found = (query: ContactFilterInput) =>
  Effect.flatMap(Contacts, (contacts) =>
    Effect.map(contacts.list(project, { ...query, limit: 100 }), ({ items, total }) => [
      total,
      ...items.map(({ email }) => email)
    ])
  )
const counters = Effect.flatMap(DeliveryLog, (log) =>
  Effect.map(log.usageAudit(project), (usageAudit) =>
    Object.fromEntries(usageAudit.counters.flatMap(({ name, value }) => (value === 0 ? [] : [[name, value]])))
  )
)

describe.each(stores)("custom properties, over $name", (store) => {
  it("sets custom properties by key in any case, and refuses undefined keys and other types", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const tier = yield* createProperty({ key: "Tier", type: "string" })
        yield* createProperty({ key: "visits", type: "number" })
        yield* createProperty({ key: "born", type: "date" })
        const made = yield* create({ email: "a@x.example", properties: { tier: "gold", VISITS: 3, born: null } })
        expect((yield* contacts.get(project, made.id)).properties).toEqual({ Tier: "gold", visits: 3 })
        expect(yield* counters).toMatchObject({ [`property:${tier.id}`]: 1 })
        const refusal = create({ email: "b@x.example", properties: { tier: 1, visits: "1", born: "soon", none: 1 } })
        expect(yield* Effect.flip(refusal)).toMatchObject({
          issues: [
            { path: ["properties", "tier"], code: "invalid_type" },
            { path: ["properties", "visits"], code: "invalid_type" },
            { path: ["properties", "born"], code: "invalid_type" },
            { path: ["properties", "none"], code: "undefined_property" }
          ]
        })
        yield* contacts.update(project, made.id, { email: "a@x.example", firstName: "Ada" })
        expect((yield* contacts.get(project, made.id)).properties).toEqual({ Tier: "gold", visits: 3 })
        yield* contacts.update(project, made.id, { email: "a@x.example", properties: { born: "1815-12-10" } })
        expect((yield* contacts.get(project, made.id)).properties).toEqual({ born: "1815-12-10" })
        expect(yield* counters).not.toHaveProperty(`property:${tier.id}`)
      })
    ))

  it("refuses a duplicate property key, and changes a type only while no contact has a value", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const properties = yield* Properties
        const contacts = yield* Contacts
        const { id } = yield* createProperty({ key: "plan", type: "string", fallbackValue: "free" })
        expect(yield* Effect.flip(createProperty({ key: "PLAN", type: "number" }))).toMatchObject({
          kind: "duplicate_error"
        })
        const made = yield* create({ email: "a@x.example", properties: { plan: "pro" } })
        const retype = properties.update(project, id, { type: "number", fallbackValue: "0" })
        expect(yield* Effect.flip(retype)).toMatchObject({ kind: "conflict" })
        yield* contacts.update(project, made.id, { email: "a@x.example", properties: {} })
        expect(yield* Effect.flip(properties.update(project, id, { type: "number" }))).toMatchObject({
          issues: [{ path: ["fallbackValue"] }]
        })
        expect(yield* retype).toMatchObject({ key: "plan", type: "number", fallbackValue: "0" })
        expect(yield* Effect.flip(properties.update(project, "prop_none", {}))).toMatchObject({ kind: "not_found" })
      })
    ))

  it("stores no value of the old type while the type of a property changes", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const properties = yield* Properties
        for (let round = 0; round < 20; round++) {
          const { id } = yield* createProperty({ key: `p${round}`, type: "string" })
          const [made] = yield* Effect.all(
            [
              Effect.result(create({ email: `c${round}@x.example`, properties: { [`p${round}`]: "text" } })),
              Effect.result(properties.update(project, id, { type: "number" }))
            ],
            { concurrency: "unbounded" }
          )
          const { type } = (yield* properties.list(project)).find((one) => one.id === id)!
          expect(type).toBe(Result.isSuccess(made) ? "string" : "number")
        }
      })
    ))

  it("removes the values of a property with the property, permanently", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const { id } = yield* createProperty({ key: "plan", type: "string" })
        const made = yield* create({ email: "a@x.example", properties: { plan: "pro" } })
        yield* (yield* Properties).delete(project, id)
        expect((yield* contacts.get(project, made.id)).properties).toEqual({})
        yield* createProperty({ key: "plan", type: "number" })
        expect((yield* contacts.get(project, made.id)).properties).toEqual({})
      })
    ))
})

describe.each(stores)("lists and segments, over $name", (store) => {
  it("lists and counts each contact of a list once, also when it is added twice", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const lists = yield* ContactLists
        const list = yield* lists.create(project, { name: "Friends" })
        expect(yield* Effect.flip(lists.create(project, { name: "friends" }))).toMatchObject({
          kind: "duplicate_error"
        })
        const [ada, bob] = [yield* create({ email: "a@x.example" }), yield* create({ email: "b@x.example" })]
        for (const { id } of [ada, bob, ada]) yield* lists.addContact(project, list.id, id)
        expect(yield* found({ listId: list.id })).toEqual([2, "b@x.example", "a@x.example"])
        expect((yield* lists.get(project, list.id)).contactCount).toBe(2)
        yield* lists.removeContact(project, list.id, ada.id)
        yield* lists.removeContact(project, list.id, ada.id)
        expect((yield* lists.list(project)).items).toMatchObject([
          { name: "Friends", description: "", contactCount: 1 }
        ])
        yield* (yield* Contacts).delete(project, bob.id)
        expect(yield* found({ listId: list.id })).toEqual([0])
        expect((yield* lists.get(project, list.id)).contactCount).toBe(0)
        expect(yield* Effect.flip(lists.addContact(project, list.id, "con_none"))).toMatchObject({ kind: "not_found" })
        expect(yield* Effect.flip(lists.addContact(project, "lst_none", ada.id))).toMatchObject({ kind: "not_found" })
        expect(yield* found({ listId: "lst_none" })).toEqual([0])
      })
    ))

  it("finds the contacts of a segment by fields, properties and lists, with fallbacks for missing values", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const segments = yield* Segments
        const lists = yield* ContactLists
        yield* createProperty({ key: "plan", type: "string", fallbackValue: "free" })
        yield* createProperty({ key: "visits", type: "number" })
        const list = yield* lists.create(project, { name: "VIP" })
        const ada = yield* create({ email: "ada@x.example", firstName: "Ada", properties: { plan: "Pro", visits: 9 } })
        yield* create({ email: "bob@y.example", properties: { visits: 2 } })
        yield* create({ email: "cat@y.example", lastName: "Ada" })
        yield* lists.addContact(project, list.id, ada.id)
        const members = (filter: SegmentFilter) =>
          Effect.gen(function* () {
            const { id } = yield* segments.create(project, { name: JSON.stringify(filter).slice(0, 90), filter })
            return yield* found({ segmentId: id })
          })
        expect(yield* members({ field: "properties.PLAN", op: "eq", value: "free" })).toEqual([
          2,
          "cat@y.example",
          "bob@y.example"
        ])
        expect(yield* members({ field: "properties.visits", op: "gte", value: 3 })).toEqual([1, "ada@x.example"])
        expect(
          yield* members({
            all: [
              { field: "email", op: "ends_with", value: "@Y.example" },
              { not: { field: "last_name", op: "eq", value: "ada" } }
            ]
          })
        ).toEqual([1, "bob@y.example"])
        expect(yield* members({ any: [{ list: list.id }, { field: "last_name", op: "set" }] })).toEqual([
          2,
          "cat@y.example",
          "ada@x.example"
        ])
        expect(yield* found({ segmentId: "seg_none" })).toEqual([0])
      })
    ))

  it("finds no contact of a deleted list by a segment, as by the list itself", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const segments = yield* Segments
        const lists = yield* ContactLists
        const [kept, deleted] = [
          yield* lists.create(project, { name: "Kept" }),
          yield* lists.create(project, { name: "Deleted" })
        ]
        const [ada, bob] = [yield* create({ email: "a@x.example" }), yield* create({ email: "b@x.example" })]
        yield* lists.addContact(project, kept.id, ada.id)
        yield* lists.addContact(project, deleted.id, bob.id)
        const filter: SegmentFilter = { any: [{ list: kept.id }, { list: deleted.id }] }
        const { id } = yield* segments.create(project, { name: "Both", filter })
        expect(yield* found({ segmentId: id })).toEqual([2, "b@x.example", "a@x.example"])
        yield* lists.delete(project, deleted.id)
        expect(yield* found({ listId: deleted.id })).toEqual([0])
        expect(yield* found({ segmentId: id })).toEqual([1, "a@x.example"])
      })
    ))

  it("reports each invalid condition of a segment by its path", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const segments = yield* Segments
        const refused = (filter: unknown) =>
          Effect.map(
            Effect.flip(segments.create(project, { name: "s", filter: filter as never })),
            (failure) => "issues" in failure && failure.issues.map(({ path }) => path.join("."))
          )
        expect(
          yield* refused({
            all: [
              { field: "shoe_size", op: "eq", value: 1 },
              { field: "email", op: "lt", value: "a" },
              { any: [{ field: "created_at", op: "before", value: "soon" }] },
              { not: { field: "first_name", op: "in", value: [] } },
              { list: 7 },
              { field: "properties.none", op: "set" },
              "ada"
            ]
          })
        ).toEqual([
          "filter.all.0.field",
          "filter.all.1.op",
          "filter.all.2.any.0.value",
          "filter.all.3.not.value",
          "filter.all.4.list",
          "filter.all.5.field",
          "filter.all.6"
        ])
        const deep = Array.from({ length: 20 }).reduce<unknown>((inner) => ({ not: inner }), { all: [] })
        expect(yield* refused(deep)).toHaveLength(1)
        const wide = { all: Array.from({ length: 5000 }, () => ({ list: "x" })) }
        expect(yield* refused(wide)).toHaveLength(1)
      })
    ))
})

describe.each(stores)("contacts, over $name", (store) => {
  it("counts contacts exactly, in total and by status", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const made = yield* Effect.forEach([0, 1, 2, 3, 4], (n) => create({ email: `c${n}@x.example` }))
        yield* contacts.update(project, made[0]!.id, { email: "c0@x.example", emailStatus: "unsubscribed" })
        yield* (yield* Suppressions).addReason(project, "c1@x.example", "unsubscribed")
        yield* contacts.delete(project, made[1]!.id)
        yield* contacts.delete(project, made[2]!.id)
        expect((yield* found({}))[0]).toBe(3)
        expect((yield* found({ emailStatus: "unsubscribed" }))[0]).toBe(1)
        expect((yield* found({ emailStatus: "subscribed" }))[0]).toBe(2)
        yield* expectBalanced
      })
    ))

  it("streams each contact once, over several pages", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        yield* Effect.forEach(Array.from({ length: 2100 }), (_, n) => create({ email: `c${n}@x.example` }), {
          concurrency: 64
        })
        const streamed = yield* Stream.runCollect((yield* Contacts).stream(project))
        expect(new Set(streamed.map(({ id }) => id)).size).toBe(2100)
        expect(streamed).toHaveLength(2100)
      })
    ))

  it("keeps an anonymous suppression when a contact is erased", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "Ada@x.example", firstName: "Ada" })
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        yield* contacts.delete(project, id)
        expect(yield* Effect.flip(contacts.get(project, id))).toMatchObject({ kind: "not_found" })
        expect(yield* Effect.flip(contacts.delete(project, id))).toMatchObject({ kind: "not_found" })
        const result = yield* send("k", { to: "ada@x.example" })
        expect(result.totalQueued).toBe(0)
        expect((yield* suppressions.list(project)).items).toEqual([])
        const { addressKey } = yield* Secrets
        const [[existing]] = yield* (yield* MailStore).read([
          { _tag: "Suppressions", projectId: project, addressKeys: [addressKey("ada@x.example")] }
        ])
        expect(existing).toMatchObject({ address: null })
        const deletion = (yield* events).find(({ kind }) => kind === "contact.deleted")
        expect(JSON.stringify(deletion)).not.toMatch(/ada/i)
        yield* suppressions.delete(project, "ada@x.example")
        expect((yield* send("k2", { to: "ada@x.example" })).totalQueued).toBe(1)
      })
    ))

  it("lists the suppression of a deleted contact again when a contact is created with its address", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const listed = Effect.map(suppressions.list(project), ({ items }) => items.map(({ email }) => email))
        const { id } = yield* create({ email: "Ada@x.example" })
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        yield* contacts.delete(project, id)
        expect(yield* listed).toEqual([])
        const again = yield* create({ email: "Ada@x.example" })
        expect(yield* listed).toEqual(["ada@x.example"])
        yield* contacts.delete(project, again.id)
        expect(yield* listed).toEqual([])
        expect(yield* suppressions.addReason(project, "Ada@x.example", "complaint")).toMatchObject({
          email: "ada@x.example"
        })
        expect(yield* listed).toEqual(["ada@x.example"])
      })
    ))

  it("shows the block reason of a contact, except the reason unsubscribed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        const { id } = yield* create({ email: "ada@x.example" })
        const shown = Effect.map(contacts.get(project, id), ({ blockReason }) => blockReason)
        yield* suppressions.addReason(project, "ada@x.example", "unsubscribed")
        expect(yield* shown).toBeNull()
        yield* suppressions.addReason(project, "ada@x.example", "hard_bounce")
        yield* suppressions.addReason(project, "ada@x.example", "complaint")
        expect(yield* shown).toBe("complaint")
      })
    ))
})

describe.each(stores)("the suppression list, over $name", (store) => {
  it("lists suppressions by address, and refuses a cursor of another search", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (const n of [3, 1, 2, 5, 4]) yield* suppressions.addReason(project, `p${n}@x.example`, "manual")
        const page = (cursor: string | null, search: string | null = null) =>
          suppressions.list(project, { search, limit: 2, cursor })
        const addresses: Array<string | null> = []
        let cursor: string | null = null
        do {
          const { items, nextCursor, hasMore }: Effect.Success<ReturnType<typeof page>> = yield* page(cursor)
          addresses.push(...items.map(({ email }) => email))
          expect(hasMore).toBe(nextCursor !== null)
          cursor = nextCursor
        } while (cursor !== null)
        expect(addresses).toEqual([1, 2, 3, 4, 5].map((n) => `p${n}@x.example`))
        const first = yield* page(null)
        expect(yield* Effect.flip(page(first.nextCursor, "p"))).toMatchObject({ issues: [{ code: "invalid_cursor" }] })
        expect((yield* page(null, "P4@")).items).toMatchObject([{ email: "p4@x.example", reason: "manual" }])
      })
    ))

  it("finds an address by its domain in Unicode", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        for (const email of ["ada@müller.example", "bob@example.org", "eve@sub.müller.example"])
          yield* suppressions.addReason(project, email, "manual")
        const page = (cursor: string | null) =>
          suppressions.list(project, { search: "Müller.EXAMPLE", limit: 1, cursor })
        const first = yield* page(null)
        const second = yield* page(first.nextCursor)
        expect([...first.items, ...second.items].map(({ email }) => email)).toEqual([
          "ada@xn--mller-kva.example",
          "eve@sub.xn--mller-kva.example"
        ])
      })
    ))

  it("removes all reasons of an address, and subscribes its contact again", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* create({ email: "ada@x.example" })
        for (const reason of ["complaint", "unsubscribed"] as const)
          yield* suppressions.addReason(project, "ada@x.example", reason)
        yield* suppressions.delete(project, "ADA@x.example")
        expect((yield* suppressions.list(project)).items).toEqual([])
        expect((yield* found({ emailStatus: "subscribed" }))[0]).toBe(1)
        expect(yield* Effect.flip(suppressions.delete(project, "ada@x.example"))).toMatchObject({ kind: "not_found" })
        yield* expectBalanced
      })
    ))
})

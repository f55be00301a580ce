import { expectBalanced, withTestMail, project, stores } from "@mailkeep/test-support"
import { Effect, Stream } from "effect"
import { describe, expect, it } from "vitest"
import type { SegmentFilter } from "../../../src/domain/contact/Segment.ts"
import { ContactLists, Contacts, Segments, Suppressions } from "../../../src/index.ts"
import { create, createProperty, found } from "./contactCalls.ts"

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
})

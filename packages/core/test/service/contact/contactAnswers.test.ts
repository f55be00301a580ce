/**
 * The services about contacts take what a program has (`undefined`, `Date`, no page), and return plain records.
 */
import { runInNewContext } from "node:vm"
import { project, start, stores, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ContactLists, Contacts, Properties, Segments, Suppressions } from "../../../src/index.ts"

const fieldsOf = (answer: object) => Object.keys(answer).toSorted()

const contactFields = [
  "createdAt",
  "email",
  "emailStatus",
  "firstName",
  "id",
  "lastName",
  "phoneNumber",
  "source",
  "updatedAt",
  "userId"
]

describe.each(stores)("answers about contacts, over $name", (store) => {
  it("returns contacts without fields of the store", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const made = yield* contacts.create(project, { email: "ada@x.example" })
        const updated = yield* contacts.update(project, made.id, { email: "ada@x.example" })
        const [listed] = (yield* contacts.list(project)).items
        for (const answer of [made, updated, listed!, (yield* contacts.findByEmail(project, "ADA@x.example"))!])
          expect(fieldsOf(answer)).toEqual(contactFields)
        const detail = yield* contacts.get(project, made.id)
        expect(fieldsOf(detail)).toEqual([...contactFields, "blockReason", "listIds", "properties"].toSorted())
      })
    ))

  it("returns lists, properties, segments and suppressions without fields of the store", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const times = { createdAt: start, updatedAt: start }
        const lists = yield* ContactLists
        const list = yield* lists.create(project, { name: "Friends" })
        expect(list).toEqual({ id: list.id, name: "Friends", description: "", contactCount: 0, ...times })
        expect((yield* lists.list(project)).items).toEqual([list])
        expect(yield* lists.update(project, list.id, { name: "Friends" })).toEqual(list)

        const property = yield* (yield* Properties).create(project, { key: "Plan", type: "string" })
        expect(property).toEqual({ id: property.id, key: "Plan", type: "string", fallbackValue: null, ...times })
        expect(yield* (yield* Properties).list(project)).toEqual([property])

        const filter = { field: "properties.plan", op: "set" } as const
        const segment = yield* (yield* Segments).create(project, { name: "Set", filter })
        expect(segment).toEqual({ id: segment.id, name: "Set", filter, ...times })
        expect((yield* (yield* Segments).list(project)).items).toEqual([segment])

        const suppressions = yield* Suppressions
        yield* suppressions.addReason(project, "Ada@x.example", "manual")
        const suppression = yield* suppressions.addReason(project, "ada@x.example", "complaint")
        expect(suppression).toEqual({
          email: "ada@x.example",
          reason: "complaint",
          reasons: [
            { reason: "complaint", since: start },
            { reason: "manual", since: start }
          ]
        })
        expect((yield* suppressions.list(project)).items).toEqual([suppression])
      })
    ))

  it("returns null when the last reason of an address is removed", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const suppressions = yield* Suppressions
        yield* suppressions.addReason(project, "ada@x.example", "manual")
        yield* suppressions.addReason(project, "ada@x.example", "invalid")
        expect(yield* suppressions.removeReason(project, "ada@x.example", "invalid")).toMatchObject({
          reason: "manual"
        })
        expect(yield* suppressions.removeReason(project, "ada@x.example", "manual")).toBeNull()
        expect(yield* suppressions.removeReason(project, "bob@x.example", "manual")).toBeNull()
      })
    ))

  it("omits deleted lists from the lists of a contact", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const lists = yield* ContactLists
        const { id } = yield* contacts.create(project, { email: "ada@x.example" })
        const made = yield* Effect.forEach(["A", "B"], (name) => lists.create(project, { name }))
        for (const list of made) yield* lists.addContact(project, list.id, id)
        expect((yield* contacts.get(project, id)).listIds).toEqual(made.map((list) => list.id).toSorted())
        yield* lists.delete(project, made[0]!.id)
        expect((yield* contacts.get(project, id)).listIds).toEqual([made[1]!.id])
      })
    ))
})

describe.each(stores)("the lists of a contact, over $name", (store) => {
  it("adds a contact to a list after it was on 100 lists that have been deleted", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const lists = yield* ContactLists
        const { id } = yield* (yield* Contacts).create(project, { email: "ada@x.example" })
        const addToNew = (name: number) =>
          Effect.gen(function* () {
            const list = yield* lists.create(project, { name: String(name) })
            yield* lists.addContact(project, list.id, id)
            return list.id
          })
        const made = yield* Effect.forEach(Array.from({ length: 100 }).keys(), addToNew)
        expect(yield* Effect.flip(addToNew(100))).toMatchObject({ _tag: "TooManyRecords" })
        yield* Effect.forEach(made, (listId) => lists.delete(project, listId))
        const last = yield* addToNew(101)
        expect(yield* (yield* Contacts).get(project, id)).toMatchObject({ listIds: [last] })
        expect(yield* lists.get(project, last)).toMatchObject({ contactCount: 1 })
      })
    ))
})

describe.each(stores)("input about contacts, over $name", (store) => {
  it("allows undefined for each optional field", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const optional = { userId: undefined, firstName: undefined, lastName: undefined, phoneNumber: undefined }
        const made = yield* contacts.create(
          project,
          { email: "ada@x.example", ...optional, properties: undefined },
          { source: undefined }
        )
        expect(made).toMatchObject({ userId: null, firstName: "", phoneNumber: null, source: "manual" })
        const named = yield* contacts.update(project, made.id, { email: made.email, firstName: "Ada" })
        const change = { email: made.email, ...optional, properties: undefined, emailStatus: undefined }
        expect(yield* contacts.update(project, made.id, change)).toEqual(named)
        const query = { search: undefined, emailStatus: null, listId: undefined, segmentId: null, page: undefined }
        expect(yield* contacts.list(project, query)).toEqual({ items: [named], total: 1, page: 1, limit: 50 })
      })
    ))

  it("stores a Date as the value of a date property, and ignores undefined values", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        yield* (yield* Properties).create(project, { key: "born", type: "date", fallbackValue: undefined })
        const properties = { born: new Date(Date.UTC(1815, 11, 10)), none: undefined }
        const { id } = yield* contacts.create(project, { email: "ada@x.example", properties })
        expect((yield* contacts.get(project, id)).properties).toEqual({ born: "1815-12-10T00:00:00.000Z" })
        const ofOtherRealm = { born: runInNewContext("new Date(0)") as Date }
        const other = yield* contacts.create(project, { email: "eve@x.example", properties: ofOtherRealm })
        expect((yield* contacts.get(project, other.id)).properties).toEqual({ born: "1970-01-01T00:00:00.000Z" })
        const invalid = { born: new Date(Number.NaN) }
        const refused = contacts.create(project, { email: "bob@x.example", properties: invalid })
        expect(yield* Effect.flip(refused)).toMatchObject({ issues: [{ path: ["properties", "born"] }] })
      })
    ))

  it("lists the first 50 records when the listing names no page", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const suppressions = yield* Suppressions
        for (let n = 0; n < 51; n++) {
          yield* contacts.create(project, { email: `c${n}@x.example` })
          yield* suppressions.addReason(project, `c${n}@x.example`, "manual")
        }
        const listed = yield* contacts.list(project)
        expect([listed.items.length, listed.page, listed.limit, listed.total]).toEqual([50, 1, 50, 51])
        const suppressed = yield* suppressions.list(project)
        expect([suppressed.items.length, suppressed.limit, suppressed.hasMore]).toEqual([50, 50, true])
        const rest = yield* suppressions.list(project, { cursor: suppressed.nextCursor })
        expect([rest.items.length, rest.hasMore]).toEqual([1, false])
      })
    ))

  it("names the argument and the field of a refusal, and no part of an HTTP request", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        expect(yield* Effect.flip(contacts.create(project, { email: "nonsense" }))).toMatchObject({
          argument: "input",
          message: "email must be a bare mailbox such as ada@example.com"
        })
        const badSource = contacts.create(project, { email: "ada@x.example" }, { source: "api" as never })
        expect(yield* Effect.flip(badSource)).toMatchObject({ argument: "options", issues: [{ path: ["source"] }] })
        expect(yield* Effect.flip(contacts.list(project, { limit: 101 }))).toMatchObject({
          argument: "filters",
          message: "limit must be at most 100"
        })
        const badFallback = (yield* Properties).create(project, { key: "k", type: "number", fallbackValue: "x" })
        expect(yield* Effect.flip(badFallback)).toMatchObject({ message: "fallbackValue must be the text of a number" })
        expect((yield* contacts.list(project)).total).toBe(0)
      })
    ))
})

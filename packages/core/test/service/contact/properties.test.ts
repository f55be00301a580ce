/**
 * Property keys are any text, and fallbacks are text for every type. A type changes only while no contact has a value.
 */
import type { StoreUnderTest } from "@mailkeep/test-support"
import { withTestMail, openTestMail, project, stores } from "@mailkeep/test-support"
import { Effect, Layer, Result, Stream } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { MailStoreShape } from "../../../src/port/MailStore.ts"
import { ContactFiles, Contacts, MailStore, Properties, Segments } from "../../../src/index.ts"

const create = (email: string, properties: Readonly<Record<string, string | number | null>>) =>
  Effect.flatMap(Contacts, (contacts) => contacts.create(project, { email, properties }))

/** The properties of a request's JSON. A key that every object inherits is an ordinary field. */
const keyed = (key: string, value: string): Readonly<Record<string, string>> => Object.fromEntries([[key, value]])

const keys = [
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "First name",
  "email",
  "été",
  "=1+1",
  " spaced ",
  'a.b,c"d'
]

describe.each(stores)("a property key, over $name", (store) => {
  it.each(keys)("stores, shows, filters, exports and imports the property key %j", (key) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const contacts = yield* Contacts
        const defined = yield* (yield* Properties).create(project, { key, type: "string" })
        expect(defined).toMatchObject({ key, type: "string", fallbackValue: null })
        const made = yield* create("a@x.example", keyed(key.toUpperCase(), "gold"))
        yield* create("b@x.example", {})
        const shown = (yield* contacts.get(project, made.id)).properties
        expect(Object.entries(shown)).toEqual([[key, "gold"]])
        const filter = { field: `properties.${key}`, op: "eq", value: "gold" } as const
        const segment = yield* (yield* Segments).create(project, { name: "Gold", filter })
        const query = { segmentId: segment.id }
        const found = yield* contacts.list(project, query)
        expect(found.items.map(({ email }) => email)).toEqual(["a@x.example"])

        const files = yield* ContactFiles
        const exported = yield* Stream.runCollect(files.exportRows(project, query))
        yield* contacts.delete(project, made.id)
        const rows = [...exported].map((cells, at) => ({ line: at + 1, cells }))
        expect([...(yield* Stream.runCollect(files.importRows(project, Stream.fromIterable(rows))))]).toMatchObject([
          { outcome: "created" }
        ])
        const again = yield* contacts.list(project, query)
        expect(again.items.map(({ email }) => email)).toEqual(["a@x.example"])
      })
    )
  )

  it("keeps the contacts of a segment when the property gets another key", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const [properties, segments, contacts] = [yield* Properties, yield* Segments, yield* Contacts]
        const plan = yield* properties.create(project, { key: "Plan", type: "string" })
        yield* create("a@x.example", { plan: "gold" })
        yield* create("b@x.example", { plan: "tin" })
        const filter = { not: { field: "properties.plan", op: "ne", value: "gold" } } as const
        const { id } = yield* segments.create(project, { name: "Gold", filter })
        yield* properties.update(project, plan.id, { key: "Tier" })
        expect((yield* segments.get(project, id)).filter).toEqual({ not: { ...filter.not, field: "properties.Tier" } })
        const found = yield* contacts.list(project, { segmentId: id })
        expect(found.items.map(({ email }) => email)).toEqual(["a@x.example"])
        // The old key belongs to no property any more.
        yield* properties.create(project, { key: "Plan", type: "string" })
        expect((yield* contacts.list(project, { segmentId: id })).total).toBe(1)
      })
    ))

  it("refuses a property key that differs only in case", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const properties = yield* Properties
        yield* properties.create(project, { key: "__proto__", type: "string" })
        expect(yield* Effect.flip(properties.create(project, { key: "__PROTO__", type: "date" }))).toMatchObject({
          kind: "duplicate_error"
        })
      })
    ))
})

describe.each(stores)("a fallback, over $name", (store) => {
  it.each([
    ["number", "-2.5", { op: "lt", value: 0 }],
    ["number", "1e3", { op: "eq", value: 1000 }],
    ["date", "2026-01-01", { op: "before", value: "2026-01-02" }],
    ["string", "2", { op: "eq", value: "2" }]
  ] as const)("compares a fallback of type %s with the text %j as a value of its type", (type, text, comparison) =>
    withTestMail(store)(
      Effect.gen(function* () {
        const made = yield* (yield* Properties).create(project, { key: "k", type, fallbackValue: text })
        expect(made.fallbackValue).toBe(text)
        yield* create("a@x.example", {})
        const filter = { field: "properties.k", ...comparison } as const
        const { id } = yield* (yield* Segments).create(project, { name: "S", filter })
        const page = yield* (yield* Contacts).list(project, { segmentId: id })
        expect(page.total).toBe(1)
      })
    )
  )
})

/** The store, whose calls wait for the scheduler while one is set. */
const inTurns = (scheduler: () => fc.Scheduler | null, { name, layer }: StoreUnderTest): StoreUnderTest => {
  const turn = Effect.suspend(() => {
    const current = scheduler()
    return current === null ? Effect.void : Effect.promise(() => current.schedule(Promise.resolve()))
  })
  const waiting = (inner: MailStoreShape): MailStoreShape => ({
    ...inner,
    read: (queries) => Effect.andThen(turn, inner.read(queries)),
    commit: (changes) => Effect.andThen(turn, inner.commit(changes))
  })
  return { name, layer: Layer.effect(MailStore, Effect.map(MailStore, waiting)).pipe(Layer.provide(layer)) }
}

describe.each(stores)("a type change while contacts get values, over $name", (store) => {
  it(
    "refuses either a type change with 409 or the values with 400, and never fails with 503",
    { timeout: 60_000 },
    () =>
      fc.assert(
        fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 3 }), async (scheduler, contacts) => {
          let current: fc.Scheduler | null = null
          const mail = await openTestMail(inTurns(() => current, store))
          try {
            const { id } = await mail.runPromise(
              Effect.flatMap(Properties, (service) => service.create(project, { key: "k", type: "string" }))
            )
            current = scheduler
            const creating = Array.from({ length: contacts }, (_, n) =>
              mail.runPromise(Effect.result(create(`c${n}@x.example`, { k: "text" })))
            )
            const changing = mail.runPromise(
              Effect.result(Effect.flatMap(Properties, (service) => service.update(project, id, { type: "number" })))
            )
            const [changed, ...made] = await scheduler.waitFor(Promise.all([changing, ...creating]))
            current = null
            const kinds = made.map((one) => (Result.isSuccess(one) ? "created" : one.failure.kind))
            if (Result.isSuccess(changed)) expect(new Set(kinds)).toEqual(new Set(["invalid_argument"]))
            else {
              expect(changed.failure.kind).toBe("conflict")
              expect(kinds).toContain("created")
            }
          } finally {
            await mail.dispose()
          }
        }),
        { numRuns: store.name === "memory" ? 150 : 40 }
      )
  )
})

/**
 * The values of custom properties in contacts.
 */
import { withTestMail, project, stores } from "@mailkeep/test-support"
import { Effect, Result } from "effect"
import { describe, expect, it } from "vitest"
import { Contacts, DeliveryLog, Properties } from "../../../src/index.ts"
import { create, createProperty } from "./contactCalls.ts"

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

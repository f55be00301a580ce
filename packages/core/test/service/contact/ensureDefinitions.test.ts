/**
 * The definitions of contacts that a program makes at every start.
 */
import { project, stores, withTestMail } from "@mailkeep/test-support"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { ContactLists, Contacts, Properties, Segments } from "../../../src/index.ts"

const everyone = { all: [] }
const pro = { field: "properties.plan", op: "eq", value: "pro" } as const

describe.each(stores)("ensured definitions, over $name", (store) => {
  it("creates each definition once, also for starts at the same time", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const properties = yield* Properties
        const lists = yield* ContactLists
        const segments = yield* Segments
        const start = Effect.gen(function* () {
          const plan = yield* properties.ensure(project, { key: "plan", type: "string", fallbackValue: "free" })
          const list = yield* lists.ensure(project, { name: "News", description: "Each month" })
          const segment = yield* segments.ensure(project, { name: "Pro", filter: pro })
          return [plan, list, segment]
        })
        const starts = yield* Effect.all([start, start, start], { concurrency: "unbounded" })
        expect(starts[1]).toEqual(starts[0])
        expect(starts[2]).toEqual(starts[0])
        expect(yield* properties.list(project)).toEqual([starts[0][0]])
        expect((yield* lists.list(project)).items).toEqual([starts[0][1]])
        expect((yield* segments.list(project)).items).toEqual([starts[0][2]])
      })
    ))

  it("updates a definition that has changed, and keeps its id and its contacts", () =>
    withTestMail(store)(
      Effect.gen(function* () {
        const properties = yield* Properties
        const lists = yield* ContactLists
        const segments = yield* Segments
        const plan = yield* properties.ensure(project, { key: "plan", type: "string" })
        const list = yield* lists.ensure(project, { name: "News" })
        const segment = yield* segments.ensure(project, { name: "Pro", filter: everyone })
        const { id } = yield* (yield* Contacts).create(project, {
          email: "ada@example.org",
          properties: { plan: "pro" }
        })
        yield* lists.addContact(project, list.id, id)

        expect(yield* properties.ensure(project, { key: "plan", type: "string", fallbackValue: "free" })).toMatchObject(
          {
            id: plan.id,
            fallbackValue: "free"
          }
        )
        expect(yield* lists.ensure(project, { name: "news", description: "Each week" })).toMatchObject({
          id: list.id,
          name: "news",
          description: "Each week",
          contactCount: 1
        })
        expect(yield* segments.ensure(project, { name: "Pro", filter: pro })).toMatchObject({
          id: segment.id,
          filter: pro
        })
        const retyped = yield* Effect.flip(properties.ensure(project, { key: "plan", type: "number" }))
        expect(retyped._tag).toBe("PropertyInUse")
      })
    ))
})

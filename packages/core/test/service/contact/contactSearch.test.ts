/**
 * The list of contacts: its order, its search and its filters.
 */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { withTestMail, stores } from "@mailkeep/test-support"
import { create, page, update } from "./contactCalls.ts"

describe.each(stores)("contacts, over $name", (store) => {
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

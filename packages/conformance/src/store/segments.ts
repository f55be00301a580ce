/**
 * Laws of lists, segments, walks over contacts and removed contacts.
 */
import type { ContactRecord, ContactFilters, ContactPredicate, ContactScan, Position } from "@mailkeep/core/adapter"
import { compilePredicate, newestFirst } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask, contactPage, contactScan } from "./queries.ts"
import { commit, commitResult, put, remove } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0026-lists-and-segments.md")

const listed = law(
  "contacts/found-by-list",
  "A page of a list shows the contacts on the list, newest first and counted, after each is added or removed.",
  function* (store) {
    for (const n of [1, 2, 3, 4])
      yield* commit(
        store,
        put.contact(
          sample.numberedContact(n, { createdAt: noon - n, listIds: n % 2 === 0 ? ["lst_a"] : ["lst_a", "lst_b"] })
        )
      )
    const on = (listId: string) =>
      Effect.map(contactPage(store, { listId }), ({ items, total }) => [total, ...idsOf(items)])
    yield* same("on the first list", yield* on("lst_a"), [4, ...[1, 2, 3, 4].map((n) => numbered("con", n))])
    yield* same("on the second list", yield* on("lst_b"), [2, numbered("con", 1), numbered("con", 3)])
    yield* same("on none", yield* on("lst_c"), [0])
    yield* commit(
      store,
      put.contact(sample.numberedContact(1, { createdAt: noon - 1, listIds: ["lst_a"], revision: 2 }), 1)
    )
    yield* commit(
      store,
      put.contact(sample.numberedContact(2, { createdAt: noon - 2, listIds: ["lst_b"], revision: 2 }), 1)
    )
    yield* same("on the second list, later", yield* on("lst_b"), [2, numbered("con", 2), numbered("con", 3)])
    const both = yield* contactPage(store, { listId: "lst_b", search: "c3@" })
    yield* same("on the list and matching the search", idsOf(both.items), [numbered("con", 3)])
  }
)

const people: ReadonlyArray<ContactRecord> = [
  sample.numberedContact(1, { firstName: "ÄNNE", lastName: "Groß", userId: null, properties: {}, listIds: [] }),
  sample.numberedContact(2, {
    firstName: "",
    lastName: "%_",
    phoneNumber: null,
    properties: { prop_n: 7, prop_t: "Gold" }
  }),
  sample.numberedContact(3, {
    firstName: "ann",
    emailStatus: "unsubscribed",
    properties: { prop_n: -1.5, prop_d: "2026-03-01" }
  }),
  sample.numberedContact(4, {
    firstName: "🎉 Ann",
    createdAt: noon + 5,
    properties: { prop_t: "", prop_d: "2026-03-01T01:00:00+01:00" }
  })
]

const compare = (
  kind: "text" | "number" | "date",
  of: Extract<ContactPredicate, { _tag: "Compare" }>["of"],
  op: Extract<ContactPredicate, { _tag: "Compare" }>["op"],
  value: Extract<ContactPredicate, { _tag: "Compare" }>["value"]
): ContactPredicate => ({ _tag: "Compare", kind, of, op, value })

const number = { property: "prop_n", fallback: null } as const
const numberOr7 = { property: "prop_n", fallback: 7 } as const
const tier = { property: "prop_t", fallback: "gold" } as const
const day = { property: "prop_d", fallback: null } as const
const march = Date.UTC(2026, 2, 1)

/** Filters with each operation on each kind of field, alone and combined. */
const predicates: ReadonlyArray<ContactPredicate> = [
  ...(["eq", "ne", "contains", "starts_with", "ends_with"] as const).flatMap((op) =>
    ["ann", "änne", "n", "%_", "🎉", "ß", ""].flatMap((value) => [
      compare("text", { field: "firstName" }, op, value),
      compare("text", { field: "lastName" }, op, value)
    ])
  ),
  ...(["eq", "ne", "lt", "lte", "gt", "gte"] as const).flatMap((op) => [
    compare("number", number, op, 7),
    compare("number", numberOr7, op, 7)
  ]),
  compare("text", { field: "phoneNumber" }, "set", null),
  compare("text", { field: "userId" }, "unset", null),
  compare("text", tier, "eq", "GOLD"),
  compare("text", tier, "unset", null),
  compare("text", { field: "emailStatus" }, "in", ["unsubscribed", "x"]),
  compare("number", number, "in", [7, 8]),
  compare("date", { field: "createdAt" }, "after", noon),
  compare("date", day, "before", march + 1),
  compare("date", day, "after", march - 1),
  compare("date", day, "set", null),
  { _tag: "OnList", listId: "lst_1" },
  { _tag: "All", of: [] },
  { _tag: "Any", of: [] },
  { _tag: "Not", of: compare("number", number, "eq", 7) },
  {
    _tag: "All",
    of: [compare("number", numberOr7, "eq", 7), { _tag: "Not", of: { _tag: "OnList", listId: "lst_1" } }]
  },
  { _tag: "Any", of: [compare("text", tier, "ne", "gold"), compare("text", { field: "firstName" }, "eq", "ann")] }
]

const segmented = law(
  "contacts/segment-means-what-it-says",
  "A segment finds exactly the contacts that its filter is true of, as the domain evaluates it.",
  function* (store) {
    yield* Effect.forEach(people, (one) => commit(store, put.contact(one)))
    for (const segment of predicates) {
      const expected = people.filter(compilePredicate(segment)).toSorted(newestFirst)
      const { items, total } = yield* contactPage(store, { segment })
      yield* same(`the contacts in ${JSON.stringify(segment)}`, idsOf(items), idsOf(expected))
      yield* same(`the number of contacts in ${JSON.stringify(segment)}`, total, expected.length)
    }
  }
)

const placed = law(
  "contacts/walk-continues-after-a-position",
  "A walk that continues after the last listed contact lists each contact once, whatever contacts are created meanwhile.",
  function* (store) {
    for (let n = 0; n < 9; n++)
      yield* commit(store, put.contact(sample.numberedContact(n, { createdAt: noon + Math.floor(n / 4) })))
    const walk: Array<string> = []
    let after: Position | null = null
    for (let page = 0; page < 4; page++) {
      const { items }: { readonly items: ReadonlyArray<ContactRecord> } = yield* contactPage(
        store,
        {},
        { after, limit: 3 }
      )
      walk.push(...idsOf(items))
      const last = items.at(-1)
      if (last !== undefined) after = { createdAt: last.createdAt, id: last.id }
      yield* commit(store, put.contact(sample.numberedContact(20 + page, { createdAt: noon + 9 })))
    }
    yield* same(
      "the walk",
      walk,
      [8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => numbered("con", n))
    )
  }
)

const inPieces = law(
  "contacts/scan-in-pieces",
  "A walk in pages of any size finds the same contacts in the same order as a walk in one page, and ends.",
  function* (store) {
    for (let n = 0; n < 9; n++)
      yield* commit(
        store,
        put.contact(
          sample.numberedContact(n, {
            createdAt: noon + Math.floor(n / 4),
            firstName: n % 3 === 0 ? "Ann" : "Bob",
            listIds: n % 2 === 0 ? ["lst_a"] : [],
            emailStatus: n > 5 ? "unsubscribed" : "subscribed"
          })
        )
      )
    const filters: ReadonlyArray<Partial<ContactFilters>> = [
      {},
      { search: "ann" },
      { search: "b" },
      { segment: compare("text", { field: "firstName" }, "eq", "ann") },
      { emailStatus: "subscribed", listId: "lst_a" },
      { search: "ann", emailStatus: "unsubscribed" },
      { search: "bob", emailStatus: "subscribed" },
      { search: "bob", segment: compare("text", { field: "firstName" }, "eq", "bob") },
      { listId: "lst_a", segment: compare("text", { field: "firstName" }, "ne", "ann") }
    ]
    for (const filter of filters) {
      const whole = yield* contactScan(store, filter)
      yield* same("where a walk of one page continues", whole.next, null)
      for (const scanLimit of [1, 2, 4]) {
        const label = `${JSON.stringify(filter)} in pieces of ${scanLimit}`
        const walk: Array<string> = []
        let matches = 0
        let pieces = 0
        let after: Position | null = null
        do {
          const skip = Math.max(0, 1 - matches)
          const piece: ContactScan = yield* contactScan(store, filter, { after, skip, scanLimit })
          walk.push(...idsOf(piece.items))
          matches += piece.matches
          after = piece.next
        } while (after !== null && ++pieces <= 9)
        yield* same(`all but the first of ${label}`, walk, idsOf(whole.items).slice(1))
        yield* same(`the number of matches in ${label}`, matches, whole.matches)
        yield* same(`the end of ${label}`, after, null)
      }
    }
  }
)

const removed = law(
  "contacts/removed-is-gone",
  "A contact is removed only at the revision that the change names. Then no query finds it and its address is free.",
  function* (store) {
    const removeResult = (id: `con_${string}`, revision: number) => commitResult(store, remove.contact(id, revision))
    yield* commit(store, put.contact(sample.numberedContact(1)), put.contact(sample.numberedContact(2)))
    yield* same("at another revision", yield* removeResult("con_0001", 2), "Stale")
    yield* same("of none", yield* removeResult("con_0009", 1), "NotFound")
    yield* same("at its current revision", yield* removeResult("con_0001", 1), "applied")
    yield* same("again", yield* removeResult("con_0001", 1), "NotFound")
    yield* same("by id", yield* ask(store, { _tag: "Contact", projectId, id: "con_0001" }), null)
    for (const filters of [{}, { search: "lovelace" }, { listId: "lst_1" }])
      yield* same(`by ${JSON.stringify(filters)}`, idsOf((yield* contactPage(store, filters)).items), [
        numbered("con", 2)
      ])
    const next = put.contact(sample.numberedContact(3, { address: "c1@example.org" }))
    yield* same("another contact at its address", yield* commitResult(store, next), "applied")
  }
)

export const segmentLaws: ReadonlyArray<StoreLaw> = [listed, segmented, placed, inPieces, removed]

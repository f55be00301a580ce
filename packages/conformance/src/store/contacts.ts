/**
 * Laws of contacts: addresses are unique, a search finds any part, and pages list all contacts.
 */
import type { DomainFilters } from "@mailkeep/core/adapter"
import { noDomainFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { resultsOf, same, tally } from "../expectation.ts"
import * as sample from "./sampleRecords.ts"
import { ask, contactPage } from "./queries.ts"
import { commit, commitResult, put } from "./changes.ts"
import { idsOf, noon, numbered, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0012-contacts.md")

const addressUnique = law(
  "contacts/address-is-unique",
  "Two contacts of one project cannot have the same canonical address. Contacts of different projects can.",
  function* (store) {
    const address = "same@example.org"
    yield* commit(store, put.contact(sample.numberedContact(1, { address })))
    const second = sample.numberedContact(2, { address })
    yield* same("a second contact with the address", yield* commitResult(store, put.contact(second)), "AlreadyExists")
    yield* same("the second contact", yield* ask(store, { _tag: "Contact", projectId, id: second.id }), null)
    const elsewhere = { ...second, projectId: otherId }
    yield* same("a contact of another project", yield* commitResult(store, put.contact(elsewhere)), "applied")
    const joining = put.contact({ ...second, revision: 2 }, 1)
    yield* same("a contact that changes to another project", yield* commitResult(store, joining), "NotFound")
    yield* commit(store, put.contact(sample.numberedContact(3)))
    const taking = put.contact(sample.numberedContact(3, { address, revision: 2 }), 1)
    yield* same("a contact that changes to the address", yield* commitResult(store, taking), "AlreadyExists")
    const respelt = put.contact(sample.numberedContact(1, { address, email: "SAME@example.org", revision: 2 }), 1)
    yield* same("the first contact with another spelling", yield* commitResult(store, respelt), "applied")
  }
)

const oneCreated = law(
  "contacts/one-of-many-created",
  "Of many concurrent creates of contacts with one address, exactly one is kept.",
  function* (store) {
    const results = yield* resultsOf(
      Array.from({ length: 40 }, (_, n) =>
        commit(store, put.contact(sample.numberedContact(n, { address: "same@example.org" })))
      )
    )
    yield* same("the results", tally(results), { applied: 1, AlreadyExists: 39 })
    yield* same("the number of contacts", (yield* contactPage(store)).total, 1)
  }
)

const addressFreed = law(
  "contacts/address-is-freed",
  "When a contact changes its address, the new address finds the contact and the old address becomes free.",
  function* (store) {
    yield* commit(store, put.contact(sample.numberedContact(1, { address: "old@example.org" })))
    const moved = sample.numberedContact(1, { address: "new@example.org", revision: 2 })
    yield* commit(store, put.contact(moved, 1))
    const addresses = ["old@example.org", "new@example.org"]
    const at = ask(store, { _tag: "ContactsByAddress", projectId, addresses })
    yield* same("the contacts at the addresses", yield* at, [null, moved])
    const next = sample.numberedContact(2, { address: "old@example.org" })
    yield* same("a new contact at the old address", yield* commitResult(store, put.contact(next)), "applied")
    yield* same("the contacts at the addresses afterwards", yield* at, [next, moved])
  }
)

const searched = law(
  "contacts/found-by-part",
  "A search finds a literal part of the address, of a name or of both names with a space, in any case.",
  function* (store) {
    const people = [
      sample.numberedContact(1, { email: "Ada@Example.org", firstName: "Ada", lastName: "Lovelace" }),
      sample.numberedContact(2, { email: "b@x.example", firstName: "ÄNNE", lastName: "Groß" }),
      sample.numberedContact(3, { email: "c@x.example", firstName: "100%", lastName: "a_b" }),
      sample.numberedContact(4, { email: "d@x.example", firstName: "", lastName: "" })
    ]
    yield* Effect.forEach(people, (one) => commit(store, put.contact(one)))
    const finds: ReadonlyArray<readonly [search: string, found: ReadonlyArray<number>]> = [
      ["ada@example", [1]],
      ["LOVE", [1]],
      ["a love", [1]],
      ["änne g", [2]],
      ["GROß", [2]],
      ["0%", [3]],
      ["a_b", [3]],
      ["_", [3]],
      ["%", [3]],
      ["X.EXAMPLE", [4, 3, 2]],
      ["nobody", []]
    ]
    for (const [search, found] of finds) {
      const { items, total } = yield* contactPage(store, { search })
      yield* same(
        `the contacts that match ${JSON.stringify(search)}`,
        idsOf(items),
        found.map((n) => numbered("con", n))
      )
      yield* same(`the number of contacts that match ${JSON.stringify(search)}`, total, found.length)
    }
  }
)

const filtered = law(
  "contacts/filtered-by-status",
  "A page filtered by status lists the contacts with that status, and its total counts only these.",
  function* (store) {
    yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
      commit(
        store,
        put.contact(sample.numberedContact(n, { emailStatus: n % 2 === 0 ? "unsubscribed" : "subscribed" }))
      )
    )
    const page = yield* contactPage(store, { emailStatus: "subscribed" }, { limit: 2 })
    yield* same(
      "the first page",
      { ids: idsOf(page.items), total: page.total },
      {
        ids: [numbered("con", 5), numbered("con", 3)],
        total: 3
      }
    )
    const both = yield* contactPage(store, { emailStatus: "unsubscribed", search: "c4@" })
    yield* same("with a search", idsOf(both.items), [numbered("con", 4)])
  }
)

const paged = law(
  "contacts/pages-are-a-permutation",
  "Pages list each contact once, newest first, then by id. Each page has the total number of contacts.",
  function* (store) {
    const order = Array.from({ length: 23 }, (_, n) => n)
    yield* Effect.forEach(order, (n) =>
      commit(
        store,
        put.contact(sample.numberedContact((n * 7) % 23, { createdAt: noon + Math.floor(((n * 7) % 23) / 10) }))
      )
    )
    const walked: Array<string> = []
    for (let page = 1; page <= 6; page++) {
      const { items, total } = yield* contactPage(store, {}, { skip: (page - 1) * 5, limit: 5 })
      yield* same(`the total on page ${page}`, total, 23)
      walked.push(...idsOf(items))
    }
    yield* same(
      "the walk",
      walked,
      order.toReversed().map((n) => numbered("con", n))
    )
  }
)

const listed = law(
  "listings/in-their-order",
  "Projects are listed by id, API keys oldest first, and domains newest first with their total number.",
  function* (store) {
    yield* Effect.forEach([3, 1, 2], (n) =>
      commit(
        store,
        put.project(sample.project({ id: `prj_${n}` })),
        put.apiKey(sample.apiKey({ id: `key_${n}`, publicId: `public00000${n}`, createdAt: noon + (n === 3 ? 0 : 1) })),
        put.domain(
          sample.senderDomain({ id: `dom_${n}`, domain: `d${n}.example`, createdAt: noon + (n === 3 ? 0 : 1) })
        )
      )
    )
    const [projects, keys, domains, second] = yield* store.read([
      { _tag: "Projects" },
      { _tag: "ApiKeys", projectId },
      { _tag: "DomainPage", projectId, filters: noDomainFilters, page: { page: 1, limit: 2 } },
      { _tag: "DomainPage", projectId, filters: noDomainFilters, page: { page: 2, limit: 2 } }
    ])
    yield* same("the projects", idsOf(projects), ["prj_1", "prj_2", "prj_3"])
    yield* same("the keys", idsOf(keys), ["key_3", "key_1", "key_2"])
    yield* same("the domains", [domains.total, ...idsOf(domains.items)], [3, "dom_2", "dom_1"])
    yield* same("their second page", [second.total, ...idsOf(second.items)], [3, "dom_3"])
  }
)

const domainsFiltered = law(
  "domains/filters-narrow",
  {
    statement:
      "Domains are listed by status, by a literal part of the name in any case, and by names. Filters are combined.",
    why: "decisions/0013-domains.md"
  },
  function* (store) {
    const names = ["shop.example", "mail.shop.example", "news.example", "a-b.example"]
    yield* Effect.forEach(names, (domain, n) =>
      commit(
        store,
        put.domain(
          sample.senderDomain({
            id: `dom_${n}`,
            domain,
            createdAt: noon + n,
            status: n % 2 === 0 ? "verified" : "pending"
          })
        )
      )
    )
    const expected: ReadonlyArray<readonly [Partial<DomainFilters>, ReadonlyArray<string>]> = [
      [{ status: "verified" }, ["dom_2", "dom_0"]],
      [{ status: "failed" }, []],
      [{ search: "SHOP" }, ["dom_1", "dom_0"]],
      [{ search: "a_b" }, []],
      [{ names: ["news.example", "shop.example", "other.example"] }, ["dom_2", "dom_0"]],
      [{ names: [] }, []],
      [{ status: "pending", search: "shop", names: ["mail.shop.example", "shop.example"] }, ["dom_1"]]
    ]
    for (const [filters, ids] of expected) {
      const page = { page: 1, limit: 100 }
      const found = yield* ask(store, {
        _tag: "DomainPage",
        projectId,
        filters: { ...noDomainFilters, ...filters },
        page
      })
      yield* same(JSON.stringify(filters), [found.total, ...idsOf(found.items)], [ids.length, ...ids])
    }
  }
)

export const contactLaws: ReadonlyArray<StoreLaw> = [
  addressUnique,
  oneCreated,
  addressFreed,
  searched,
  filtered,
  paged,
  listed,
  domainsFiltered
]

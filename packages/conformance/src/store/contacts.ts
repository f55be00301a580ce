/**
 * Laws of contacts: one address each, found by any part, page by page.
 */
import type { Contact, DomainFilters } from "@mailkeep/core/domain"
import { noDomainFilters } from "@mailkeep/core/domain"
import { Effect } from "effect"
import { fateOf, fatesOf, same, tally } from "../expectation.ts"
import {
  apiKey,
  ask,
  commit,
  contact,
  contactPage,
  idsOf,
  noon,
  numbered,
  otherId,
  project,
  projectId,
  put,
  senderDomain
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0012-contacts.md"

const named = (n: number, change: Partial<Contact> = {}): Contact =>
  contact({ id: numbered("con", n), email: `c${n}@example.org`, address: `c${n}@example.org`, ...change })

const addressUnique = storeLaw(
  "contacts/address-is-unique",
  { says: "No two contacts of a project have one canonical address; another project has its own.", why },
  (store) =>
    Effect.gen(function* () {
      const address = "same@example.org"
      yield* commit(store, put.contact(named(1, { address })))
      const second = named(2, { address })
      yield* same("a second one", yield* fateOf(commit(store, put.contact(second))), "AlreadyExists")
      yield* same("the second one", yield* ask(store, { _tag: "Contact", projectId, id: second.id }), null)
      const elsewhere = { ...second, projectId: otherId }
      yield* same("one of another project", yield* fateOf(commit(store, put.contact(elsewhere))), "applied")
      yield* commit(store, put.contact(named(3)))
      const taking = put.contact(named(3, { address, revision: 2 }), 1)
      yield* same("one that takes it later", yield* fateOf(commit(store, taking)), "AlreadyExists")
      const respelt = put.contact(named(1, { address, email: "SAME@example.org", revision: 2 }), 1)
      yield* same("the holder spelt anew", yield* fateOf(commit(store, respelt)), "applied")
    })
)

const oneCreated = storeLaw(
  "contacts/one-of-many-created",
  { says: "Of many contacts with one address created at once exactly one is kept.", why },
  (store) =>
    Effect.gen(function* () {
      const fates = yield* fatesOf(
        Array.from({ length: 40 }, (_, n) => commit(store, put.contact(named(n, { address: "same@example.org" }))))
      )
      yield* same("the fates", tally(fates), { applied: 1, AlreadyExists: 39 })
      yield* same("how many there are", (yield* contactPage(store)).total, 1)
    })
)

const addressFreed = storeLaw(
  "contacts/address-is-freed",
  { says: "A contact that gets another address frees the one it had, and is found by the new one.", why },
  (store) =>
    Effect.gen(function* () {
      yield* commit(store, put.contact(named(1, { address: "old@example.org" })))
      const moved = named(1, { address: "new@example.org", revision: 2 })
      yield* commit(store, put.contact(moved, 1))
      const addresses = ["old@example.org", "new@example.org"]
      const at = ask(store, { _tag: "ContactsByAddress", projectId, addresses })
      yield* same("who has the addresses", yield* at, [null, moved])
      const next = named(2, { address: "old@example.org" })
      yield* same("the next at the old one", yield* fateOf(commit(store, put.contact(next))), "applied")
      yield* same("who has them now", yield* at, [next, moved])
    })
)

const searched = storeLaw(
  "contacts/found-by-part",
  {
    says: "A search finds a part of the address as given, of either name or of both with a space, in any case, taken literally.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const people = [
        named(1, { email: "Ada@Example.org", firstName: "Ada", lastName: "Lovelace" }),
        named(2, { email: "b@x.example", firstName: "ÄNNE", lastName: "Groß" }),
        named(3, { email: "c@x.example", firstName: "100%", lastName: "a_b" }),
        named(4, { email: "d@x.example", firstName: "", lastName: "" })
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
          `what ${JSON.stringify(search)} finds`,
          idsOf(items),
          found.map((n) => numbered("con", n))
        )
        yield* same(`how many ${JSON.stringify(search)} finds`, total, found.length)
      }
    })
)

const filtered = storeLaw(
  "contacts/filtered-by-status",
  { says: "A page of one status shows those of that status, and its total counts no others.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([1, 2, 3, 4, 5], (n) =>
        commit(store, put.contact(named(n, { emailStatus: n % 2 === 0 ? "unsubscribed" : "subscribed" })))
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
    })
)

const paged = storeLaw(
  "contacts/pages-are-a-permutation",
  {
    says: "Pages walk all contacts once, newest first and by id within one instant, each with the number of all.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const order = Array.from({ length: 23 }, (_, n) => n)
      yield* Effect.forEach(order, (n) =>
        commit(store, put.contact(named((n * 7) % 23, { createdAt: noon + Math.floor(((n * 7) % 23) / 10) })))
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
    })
)

const listed = storeLaw(
  "listings/in-their-order",
  { says: "Projects come by id, API keys oldest first, domains newest first with the number of all.", why },
  (store) =>
    Effect.gen(function* () {
      yield* Effect.forEach([3, 1, 2], (n) =>
        commit(
          store,
          put.project(project({ id: `prj_${n}` })),
          put.apiKey(apiKey({ id: `key_${n}`, publicId: `public00000${n}`, createdAt: noon + (n === 3 ? 0 : 1) })),
          put.domain(senderDomain({ id: `dom_${n}`, domain: `d${n}.example`, createdAt: noon + (n === 3 ? 0 : 1) }))
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
    })
)

const domainsFiltered = storeLaw(
  "domains/filters-narrow",
  {
    says: "Domains are listed by status, by a part of the name in any case taken literally, and by name; filters apply together.",
    why: "decisions/0013-domains.md"
  },
  (store) =>
    Effect.gen(function* () {
      const names = ["shop.example", "mail.shop.example", "news.example", "a-b.example"]
      yield* Effect.forEach(names, (domain, n) =>
        commit(
          store,
          put.domain(
            senderDomain({ id: `dom_${n}`, domain, createdAt: noon + n, status: n % 2 === 0 ? "verified" : "pending" })
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
    })
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

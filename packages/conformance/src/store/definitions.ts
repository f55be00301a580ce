/**
 * Laws of definitions and of the suppression list: one name each, page by page, gone when removed.
 */
import type { Definition, Position } from "@mailkeep/core/domain"
import { dayMillis } from "@mailkeep/core/domain"
import { Effect } from "effect"
import { fateOf, same } from "../expectation.ts"
import {
  ask,
  commit,
  definition,
  idsOf,
  noon,
  numbered,
  otherId,
  projectId,
  put,
  senderDomain,
  suppression
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0026-lists-and-segments.md"

const named = (n: number, change: Partial<Parameters<typeof definition>[0] & object> = {}) =>
  definition({ id: numbered("lst", n), name: `list ${n}`, ...change })

const nameUnique = storeLaw(
  "definitions/name-is-unique",
  {
    says: "No two definitions of one project, kind and parent have one name; those without a name are never in each other's way.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const put1 = (one: ReturnType<typeof named>, replaces: number | null = null) =>
        fateOf(commit(store, put.definition(one, replaces)))
      const name = "same"
      yield* same("the first", yield* put1(named(1, { name })), "applied")
      yield* same("a second one", yield* put1(named(2, { name })), "AlreadyExists")
      yield* same("one below a parent", yield* put1(named(3, { name, parent: "lst_0001" })), "applied")
      yield* same("a second one there", yield* put1(named(4, { name, parent: "lst_0001" })), "AlreadyExists")
      yield* same("one of another project", yield* put1(named(5, { name, projectId: otherId })), "applied")
      yield* same("one without a name", yield* put1(named(6, { name: null })), "applied")
      yield* same("another without", yield* put1(named(7, { name: null })), "applied")
      yield* same("one that takes it later", yield* put1(named(6, { name, revision: 2 }), 1), "AlreadyExists")
      yield* same("the holder kept", yield* put1(named(1, { name, revision: 2 }), 1), "applied")
      yield* same("the holder renamed", yield* put1(named(1, { name: "other", revision: 3 }), 2), "applied")
      yield* same("the name freed", yield* put1(named(2, { name })), "applied")
      const found = ask(store, { _tag: "DefinitionNamed", projectId, kind: "list", parent: "", name })
      yield* same("who has it now", yield* found, named(2, { name }))
    })
)

const walked = storeLaw(
  "definitions/newest-first-after-a-place",
  {
    says: "Definitions of a kind below a parent come newest first, by id within one instant, after the place asked.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      for (let n = 0; n < 7; n++)
        yield* commit(store, put.definition(named((n * 3) % 7, { createdAt: noon + Math.floor(((n * 3) % 7) / 3) })))
      yield* commit(store, put.definition(named(8, { parent: "lst_0001" })))
      const all = [6, 5, 4, 3, 2, 1, 0].map((n) => numbered("lst", n))
      const walk: Array<string> = []
      let after: Position | null = null
      for (let page = 0; page < 4; page++) {
        const items: ReadonlyArray<Definition> = yield* ask(store, {
          _tag: "Definitions",
          projectId,
          kind: "list",
          parent: "",
          after,
          limit: 2
        })
        walk.push(...idsOf(items))
        after = items.at(-1) ?? after
      }
      yield* same("the walk", walk, all)
    })
)

const paged = storeLaw(
  "definitions/counted-and-paged",
  { says: "A page shows definitions of one kind below one parent, newest first, with the number of all of them.", why },
  (store) =>
    Effect.gen(function* () {
      for (let n = 0; n < 5; n++) yield* commit(store, put.definition(named(n, { createdAt: noon + n })))
      yield* commit(store, put.definition(named(8, { parent: "lst_0001" })))
      const pageOf = (page: number, parent = "") =>
        Effect.map(
          ask(store, { _tag: "DefinitionPage", projectId, kind: "list", parent, page: { page, limit: 2 } }),
          ({ items, total }) => [total, ...idsOf(items)]
        )
      const count = (kind: "list" | "segment", parent: string) =>
        ask(store, { _tag: "DefinitionCount", projectId, kind, parent })
      yield* same("the first page", yield* pageOf(1), [5, numbered("lst", 4), numbered("lst", 3)])
      yield* same("the last page", yield* pageOf(3), [5, numbered("lst", 0)])
      yield* same("past the end", yield* pageOf(4), [5])
      yield* same("below another", yield* pageOf(1, "lst_0001"), [1, numbered("lst", 8)])
      yield* same("how many", yield* count("list", ""), 5)
      yield* same("how many below another", yield* count("list", "lst_0001"), 1)
      yield* same("how many of another kind", yield* count("segment", ""), 0)
      yield* commit(store, { _tag: "RemoveDefinition", id: numbered("lst", 4), revision: 1 })
      yield* same("how many are left", yield* count("list", ""), 4)
    })
)

const removed = storeLaw(
  "definitions/removed-is-gone",
  { says: "A definition is removed at the revision named and no other; then it is gone, and its name is free.", why },
  (store) =>
    Effect.gen(function* () {
      const remove = (id: string, revision: number) => fateOf(commit(store, { _tag: "RemoveDefinition", id, revision }))
      yield* commit(store, put.definition(named(1)))
      yield* same("at another revision", yield* remove("lst_0001", 2), "Stale")
      yield* same("of none", yield* remove("lst_0009", 1), "NotFound")
      yield* same("at its revision", yield* remove("lst_0001", 1), "applied")
      yield* same("again", yield* remove("lst_0001", 1), "NotFound")
      yield* same("what is left", yield* ask(store, { _tag: "Definition", projectId, id: "lst_0001" }), null)
      const again = put.definition(named(2, { name: "list 1" }))
      yield* same("another of the name", yield* fateOf(commit(store, again)), "applied")
    })
)

const domainsDue = storeLaw(
  "domains/due-and-removed",
  {
    says: "Domains of all projects come when their next check is due, the longest due first; one is removed at the revision named alone.",
    why: "decisions/0013-domains.md"
  },
  (store) =>
    Effect.gen(function* () {
      const at = (n: number, nextCheckAt: number | null, project = projectId) =>
        senderDomain({ id: `dom_${n}`, domain: `d${n}.example`, nextCheckAt, projectId: project })
      for (const one of [at(1, noon), at(2, noon - 2, otherId), at(3, noon + 1), at(4, null), at(5, noon)])
        yield* commit(store, put.domain(one))
      const due = (limit: number) => Effect.map(ask(store, { _tag: "DomainsDue", now: noon, limit }), idsOf)
      yield* same("those due", yield* due(9), ["dom_2", "dom_1", "dom_5"])
      yield* same("two of them", yield* due(2), ["dom_2", "dom_1"])
      const remove = (domain: string, revision: number) =>
        fateOf(commit(store, { _tag: "RemoveDomain", projectId, domain, revision }))
      yield* same("at another revision", yield* remove("d1.example", 2), "Stale")
      yield* same("one of another project", yield* remove("d2.example", 1), "NotFound")
      yield* same("at its revision", yield* remove("d1.example", 1), "applied")
      yield* same("by its id", yield* ask(store, { _tag: "DomainOfId", projectId, id: "dom_1" }), null)
      yield* same("what is due then", yield* due(9), ["dom_2", "dom_5"])
    })
)

const suppressionsListed = storeLaw(
  "suppressions/listed-by-address",
  {
    says: "The suppression list comes by address, part by part: those that hold an address from mail now and whose address is known.",
    why: "decisions/0012-contacts.md"
  },
  (store) =>
    Effect.gen(function* () {
      const at = (n: number, change: Partial<ReturnType<typeof suppression>> = {}) =>
        suppression({ addressKey: `key ${9 - n}`, address: `p${n}@example.org`, ...change })
      const held = [at(1), at(2, { reasons: { temporary_failure: noon } }), at(5)]
      yield* commit(
        store,
        ...held.map((one) => put.suppression(one)),
        put.suppression(at(3, { reasons: { temporary_failure: noon - 30 * dayMillis } })),
        put.suppression(at(4, { reasons: {} })),
        put.suppression(at(6, { address: null }))
      )
      const page = (change: Partial<{ search: string; after: string; limit: number; examine: number }>) =>
        ask(store, {
          _tag: "SuppressionPage",
          projectId,
          now: noon,
          search: null,
          after: null,
          limit: 9,
          examine: 99,
          ...change
        })
      yield* same("all", yield* page({}), { items: held, next: null })
      yield* same("the first", yield* page({ limit: 1 }), { items: [held[0]], next: "p1@example.org" })
      yield* same("after it", yield* page({ after: "p1@example.org" }), { items: held.slice(1), next: null })
      yield* same("those found", yield* page({ search: "P5@" }), { items: [held[2]], next: null })
      yield* same("looking at two", yield* page({ search: "p5", examine: 2 }), { items: [], next: "p2@example.org" })
    })
)

export const definitionLaws: ReadonlyArray<StoreLaw> = [
  nameUnique,
  walked,
  paged,
  removed,
  domainsDue,
  suppressionsListed
]

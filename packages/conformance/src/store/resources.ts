/**
 * Laws of resources and of the suppression list: names are unique, pages list all, and a removed record is gone.
 */
import type { Resource, Position } from "@mailkeep/core/adapter"
import { dayMillis } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, commitResult, put, remove } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { idsOf, noon, numbered, otherId, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0026-lists-and-segments.md")

const named = (n: number, change: Partial<Parameters<typeof sample.resource>[0] & object> = {}) =>
  sample.resource({ id: numbered("lst", n), name: `list ${n}`, ...change })

const nameUnique = law(
  "resources/name-is-unique",
  "Two resources of one project, kind and parent cannot have the same name. Resources without a name never conflict.",
  function* (store) {
    const put1 = (one: ReturnType<typeof named>, replaces: number | null = null) =>
      commitResult(store, put.resource(one, replaces))
    const name = "same"
    yield* same("the first", yield* put1(named(1, { name })), "applied")
    yield* same("a second resource with the name", yield* put1(named(2, { name })), "AlreadyExists")
    yield* same("a resource below a parent", yield* put1(named(3, { name, parent: "lst_0001" })), "applied")
    yield* same(
      "a second resource below that parent",
      yield* put1(named(4, { name, parent: "lst_0001" })),
      "AlreadyExists"
    )
    yield* same("a resource of another project", yield* put1(named(5, { name, projectId: otherId })), "applied")
    yield* same("a resource without a name", yield* put1(named(6, { name: null })), "applied")
    yield* same("another without", yield* put1(named(7, { name: null })), "applied")
    const ofOtherKind = { ...named(8, { name }), kind: "segment" } as never
    yield* same("a resource of another kind", yield* put1(ofOtherKind), "applied")
    yield* same("a resource that leaves its parent", yield* put1(named(3, { name, revision: 2 }), 1), "AlreadyExists")
    yield* same("a resource that changes its kind", yield* put1(named(8, { name, revision: 2 }), 1), "AlreadyExists")
    const segment = { ...named(9, { name: "segment" }), kind: "segment" } as never
    yield* same("a resource of another kind with another name", yield* put1(segment), "applied")
    const likeSegment = named(6, { name: "segment", revision: 2 })
    yield* same("a resource that changes to the name of another kind", yield* put1(likeSegment, 1), "applied")
    const below2 = named(3, { name, parent: "lst_0002", revision: 2 })
    yield* same("a resource that moves below another parent", yield* put1(below2, 1), "applied")
    yield* same("a resource that changes to the name", yield* put1(named(7, { name, revision: 2 }), 1), "AlreadyExists")
    yield* same("the first resource, unchanged", yield* put1(named(1, { name, revision: 2 }), 1), "applied")
    yield* same(
      "the first resource with another name",
      yield* put1(named(1, { name: "other", revision: 3 }), 2),
      "applied"
    )
    yield* same("a resource with the free name", yield* put1(named(2, { name })), "applied")
    const found = ask(store, { _tag: "ResourceNamed", projectId, kind: "list", parent: "", name })
    yield* same("the resource with the name now", yield* found, named(2, { name }))
  }
)

const walked = law(
  "resources/newest-first-after-a-position",
  "Resources of a kind below a parent are listed newest first, then by id, after the given position.",
  function* (store) {
    for (let n = 0; n < 7; n++)
      yield* commit(store, put.resource(named((n * 3) % 7, { createdAt: noon + Math.floor(((n * 3) % 7) / 3) })))
    yield* commit(store, put.resource(named(8, { parent: "lst_0001" })))
    const all = [6, 5, 4, 3, 2, 1, 0].map((n) => numbered("lst", n))
    const walk: Array<string> = []
    let after: Position | null = null
    for (let page = 0; page < 4; page++) {
      const items: ReadonlyArray<Resource> = yield* ask(store, {
        _tag: "Resources",
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
  }
)

const paged = law(
  "resources/counted-and-paged",
  "A page lists resources of one kind below one parent, newest first, with their total number.",
  function* (store) {
    for (let n = 0; n < 5; n++) yield* commit(store, put.resource(named(n, { createdAt: noon + n })))
    yield* commit(store, put.resource(named(8, { parent: "lst_0001" })))
    const pageOf = (page: number, parent = "") =>
      Effect.map(
        ask(store, { _tag: "ResourcePage", projectId, kind: "list", parent, page: { page, limit: 2 } }),
        ({ items, total }) => [total, ...idsOf(items)]
      )
    const count = (kind: "list" | "segment", parent: string) =>
      ask(store, { _tag: "ResourceCount", projectId, kind, parent })
    yield* same("the first page", yield* pageOf(1), [5, numbered("lst", 4), numbered("lst", 3)])
    yield* same("the last page", yield* pageOf(3), [5, numbered("lst", 0)])
    yield* same("after the last page", yield* pageOf(4), [5])
    yield* same("below another", yield* pageOf(1, "lst_0001"), [1, numbered("lst", 8)])
    yield* same("the number of lists", yield* count("list", ""), 5)
    yield* same("the number below another parent", yield* count("list", "lst_0001"), 1)
    yield* same("the number of another kind", yield* count("segment", ""), 0)
    yield* commit(store, remove.resource(numbered("lst", 4), 1))
    yield* same("the number that is left", yield* count("list", ""), 4)
  }
)

const removed = law(
  "resources/removed-is-gone",
  "A resource is removed only at the revision that the change names. Then it is gone and its name is free.",
  function* (store) {
    const removeResult = (id: `lst_${string}`, revision: number) => commitResult(store, remove.resource(id, revision))
    yield* commit(store, put.resource(named(1)))
    yield* same("at another revision", yield* removeResult("lst_0001", 2), "Stale")
    yield* same("of none", yield* removeResult("lst_0009", 1), "NotFound")
    yield* same("at its current revision", yield* removeResult("lst_0001", 1), "applied")
    yield* same("again", yield* removeResult("lst_0001", 1), "NotFound")
    yield* same("the resources that are left", yield* ask(store, { _tag: "Resource", projectId, id: "lst_0001" }), null)
    const again = put.resource(named(2, { name: "list 1" }))
    yield* same("another resource with the name", yield* commitResult(store, again), "applied")
  }
)

const domainsDue = law(
  "domains/due-and-removed",
  {
    statement:
      "The domains of all projects are listed by their next check, the longest due first. A domain is removed only at the named revision.",
    why: "decisions/0013-domains.md"
  },
  function* (store) {
    const at = (n: number, nextCheckAt: number | null, project = projectId) =>
      sample.senderDomain({ id: `dom_${n}`, domain: `d${n}.example`, nextCheckAt, projectId: project })
    for (const one of [at(1, noon), at(2, noon - 2, otherId), at(3, noon + 1), at(4, null), at(5, noon)])
      yield* commit(store, put.domain(one))
    const due = (limit: number) => Effect.map(ask(store, { _tag: "DomainsDue", now: noon, limit }), idsOf)
    yield* same("the due domains", yield* due(9), ["dom_2", "dom_1", "dom_5"])
    yield* same("two domains", yield* due(2), ["dom_2", "dom_1"])
    const removeResult = (domain: string, revision: number) => commitResult(store, remove.domain(domain, revision))
    yield* same("at another revision", yield* removeResult("d1.example", 2), "Stale")
    yield* same("a domain of another project", yield* removeResult("d2.example", 1), "NotFound")
    yield* same("at its current revision", yield* removeResult("d1.example", 1), "applied")
    yield* same("the domain by its id", yield* ask(store, { _tag: "DomainById", projectId, id: "dom_1" }), null)
    yield* same("the domains that are due then", yield* due(9), ["dom_2", "dom_5"])
  }
)

const suppressionsListed = law(
  "suppressions/listed-by-address",
  {
    statement:
      "The suppression list is in pages by address. It lists the suppressions that are active now and whose address is known.",
    why: "decisions/0012-contacts.md"
  },
  function* (store) {
    const at = (n: number, change: Partial<ReturnType<typeof sample.suppression>> = {}) =>
      sample.suppression({ addressKey: `key ${9 - n}`, address: `p${n}@example.org`, ...change })
    const listed = [at(1), at(2, { reasons: { temporary_failure: noon } }), at(5)]
    yield* commit(
      store,
      ...listed.map((one) => put.suppression(one)),
      put.suppression(at(3, { reasons: { temporary_failure: noon - 30 * dayMillis } })),
      put.suppression(at(4, { reasons: {} })),
      put.suppression(at(6, { address: null }))
    )
    const page = (change: Partial<{ search: string; after: string; limit: number; scanLimit: number }>) =>
      ask(store, {
        _tag: "SuppressionPage",
        projectId,
        now: noon,
        search: null,
        addressPart: null,
        after: null,
        limit: 9,
        scanLimit: 99,
        ...change
      })
    yield* same("all", yield* page({}), { items: listed, next: null })
    yield* same("the first", yield* page({ limit: 1 }), { items: [listed[0]], next: "p1@example.org" })
    yield* same("after it", yield* page({ after: "p1@example.org" }), { items: listed.slice(1), next: null })
    yield* same("the suppressions that match", yield* page({ search: "P5@" }), { items: [listed[2]], next: null })
    yield* same("a page with a scan limit of 2", yield* page({ search: "p5", scanLimit: 2 }), {
      items: [],
      next: "p2@example.org"
    })
  }
)

export const resourceLaws: ReadonlyArray<StoreLaw> = [
  nameUnique,
  walked,
  paged,
  removed,
  domainsDue,
  suppressionsListed
]

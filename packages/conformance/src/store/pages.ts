/**
 * Laws of pages: each listing begins and ends exactly, for any size, number and position, and with every filter.
 */
import { newestFirst, noDomainFilters } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { commit, insert, put } from "./changes.ts"
import { idsOf, noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0011-delivery-log.md")

const count = 7
const numbers = Array.from({ length: count }, (_, n) => n)

/** Pages by number and size, also after the end and with numbers whose product no integer column can contain. */
const requests: ReadonlyArray<readonly [page: number, limit: number]> = [
  ...[1, 2, 3, 7, 8, 100].flatMap((limit) => [1, 2, 3, 4].map((page) => [page, limit] as const)),
  [Number.MAX_SAFE_INTEGER, 1],
  [Number.MAX_SAFE_INTEGER, 100]
]

const byNumber = law(
  "pages/by-number",
  "A page by number lists exactly its part of the listing, with the total number, also after the last page.",
  function* (store) {
    // The order by instant is not that by id.
    const at = (n: number) => noon + Math.floor(((n * 3) % count) / 2)
    yield* commit(
      store,
      ...numbers.flatMap((n) => [
        put.domain(sample.senderDomain({ id: `dom_${n}`, domain: `d${n}.example`, createdAt: at(n) })),
        put.resource(sample.resource({ id: `lst_${n}`, name: `list ${n}`, createdAt: at(n) }))
      ]),
      put.domain(sample.senderDomain({ id: "dom_9", domain: "other.example", status: "failed", createdAt: noon + 9 })),
      put.resource(sample.resource({ id: "lst_9", parent: "lst_1", createdAt: noon + 9 })),
      put.resource({ ...sample.resource({ id: "lst_8", createdAt: noon + 9 }), kind: "segment" } as never)
    )
    const order = numbers.toSorted((a, b) => at(b) - at(a) || b - a)
    for (const [page, limit] of requests) {
      const part = order.slice((page - 1) * limit, page * limit)
      const filters = { ...noDomainFilters, status: "verified" } as const
      const [domains, resources] = yield* store.read([
        { _tag: "DomainPage", projectId, filters, page: { page, limit } },
        { _tag: "ResourcePage", projectId, kind: "list", parent: "", page: { page, limit } }
      ])
      const label = `page ${page} of ${limit}`
      yield* same(
        `the domains of ${label}`,
        [domains.total, ...idsOf(domains.items)],
        [count, ...part.map((n) => `dom_${n}`)]
      )
      yield* same(
        `the resources of ${label}`,
        [resources.total, ...idsOf(resources.items)],
        [count, ...part.map((n) => `lst_${n}`)]
      )
    }
  }
)

const byPosition = law(
  "pages/by-position",
  "A page after a position lists exactly the next records, with any limit, at ties, and at positions without a record.",
  function* (store) {
    const at = (n: number) => noon + Math.floor(((n * 3) % count) / 3)
    const subscriber = "whk_1"
    yield* commit(
      store,
      ...numbers.map((n) => put.resource(sample.resource({ id: `lst_${n}`, name: `list ${n}`, createdAt: at(n) }))),
      ...numbers.map((n) => insert.event(sample.event({ id: `evt_${n}`, occurredAt: noon - n }))),
      ...numbers.map((n) => insert.eventDelivery(sample.eventDelivery({ id: `evd_${n}`, createdAt: at(n) }))),
      put.resource({ ...sample.resource({ id: "lst_8", createdAt: noon }), kind: "segment" } as never),
      insert.eventDelivery(sample.eventDelivery({ id: "evd_8", subscriber: "whk_2" }))
    )
    const listed = numbers.map((n) => ({ n, createdAt: at(n), id: `lst_${n}` })).toSorted(newestFirst)
    const positions: ReadonlyArray<readonly [number, string]> = [
      ...numbers.map((n) => [at(n), String(n)] as const),
      [noon + 99, "0"],
      [noon + 1, "44"],
      [noon + 1, ""],
      [noon - 1, "9"]
    ]
    for (const [createdAt, n] of positions)
      for (const limit of [1, 3, 100]) {
        const [resources, deliveries] = yield* store.read([
          { _tag: "Resources", projectId, kind: "list", parent: "", after: { createdAt, id: `lst_${n}` }, limit },
          { _tag: "EventDeliveryPage", projectId, subscriber, after: { createdAt, id: `evd_${n}` }, limit }
        ])
        const next = listed.filter((one) => newestFirst({ createdAt, id: `lst_${n}` }, one) < 0).slice(0, limit)
        const label = `${limit} after ${createdAt} and ${n}`
        yield* same(`the resources, ${label}`, idsOf(resources), idsOf(next))
        yield* same(
          `the event deliveries, ${label}`,
          idsOf(deliveries),
          next.map((one) => `evd_${one.n}`)
        )
      }
    for (const after of [null, "", "evt_0", "evt_3", "evt_31", "evt_6", "evt_9"])
      for (const limit of [1, 3, 100]) {
        const expected = numbers.map((n) => `evt_${n}`).filter((id) => after === null || id > after)
        const found = yield* ask(store, { _tag: "Events", projectId, after, limit })
        yield* same(`${limit} events after ${after}`, idsOf(found), expected.slice(0, limit))
        const waiting = yield* ask(store, { _tag: "UndistributedEvents", limit })
        yield* same(`${limit} undistributed events`, idsOf(waiting), numbers.map((n) => `evt_${n}`).slice(0, limit))
      }
  }
)

const attemptNumbers = law(
  "log/attempts-in-number-order",
  "The attempts of a delivery are listed by number, from the first to beyond the tenth and the hundredth.",
  function* (store) {
    const attempts = [100, 9, 2, 11, 1, 10, 20, 101].map((number) =>
      sample.attempt({ number, startedAt: noon - number })
    )
    yield* commit(store, insert.delivery(sample.delivery()))
    for (const one of attempts) yield* commit(store, insert.attempt(one))
    yield* same(
      "the attempts",
      yield* ask(store, { _tag: "Attempts", projectId, deliveryId: "del_1" }),
      attempts.toSorted((a, b) => a.number - b.number)
    )
  }
)

const suppressionBounds = law(
  "suppressions/pages-begin-and-end-exactly",
  {
    statement:
      "A page of suppressions after any address lists exactly the matches within its limits, and says where the next page begins.",
    why: "decisions/0012-contacts.md"
  },
  function* (store) {
    const rows = numbers.map((n) =>
      sample.suppression({
        addressKey: `key ${9 - n}`,
        address: `p${n}_%@example.org`,
        reasons: n === 3 ? {} : { manual: noon, unsubscribed: noon + n }
      })
    )
    yield* commit(
      store,
      ...rows.map((one) => put.suppression(one)),
      put.suppression(sample.suppression({ addressKey: "erased", address: null }))
    )
    const searches = [null, "", "P5_%@", "_%@EXAMPLE", "p", "key", "5"]
    for (const search of searches)
      for (const after of [null, "", "p0_%@example.org", "p3", "p5_%@example.org", "p6_%@example.org"])
        for (const [limit, scanLimit] of [
          [100, 1000],
          [2, 1000],
          [1, 3],
          [2, 2],
          [9, 7],
          [9, 6]
        ] as const) {
          const candidates = rows.filter(({ address }) => after === null || address! > after)
          const scanned = candidates.slice(0, scanLimit)
          const matching = scanned.filter(
            ({ address, reasons }) =>
              Object.keys(reasons).length > 0 && (search === null || address!.includes(search.toLowerCase()))
          )
          const items = matching.slice(0, limit)
          const last =
            matching.length > limit ? items.at(-1) : candidates.length > scanLimit ? scanned.at(-1) : undefined
          const query = {
            _tag: "SuppressionPage",
            projectId,
            search,
            addressPart: null,
            now: noon,
            after,
            limit,
            scanLimit
          } as const
          yield* same(`the answer to ${JSON.stringify(query)}`, yield* ask(store, query), {
            items,
            next: last?.address ?? null
          })
        }
    const greek = sample.suppression({ addressKey: "greek", address: "οδος@example.org" })
    yield* commit(store, put.suppression(greek))
    const query = {
      _tag: "SuppressionPage",
      projectId,
      search: "Σ@",
      addressPart: null,
      now: noon,
      after: null,
      limit: 2,
      scanLimit: 9
    } as const
    yield* same("the address with the sigma at the end of a word", yield* ask(store, query), {
      items: [greek],
      next: null
    })
  }
)

const searchedInALabels = law(
  "suppressions/finds-a-domain-in-a-labels",
  {
    statement: "With `addressPart`, a search also finds the suppressions with this part of the address.",
    why: "decisions/0012-contacts.md"
  },
  function* (store) {
    const rows = ["ada@xn--mller-kva.example", "bob@example.org", "müller@example.org"].map((address) =>
      sample.suppression({ addressKey: address, address })
    )
    yield* commit(store, ...rows.map((one) => put.suppression(one)))
    const page = { _tag: "SuppressionPage", projectId, now: noon, after: null, limit: 9, scanLimit: 9 } as const
    const search = { ...page, search: "Müller", addressPart: "xn--mller-kva" }
    yield* same("the addresses with the part", (yield* ask(store, search)).items, [rows[0], rows[2]])
    const other = { ...page, search: "@müller", addressPart: "@XN--MLLER-KVA" }
    yield* same("the addresses at the domain", (yield* ask(store, other)).items, [rows[0]])
  }
)

const dueInOrder = law(
  "domains/due-in-order",
  {
    statement:
      "The domains that are due are listed by the time of their check, then by id, up to the limit, of all projects.",
    why: "decisions/0013-domains.md"
  },
  function* (store) {
    const times = [5, 3, 9, 3, 5, 10, 5]
    yield* commit(
      store,
      ...times.map((time, n) =>
        put.domain(
          sample.senderDomain({
            id: `dom_${n}`,
            projectId: n % 2 === 0 ? projectId : "prj_other",
            domain: `d${9 - n}.example`,
            nextCheckAt: time,
            status: n % 3 === 0 ? "failed" : "pending"
          })
        )
      ),
      put.domain(sample.senderDomain({ id: "dom_9", domain: "never.example", nextCheckAt: null }))
    )
    const order = [1, 3, 0, 4, 6, 2, 5]
    for (const [now, due] of [
      [2, 0],
      [3, 2],
      [4, 2],
      [5, 5],
      [9, 6],
      [10, 7]
    ] as const)
      for (const limit of [1, 3, 100])
        yield* same(
          `${limit} of the domains that are due at ${now}`,
          idsOf(yield* ask(store, { _tag: "DomainsDue", now, limit })),
          order.slice(0, Math.min(due, limit)).map((n) => `dom_${n}`)
        )
  }
)

export const pageLaws: ReadonlyArray<StoreLaw> = [
  byNumber,
  byPosition,
  attemptNumbers,
  suppressionBounds,
  searchedInALabels,
  dueInOrder
]

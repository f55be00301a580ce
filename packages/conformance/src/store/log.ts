/**
 * Laws of the delivery log: pages list every delivery once, newest first, with any filter, and within the scan limit.
 */
import type { Delivery, LogFilters, Position, MailStoreShape } from "@mailkeep/core/adapter"
import { noLogFilters, wholeRotation } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask, logPage } from "./queries.ts"
import * as sample from "./sampleRecords.ts"
import { commit, insert } from "./changes.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0011-delivery-log.md")

/** Walks the log to its end. `between` runs after each page. */
const walk = (
  store: MailStoreShape,
  limit: number,
  { scanLimit = 10_000, filters = {} }: { readonly scanLimit?: number; readonly filters?: Partial<LogFilters> } = {},
  between: (page: number) => Effect.Effect<unknown, unknown> = () => Effect.void
) =>
  Effect.gen(function* () {
    const ids: Array<string> = []
    let after: Position | null = null
    for (let page = 0; page < 500; page++) {
      const found: { items: ReadonlyArray<{ id: string }>; next: Position | null } = yield* ask(store, {
        _tag: "LogPage",
        projectId,
        filters: { ...noLogFilters, ...filters },
        after,
        limit,
        scanLimit
      })
      ids.push(...idsOf(found.items))
      after = found.next
      if (after === null) return ids
      yield* between(page)
    }
    return yield* Effect.fail(new Error("The walk does not end."))
  })

/** Checks which deliveries the filters find, by the numbers in their ids. */
const checkFound = (store: MailStoreShape, filters: Partial<LogFilters>, found: ReadonlyArray<number>) =>
  Effect.flatMap(logPage(store, filters), ({ items }) =>
    same(
      `the deliveries that match ${JSON.stringify(filters)}`,
      idsOf(items),
      found.map((n) => `del_${n}`)
    )
  )

const insertAll = (store: MailStoreShape, rows: ReadonlyArray<Delivery>) =>
  Effect.andThen(
    commit(store, insert.message(sample.message())),
    Effect.forEach(rows, (row) => commit(store, insert.delivery(row)), { discard: true })
  )

const summaries = law(
  "log/shows-summaries",
  "A page shows each delivery's id, time, recipient, status and scheduled time unchanged, and its message's subject.",
  function* (store) {
    yield* insertAll(store, [sample.delivery({ status: "scheduled", scheduledAt: noon + 5, dueAt: noon + 5 })])
    yield* same("the page", yield* logPage(store), {
      items: [
        {
          id: "del_1",
          createdAt: noon,
          recipient: "Ada@example.org",
          subject: "Your order",
          status: "scheduled",
          scheduledAt: noon + 5
        }
      ],
      next: null
    })
  }
)

const tiesOnce = law(
  "log/ties-are-listed-once",
  "Of many deliveries of one millisecond, each is listed once, by descending id, with any page size.",
  function* (store) {
    const rows = sample.numberedDeliveries(50)
    yield* insertAll(store, rows)
    const ids = idsOf(rows)
    for (const limit of [1, 7, 50]) yield* same(`the walk by ${limit}`, yield* walk(store, limit), ids.toReversed())
  }
)

const walkComplete = law(
  "log/walk-is-complete",
  "A walk lists each delivery that exists throughout exactly once, although deliveries are created and changed meanwhile.",
  function* (store) {
    const rows = sample.numberedDeliveries(30, (n) => ({ createdAt: noon + Math.floor(n / 4) }))
    yield* insertAll(store, rows)
    const ids = idsOf(rows)
    const walked = yield* walk(store, 4, {}, (page) =>
      Effect.gen(function* () {
        yield* commit(store, insert.delivery(sample.delivery({ id: `del_late_${page}`, createdAt: noon + 1000 })))
        yield* store.claim({
          kind: "dueQueued",
          rotation: wholeRotation,
          now: noon,
          limit: 3,
          worker: `w${page}`,
          leaseUntil: noon + 1
        })
      })
    )
    yield* same(
      "the deliveries that existed throughout",
      walked.filter((id) => !id.startsWith("del_late")),
      ids.toReversed()
    )
  }
)

const filtered = law(
  "log/filters-narrow",
  "Each filter finds exactly the deliveries that match. Date bounds are inclusive, and filters are combined.",
  function* (store) {
    yield* insertAll(store, [
      sample.delivery({ id: "del_1", createdAt: noon, status: "queued" }),
      sample.delivery({ id: "del_2", createdAt: noon + 1, status: "sending", source: "embedded" }),
      sample.delivery({ id: "del_3", createdAt: noon + 2, address: "bob@example.org", contactId: null }),
      sample.delivery({ id: "del_4", createdAt: noon + 3, contactId: "con_2", status: "sending", messageId: "msg_2" })
    ])
    yield* commit(store, insert.message(sample.message({ id: "msg_2", templateId: "tpl_9" })))
    const finds: ReadonlyArray<readonly [Partial<LogFilters>, ReadonlyArray<number>]> = [
      [{ status: "sending" }, [4, 2]],
      [{ source: "embedded" }, [2]],
      [{ source: "elsewhere" }, []],
      [{ address: "bob@example.org" }, [3]],
      [{ contactId: "con_1" }, [2, 1]],
      [{ contactId: "con_9" }, []],
      [{ templateId: "tpl_9" }, [4]],
      [{ templateId: "tpl_9", status: "queued" }, []],
      [{ startDate: noon + 1 }, [4, 3, 2]],
      [{ endDate: noon + 1 }, [2, 1]],
      [{ startDate: noon + 1, endDate: noon + 2 }, [3, 2]],
      [{ startDate: noon + 2, endDate: noon + 1 }, []],
      [{ status: "queued", address: "ada@example.org", endDate: noon + 3, contactId: "con_1" }, [1]]
    ]
    for (const [filters, found] of finds) yield* checkFound(store, filters, found)
  }
)

/** Writes messages with one delivery each, which are numbered from 0. */
const insertMessages = (store: MailStoreShape, rows: ReadonlyArray<readonly [recipient: string, subject: string]>) =>
  Effect.forEach([...rows.entries()], ([n, [recipient, subject]]) =>
    commit(
      store,
      insert.message(sample.message({ id: `msg_${n}`, subject })),
      insert.delivery(sample.delivery({ id: `del_${n}`, messageId: `msg_${n}`, recipient }))
    )
  )

const searched = law(
  "log/search-is-literal",
  "A search finds a literal part of the recipient or the subject in any case, or a whole delivery or message id.",
  function* (store) {
    const rows = [
      ["Ada@example.org", "Ihre GRÜSSE"],
      ["x_y@example.org", "100% off"],
      ["xzy@example.org", "100 off"]
    ] as const
    yield* insertMessages(store, rows)
    const finds: ReadonlyArray<readonly [search: string, found: ReadonlyArray<number>]> = [
      ["ADA@", [0]],
      ["grüsse", [0]],
      ["x_y", [1]],
      ["100%", [1]],
      ["100", [2, 1]],
      ["del_1", [1]],
      ["msg_2", [2]],
      ["msg_", []],
      ["del_", []]
    ]
    for (const [search, found] of finds) yield* checkFound(store, { search }, found)
  }
)

const searchedInALabels = law(
  "log/finds-a-domain-in-a-labels",
  "With `recipientPart`, a search also finds the recipients with this part, and no subject with it.",
  function* (store) {
    const rows = [
      ["Ada@xn--bcher-kva.example", "Hello"],
      ["bob@example.org", "Neue BÜCHER"],
      ["eve@example.org", "xn--bcher-kva"]
    ] as const
    yield* insertMessages(store, rows)
    yield* checkFound(store, { search: "bücher", recipientPart: "xn--bcher-kva" }, [1, 0])
    yield* checkFound(store, { search: "ADA@bücher", recipientPart: "ADA@xn--bcher-kva" }, [0])
    yield* checkFound(store, { search: "bücher" }, [1])
  }
)

const bounded = law(
  "log/looks-no-further-than-asked",
  "A page scans at most its limit of deliveries, and the next page continues after the last delivery that was scanned.",
  function* (store) {
    yield* insertAll(
      store,
      sample.numberedDeliveries(12, (n) => ({ source: n === 0 || n === 9 ? "smtp" : "api" }))
    )
    const filters = { ...noLogFilters, source: "smtp" }
    const page = (scanLimit: number) =>
      ask(store, { _tag: "LogPage", projectId, filters, after: null, limit: 5, scanLimit })
    yield* same("a page with a scan limit of 2", yield* page(2), {
      items: [],
      next: { createdAt: noon, id: numbered("del", 10) }
    })
    const three = yield* page(3)
    yield* same(
      "a page with a scan limit of 3",
      [idsOf(three.items), three.next?.id],
      [[numbered("del", 9)], numbered("del", 9)]
    )
    yield* same("a page that may scan all", (yield* page(12)).next, null)
    yield* same("the walk", yield* walk(store, 5, { scanLimit: 2, filters }), [numbered("del", 9), numbered("del", 0)])
  }
)

const endsTruly = law(
  "log/ends-when-nothing-is-left",
  "A full last page says that nothing is left. A full page before it says that more is left.",
  function* (store) {
    yield* insertAll(
      store,
      [1, 2, 3, 4].map((n) => sample.delivery({ id: `del_${n}` }))
    )
    yield* same("the first page of two", (yield* logPage(store, {}, 3)).next, { createdAt: noon, id: "del_2" })
    yield* same("the only page", (yield* logPage(store, {}, 4)).next, null)
  }
)

const ofMessage = law(
  "log/of-a-message-in-order",
  {
    statement: "The deliveries of a message are listed by id and its attempts by number, without those of others.",
    why: "decisions/0020-ids-and-order.md"
  },
  function* (store) {
    yield* insertAll(
      store,
      [3, 1, 2].map((n) => sample.delivery({ id: `del_${n}` }))
    )
    yield* commit(store, insert.delivery(sample.delivery({ id: "del_4", messageId: "msg_2" })))
    yield* Effect.forEach([2, 3, 1], (number) => commit(store, insert.attempt(sample.attempt({ number }))))
    yield* commit(store, insert.attempt(sample.attempt({ deliveryId: "del_2" })))
    const [deliveries, attempts] = yield* store.read([
      { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
      { _tag: "Attempts", projectId, deliveryId: "del_1" }
    ])
    yield* same("the deliveries", idsOf(deliveries), ["del_1", "del_2", "del_3"])
    yield* same(
      "the attempts",
      attempts.map(({ number }) => number),
      [1, 2, 3]
    )
  }
)

export const logLaws: ReadonlyArray<StoreLaw> = [
  summaries,
  tiesOnce,
  walkComplete,
  filtered,
  searched,
  searchedInALabels,
  bounded,
  endsTruly,
  ofMessage
]

/**
 * Laws of the delivery log: pages list every delivery once, newest first, with any filter, and within the scan limit.
 */
import type { Delivery, LogFilters, Position } from "@mailkeep/core/adapter"
import { noLogFilters } from "@mailkeep/core/adapter"
import type { MailStoreShape } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import {
  ask,
  attempt,
  commit,
  delivery,
  idsOf,
  insert,
  logPage,
  message,
  noon,
  numbered,
  projectId
} from "./records.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLaw } from "./StoreSubject.ts"

const why = "decisions/0011-delivery-log.md"

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

const insertAll = (store: MailStoreShape, rows: ReadonlyArray<Delivery>) =>
  Effect.andThen(
    commit(store, insert.message(message())),
    Effect.forEach(rows, (row) => commit(store, insert.delivery(row)), { discard: true })
  )

const summaries = storeLaw(
  "log/shows-summaries",
  {
    statement:
      "A page shows each delivery's id, time, recipient, status and scheduled time unchanged, and its message's subject.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(store, [delivery({ status: "scheduled", scheduledAt: noon + 5, dueAt: noon + 5 })])
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
    })
)

const tiesOnce = storeLaw(
  "log/ties-are-listed-once",
  {
    statement: "Of many deliveries of one millisecond, each is listed once, by descending id, with any page size.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 50 }, (_, n) => numbered("del", n))
      yield* insertAll(
        store,
        ids.map((id) => delivery({ id: id as Delivery["id"] }))
      )
      for (const limit of [1, 7, 50]) yield* same(`the walk by ${limit}`, yield* walk(store, limit), ids.toReversed())
    })
)

const walkComplete = storeLaw(
  "log/walk-is-complete",
  {
    statement:
      "A walk lists each delivery that exists throughout exactly once, although deliveries are created and changed meanwhile.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 30 }, (_, n) => numbered("del", n))
      yield* insertAll(
        store,
        ids.map((id, n) => delivery({ id: id as Delivery["id"], createdAt: noon + Math.floor(n / 4) }))
      )
      const walked = yield* walk(store, 4, {}, (page) =>
        Effect.gen(function* () {
          yield* commit(store, insert.delivery(delivery({ id: `del_late_${page}`, createdAt: noon + 1000 })))
          yield* store.claim({ kind: "dueQueued", now: noon, limit: 3, worker: `w${page}`, leaseUntil: noon + 1 })
        })
      )
      yield* same(
        "the deliveries that existed throughout",
        walked.filter((id) => !id.startsWith("del_late")),
        ids.toReversed()
      )
    })
)

const filtered = storeLaw(
  "log/filters-narrow",
  {
    statement:
      "Each filter finds exactly the deliveries that match. Date bounds are inclusive, and filters are combined.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(store, [
        delivery({ id: "del_1", createdAt: noon, status: "queued" }),
        delivery({ id: "del_2", createdAt: noon + 1, status: "sending", source: "embedded" }),
        delivery({ id: "del_3", createdAt: noon + 2, address: "bob@example.org", contactId: null }),
        delivery({ id: "del_4", createdAt: noon + 3, contactId: "con_2", status: "sending", messageId: "msg_2" })
      ])
      yield* commit(store, insert.message(message({ id: "msg_2", templateId: "tpl_9" })))
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
      for (const [filters, found] of finds) {
        const { items } = yield* logPage(store, filters)
        yield* same(
          `the deliveries that match ${JSON.stringify(filters)}`,
          idsOf(items),
          found.map((n) => `del_${n}`)
        )
      }
    })
)

const searched = storeLaw(
  "log/search-is-literal",
  {
    statement:
      "A search finds a literal part of the recipient or the subject in any case, or a whole delivery or message id.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const rows = [
        ["Ada@example.org", "Ihre GRÜSSE"],
        ["x_y@example.org", "100% off"],
        ["xzy@example.org", "100 off"]
      ] as const
      yield* Effect.forEach([...rows.entries()], ([n, [recipient, subject]]) =>
        commit(
          store,
          insert.message(message({ id: `msg_${n}`, subject })),
          insert.delivery(delivery({ id: `del_${n}`, messageId: `msg_${n}`, recipient }))
        )
      )
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
      for (const [search, found] of finds) {
        const { items } = yield* logPage(store, { search })
        yield* same(
          `the deliveries that match ${JSON.stringify(search)}`,
          idsOf(items),
          found.map((n) => `del_${n}`)
        )
      }
    })
)

const bounded = storeLaw(
  "log/looks-no-further-than-asked",
  {
    statement:
      "A page scans at most its limit of deliveries, and the next page continues after the last delivery that was scanned.",
    why
  },
  (store) =>
    Effect.gen(function* () {
      const ids = Array.from({ length: 12 }, (_, n) => numbered("del", n))
      yield* insertAll(
        store,
        ids.map((id, n) => delivery({ id: id as Delivery["id"], source: n === 0 || n === 9 ? "smtp" : "api" }))
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
      yield* same("the walk", yield* walk(store, 5, { scanLimit: 2, filters }), [
        numbered("del", 9),
        numbered("del", 0)
      ])
    })
)

const endsTruly = storeLaw(
  "log/ends-when-nothing-is-left",
  { statement: "A full last page says that nothing is left. A full page before it says that more is left.", why },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(
        store,
        [1, 2, 3, 4].map((n) => delivery({ id: `del_${n}` }))
      )
      yield* same("the first page of two", (yield* logPage(store, {}, 3)).next, { createdAt: noon, id: "del_2" })
      yield* same("the only page", (yield* logPage(store, {}, 4)).next, null)
    })
)

const ofMessage = storeLaw(
  "log/of-a-message-in-order",
  {
    statement: "The deliveries of a message are listed by id and its attempts by number, without those of others.",
    why: "decisions/0020-ids-and-order.md"
  },
  (store) =>
    Effect.gen(function* () {
      yield* insertAll(
        store,
        [3, 1, 2].map((n) => delivery({ id: `del_${n}` }))
      )
      yield* commit(store, insert.delivery(delivery({ id: "del_4", messageId: "msg_2" })))
      yield* Effect.forEach([2, 3, 1], (number) => commit(store, insert.attempt(attempt({ number }))))
      yield* commit(store, insert.attempt(attempt({ deliveryId: "del_2" })))
      const [deliveries, attempts] = yield* store.read([
        { _tag: "DeliveriesOfMessage", projectId, messageId: "msg_1" },
        { _tag: "Attempts", deliveryId: "del_1" }
      ])
      yield* same("the deliveries", idsOf(deliveries), ["del_1", "del_2", "del_3"])
      yield* same(
        "the attempts",
        attempts.map(({ number }) => number),
        [1, 2, 3]
      )
    })
)

export const logLaws: ReadonlyArray<StoreLaw> = [
  summaries,
  tiesOnce,
  walkComplete,
  filtered,
  searched,
  bounded,
  endsTruly,
  ofMessage
]

/**
 * Short functions that read.
 */
import type { ContactFilters, CounterName, MailStoreShape, Query, QueryOf } from "@mailkeep/core/adapter"
import { noContactFilters, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { projectId } from "./sampleIds.ts"

/** Returns the answer to one query. */
export const ask = <const Q extends Query>(store: MailStoreShape, query: Q) =>
  Effect.map(store.read([query]), ([answer]) => answer)

/** Queries, each with its answer. */
export type Answers = ReadonlyArray<readonly [query: Query, answer: unknown]>

/** Checks the answer to each query. `when` follows the query in the report. */
export const checkAnswers = (store: MailStoreShape, answers: Answers, when = "") =>
  Effect.forEach(
    answers,
    ([query, answer]) =>
      Effect.flatMap(ask(store, query), (actual) =>
        same(`the answer to ${JSON.stringify(query)}${when}`, actual, answer)
      ),
    { discard: true }
  )

export const setting = (store: MailStoreShape, name: string) => ask(store, { _tag: "Setting", name })

export const counter = (store: MailStoreShape, name: CounterName, project = projectId) =>
  Effect.map(ask(store, { _tag: "Counters", projectId: project, names: [name] }), ([value]) => value!)

export const deliveryOf = (store: MailStoreShape, id: string) => ask(store, { _tag: "Delivery", projectId, id })

/** The newest deliveries, up to the limit. */
export const logPage = (store: MailStoreShape, filters: Partial<typeof noLogFilters> = {}, limit = 100) =>
  ask(store, {
    _tag: "LogPage",
    projectId,
    filters: { ...noLogFilters, ...filters },
    after: null,
    limit,
    scanLimit: 10_000
  })

const everyone = { after: null, skip: 0, limit: 100 } as const

/** The matching contacts and their number. Checks that the answer of an index agrees with a walk. */
export const contactPage = (
  store: MailStoreShape,
  filters: Partial<ContactFilters> = {},
  page: Partial<Pick<QueryOf<"ContactScan">, "after" | "skip" | "limit">> = {}
) =>
  Effect.gen(function* () {
    const all = { ...noContactFilters, ...filters }
    const { search, segment, emailStatus, listId } = all
    const { items, matches } = yield* contactScan(store, all, page)
    if (search === null && segment === null && (emailStatus === null || listId === null)) {
      const [indexed] = yield* store.read([
        { _tag: "ContactPage", projectId, emailStatus, listId, ...everyone, ...page }
      ])
      yield* same(`the page of ${JSON.stringify(filters)} by index`, indexed, items)
    }
    return { items, total: matches }
  })

/** One page of a walk over contacts; by default, all contacts. */
export const contactScan = (
  store: MailStoreShape,
  filters: Partial<ContactFilters> = {},
  page: Partial<Pick<QueryOf<"ContactScan">, "after" | "skip" | "limit" | "scanLimit">> = {}
) =>
  Effect.map(
    store.read([
      {
        _tag: "ContactScan",
        projectId,
        filters: { ...noContactFilters, ...filters },
        ...everyone,
        scanLimit: 1000,
        ...page
      }
    ]),
    ([piece]) => piece
  )

/**
 * The law of the statuses that an index finds: pages of such a status examine only its deliveries, also after deliveries have changed.
 */
import type { Delivery, DeliveryStatus, LogFilters, Position, MailStoreShape } from "@mailkeep/core/adapter"
import { claimableStatuses, deliveryStatuses, freshState, newestFirst, noLogFilters } from "@mailkeep/core/adapter"
import { Effect } from "effect"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, insert, transition } from "./changes.ts"
import { idsOf, noon, numbered, projectId } from "./sampleIds.ts"
import * as sample from "./sampleRecords.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0065-log-filters.md")

/** The statuses that the definition of `LogPage` names. */
const indexed: ReadonlySet<DeliveryStatus> = new Set([
  "scheduled",
  "canceled",
  "sending",
  "bounced",
  "complained",
  "failed",
  "suppressed"
] as const)

const stateOf = (status: DeliveryStatus) => ({
  ...freshState,
  status,
  dueAt: (claimableStatuses as ReadonlyArray<string>).includes(status) ? noon : null
})

/** Four deliveries of each status. In the order of the log, no two neighbours have the same status. */
const deliveries: ReadonlyArray<Delivery> = Array.from({ length: 4 * deliveryStatuses.length }, (_, n) =>
  sample.delivery({
    ...stateOf(deliveryStatuses[n % deliveryStatuses.length]!),
    id: numbered("del", n),
    createdAt: noon + Math.floor(n / 3),
    source: n % 4 === 0 ? "smtp" : "api"
  })
)

/** One delivery of another project, which no page shows. */
const foreign = sample.delivery({ ...stateOf("bounced"), id: "del_other", projectId: "prj_other" })

const matchesOf = (filters: Partial<LogFilters>) => (one: Delivery) =>
  (filters.status === undefined || filters.status === one.status) &&
  (filters.source === undefined || filters.source === one.source) &&
  (filters.startDate === undefined || one.createdAt >= filters.startDate!) &&
  (filters.endDate === undefined || one.createdAt <= filters.endDate!)

interface PageBounds {
  readonly after: Position | null
  readonly limit: number
  readonly scanLimit: number
}

/** The page that the definition of `LogPage` gives. */
const expectedPage = (
  all: ReadonlyArray<Delivery>,
  filters: Partial<LogFilters>,
  { after, limit, scanLimit }: PageBounds
) => {
  const isBound = filters.address === undefined && indexed.has(filters.status!)
  const { source: _, status, ...dates } = filters
  const candidates = all
    .filter(matchesOf({ ...dates, ...(isBound ? { status: status! } : {}) }))
    .filter((one) => after === null || newestFirst(after, one) < 0)
    .toSorted(newestFirst)
  const matching = candidates.slice(0, scanLimit).filter(matchesOf(filters))
  const items = matching.slice(0, limit)
  const last =
    matching.length > limit ? items.at(-1) : candidates.length > scanLimit ? candidates[scanLimit - 1] : undefined
  return { ids: idsOf(items), next: last === undefined ? null : { createdAt: last.createdAt, id: last.id } }
}

const checkPages = (store: MailStoreShape, all: ReadonlyArray<Delivery>, status: DeliveryStatus) =>
  Effect.gen(function* () {
    const filtersOfPages: ReadonlyArray<Partial<LogFilters>> = [
      { status },
      { status, source: "smtp" },
      { status, startDate: noon + 4 },
      { status, startDate: noon + 3, endDate: noon + 8 },
      { status, address: "ada@example.org" }
    ]
    // The last position is after the end date.
    const positions = [null, ...[25, 32].map((n) => ({ createdAt: noon + Math.floor(n / 3), id: numbered("del", n) }))]
    for (const filters of filtersOfPages)
      for (const after of positions)
        for (const [limit, scanLimit] of [
          [100, 1000],
          [2, 1000],
          [5, 1],
          [5, 2],
          [5, 4]
        ] as const) {
          const page = { after, limit, scanLimit }
          const query = { _tag: "LogPage", projectId, filters: { ...noLogFilters, ...filters }, ...page } as const
          const { items, next } = yield* ask(store, query)
          yield* same(
            `the page ${JSON.stringify(page)} of ${JSON.stringify(filters)}`,
            { ids: idsOf(items), next },
            expectedPage(all, filters, page)
          )
        }
  })

const statuses = law(
  "log/each-status-is-found",
  "A page of one status lists its deliveries, newest first, and none that has had the status before. With an indexed status, it examines no others.",
  function* (store) {
    yield* commit(store, insert.message(sample.message()), ...[...deliveries, foreign].map(insert.delivery))
    for (const status of deliveryStatuses) yield* checkPages(store, deliveries, status)
    const changed = [...deliveries]
    for (const [n, one] of deliveries.slice(0, 2 * deliveryStatuses.length).entries()) {
      const next = stateOf(deliveryStatuses[(n + 3) % deliveryStatuses.length]!)
      yield* commit(store, transition.delivery(one.id, one.status, one.fencingToken, next))
      changed[n] = { ...one, ...next }
    }
    for (const status of deliveryStatuses) yield* checkPages(store, changed, status)
  }
)

export const logStatusLaws: ReadonlyArray<StoreLaw> = [statuses]

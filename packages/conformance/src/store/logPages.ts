/**
 * The law of the pages of the delivery log: with any filters and after any position, they begin and end exactly.
 */
import type { Delivery, LogFilters, MailStoreShape, Message, Position } from "@mailkeep/core/adapter"
import { newestFirst, noLogFilters } from "@mailkeep/core/adapter"
import { same } from "../expectation.ts"
import { ask } from "./queries.ts"
import { commit, insert } from "./changes.ts"
import * as sample from "./sampleRecords.ts"
import { noon, projectId } from "./sampleIds.ts"
import type { StoreLaw } from "./StoreSubject.ts"
import { storeLawsFor } from "./StoreSubject.ts"

const law = storeLawsFor("decisions/0011-delivery-log.md")

const messages: ReadonlyArray<Message> = [
  sample.message({ id: "msg_0", subject: "Hello 🎉 World", templateId: "tpl_1" }),
  sample.message({ id: "msg_1", subject: "100% off_er", templateId: null }),
  sample.message({ id: "msg_2", subject: "GRÜSSE", templateId: "TPL_1" })
]

const deliveries: ReadonlyArray<Delivery> = Array.from({ length: 18 }, (_, n) =>
  sample.delivery({
    id: `del_${String(n).padStart(2, "0")}`,
    // The message of the last two does not exist.
    messageId: `msg_${n > 15 ? 9 : n % 3}`,
    createdAt: noon + Math.floor(((n * 5) % 18) / 4),
    recipient: n % 2 === 0 ? `Person${n}@Example.org` : `other_${n}@example.net`,
    address: n % 2 === 0 ? "person@example.org" : "other@example.net",
    contactId: n % 3 === 0 ? "con_1" : n % 3 === 1 ? "con_2" : null,
    status: n % 4 === 0 ? "queued" : "delivered",
    dueAt: n % 4 === 0 ? noon : null,
    source: n % 5 === 0 ? "smtp" : "api"
  })
)

const subjectOf = ({ messageId }: Delivery) => messages.find(({ id }) => id === messageId)?.subject ?? ""
const isEven = ({ address }: Delivery) => address === "person@example.org"

/** Filters, each with the condition that it means. */
const meanings: ReadonlyArray<readonly [Partial<LogFilters>, (delivery: Delivery) => boolean]> = [
  [{}, () => true],
  [{ address: "person@example.org" }, isEven],
  [{ address: "PERSON@example.org" }, () => false],
  [{ contactId: "con_1" }, ({ contactId }) => contactId === "con_1"],
  [{ address: "person@example.org", contactId: "con_2" }, (one) => isEven(one) && one.contactId === "con_2"],
  [{ startDate: noon + 1 }, ({ createdAt }) => createdAt >= noon + 1],
  [{ endDate: noon + 3 }, ({ createdAt }) => createdAt <= noon + 3],
  [
    { startDate: noon + 1, endDate: noon + 3, address: "other@example.net" },
    (one) => one.createdAt >= noon + 1 && one.createdAt <= noon + 3 && !isEven(one)
  ],
  [{ contactId: "con_2", endDate: noon + 2 }, (one) => one.contactId === "con_2" && one.createdAt <= noon + 2],
  [{ status: "queued" }, ({ status }) => status === "queued"],
  [{ source: "smtp" }, ({ source }) => source === "smtp"],
  [{ status: "queued", source: "smtp" }, ({ status, source }) => status === "queued" && source === "smtp"],
  [{ templateId: "tpl_1" }, ({ messageId }) => messageId === "msg_0"],
  [{ templateId: "tpl_1", status: "queued" }, (one) => one.messageId === "msg_0" && one.status === "queued"],
  [{ search: "person" }, isEven],
  [{ search: "OTHER_1" }, ({ recipient }) => recipient.startsWith("other_1")],
  [{ search: "🎉" }, (one) => subjectOf(one).includes("🎉")],
  [{ search: "% OFF_" }, (one) => subjectOf(one).includes("% off_")],
  [{ search: "grüsse" }, ({ messageId }) => messageId === "msg_2"],
  [{ search: "grüße" }, () => false],
  [{ search: "del_07" }, ({ id }) => id === "del_07"],
  [{ search: "msg_1" }, ({ messageId }) => messageId === "msg_1"],
  [{ search: "msg_9" }, ({ messageId }) => messageId === "msg_9"],
  [{ search: "MSG_1" }, () => false],
  [{ search: "DEL_07" }, () => false],
  [{ search: "" }, () => true],
  [
    { search: "person", contactId: "con_1", status: "queued" },
    (one) => isEven(one) && one.contactId === "con_1" && one.status === "queued"
  ]
]

/** The filters that the scan limit does not count, because an index evaluates them. */
const bounds = ["address", "contactId", "startDate", "endDate"] as const

const boundsOf = (filters: Partial<LogFilters>): Partial<LogFilters> =>
  Object.fromEntries(Object.entries(filters).filter(([name]) => (bounds as ReadonlyArray<string>).includes(name)))

const meaningOf =
  (filters: Partial<LogFilters>) =>
  ({ address, contactId, createdAt }: Delivery): boolean =>
    (filters.address === undefined || filters.address === address) &&
    (filters.contactId === undefined || filters.contactId === contactId) &&
    (filters.startDate === undefined || createdAt >= filters.startDate!) &&
    (filters.endDate === undefined || createdAt <= filters.endDate!)

/** The page that the definition of `LogPage` gives. */
const expectedPage = (
  filters: Partial<LogFilters>,
  matches: (delivery: Delivery) => boolean,
  { after, limit, scanLimit }: { readonly after: Position | null; readonly limit: number; readonly scanLimit: number }
) => {
  const candidates = deliveries
    .filter((one) => meaningOf(boundsOf(filters))(one) && (after === null || newestFirst(after, one) < 0))
    .toSorted(newestFirst)
  const scanned = candidates.slice(0, scanLimit)
  const matching = scanned.filter(matches)
  const items = matching.slice(0, limit)
  const last = matching.length > limit ? items.at(-1) : candidates.length > scanLimit ? scanned.at(-1) : undefined
  return {
    items: items.map((one) => [one.id, subjectOf(one), one.recipient, one.status]),
    next: last === undefined ? null : { createdAt: last.createdAt, id: last.id }
  }
}

const logPage = (
  store: MailStoreShape,
  filters: Partial<LogFilters>,
  page: { readonly after: Position | null; readonly limit: number; readonly scanLimit: number }
) => ask(store, { _tag: "LogPage", projectId, filters: { ...noLogFilters, ...filters }, ...page })

const logBounds = law(
  "log/pages-begin-and-end-exactly",
  "A page of the log with any filters, after any position, lists exactly the matches within its limits, and says where the next page begins.",
  function* (store) {
    yield* commit(store, ...messages.map(insert.message), ...deliveries.map(insert.delivery))
    const positions: ReadonlyArray<Position | null> = [
      null,
      { createdAt: deliveries[10]!.createdAt, id: deliveries[10]!.id },
      { createdAt: noon + 2, id: "del" }
    ]
    for (const [filters, matches] of meanings)
      for (const after of positions)
        for (const [limit, scanLimit] of [
          [100, 1000],
          [2, 1000],
          [1, 3],
          [5, 18],
          [5, 17]
        ] as const) {
          const page = { after, limit, scanLimit }
          const { items, next } = yield* logPage(store, filters, page)
          yield* same(
            `the page ${JSON.stringify(page)} of ${JSON.stringify(filters)}`,
            { items: items.map(({ id, subject, recipient, status }) => [id, subject, recipient, status]), next },
            expectedPage(filters, matches, page)
          )
        }
  }
)

export const logPageLaws: ReadonlyArray<StoreLaw> = [logBounds]

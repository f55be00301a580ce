/**
 * Pages of a scan of rows: the delivery log and the suppressions. Texts of a search are compared in TypeScript.
 */
import type {
  AnswerOf,
  Delivery,
  Instant,
  LogFilters,
  LogFilterMessage,
  Position,
  QueryOf
} from "@mailkeep/core/adapter"
import {
  containsPart,
  foldedAddressParts,
  indexedStatusOf,
  logFiltersMatch,
  summaryOf,
  suppressedFor
} from "@mailkeep/core/adapter/evaluation"
import type { Prepared, Value } from "./recordTable.ts"
import { suppressions } from "./tables.ts"

/** Reads at most one row more than the scan limit, to find out whether any row is left. The next page continues after `last`. */
const scanRows = <A>(
  rows: IterableIterator<unknown>,
  read: (row: unknown) => A,
  { limit, scanLimit }: { readonly limit: number; readonly scanLimit: number },
  matches: (one: A) => boolean
): { readonly found: ReadonlyArray<A>; readonly last: A | undefined } => {
  const found: Array<A> = []
  let looked = 0
  let seen: A | undefined
  for (const row of rows) {
    if (looked === scanLimit) return { found, last: seen }
    looked++
    const one = read(row)
    if (matches(one)) {
      if (found.length === limit) return { found, last: found.at(-1) }
      found.push(one)
    }
    seen = one
  }
  return { found, last: undefined }
}

type ScannedDelivery = Pick<
  Delivery,
  "id" | "createdAt" | "recipient" | "status" | "scheduledAt" | "source" | "messageId"
>

/** The index that finds the deliveries of a page, and a condition without parameters, by which SQLite sees that a partial index is complete. */
const indexFor = (filters: LogFilters): readonly [index: string, condition: string] => {
  if (filters.address !== null) return ["mailkeep_deliveries_of_recipient", "true"]
  if (filters.contactId !== null) return ["mailkeep_deliveries_of_contact", "true"]
  const status = indexedStatusOf(filters)
  if (status === null) return ["mailkeep_deliveries_newest", "true"]
  // The deliveries that are sending are few. They are sorted after they are read.
  if (status === "sending") return ["mailkeep_deliveries_lanes", "status = 'sending' AND due_at IS NOT NULL"]
  return ["mailkeep_deliveries_of_status", `status = '${status}'`]
}

/** The bound of the newest delivery. With two conditions, SQLite could seek by the end date and then read all deliveries up to the position. */
const newestBound = (
  endDate: Instant | null,
  after: Position | null
): ReadonlyArray<readonly [string, ReadonlyArray<Value>]> => {
  if (after !== null && (endDate === null || after.createdAt <= endDate))
    return [["(created_at, id) < (?, ?)", [after.createdAt, after.id]]]
  return endDate === null ? [] : [["created_at <= ?", [endDate]]]
}

/** The SQL that finds the deliveries within the bounds of the filters, newest first, and its values. The last value is a limit. */
export const logSearch = ({
  projectId,
  filters,
  after
}: Pick<QueryOf<"LogPage">, "projectId" | "filters" | "after">): readonly [string, ReadonlyArray<Value>] => {
  const [index, condition] = indexFor(filters)
  const bounds: ReadonlyArray<readonly [string, ReadonlyArray<Value>]> = [
    [`project_id = ? AND ${condition}`, [projectId]],
    ...(filters.address === null ? [] : [["address = ?", [filters.address]] as const]),
    ...(filters.contactId === null ? [] : [["contact_id = ?", [filters.contactId]] as const]),
    ...(filters.startDate === null ? [] : [["created_at >= ?", [filters.startDate]] as const]),
    ...newestBound(filters.endDate, after)
  ]
  const sql = `SELECT id, created_at AS createdAt, recipient, status, scheduled_at AS scheduledAt, source, message_id AS messageId
FROM mailkeep_deliveries INDEXED BY ${index} WHERE ${bounds.map(([where]) => where).join(" AND ")}
ORDER BY created_at DESC, id DESC LIMIT ?`
  return [sql, bounds.flatMap(([, values]) => values)]
}

/** One page of the delivery log, newest first. */
export const logPage = (
  connection: Prepared,
  { limit, scanLimit, ...search }: QueryOf<"LogPage">
): AnswerOf<"LogPage"> => {
  const { filters, projectId } = search
  const messages = connection.statement(
    "SELECT subject, template_id AS templateId FROM mailkeep_messages WHERE id = ? AND project_id = ?"
  )
  const logged = ({ messageId }: ScannedDelivery) =>
    (messages.get(messageId, projectId) as LogFilterMessage | undefined) ?? { subject: "", templateId: null }
  const [sql, values] = logSearch(search)
  const rows = connection.statement(sql).iterate(...values, scanLimit + 1)
  const { found, last } = scanRows(
    rows,
    (row) => row as ScannedDelivery,
    { limit, scanLimit },
    (row) => logFiltersMatch(filters, row, () => logged(row))
  )
  return {
    items: found.map((one) => summaryOf(one, logged(one).subject)),
    next: last === undefined ? null : { createdAt: last.createdAt, id: last.id }
  }
}

/** One page of the suppressions, by address. */
export const suppressionPage = (
  connection: Prepared,
  { projectId, search, addressPart, now, after, limit, scanLimit }: QueryOf<"SuppressionPage">
): AnswerOf<"SuppressionPage"> => {
  const sql = suppressions.select(
    "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?"
  )
  const rows = connection.statement(sql).iterate(projectId, after ?? "", scanLimit + 1)
  const { found, last } = scanRows(
    rows,
    suppressions.fromRow,
    { limit, scanLimit },
    (one) =>
      suppressedFor(one, now) !== null &&
      (search === null || containsPart(one.address!, foldedAddressParts(search, addressPart)))
  )
  return { items: found, next: last?.address ?? null }
}

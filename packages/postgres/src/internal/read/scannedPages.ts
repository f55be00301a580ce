/**
 * Pages of a scan of rows: the delivery log and the suppressions. The server examines at most `scanLimit` rows, and stops at the end of the page.
 */
import type {
  AnswerOf,
  DeliverySummary,
  LogFilters,
  Position,
  QueryOf,
  SuppressionRecord
} from "@mailkeep/core/adapter"
import {
  foldedAddressParts,
  foldedParts,
  indexedStatusOf,
  temporarySuppressionMillis
} from "@mailkeep/core/adapter/evaluation"
import { suppressions } from "../tables.ts"
import { containsSql, foldedColumn } from "./folding.ts"
import { afterPosition, newestFirst } from "./pages.ts"
import type { Building, Reading } from "./reading.ts"
import { eachOneOrNull, rowSql, rowsOf, rowsSql } from "./reading.ts"

interface ScannedPage {
  /** A `SELECT` of the rows in the order of the scan, without a limit. */
  readonly rows: string
  /** A `SELECT` of only the position of each row, in the same order. */
  readonly positions: string
  /** The condition of a match, for a row with the alias `examined`. */
  readonly matches: ReadonlyArray<string>
  /** The joins that the condition needs. */
  readonly joins: string
  /** The order, for a row with the alias `examined`. */
  readonly order: string
  /** The fields of an item, for a match with the alias `one`, and its joins. */
  readonly items: string
}

/**
 * The first `limit` + 1 matches among the first `scanLimit` rows. When there are fewer, also the positions of the last examined row and of the row
 * after it.
 */
const scannedPageSql = (
  building: Building,
  { limit, scanLimit }: { readonly limit: number; readonly scanLimit: number },
  { rows, positions, matches, joins, order, items }: ScannedPage
): string => {
  const where = matches.length === 0 ? "" : `WHERE ${matches.join(" AND ")}`
  const most = building.parameter(scanLimit)
  const atMost = building.parameter(limit + 1)
  const found = `SELECT examined.* FROM (${rows} LIMIT ${most}) AS examined ${joins} ${where} ${order} LIMIT ${atMost}`
  const end = rowsSql(`${positions} OFFSET ${building.parameter(Math.max(0, scanLimit - 1))} LIMIT 2`)
  return rowSql(
    `WITH matching AS MATERIALIZED (${found})
SELECT ${rowsSql(items)} AS items, CASE WHEN (SELECT count(*) FROM matching) < ${atMost}::bigint THEN ${end} END AS end`
  )
}

/** The items of a page, and the position after which the next page continues. */
const readScannedPage = <A, P>(
  value: unknown,
  limit: number,
  positionOf: (item: A) => P
): { readonly items: ReadonlyArray<A>; readonly next: P | null } => {
  const page = value as { readonly items: unknown; readonly end: unknown }
  const found = rowsOf<A>(page.items)
  const items = found.slice(0, limit)
  if (found.length > limit) return { items, next: positionOf(items.at(-1)!) }
  const [examined, more] = rowsOf<A>(page.end)
  return { items, next: more === undefined ? null : positionOf(examined!) }
}

const boundsOf = (building: Building, projectId: string, filters: LogFilters, after: Position | null): string => {
  const status = indexedStatusOf(filters)
  return [
    `one.project_id = ${building.parameter(projectId)}`,
    // As a literal, so that the server sees that a partial index contains the rows.
    ...(status === null ? [] : [`one.status = '${status}'`]),
    ...(status === "sending" ? ["one.due_at IS NOT NULL"] : []),
    ...(filters.address === null ? [] : [`one.address = ${building.parameter(filters.address)}`]),
    ...(filters.contactId === null ? [] : [`one.contact_id = ${building.parameter(filters.contactId)}`]),
    ...(filters.startDate === null ? [] : [`one.created_at >= ${building.parameter(filters.startDate)}`]),
    ...(filters.endDate === null ? [] : [`one.created_at <= ${building.parameter(filters.endDate)}`]),
    ...afterPosition(building, "one.created_at, one.id", after)
  ].join(" AND ")
}

const searchSql = (building: Building, search: string, recipientPart: string | null): string => {
  const text = building.parameter(search)
  const parts = foldedParts(search).map(building.parameter)
  const recipientParts = foldedAddressParts(search, recipientPart).map(building.parameter)
  const subject = `coalesce(${foldedColumn("message.subject")}, '')`
  return `(examined.id = ${text} OR examined.message_id = ${text} OR ${containsSql(foldedColumn("examined.recipient"), recipientParts)} OR ${containsSql(subject, parts)})`
}

/** One page of the delivery log, newest first. */
export const logPage = (
  building: Building,
  { projectId, filters, after, limit, scanLimit }: QueryOf<"LogPage">
): Reading<AnswerOf<"LogPage">> => {
  const { status, source, search, recipientPart, templateId } = filters
  const from = `FROM ${building.table("deliveries")} AS one WHERE ${boundsOf(building, projectId, filters, after)} ${newestFirst("one")}`
  const message = (delivery: string) =>
    eachOneOrNull(
      `SELECT m.subject, m.subject_folded, m.template_id FROM ${building.table("messages")} AS m WHERE m.project_id = ${building.parameter(projectId)} AND m.id = ${delivery}.message_id`,
      "message"
    )
  const sql = scannedPageSql(
    building,
    { limit, scanLimit },
    {
      rows: `SELECT one.id, one.created_at, one.recipient, one.recipient_folded, one.status, one.scheduled_at, one.source, one.message_id ${from}`,
      positions: `SELECT one.created_at AS "createdAt", one.id ${from}`,
      matches: [
        ...(status === null ? [] : [`examined.status = ${building.parameter(status)}`]),
        ...(source === null ? [] : [`examined.source = ${building.parameter(source)}`]),
        ...(templateId === null ? [] : [`message.template_id = ${building.parameter(templateId)}`]),
        ...(search === null ? [] : [searchSql(building, search, recipientPart)])
      ],
      joins: templateId === null && search === null ? "" : message("examined"),
      order: newestFirst("examined"),
      items: `SELECT one.id, one.created_at AS "createdAt", one.recipient, coalesce(message.subject, '') AS subject, one.status, one.scheduled_at AS "scheduledAt" FROM matching AS one ${message("one")} ${newestFirst("one")}`
    }
  )
  return {
    sql,
    read: (value) =>
      readScannedPage<DeliverySummary, Position>(value, limit, ({ createdAt, id }) => ({ createdAt, id }))
  }
}

/** Whether a suppression applies: `suppressedFor` in SQL. */
const appliesSql = (building: Building, now: number): string =>
  `(examined.reasons::jsonb - 'temporary_failure' <> '{}' OR (examined.reasons ->> 'temporary_failure')::bigint > ${building.parameter(now - temporarySuppressionMillis)}::bigint)`

/** One page of the suppressions, by address. */
export const suppressionPage = (
  building: Building,
  { projectId, search, addressPart, now, after, limit, scanLimit }: QueryOf<"SuppressionPage">
): Reading<AnswerOf<"SuppressionPage">> => {
  const from = `FROM ${building.table(suppressions.name)} AS one WHERE one.project_id = ${building.parameter(projectId)} AND one.address IS NOT NULL${after === null ? "" : ` AND one.address > ${building.parameter(after)}`} ORDER BY one.address`
  const sql = scannedPageSql(
    building,
    { limit, scanLimit },
    {
      rows: `SELECT * ${from}`,
      positions: `SELECT one.address ${from}`,
      matches: [
        appliesSql(building, now),
        ...(search === null
          ? []
          : [containsSql("examined.address", foldedAddressParts(search, addressPart).map(building.parameter))])
      ],
      joins: "",
      order: "ORDER BY examined.address",
      items: `SELECT ${suppressions.columns("one")} FROM matching AS one ORDER BY one.address`
    }
  )
  return {
    sql,
    read: (value) => readScannedPage<SuppressionRecord, string>(value, limit, ({ address }) => address!)
  }
}

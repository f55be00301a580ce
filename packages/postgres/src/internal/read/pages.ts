/**
 * The order newest first, and pages by page number.
 */
import type { Found, PageRequest, Position } from "@mailkeep/core/adapter"
import type { RecordTable } from "../recordTable.ts"
import type { Building, Reading } from "./reading.ts"
import { rowsOf, rowsSql, select } from "./reading.ts"

export const newestFirst = (alias: string): string => `ORDER BY ${alias}.created_at DESC, ${alias}.id DESC`

/** The condition of the rows after a position, newest first: none without a position. */
export const afterPosition = (building: Building, columns: string, after: Position | null): ReadonlyArray<string> =>
  after === null
    ? []
    : [`(${columns}) < (${building.parameter(after.createdAt)}::bigint, ${building.parameter(after.id)})`]

/** One page of the matching records, newest first, and their number. */
export const pageReading = <R>(
  building: Building,
  table: RecordTable<R>,
  where: string,
  { page, limit }: PageRequest
): Reading<Found<R>> => {
  const skip = Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit)
  const bounds = `LIMIT ${building.parameter(limit)} OFFSET ${building.parameter(skip)}`
  const items = rowsSql(select(building, table, `WHERE ${where} ${newestFirst("one")} ${bounds}`))
  const total = `(SELECT count(*) FROM ${building.table(table.name)} AS one WHERE ${where})`
  return {
    sql: `json_build_object('items', ${items}, 'total', ${total})`,
    read: (value) => {
      const { items, total } = value as { readonly items: unknown; readonly total: number }
      return { items: rowsOf<R>(items), total }
    }
  }
}

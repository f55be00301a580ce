/**
 * Reads contacts: pages from an index, and parts of a scan. The server evaluates a search. The filter of a segment is evaluated here, so the rows of
 * the part that its other filters match are sent.
 */
import type { AnswerOf, ContactRecord, QueryOf } from "@mailkeep/core/adapter"
import { compileContactFilters, foldedAddressParts, foldedParts } from "@mailkeep/core/adapter/evaluation"
import { contacts } from "../tables.ts"
import { containsSql } from "./folding.ts"
import { afterPosition, newestFirst } from "./pages.ts"
import type { Building, Reading } from "./reading.ts"
import { eachOne, rowSql, rowsOf, rowsSql } from "./reading.ts"
import { searchKeysOfParts } from "./searchKeys.ts"

/** The most matches of the index of texts that one query reads. A search with more matches is a scan of the contacts. */
const textMatchesMax = 50_000

type Listing = Pick<QueryOf<"ContactPage">, "emailStatus" | "after">

/** The contacts of the project or of one status, newest first, without a limit. */
const rowsOfProject = (building: Building, project: string, columns: string, listing: Listing): string => {
  const where = [
    `one.project_id = ${project}`,
    ...(listing.emailStatus === null ? [] : [`one.email_status = ${building.parameter(listing.emailStatus)}`]),
    ...afterPosition(building, "one.created_at, one.id", listing.after)
  ]
  return `SELECT ${columns} FROM ${building.table(contacts.name)} AS one WHERE ${where.join(" AND ")} ${newestFirst("one")}`
}

/** The ids and times of the contacts on a list, newest first, without a limit. */
const idsOnList = (building: Building, project: string, listId: string, after: Listing["after"]): string => {
  const where = [
    `entry.project_id = ${project}`,
    `entry.list_id = ${building.parameter(listId)}`,
    ...afterPosition(building, "entry.created_at, entry.contact_id", after)
  ]
  return `SELECT entry.contact_id AS id, entry.created_at FROM ${building.table("contacts_on_lists")} AS entry WHERE ${where.join(" AND ")} ORDER BY entry.created_at DESC, entry.contact_id DESC`
}

/** The contacts with the ids of a `SELECT`, in its order. The alias of a contact is `one`, and that of a row of the `SELECT` is `listed`. */
const joinedSql = (building: Building, project: string, ids: string, columns: string): string =>
  `(${ids}) AS listed ${eachOne(`SELECT ${columns} FROM ${building.table(contacts.name)} AS one WHERE one.project_id = ${project} AND one.id = listed.id`, "one")}`

/** One page of a listing, newest first. Only the rows of the page are read, and for the others the index. */
export const contactPage = (building: Building, query: QueryOf<"ContactPage">): Reading<AnswerOf<"ContactPage">> => {
  const { listId, after, skip, limit } = query
  const project = building.parameter(query.projectId)
  const ids =
    listId === null
      ? rowsOfProject(building, project, "one.id, one.created_at", query)
      : idsOnList(building, project, listId, after)
  const page = `${ids} LIMIT ${building.parameter(limit)} OFFSET ${building.parameter(skip)}`
  return {
    sql: rowsSql(
      `SELECT one.* FROM ${joinedSql(building, project, page, contacts.columns("one"))} ${newestFirst("listed")}`
    ),
    read: rowsOf<ContactRecord>
  }
}

/** What the parts of the statement of a scan share. */
interface Scanning {
  readonly building: Building
  readonly query: QueryOf<"ContactScan">
  readonly project: string
  /** The columns of a match. */
  readonly columns: string
  /** The filters by status and search, for a contact with the alias `one`. */
  readonly filters: ReadonlyArray<string>
}

/** A scan of the contacts of an index: the first `scanLimit`, numbered, and one more if there is one. */
const scannedSql = ({ building, query, project, columns }: Scanning): string => {
  const { filters, after, scanLimit } = query
  const limit = building.parameter(scanLimit + 1)
  const read = `${columns}, search_email, search_name`
  const number = (alias: string) => `row_number() OVER (${newestFirst(alias)}) AS number`
  if (filters.listId !== null) {
    const ids = `${idsOnList(building, project, filters.listId, after)} LIMIT ${limit}`
    return `SELECT one.*, ${number("listed")} FROM ${joinedSql(building, project, ids, read)}`
  }
  const rows = rowsOfProject(building, project, read, { emailStatus: filters.emailStatus, after })
  return `SELECT *, ${number("rows")} FROM (${rows} LIMIT ${limit}) AS rows`
}

/** The matches that the index of texts finds, or one more than `most`. */
const indexedSql = (
  { building, query, project, columns, filters }: Scanning,
  keys: ReadonlyArray<ReadonlyArray<number>>,
  most: number
): string => {
  const { listId } = query.filters
  const where = [
    // As a query, so that the server does not take the project for a small one of which its statistics do not know yet, and reads all its contacts.
    `one.project_id = (SELECT ${project})`,
    // The operator of the server. The extension `intarray` has one of the same name for these types, which cannot use the index.
    `(${keys.map((ofPart) => `one.search_keys OPERATOR(pg_catalog.@>) ${building.parameter(ofPart)}::integer[]`).join(" OR ")})`,
    ...filters,
    ...(listId === null
      ? []
      : [
          `EXISTS (SELECT FROM ${building.table("contacts_on_lists")} AS entry WHERE entry.project_id = ${project} AND entry.list_id = ${building.parameter(listId)} AND entry.created_at = one.created_at AND entry.contact_id = one.id)`
        ])
  ]
  return `SELECT ${columns} FROM ${building.table(contacts.name)} AS one WHERE ${where.join(" AND ")} LIMIT ${building.parameter(most + 1)}`
}

/** The common table expressions of a scan. The last has the matches of the part; `scanned` is empty when the index has found all matches. */
const tablesOf = (scanning: Scanning, parts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { building, query, columns, filters } = scanning
  const matching = `SELECT ${columns} FROM scanned AS one WHERE ${[`one.number <= ${building.parameter(query.scanLimit)}`, ...filters].join(" AND ")}`
  const keys = query.after !== null ? undefined : searchKeysOfParts(query.projectId, parts)
  if (keys === undefined)
    return [`scanned AS MATERIALIZED (${scannedSql(scanning)})`, `matching AS MATERIALIZED (${matching})`]
  const most = query.filters.segment === null ? textMatchesMax : query.scanLimit
  return [
    `indexed AS MATERIALIZED (${indexedSql(scanning, keys, most)})`,
    `few AS MATERIALIZED (SELECT count(*) <= ${building.parameter(most)} AS few FROM indexed)`,
    `scanned AS MATERIALIZED (${scannedSql(scanning)} WHERE NOT (SELECT few FROM few))`,
    `matching AS MATERIALIZED (SELECT ${columns} FROM indexed WHERE (SELECT few FROM few) UNION ALL ${matching})`
  ]
}

/** All fields of a contact are columns of the table with these names. */
const allColumns = contacts.targets()

/**
 * One part of a scan. Its first part asks the index of texts: if that finds few matches, the part is the whole scan. A later part is only asked for
 * when the index has found too many.
 */
export const contactScan = (building: Building, query: QueryOf<"ContactScan">): Reading<AnswerOf<"ContactScan">> => {
  const { projectId, skip, limit, scanLimit } = query
  const { search, emailPart, emailStatus, segment } = query.filters
  const isSearch = search !== null && search !== ""
  const parts = isSearch ? foldedAddressParts(search, emailPart) : []
  const project = building.parameter(projectId)
  const inEmail = parts.map(building.parameter)
  // The parts of the search itself are the first ones.
  const inName = isSearch ? inEmail.slice(0, foldedParts(search).length) : []
  const filters = [
    ...(emailStatus === null ? [] : [`one.email_status = ${building.parameter(emailStatus)}`]),
    ...(parts.length === 0
      ? []
      : [`(${containsSql("one.search_email", inEmail)} OR ${containsSql("one.search_name", inName)})`])
  ]
  const columns = segment === null ? "id, created_at, email_status" : allColumns
  const tables = tablesOf({ building, query, project, columns, filters }, parts)
  const page = () =>
    `SELECT one.id, one.created_at FROM matching AS one ${newestFirst("one")} LIMIT ${building.parameter(limit)} OFFSET ${building.parameter(skip)}`
  const record = contacts.columns("one")
  const items =
    segment === null
      ? `SELECT one.* FROM ${joinedSql(building, project, page(), record)} ${newestFirst("listed")}`
      : `SELECT ${record} FROM matching AS one ${newestFirst("one")}`
  const number = building.parameter(scanLimit)
  const next = `SELECT one.created_at AS "createdAt", one.id FROM scanned AS one WHERE one.number = ${number} AND EXISTS (SELECT FROM scanned AS later WHERE later.number > ${number})`
  return {
    sql: rowSql(
      `WITH ${tables.join(", ")} SELECT ${rowsSql(items)} AS items, (SELECT count(*) FROM matching) AS matches, ${rowSql(next)} AS next`
    ),
    read: (value) => readScan(value as Scan, query)
  }
}

interface Scan {
  readonly items: unknown
  readonly matches: number
  readonly next: AnswerOf<"ContactScan">["next"]
}

const readScan = (
  { items, matches, next }: Scan,
  { filters: { segment }, skip, limit }: QueryOf<"ContactScan">
): AnswerOf<"ContactScan"> => {
  const found = rowsOf<ContactRecord>(items)
  if (segment === null) return { items: found, matches, next }
  const matching = found.filter(
    compileContactFilters({ search: null, emailPart: null, emailStatus: null, listId: null, segment })
  )
  return { items: matching.slice(skip, skip + limit), matches: matching.length, next }
}

/**
 * Reads contacts: pages from an index, and parts of a scan. The server evaluates a search. The filter of a segment is evaluated here, so the rows of
 * the part that its other filters match are sent.
 */
import type { AnswerOf, ContactFilters, ContactRecord, QueryOf } from "@mailkeep/core/adapter"
import { caseFold, compileContactFilters } from "@mailkeep/core/adapter/evaluation"
import { contacts } from "../tables.ts"
import { containsSql } from "./folding.ts"
import { afterPosition, newestFirst } from "./pages.ts"
import type { Building, Reading } from "./reading.ts"
import { rowSql, rowsOf, rowsSql } from "./reading.ts"
import { searchKeysOfPart } from "./searchKeys.ts"

/** The most matches of the index of texts that one query reads. A search with more matches is a walk over the contacts. */
const textMatchesMax = 50_000

/** The ids of the contacts of a listing, newest first, from the index of the listing. The position of each has the names `created_at` and `id`. */
const idsOf = (
  building: Building,
  project: string,
  { emailStatus, listId, after }: Pick<QueryOf<"ContactPage">, "emailStatus" | "listId" | "after">
): string => {
  if (listId !== null) {
    const where = [
      `entry.project_id = ${project}`,
      `entry.list_id = ${building.parameter(listId)}`,
      ...afterPosition(building, "entry.created_at, entry.contact_id", after)
    ]
    return `SELECT entry.contact_id AS id, entry.created_at FROM ${building.table("contacts_on_lists")} AS entry WHERE ${where.join(" AND ")} ORDER BY entry.created_at DESC, entry.contact_id DESC`
  }
  const where = [
    `entry.project_id = ${project}`,
    ...(emailStatus === null ? [] : [`entry.email_status = ${building.parameter(emailStatus)}`]),
    ...afterPosition(building, "entry.created_at, entry.id", after)
  ]
  return `SELECT entry.id, entry.created_at FROM ${building.table("contacts")} AS entry WHERE ${where.join(" AND ")} ${newestFirst("entry")}`
}

/** The contacts with the ids of a table expression with the alias `listed`. */
const joined = (building: Building, project: string, listed: string): string =>
  `${listed} JOIN ${building.table("contacts")} AS one ON one.id = listed.id AND one.project_id = ${project}`

/** One page of a listing, newest first. Only the rows of the page are read, and for the others the index. */
export const contactPage = (building: Building, query: QueryOf<"ContactPage">): Reading<AnswerOf<"ContactPage">> => {
  const project = building.parameter(query.projectId)
  const bounds = `LIMIT ${building.parameter(query.limit)} OFFSET ${building.parameter(query.skip)}`
  const listed = `(${idsOf(building, project, query)} ${bounds}) AS listed`
  return {
    sql: rowsSql(`SELECT ${contacts.columns("one")} FROM ${joined(building, project, listed)} ${newestFirst("one")}`),
    read: rowsOf<ContactRecord>
  }
}

const containsPart = (part: string): string =>
  `(${containsSql("one.search_email", part)} OR ${containsSql("one.search_name", part)})`

/** The filters that the index of the walk does not evaluate, for a contact with the alias `one`. */
const restOf = (
  building: Building,
  project: string,
  { emailStatus, listId }: ContactFilters,
  part: string | null
): ReadonlyArray<string> => [
  ...(emailStatus === null ? [] : [`one.email_status = ${building.parameter(emailStatus)}`]),
  ...(listId === null
    ? []
    : [
        `EXISTS (SELECT FROM ${building.table("contacts_on_lists")} AS entry WHERE entry.project_id = ${project} AND entry.list_id = ${building.parameter(listId)} AND entry.created_at = one.created_at AND entry.contact_id = one.id)`
      ]),
  ...(part === null ? [] : [containsPart(building.parameter(part))])
]

/** A walk over the contacts of an index: the first `scanLimit`, numbered, and one more if there is one. */
const walkedSql = (
  building: Building,
  project: string,
  { filters, after, scanLimit }: QueryOf<"ContactScan">,
  gate: string
): string => {
  const ids = idsOf(building, project, { ...filters, after })
  return `SELECT walked.id, walked.created_at, row_number() OVER (${newestFirst("walked")}) AS number FROM (${ids} LIMIT ${building.parameter(scanLimit + 1)}) AS walked ${gate}`
}

/** The matches that the index of texts finds, or one more than `most`. */
const indexedSql = (
  building: Building,
  project: string,
  keys: ReadonlyArray<number>,
  rest: ReadonlyArray<string>,
  most: number
): string =>
  `SELECT one.id, one.created_at FROM ${building.table("contacts")} AS one WHERE one.project_id = ${project} AND one.search_keys @> ${building.parameter(keys)}::integer[] AND ${rest.join(" AND ")} LIMIT ${building.parameter(most + 1)}`

interface Scan {
  readonly items: unknown
  readonly matches: number
  readonly next: AnswerOf<"ContactScan">["next"]
}

/**
 * One part of a scan. Its first part asks the index of texts: if that finds few matches, the part is the whole scan. A later part is only asked for
 * when the index has found too many.
 */
export const contactScan = (building: Building, query: QueryOf<"ContactScan">): Reading<AnswerOf<"ContactScan">> => {
  const { projectId, filters, after, skip, limit, scanLimit } = query
  const { search, segment } = filters
  const part = search === null || search === "" ? null : caseFold(search)
  const project = building.parameter(projectId)
  const rest = restOf(building, project, filters, part)
  const keys = part === null || after !== null ? undefined : searchKeysOfPart(projectId, part)
  const most = segment === null ? textMatchesMax : scanLimit
  const number = building.parameter(scanLimit)
  const indexed =
    keys === undefined
      ? []
      : [
          `indexed AS MATERIALIZED (${indexedSql(building, project, keys, rest, most)})`,
          `few AS MATERIALIZED (SELECT count(*) <= ${building.parameter(most)} AS few FROM indexed)`
        ]
  const walked = walkedSql(building, project, query, keys === undefined ? "" : "WHERE NOT (SELECT few FROM few)")
  const walkedMatches = `SELECT listed.id, listed.created_at FROM ${
    rest.length === 0 ? "walked AS listed" : joined(building, project, "walked AS listed")
  } WHERE ${["listed.number <= " + number, ...rest].join(" AND ")}`
  const matching =
    keys === undefined
      ? walkedMatches
      : `SELECT indexed.id, indexed.created_at FROM indexed WHERE (SELECT few FROM few) UNION ALL ${walkedMatches}`
  const bounds = segment === null ? ` LIMIT ${building.parameter(limit)} OFFSET ${building.parameter(skip)}` : ""
  const listed = `(SELECT matching.id FROM matching ${newestFirst("matching")}${bounds}) AS listed`
  const items = `SELECT ${contacts.columns("one")} FROM ${joined(building, project, listed)} ${newestFirst("one")}`
  const next = rowSql(
    `SELECT walked.created_at AS "createdAt", walked.id FROM walked WHERE walked.number = ${number} AND EXISTS (SELECT FROM walked AS later WHERE later.number > ${number})`
  )
  const tables = [...indexed, `walked AS MATERIALIZED (${walked})`, `matching AS MATERIALIZED (${matching})`]
  return {
    sql: rowSql(
      `WITH ${tables.join(", ")} SELECT ${rowsSql(items)} AS items, (SELECT count(*) FROM matching) AS matches, ${next} AS next`
    ),
    read: (value) => readScan(value as Scan, query)
  }
}

const readScan = ({ items, matches, next }: Scan, { filters, skip, limit }: QueryOf<"ContactScan">) => {
  const found = rowsOf<ContactRecord>(items)
  const { segment } = filters
  if (segment === null) return { items: found, matches, next }
  const matching = found.filter(compileContactFilters({ search: null, emailStatus: null, listId: null, segment }))
  return { items: matching.slice(skip, skip + limit), matches: matching.length, next }
}

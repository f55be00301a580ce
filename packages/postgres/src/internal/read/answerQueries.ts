/**
 * Answers a list of queries with one statement: from one state, in one round trip, without a transaction.
 */
import { constants } from "node:buffer"
import type { AnswerOf, Answers, EventWithDeliveries, Query, QueryOf, QueryTag } from "@mailkeep/core/adapter"
import { caseFold } from "@mailkeep/core/adapter/evaluation"
import type { Database } from "../database.ts"
import { failUnless } from "../sqlStates.ts"
import { readAtOnce } from "../transactions.ts"
import {
  apiKeys,
  attempts,
  deliveries,
  domains,
  eventDeliveries,
  events,
  messages,
  projects,
  resources
} from "../tables.ts"
import { contactPage, contactScan } from "./contactQueries.ts"
import { containsSql } from "./folding.ts"
import type { LookupTag } from "./lookups.ts"
import { isLookup, lookupGroup, lookupReading } from "./lookups.ts"
import { afterPosition, newestFirst, pageReading } from "./pages.ts"
import type { Building, Reading } from "./reading.ts"
import { makeBuilding, recordReading, recordsReading, rowsOf, rowsSql } from "./reading.ts"
import { fromHex, recordPage, recordsByKey } from "./recordPages.ts"
import { usageAudit } from "./usageAudit.ts"
import { logPage, suppressionPage } from "./scannedPages.ts"
import { backlog, leasesSetAfter, nextDue, pendingEventDeliveries, workHealth } from "./workQueries.ts"

/** The condition that each column has its value. */
const where = (building: Building, values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([column, value]) => `one.${column} = ${building.parameter(value)}`)
    .join(" AND ")

const scalar = <A>(sql: string): Reading<A> => ({ sql, read: (value) => value as A })

const ofParent = (building: Building, { projectId, kind, parent }: Omit<QueryOf<"ResourceCount">, "_tag">): string =>
  where(building, { project_id: projectId, kind, parent })

const readings: {
  readonly [T in Exclude<QueryTag, LookupTag>]: (building: Building, query: QueryOf<T>) => Reading<AnswerOf<T>>
} = {
  Setting: (building, { name }) =>
    scalar(
      `(SELECT to_json(one.value) FROM ${building.table("settings")} AS one WHERE one.name = ${building.parameter(name)})`
    ),
  Projects: (building) => recordsReading(building, projects, "ORDER BY one.id"),
  ApiKeyByPublicId: (building, { publicId }) =>
    recordReading(building, apiKeys, where(building, { public_id: publicId })),
  ApiKeys: (building, { projectId }) =>
    recordsReading(
      building,
      apiKeys,
      `WHERE ${where(building, { project_id: projectId })} ORDER BY one.created_at, one.id`
    ),
  DomainsDue: (building, { now, limit }) =>
    recordsReading(
      building,
      domains,
      `WHERE one.next_check_at <= ${building.parameter(now)} ORDER BY one.next_check_at, one.id LIMIT ${building.parameter(limit)}`
    ),
  DomainPage: (building, { projectId, filters: { status, search, names }, page }) =>
    pageReading(
      building,
      domains,
      [
        where(building, { project_id: projectId, ...(status === null ? {} : { status }) }),
        ...(search === null ? [] : [containsSql("one.domain", [building.parameter(caseFold(search))])]),
        ...(names === null ? [] : [`one.domain = ANY (${building.parameter(names)}::text[])`])
      ].join(" AND "),
      page
    ),
  ContactPage: contactPage,
  ContactScan: contactScan,
  ResourceNamed: (building, { projectId, kind, parent, name }) =>
    recordReading(building, resources, where(building, { project_id: projectId, kind, parent, name })),
  ResourceCount: (building, query) =>
    scalar(`(SELECT count(*) FROM ${building.table(resources.name)} AS one WHERE ${ofParent(building, query)})`),
  ResourcePage: (building, query) => pageReading(building, resources, ofParent(building, query), query.page),
  Resources: (building, query) =>
    recordsReading(
      building,
      resources,
      `WHERE ${[ofParent(building, query), ...afterPosition(building, "one.created_at, one.id", query.after)].join(" AND ")} ${newestFirst("one")} LIMIT ${building.parameter(query.limit)}`
    ),
  SuppressionPage: suppressionPage,
  MessagesBefore: (building, { before, after, limit }) =>
    recordsReading(
      building,
      messages,
      `WHERE one.created_at < ${building.parameter(before)}${after === null ? "" : ` AND (one.created_at, one.id) > (${building.parameter(after.createdAt)}, ${building.parameter(after.id)})`} ORDER BY one.created_at, one.id LIMIT ${building.parameter(limit)}`
    ),
  ContentChunk: (building, { projectId, hash, chunk }) => ({
    sql: `(SELECT to_json(encode(one.bytes, 'hex')) FROM ${building.table("contents")} AS one WHERE ${where(building, { project_id: projectId, hash })} AND one.chunk = ${building.parameter(chunk)})`,
    read: (value) => (value === null ? null : fromHex(value as string))
  }),
  DeliveriesOfMessage: (building, { projectId, messageId }) =>
    recordsReading(
      building,
      deliveries,
      `WHERE ${where(building, { project_id: projectId, message_id: messageId })} ORDER BY one.id`
    ),
  Attempts: (building, { projectId, deliveryId }) =>
    recordsReading(
      building,
      attempts,
      `WHERE ${where(building, { project_id: projectId, delivery_id: deliveryId })} ORDER BY one.number`
    ),
  LogPage: logPage,
  Events: (building, { projectId, after, limit }) =>
    recordsReading(
      building,
      events,
      `WHERE ${where(building, { project_id: projectId })} AND one.id > ${building.parameter(after ?? "")} ORDER BY one.id LIMIT ${building.parameter(limit)}`
    ),
  EventsOfDelivery: (building, { projectId, deliveryId }) => {
    const bound = where(building, { project_id: projectId, delivery_id: deliveryId })
    const sent = `SELECT ${eventDeliveries.columns("sent")} FROM ${building.table(eventDeliveries.name)} AS sent WHERE sent.event_id = one.id AND sent.project_id = ${building.parameter(projectId)} ORDER BY sent.id`
    return {
      sql: rowsSql(
        `SELECT (SELECT row_to_json(event) FROM (SELECT ${events.columns("one")}) AS event) AS event, ${rowsSql(sent)} AS "eventDeliveries" FROM ${building.table(events.name)} AS one WHERE ${bound} ORDER BY one.id`
      ),
      read: (value) =>
        rowsOf<EventWithDeliveries>(value).map(({ event, eventDeliveries }) => ({
          event,
          eventDeliveries: rowsOf(eventDeliveries)
        }))
    }
  },
  UndistributedEvents: (building, { limit }) => ({
    sql: rowsSql(
      `SELECT ${events.columns("one")} FROM (SELECT waiting.project_id, waiting.event_id FROM ${building.table("undistributed_events")} AS waiting ORDER BY waiting.event_id LIMIT ${building.parameter(limit)}) AS waiting CROSS JOIN LATERAL (SELECT found.* FROM ${building.table(events.name)} AS found WHERE (found.project_id, found.id) = (waiting.project_id, waiting.event_id) LIMIT 1) AS one ORDER BY one.id`
    ),
    read: rowsOf
  }),
  EventDeliveryPage: (building, { projectId, subscriber, after, limit }) =>
    recordsReading(
      building,
      eventDeliveries,
      `WHERE ${[where(building, { project_id: projectId, subscriber }), ...afterPosition(building, "one.created_at, one.id", after)].join(" AND ")} ${newestFirst("one")} LIMIT ${building.parameter(limit)}`
    ),
  PendingEventDeliveries: pendingEventDeliveries,
  NextDue: nextDue,
  LeasesSetAfter: leasesSetAfter,
  Backlog: backlog,
  WorkHealth: workHealth,
  Records: recordPage,
  RecordsByKey: recordsByKey,
  UsageAudit: usageAudit
}

/** A part of the statement, and the queries that it answers, by their places in the call. */
interface Part {
  readonly sql: string
  readonly answers: (value: unknown) => ReadonlyArray<readonly [at: number, answer: unknown]>
}

const partsOf = (
  building: Building,
  queries: ReadonlyArray<Query>,
  bodyBytesMax: number | undefined
): ReadonlyArray<Part> => {
  const lookups = Map.groupBy(
    queries.flatMap((query, at) => (isLookup(query) ? [{ query, at }] : [])),
    ({ query }) => lookupGroup(query)
  )
  return [
    ...[...lookups.values()].map((group): Part => {
      const [first, ...others] = group.map(({ query }) => query)
      const { sql, read } = lookupReading(building, [first!, ...others], bodyBytesMax)
      return {
        sql,
        answers: (value) => {
          const answers = read(value)
          return group.map(({ at }, n) => [at, answers[n]])
        }
      }
    }),
    ...queries.flatMap((query, at): ReadonlyArray<Part> => {
      if (isLookup(query)) return []
      const reading = readings[query._tag] as (building: Building, query: Query) => Reading<unknown>
      const { sql, read } = reading(building, query)
      return [{ sql, answers: (value) => [[at, read(value)]] }]
    })
  ]
}

interface AnswerRow {
  readonly column1: number
  readonly column2: string | null
}

/** What an answer may have. */
interface AnswerBounds {
  /** Of one part as JSON. The driver would throw in the event loop for a text that this process cannot have, and the process would end. */
  readonly bytesMax?: number
  /** Of the bodies of all messages that are looked up. No bound if it is absent. */
  readonly bodyBytesMax?: number | undefined
}

/**
 * The statement that answers queries. Each row has the number of a part and its JSON: a row of columns would have a limit of 1,664 parts. Fails as
 * `isTooLarge` above a bound.
 */
export const readStatement = (
  schema: string,
  queries: ReadonlyArray<Query>,
  { bytesMax = constants.MAX_STRING_LENGTH, bodyBytesMax }: AnswerBounds = {}
) => {
  const building = makeBuilding(schema)
  const parts = partsOf(building, queries, bodyBytesMax)
  const partRows = `VALUES ${parts.map(({ sql }, n) => `(${n}, (${sql})::text)`).join(", ")}`
  return {
    // With the offset, the server makes each JSON once and not again for its length.
    sql: `SELECT column1, column2, ${failUnless(`octet_length(column2) <= ${bytesMax}`)} FROM (${partRows} OFFSET 0) AS parts`,
    values: building.values,
    answersOf: (rows: ReadonlyArray<AnswerRow>): ReadonlyArray<unknown> => {
      const answers: Array<unknown> = []
      for (const { column1, column2 } of rows)
        for (const [at, answer] of parts[column1]!.answers(column2 === null ? null : (JSON.parse(column2) as unknown)))
          answers[at] = answer
      return answers
    }
  }
}

/** Answers the queries from one state. */
export const answerQueries = async <const Qs extends ReadonlyArray<Query>>(
  database: Database,
  schema: string,
  queries: Qs,
  bodyBytesMax?: number
): Promise<Answers<Qs>> => {
  if (queries.length === 0) return [] as ReadonlyArray<unknown> as Answers<Qs>
  const { sql, values, answersOf } = readStatement(schema, queries, { bodyBytesMax })
  // A search of contacts has one plan for rare and another for frequent words.
  const plan = queries.some(({ _tag }) => _tag === "ContactScan") ? "for these values" : "for all values"
  return answersOf(await readAtOnce<AnswerRow>(database, sql, values, plan)) as Answers<Qs>
}

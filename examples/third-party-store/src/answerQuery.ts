/**
 * Answers one query. SQL selects a bounded part of the records. The longer queries then pass this part to the reference
 * function of the core, so that texts are compared as in every other store.
 */
import type { SQLInputValue } from "node:sqlite"
import * as Mail from "@mailkeep/core/adapter"
import { isFree } from "./claims.ts"
import { contentChunk, messagesBefore } from "./contents.ts"
import type { Kind, RecordTables, Records } from "./records.ts"
import { recordPage, recordsByKey } from "./storedRecords.ts"

type Where = readonly [sql: string, ...values: ReadonlyArray<SQLInputValue>]

/** The records of a project after a position, newest first. */
const newest = <K extends Kind>(
  tables: RecordTables,
  kind: K,
  {
    projectId,
    after,
    limit,
    skip = 0
  }: { projectId: string; after: Mail.Position | null; limit: number; skip?: number },
  ...also: ReadonlyArray<Where>
): ReadonlyArray<Records[K]> =>
  tables.find(
    kind,
    `${["projectId = ?", ...also.map(([sql]) => sql)].join(" AND ")} AND (createdAt, id) < (?, ?)
     ORDER BY createdAt DESC, id DESC LIMIT ? OFFSET ?`,
    projectId,
    ...also.flatMap(([, ...values]) => values),
    after?.createdAt ?? Number.MAX_SAFE_INTEGER,
    after?.id ?? "",
    limit,
    skip
  )

const ofProject = <K extends Kind>(tables: RecordTables, kind: K, { projectId }: { readonly projectId: string }) =>
  tables.find(kind, "projectId = ?", projectId)

const get = <K extends Kind>(tables: RecordTables, kind: K, ...names: ReadonlyArray<string>): Records[K] | null =>
  (tables.get([kind, ...names].join("/")) as Records[K] | undefined) ?? null

const getOwn =
  <K extends "ApiKey" | "Contact" | "Resource" | "Message" | "Delivery" | "Event" | "EventDelivery">(kind: K) =>
  (tables: RecordTables, { projectId, id }: { readonly projectId: string; readonly id: string }) =>
    get(tables, kind, projectId, id)

const ofParent = ({ kind, parent }: { readonly kind: string; readonly parent: string }): Where => [
  "kind = ? AND parent = ?",
  kind,
  parent
]

/** The bounds of the log that an index finds. */
const logBounds = (filters: Mail.LogFilters): ReadonlyArray<Where> => {
  const { address, contactId, startDate, endDate } = filters
  const status = Mail.indexedStatusOf(filters)
  return [
    ...(address === null ? [] : [["address = ?", address] as const]),
    ...(contactId === null ? [] : [["contactId = ?", contactId] as const]),
    ...(status === null ? [] : [["status = ?", status] as const]),
    ...(startDate === null ? [] : [["createdAt >= ?", startDate] as const]),
    ...(endDate === null ? [] : [["createdAt <= ?", endDate] as const])
  ]
}

const logPage = (tables: RecordTables, query: Mail.QueryOf<"LogPage">): Mail.AnswerOf<"LogPage"> => {
  const { filters, limit, scanLimit } = query
  const { status, source, search, templateId } = filters
  const isFiltered = status !== null || source !== null || search !== null || templateId !== null
  // One record more than the page can show, so that the reference function knows whether any is left.
  const part = { ...query, limit: (isFiltered ? scanLimit : Math.min(limit, scanLimit)) + 1 }
  return Mail.evaluateLogPage(newest(tables, "Delivery", part, ...logBounds(filters)), query, (id) =>
    get(tables, "Message", query.projectId, id)
  )
}

const contactPage = (tables: RecordTables, query: Mail.QueryOf<"ContactPage">) => {
  const { emailStatus, listId } = query
  return newest(
    tables,
    "Contact",
    query,
    ...(emailStatus === null ? [] : [["emailStatus = ?", emailStatus] as const]),
    ...(listId === null
      ? []
      : [["EXISTS (SELECT 1 FROM json_each(record, '$.listIds') WHERE value = ?)", listId] as const])
  )
}

const nextDueSql = `SELECT min(at) AS at FROM (
  SELECT min(dueAt) AS at FROM Delivery WHERE status = 'scheduled' AND worker IS NULL
  UNION ALL SELECT min(dueAt) FROM Delivery WHERE status = 'queued' AND worker IS NULL
  UNION ALL SELECT min(leaseUntil) FROM Lease WHERE worker <> ? AND leaseUntil > ?)`

const backlog = (tables: RecordTables, now: number): Mail.Backlog => {
  const rows = tables.rows(
    "SELECT status, count(*) AS count, min(dueAt) AS oldest FROM Delivery WHERE dueAt IS NOT NULL GROUP BY status"
  ) as unknown as ReadonlyArray<{ status: string; count: number; oldest: number }>
  const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
  const due = rows.flatMap(({ status, oldest }) => (status !== "sending" && oldest <= now ? [oldest] : []))
  return {
    scheduled: count("scheduled"),
    queued: count("queued"),
    sending: count("sending"),
    oldestDueAt: due.length === 0 ? null : Math.min(...due)
  }
}

const workHealth = (
  tables: RecordTables,
  { dueBefore, leaseEndedBefore }: Mail.QueryOf<"WorkHealth">
): Mail.WorkHealth => {
  const count = (from: string, ...values: ReadonlyArray<number>) =>
    tables.rows(`SELECT count(*) AS count FROM ${from}`, ...values)[0]!["count"] as number
  return {
    late: count("Delivery WHERE status IN ('scheduled', 'queued') AND dueAt <= ?", dueBefore),
    abandoned: count(
      "Delivery WHERE status = 'sending' AND (worker IS NULL OR worker NOT IN (SELECT worker FROM Lease WHERE leaseUntil > ?))",
      leaseEndedBefore
    ),
    eventDeliveries: count("EventDelivery WHERE dueAt IS NOT NULL")
  }
}

const answers: Mail.Answering<RecordTables> = {
  Setting: (tables, { name }) => get(tables, "Setting", name),
  Project: (tables, { id }) => get(tables, "Project", id),
  Projects: (tables) => tables.find("Project", "TRUE ORDER BY key"),
  ApiKeyByPublicId: (tables, { publicId }) => tables.find("ApiKey", "publicId = ?", publicId)[0] ?? null,
  ApiKey: getOwn("ApiKey"),
  ApiKeys: (tables, { projectId }) => tables.find("ApiKey", "projectId = ? ORDER BY createdAt, id", projectId),
  Domain: (tables, { projectId, domain }) => get(tables, "Domain", projectId, domain),
  DomainById: (tables, { projectId, id }) =>
    tables.find("Domain", "projectId = ? AND id = ?", projectId, id)[0] ?? null,
  DomainsDue: (tables, { now, limit }) =>
    tables.find("Domain", "nextCheckAt <= ? ORDER BY nextCheckAt, id LIMIT ?", now, limit),
  DomainPage: (tables, query) => Mail.evaluateDomainPage(ofProject(tables, "Domain", query), query),
  Contact: getOwn("Contact"),
  ContactsByAddress: (tables, { projectId, addresses }) =>
    addresses.map((address) => tables.find("Contact", "projectId = ? AND address = ?", projectId, address)[0] ?? null),
  ContactPage: contactPage,
  ContactScan: (tables, query) =>
    Mail.evaluateContactScan(newest(tables, "Contact", { ...query, skip: 0, limit: query.scanLimit + 1 }), query),
  Resource: getOwn("Resource"),
  ResourceCount: (tables, query) =>
    newest(tables, "Resource", { ...query, after: null, limit: Number.MAX_SAFE_INTEGER }, ofParent(query)).length,
  ResourcePage: (tables, query) => Mail.evaluateResourcePage(ofProject(tables, "Resource", query), query),
  ResourceNamed: (tables, { projectId, kind, parent, name }) =>
    tables.find(
      "Resource",
      "projectId = ? AND kind = ? AND parent = ? AND name = ?",
      projectId,
      kind,
      parent,
      name
    )[0] ?? null,
  Resources: (tables, query) => newest(tables, "Resource", query, ofParent(query)),
  Suppressions: (tables, { projectId, addressKeys }) =>
    addressKeys.map((addressKey) => get(tables, "Suppression", projectId, addressKey)),
  SuppressionPage: (tables, query) => {
    const after = "projectId = ? AND address > ? ORDER BY address LIMIT ?"
    const part = tables.find("Suppression", after, query.projectId, query.after ?? "", query.scanLimit + 1)
    return Mail.evaluateSuppressionPage(part, query)
  },
  Counters: (tables, { projectId, names }) => names.map((name) => get(tables, "Counter", projectId, name)?.value ?? 0),
  Idempotency: (tables, { projectId, key }) => get(tables, "Idempotency", projectId, key),
  Message: getOwn("Message"),
  MessagesBefore: messagesBefore,
  ContentChunk: contentChunk,
  Delivery: getOwn("Delivery"),
  DeliveryById: (tables, { id }) => tables.find("Delivery", "id = ?", id)[0] ?? null,
  DeliveriesOfMessage: (tables, { projectId, messageId }) =>
    tables.find("Delivery", "messageId = ? AND projectId = ? ORDER BY id", messageId, projectId),
  Attempts: (tables, { projectId, deliveryId }) =>
    tables.find("Attempt", "projectId = ? AND deliveryId = ? ORDER BY number", projectId, deliveryId),
  LogPage: logPage,
  Events: (tables, { projectId, after, limit }) =>
    tables.find("Event", "projectId = ? AND id > ? ORDER BY id LIMIT ?", projectId, after ?? "", limit),
  Event: getOwn("Event"),
  EventsOfDelivery: (tables, query) =>
    Mail.evaluateEventsOfDelivery(ofProject(tables, "Event", query), ofProject(tables, "EventDelivery", query), query),
  UndistributedEvents: (tables, { limit }) => tables.find("Undistributed", "TRUE ORDER BY id LIMIT ?", limit),
  EventDelivery: getOwn("EventDelivery"),
  EventDeliveryPage: (tables, query) => newest(tables, "EventDelivery", query, ["subscriber = ?", query.subscriber]),
  PendingEventDeliveries: (tables, { now }) =>
    tables
      .rows(
        `SELECT subscriber, min(dueAt) AS dueAt FROM EventDelivery
         WHERE dueAt IS NOT NULL AND ${isFree} GROUP BY subscriber ORDER BY subscriber`,
        now
      )
      .map(({ subscriber, dueAt }) => ({ subscriber: subscriber as string, dueAt: dueAt as number })),
  NextDue: (tables, { worker, now }) => tables.rows(nextDueSql, worker, now)[0]!["at"] as number | null,
  LeasesSetAfter: (tables, { now }) => tables.find("Lease", "renewedAt > ? ORDER BY worker", now),
  Backlog: (tables, { now }) => backlog(tables, now),
  WorkHealth: workHealth,
  Records: recordPage,
  RecordsByKey: recordsByKey,
  UsageAudit: (tables, query) =>
    Mail.evaluateUsageAudit(
      ofProject(tables, "Counter", query),
      ofProject(tables, "Delivery", query),
      ofProject(tables, "Contact", query)
    )
}

export const answerQuery = (tables: RecordTables, query: Mail.Query): unknown =>
  (answers[query._tag] as (tables: RecordTables, query: Mail.Query) => unknown)(tables, query)

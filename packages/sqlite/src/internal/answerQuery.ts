/**
 * Answers one query. Texts of a search are compared in TypeScript, so that every store finds the same texts.
 */
import type {
  Answer,
  Answering,
  CounterName,
  Delivery,
  Found,
  LogFilters,
  LoggedMessage,
  PageRequest,
  Position,
  Query
} from "@mailkeep/core/adapter"
import { caseFold, logFiltersMatch, summaryOf, suppressedFor } from "@mailkeep/core/adapter/evaluation"
import { contactPage, contactScan } from "./contactQueries.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { findAll, findOne } from "./recordTable.ts"
import {
  apiKeys,
  attempts,
  contacts,
  counters,
  resources,
  deliveries,
  domains,
  events,
  idempotency,
  messages,
  projects,
  eventDeliveries,
  suppressions
} from "./tables.ts"

const paged = <R>(
  connection: Prepared,
  table: RecordTable<R>,
  where: string,
  values: ReadonlyArray<Value>,
  { page, limit }: PageRequest
): Found<R> => {
  const { total } = connection
    .statement(`SELECT count(*) AS total FROM ${table.name} WHERE ${where}`)
    .get(...values) as {
    readonly total: number
  }
  const order = `WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`
  return {
    items: findAll(connection, table, order, ...values, limit, Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit)),
    total
  }
}

/** Reads at most one row more than the scan limit, to find out whether any row is left. The next page continues after `last`. */
const walk = <A>(
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

type Walked = Pick<Delivery, "id" | "createdAt" | "recipient" | "status" | "scheduledAt" | "source" | "messageId">

const seek = (
  projectId: string,
  filters: LogFilters,
  after: Position | null
): readonly [string, ReadonlyArray<Value>] => {
  const bounds: ReadonlyArray<readonly [string, ReadonlyArray<Value>]> = [
    ["project_id = ?", [projectId]],
    ...(filters.address === null ? [] : [["address = ?", [filters.address]] as const]),
    ...(filters.contactId === null ? [] : [["contact_id = ?", [filters.contactId]] as const]),
    ...(filters.startDate === null ? [] : [["created_at >= ?", [filters.startDate]] as const]),
    ...(filters.endDate === null ? [] : [["created_at <= ?", [filters.endDate]] as const]),
    ...(after === null ? [] : [["(created_at, id) < (?, ?)", [after.createdAt, after.id]] as const])
  ]
  const index =
    filters.address !== null
      ? "mailkeep_deliveries_of_recipient"
      : filters.contactId !== null
        ? "mailkeep_deliveries_of_contact"
        : "mailkeep_deliveries_newest"
  const sql = `SELECT id, created_at AS createdAt, recipient, status, scheduled_at AS scheduledAt, source, message_id AS messageId
FROM mailkeep_deliveries INDEXED BY ${index} WHERE ${bounds.map(([where]) => where).join(" AND ")}
ORDER BY created_at DESC, id DESC LIMIT ?`
  return [sql, bounds.flatMap(([, values]) => values)]
}

/** Finds each next subscriber by the index, however many event deliveries each has pending. */
const pendingEventDeliveriesSql = `WITH RECURSIVE waiting (subscriber) AS (
  SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL
  UNION ALL
  SELECT (SELECT min(subscriber) FROM mailkeep_event_deliveries WHERE due_at IS NOT NULL AND subscriber > waiting.subscriber)
  FROM waiting WHERE waiting.subscriber IS NOT NULL
), first (subscriber, dueAt) AS (
  SELECT subscriber, (
    SELECT due_at FROM mailkeep_event_deliveries INDEXED BY mailkeep_event_deliveries_due
    WHERE mailkeep_event_deliveries.subscriber = waiting.subscriber AND due_at IS NOT NULL
    AND (worker IS NULL OR worker NOT IN (SELECT worker FROM mailkeep_leases WHERE lease_until > ?))
    ORDER BY due_at LIMIT 1
  ) FROM waiting WHERE subscriber IS NOT NULL
)
SELECT subscriber, dueAt FROM first WHERE dueAt IS NOT NULL ORDER BY subscriber`

const answers: Answering<Prepared> = {
  Setting: (connection, { name }) =>
    (
      connection.statement("SELECT value FROM mailkeep_settings WHERE name = ?").get(name) as
        | { readonly value: string }
        | undefined
    )?.value ?? null,
  Project: (connection, { id }) => findOne(connection, projects, "WHERE id = ?", id),
  Projects: (connection) => findAll(connection, projects, "ORDER BY id"),
  ApiKeyByPublicId: (connection, { publicId }) => findOne(connection, apiKeys, "WHERE public_id = ?", publicId),
  ApiKey: (connection, { id }) => findOne(connection, apiKeys, "WHERE id = ?", id),
  ApiKeys: (connection, { projectId }) =>
    findAll(connection, apiKeys, "WHERE project_id = ? ORDER BY created_at, id", projectId),
  Domain: (connection, { projectId, domain }) =>
    findOne(connection, domains, "WHERE project_id = ? AND domain = ?", projectId, domain),
  DomainOfId: (connection, { projectId, id }) =>
    findOne(connection, domains, "WHERE id = ? AND project_id = ?", id, projectId),
  DomainsDue: (connection, { now, limit }) =>
    findAll(
      connection,
      domains,
      "INDEXED BY mailkeep_domains_due WHERE next_check_at <= ? ORDER BY next_check_at, id LIMIT ?",
      now,
      limit
    ),
  DomainPage: (connection, { projectId, filters: { status, search, names }, page }) => {
    const bounds: ReadonlyArray<readonly [string, Value]> = [
      ["project_id = ?", projectId],
      ...(status === null ? [] : [["status = ?", status] as const]),
      ...(search === null ? [] : [["instr(domain, ?) > 0", caseFold(search)] as const]),
      ...(names === null ? [] : [["domain IN (SELECT value FROM json_each(?))", JSON.stringify(names)] as const])
    ]
    return paged(
      connection,
      domains,
      bounds.map(([where]) => where).join(" AND "),
      bounds.map(([, value]) => value),
      page
    )
  },
  Contact: (connection, { projectId, id }) =>
    findOne(connection, contacts, "WHERE id = ? AND project_id = ?", id, projectId),
  ContactsByAddress: (connection, { projectId, addresses }) =>
    addresses.map((address) =>
      findOne(connection, contacts, "WHERE project_id = ? AND address = ?", projectId, address)
    ),
  ContactPage: contactPage,
  ContactScan: contactScan,
  Resource: (connection, { projectId, id }) =>
    findOne(connection, resources, "WHERE id = ? AND project_id = ?", id, projectId),
  ResourceNamed: (connection, { projectId, kind, parent, name }) =>
    findOne(
      connection,
      resources,
      "WHERE project_id = ? AND kind = ? AND parent = ? AND name = ?",
      projectId,
      kind,
      parent,
      name
    ),
  ResourceCount: (connection, { projectId, kind, parent }) =>
    connection
      .statement("SELECT count(*) FROM mailkeep_resources WHERE project_id = ? AND kind = ? AND parent = ?")
      .pluck()
      .get(projectId, kind, parent) as number,
  ResourcePage: (connection, { projectId, kind, parent, page }) =>
    paged(connection, resources, "project_id = ? AND kind = ? AND parent = ?", [projectId, kind, parent], page),
  Resources: (connection, { projectId, kind, parent, after, limit }) =>
    findAll(
      connection,
      resources,
      `WHERE project_id = ? AND kind = ? AND parent = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`,
      projectId,
      kind,
      parent,
      ...(after === null ? [] : [after.createdAt, after.id]),
      limit
    ),
  Suppressions: (connection, { projectId, addressKeys }) =>
    addressKeys.map((key) =>
      findOne(connection, suppressions, "WHERE project_id = ? AND address_key = ?", projectId, key)
    ),
  SuppressionPage: (connection, { projectId, search, now, after, limit, scanLimit }) => {
    const sql = suppressions.select(
      "INDEXED BY mailkeep_suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?"
    )
    const rows = connection.statement(sql).iterate(projectId, after ?? "", scanLimit + 1)
    const { found, last } = walk(
      rows,
      suppressions.fromRow,
      { limit, scanLimit },
      (one) => suppressedFor(one, now) !== null && (search === null || one.address!.includes(caseFold(search)))
    )
    return { items: found, next: last?.address ?? null }
  },
  Counters: (connection, { projectId, names }) =>
    names.map(
      (name) => findOne(connection, counters, "WHERE project_id = ? AND name = ?", projectId, name)?.value ?? 0
    ),
  Idempotency: (connection, { projectId, key }) =>
    findOne(connection, idempotency, "WHERE project_id = ? AND key = ?", projectId, key),
  Message: (connection, { projectId, id }) =>
    findOne(connection, messages, "WHERE id = ? AND project_id = ?", id, projectId),
  Delivery: (connection, { projectId, id }) =>
    findOne(connection, deliveries, "WHERE id = ? AND project_id = ?", id, projectId),
  DeliveriesOfMessage: (connection, { projectId, messageId }) =>
    findAll(connection, deliveries, "WHERE message_id = ? AND project_id = ? ORDER BY id", messageId, projectId),
  Attempts: (connection, { deliveryId }) =>
    findAll(connection, attempts, "WHERE delivery_id = ? ORDER BY number", deliveryId),
  LogPage: (connection, { projectId, filters, after, limit, scanLimit }) => {
    const messages = connection.statement(
      "SELECT subject, template_id AS templateId FROM mailkeep_messages WHERE id = ?"
    )
    const logged = ({ messageId }: Walked) =>
      (messages.get(messageId) as LoggedMessage | undefined) ?? { subject: "", templateId: null }
    const [sql, values] = seek(projectId, filters, after)
    const rows = connection.statement(sql).iterate(...values, scanLimit + 1)
    const { found, last } = walk(
      rows,
      (row) => row as Walked,
      { limit, scanLimit },
      (row) => logFiltersMatch(filters, row, () => logged(row))
    )
    return {
      items: found.map((one) => summaryOf(one, logged(one).subject)),
      next: last === undefined ? null : { createdAt: last.createdAt, id: last.id }
    }
  },
  Events: (connection, { projectId, after, limit }) =>
    findAll(connection, events, "WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?", projectId, after ?? "", limit),
  Event: (connection, { id }) => findOne(connection, events, "WHERE id = ?", id),
  UndistributedEvents: (connection, { limit }) =>
    findAll(
      connection,
      events,
      "INDEXED BY mailkeep_events_undistributed WHERE distributed = 0 ORDER BY id LIMIT ?",
      limit
    ),
  EventDelivery: (connection, { projectId, id }) =>
    findOne(connection, eventDeliveries, "WHERE id = ? AND project_id = ?", id, projectId),
  EventDeliveryPage: (connection, { projectId, subscriber, after, limit }) =>
    findAll(
      connection,
      eventDeliveries,
      `WHERE subscriber = ? AND project_id = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`,
      subscriber,
      projectId,
      ...(after === null ? [] : [after.createdAt, after.id]),
      limit
    ),
  PendingEventDeliveries: (connection, { now }) =>
    connection.statement(pendingEventDeliveriesSql).all(now) as ReadonlyArray<{
      readonly subscriber: string
      readonly dueAt: number
    }>,
  NextDue: (connection, { worker, now }) => {
    const earliest =
      "SELECT due_at FROM mailkeep_deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1"
    const times = [
      ...connection.statement(earliest).pluck().all("scheduled"),
      ...connection.statement(earliest).pluck().all("queued"),
      connection
        .statement("SELECT min(lease_until) FROM mailkeep_leases WHERE worker <> ? AND lease_until > ?")
        .pluck()
        .get(worker, now)
    ].filter((time): time is number => typeof time === "number")
    return times.length === 0 ? null : Math.min(...times)
  },
  Backlog: (connection, { now }) => {
    const rows = connection
      .statement(
        "SELECT status, count(*) AS count, min(due_at) AS oldest FROM mailkeep_deliveries WHERE due_at IS NOT NULL GROUP BY status"
      )
      .all() as ReadonlyArray<{ readonly status: string; readonly count: number; readonly oldest: number }>
    const count = (status: string) => rows.find((row) => row.status === status)?.count ?? 0
    const due = rows.flatMap(({ status, oldest }) => (status !== "sending" && oldest <= now ? [oldest] : []))
    return {
      scheduled: count("scheduled"),
      queued: count("queued"),
      sending: count("sending"),
      oldestDueAt: due.length === 0 ? null : Math.min(...due)
    }
  },
  UsageAudit: (connection, { projectId }) => {
    const count = (from: string) =>
      connection.statement(`SELECT count(*) FROM ${from}`).pluck().get(projectId) as number
    const days =
      "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY counted_day"
    return {
      counters: findAll(connection, counters, "WHERE project_id = ? ORDER BY name", projectId).map(
        ({ name, ...rest }) => ({
          ...rest,
          name: name as CounterName
        })
      ),
      scheduledRecipients: count("mailkeep_deliveries WHERE project_id = ? AND status = 'scheduled'"),
      charged: count("mailkeep_deliveries WHERE project_id = ? AND charged_at IS NOT NULL"),
      counted: connection.statement(days).all(projectId) as ReadonlyArray<{
        readonly day: string
        readonly deliveries: number
      }>,
      contacts: count("mailkeep_contacts WHERE project_id = ?"),
      unsubscribed: count("mailkeep_contacts WHERE project_id = ? AND email_status = 'unsubscribed'")
    }
  }
}

/** The number of contacts that a page may skip on the caller's thread. */
const skipMax = 10_000

/** Returns `true` if a query can read so many rows that it belongs on the scan thread. */
export const isScan = (query: Query): boolean => {
  switch (query._tag) {
    case "ContactScan":
    case "Backlog":
    case "UsageAudit":
      return true
    case "ContactPage":
      return query.skip > skipMax
    case "LogPage": {
      const { status, source, search, templateId } = query.filters
      return status !== null || source !== null || search !== null || templateId !== null
    }
    default:
      return false
  }
}

export const answerQuery = <Q extends Query>(connection: Prepared, query: Q): Answer<Q> =>
  (answers[query._tag] as (connection: Prepared, query: Query) => unknown)(connection, query) as Answer<Q>

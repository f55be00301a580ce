/**
 * Answers one query. What is searched is compared in TypeScript, so that every store calls the same text the same.
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
} from "@mailkeep/core/domain"
import { folded, logFiltersMatch, summaryOf, suppressedFor } from "@mailkeep/core/domain/evaluation"
import { contactPage, contactScan } from "./contactQueries.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { findAll, findOne } from "./recordTable.ts"
import {
  apiKeys,
  attempts,
  contacts,
  counters,
  definitions,
  deliveries,
  domains,
  events,
  idempotency,
  messages,
  projects,
  pushes,
  suppressions
} from "./tables.ts"

const paged = <R>(
  on: Prepared,
  table: RecordTable<R>,
  where: string,
  values: ReadonlyArray<Value>,
  { page, limit }: PageRequest
): Found<R> => {
  const { total } = on.statement(`SELECT count(*) AS total FROM ${table.name} WHERE ${where}`).get(...values) as {
    readonly total: number
  }
  const order = `WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`
  return {
    items: findAll(on, table, order, ...values, limit, Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit)),
    total
  }
}

/** A bounded walk over one row more than may be looked at, to know whether anything is left; `last` is where it goes on. */
const walk = <A>(
  rows: IterableIterator<unknown>,
  read: (row: unknown) => A,
  { limit, examine }: { readonly limit: number; readonly examine: number },
  matches: (one: A) => boolean
): { readonly found: ReadonlyArray<A>; readonly last: A | undefined } => {
  const found: Array<A> = []
  let looked = 0
  let seen: A | undefined
  for (const row of rows) {
    if (looked === examine) return { found, last: seen }
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
      ? "deliveries_of_recipient"
      : filters.contactId !== null
        ? "deliveries_of_contact"
        : "deliveries_newest"
  const sql = `SELECT id, created_at AS createdAt, recipient, status, scheduled_at AS scheduledAt, source, message_id AS messageId
FROM deliveries INDEXED BY ${index} WHERE ${bounds.map(([where]) => where).join(" AND ")}
ORDER BY created_at DESC, id DESC LIMIT ?`
  return [sql, bounds.flatMap(([, values]) => values)]
}

/** From one consumer to the next by its index, however much each has waiting. */
const pendingPushesSql = `WITH RECURSIVE waiting (consumer) AS (
  SELECT min(consumer) FROM pushes WHERE due_at IS NOT NULL
  UNION ALL
  SELECT (SELECT min(consumer) FROM pushes WHERE due_at IS NOT NULL AND consumer > waiting.consumer)
  FROM waiting WHERE waiting.consumer IS NOT NULL
), first (consumer, dueAt) AS (
  SELECT consumer, (
    SELECT due_at FROM pushes INDEXED BY pushes_due
    WHERE pushes.consumer = waiting.consumer AND due_at IS NOT NULL
    AND (worker IS NULL OR worker NOT IN (SELECT worker FROM leases WHERE lease_until > ?))
    ORDER BY due_at LIMIT 1
  ) FROM waiting WHERE consumer IS NOT NULL
)
SELECT consumer, dueAt FROM first WHERE dueAt IS NOT NULL ORDER BY consumer`

const answers: Answering<Prepared> = {
  Setting: (on, { name }) =>
    (on.statement("SELECT value FROM settings WHERE name = ?").get(name) as { readonly value: string } | undefined)
      ?.value ?? null,
  Project: (on, { id }) => findOne(on, projects, "WHERE id = ?", id),
  Projects: (on) => findAll(on, projects, "ORDER BY id"),
  ApiKeyByPublicId: (on, { publicId }) => findOne(on, apiKeys, "WHERE public_id = ?", publicId),
  ApiKey: (on, { id }) => findOne(on, apiKeys, "WHERE id = ?", id),
  ApiKeys: (on, { projectId }) => findAll(on, apiKeys, "WHERE project_id = ? ORDER BY created_at, id", projectId),
  Domain: (on, { projectId, domain }) => findOne(on, domains, "WHERE project_id = ? AND domain = ?", projectId, domain),
  DomainOfId: (on, { projectId, id }) => findOne(on, domains, "WHERE id = ? AND project_id = ?", id, projectId),
  DomainsDue: (on, { now, limit }) =>
    findAll(
      on,
      domains,
      "INDEXED BY domains_due WHERE next_check_at <= ? ORDER BY next_check_at, id LIMIT ?",
      now,
      limit
    ),
  DomainPage: (on, { projectId, filters: { status, search, names }, page }) => {
    const bounds: ReadonlyArray<readonly [string, Value]> = [
      ["project_id = ?", projectId],
      ...(status === null ? [] : [["status = ?", status] as const]),
      ...(search === null ? [] : [["instr(domain, ?) > 0", folded(search)] as const]),
      ...(names === null ? [] : [["domain IN (SELECT value FROM json_each(?))", JSON.stringify(names)] as const])
    ]
    return paged(
      on,
      domains,
      bounds.map(([where]) => where).join(" AND "),
      bounds.map(([, value]) => value),
      page
    )
  },
  Contact: (on, { projectId, id }) => findOne(on, contacts, "WHERE id = ? AND project_id = ?", id, projectId),
  ContactsByAddress: (on, { projectId, addresses }) =>
    addresses.map((address) => findOne(on, contacts, "WHERE project_id = ? AND address = ?", projectId, address)),
  ContactPage: contactPage,
  ContactScan: contactScan,
  Definition: (on, { projectId, id }) => findOne(on, definitions, "WHERE id = ? AND project_id = ?", id, projectId),
  DefinitionNamed: (on, { projectId, kind, parent, name }) =>
    findOne(
      on,
      definitions,
      "WHERE project_id = ? AND kind = ? AND parent = ? AND name = ?",
      projectId,
      kind,
      parent,
      name
    ),
  DefinitionCount: (on, { projectId, kind, parent }) =>
    on
      .statement("SELECT count(*) FROM definitions WHERE project_id = ? AND kind = ? AND parent = ?")
      .pluck()
      .get(projectId, kind, parent) as number,
  DefinitionPage: (on, { projectId, kind, parent, page }) =>
    paged(on, definitions, "project_id = ? AND kind = ? AND parent = ?", [projectId, kind, parent], page),
  Definitions: (on, { projectId, kind, parent, after, limit }) =>
    findAll(
      on,
      definitions,
      `WHERE project_id = ? AND kind = ? AND parent = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`,
      projectId,
      kind,
      parent,
      ...(after === null ? [] : [after.createdAt, after.id]),
      limit
    ),
  Suppressions: (on, { projectId, addressKeys }) =>
    addressKeys.map((key) => findOne(on, suppressions, "WHERE project_id = ? AND address_key = ?", projectId, key)),
  SuppressionPage: (on, { projectId, search, now, after, limit, examine }) => {
    const sql = suppressions.select(
      "INDEXED BY suppressions_by_address WHERE project_id = ? AND address IS NOT NULL AND address > ? ORDER BY address LIMIT ?"
    )
    const rows = on.statement(sql).iterate(projectId, after ?? "", examine + 1)
    const { found, last } = walk(
      rows,
      suppressions.fromRow,
      { limit, examine },
      (one) => suppressedFor(one, now) !== null && (search === null || one.address!.includes(folded(search)))
    )
    return { items: found, next: last?.address ?? null }
  },
  Counters: (on, { projectId, names }) =>
    names.map((name) => findOne(on, counters, "WHERE project_id = ? AND name = ?", projectId, name)?.value ?? 0),
  Idempotency: (on, { projectId, key }) => findOne(on, idempotency, "WHERE project_id = ? AND key = ?", projectId, key),
  Message: (on, { projectId, id }) => findOne(on, messages, "WHERE id = ? AND project_id = ?", id, projectId),
  Delivery: (on, { projectId, id }) => findOne(on, deliveries, "WHERE id = ? AND project_id = ?", id, projectId),
  DeliveriesOfMessage: (on, { projectId, messageId }) =>
    findAll(on, deliveries, "WHERE message_id = ? AND project_id = ? ORDER BY id", messageId, projectId),
  Attempts: (on, { deliveryId }) => findAll(on, attempts, "WHERE delivery_id = ? ORDER BY number", deliveryId),
  LogPage: (on, { projectId, filters, after, limit, examine }) => {
    const messages = on.statement("SELECT subject, template_id AS templateId FROM messages WHERE id = ?")
    const logged = ({ messageId }: Walked) =>
      (messages.get(messageId) as LoggedMessage | undefined) ?? { subject: "", templateId: null }
    const [sql, values] = seek(projectId, filters, after)
    const rows = on.statement(sql).iterate(...values, examine + 1)
    const { found, last } = walk(
      rows,
      (row) => row as Walked,
      { limit, examine },
      (row) => logFiltersMatch(filters, row, () => logged(row))
    )
    return {
      items: found.map((one) => summaryOf(one, logged(one).subject)),
      next: last === undefined ? null : { createdAt: last.createdAt, id: last.id }
    }
  },
  Events: (on, { projectId, after, limit }) =>
    findAll(on, events, "WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?", projectId, after ?? "", limit),
  Event: (on, { id }) => findOne(on, events, "WHERE id = ?", id),
  UndistributedEvents: (on, { limit }) =>
    findAll(on, events, "INDEXED BY events_undistributed WHERE distributed = 0 ORDER BY id LIMIT ?", limit),
  Push: (on, { projectId, id }) => findOne(on, pushes, "WHERE id = ? AND project_id = ?", id, projectId),
  PushPage: (on, { projectId, consumer, after, limit }) =>
    findAll(
      on,
      pushes,
      `WHERE consumer = ? AND project_id = ? ${after === null ? "" : "AND (created_at, id) < (?, ?)"} ORDER BY created_at DESC, id DESC LIMIT ?`,
      consumer,
      projectId,
      ...(after === null ? [] : [after.createdAt, after.id]),
      limit
    ),
  PendingPushes: (on, { now }) =>
    on.statement(pendingPushesSql).all(now) as ReadonlyArray<{ readonly consumer: string; readonly dueAt: number }>,
  NextDue: (on, { worker, now }) => {
    const earliest =
      "SELECT due_at FROM deliveries WHERE status = ? AND due_at IS NOT NULL AND worker IS NULL ORDER BY due_at LIMIT 1"
    const times = [
      ...on.statement(earliest).pluck().all("scheduled"),
      ...on.statement(earliest).pluck().all("queued"),
      on.statement("SELECT min(lease_until) FROM leases WHERE worker <> ? AND lease_until > ?").pluck().get(worker, now)
    ].filter((time): time is number => typeof time === "number")
    return times.length === 0 ? null : Math.min(...times)
  },
  Backlog: (on, { now }) => {
    const rows = on
      .statement(
        "SELECT status, count(*) AS count, min(due_at) AS oldest FROM deliveries WHERE due_at IS NOT NULL GROUP BY status"
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
  Ledger: (on, { projectId }) => {
    const count = (from: string) => on.statement(`SELECT count(*) FROM ${from}`).pluck().get(projectId) as number
    const days =
      "SELECT counted_day AS day, count(*) AS deliveries FROM deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY counted_day"
    return {
      counters: findAll(on, counters, "WHERE project_id = ? ORDER BY name", projectId).map(({ name, ...rest }) => ({
        ...rest,
        name: name as CounterName
      })),
      waiting: count("deliveries WHERE project_id = ? AND status = 'scheduled'"),
      charged: count("deliveries WHERE project_id = ? AND charged_at IS NOT NULL"),
      counted: on.statement(days).all(projectId) as ReadonlyArray<{
        readonly day: string
        readonly deliveries: number
      }>,
      contacts: count("contacts WHERE project_id = ?"),
      unsubscribed: count("contacts WHERE project_id = ? AND email_status = 'unsubscribed'")
    }
  }
}

/** Contacts that a page may skip over on the caller's thread. */
const skipMax = 10_000

/** Whether a query may look at so many rows that it belongs on the scan thread. */
export const isScan = (query: Query): boolean => {
  switch (query._tag) {
    case "ContactScan":
    case "Backlog":
    case "Ledger":
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

export const answerQuery = <Q extends Query>(on: Prepared, query: Q): Answer<Q> =>
  (answers[query._tag] as (on: Prepared, query: Query) => unknown)(on, query) as Answer<Q>

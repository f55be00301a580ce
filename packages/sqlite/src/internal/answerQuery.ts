/**
 * Answers one query.
 */
import type { Answer, Answering, CounterName, Found, PageRequest, Query, UsageAudit } from "@mailkeep/core/adapter"
import { caseFold, indexedStatusOf, withDeletedCounts } from "@mailkeep/core/adapter/evaluation"
import { contactPage, contactScan } from "./contactQueries.ts"
import { counterValues } from "./counters.ts"
import { contentChunk } from "./messageContents.ts"
import { messagesBefore } from "./messageSweep.ts"
import type { Prepared, RecordTable, Value } from "./recordTable.ts"
import { findAll, findOne } from "./recordTable.ts"
import { logPage, suppressionPage } from "./scannedPages.ts"
import { recordPage, recordsByKey } from "./storedRecords.ts"
import {
  apiKeys,
  attempts,
  contacts,
  counters,
  deliveries,
  domains,
  eventDeliveries,
  events,
  idempotency,
  messages,
  projects,
  resources,
  suppressions
} from "./tables.ts"
import { backlog, leasesSetAfter, nextDue, pendingEventDeliveries, workHealth } from "./workQueries.ts"

const paged = <R>(
  connection: Prepared,
  table: RecordTable<R>,
  where: string,
  values: ReadonlyArray<Value>,
  { page, limit }: PageRequest
): Found<R> => {
  const total = connection
    .statement(`SELECT count(*) FROM ${table.name} WHERE ${where}`)
    .pluck()
    .get(...values) as number
  const order = `WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`
  return {
    items: findAll(connection, table, order, ...values, limit, Math.min(Number.MAX_SAFE_INTEGER, (page - 1) * limit)),
    total
  }
}

const answers: Answering<Prepared> = {
  Setting: (connection, { name }) =>
    (connection.statement("SELECT value FROM mailkeep_settings WHERE name = ?").pluck().get(name) ?? null) as
      | string
      | null,
  Project: (connection, { id }) => findOne(connection, projects, "WHERE id = ?", id),
  Projects: (connection) => findAll(connection, projects, "ORDER BY id"),
  ApiKeyByPublicId: (connection, { publicId }) => findOne(connection, apiKeys, "WHERE public_id = ?", publicId),
  ApiKey: (connection, { projectId, id }) =>
    findOne(connection, apiKeys, "WHERE id = ? AND project_id = ?", id, projectId),
  ApiKeys: (connection, { projectId }) =>
    findAll(connection, apiKeys, "WHERE project_id = ? ORDER BY created_at, id", projectId),
  Domain: (connection, { projectId, domain }) =>
    findOne(connection, domains, "WHERE project_id = ? AND domain = ?", projectId, domain),
  DomainById: (connection, { projectId, id }) =>
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
  SuppressionPage: suppressionPage,
  Counters: counterValues,
  Idempotency: (connection, { projectId, key }) =>
    findOne(connection, idempotency, "WHERE project_id = ? AND key = ?", projectId, key),
  Message: (connection, { projectId, id }) =>
    findOne(connection, messages, "WHERE id = ? AND project_id = ?", id, projectId),
  MessagesBefore: messagesBefore,
  ContentChunk: contentChunk,
  Delivery: (connection, { projectId, id }) =>
    findOne(connection, deliveries, "WHERE id = ? AND project_id = ?", id, projectId),
  DeliveryById: (connection, { id }) => findOne(connection, deliveries, "WHERE id = ?", id),
  DeliveriesOfMessage: (connection, { projectId, messageId }) =>
    findAll(connection, deliveries, "WHERE message_id = ? AND project_id = ? ORDER BY id", messageId, projectId),
  Attempts: (connection, { projectId, deliveryId }) =>
    findAll(
      connection,
      attempts,
      "WHERE delivery_id = ? AND EXISTS (SELECT 1 FROM mailkeep_deliveries WHERE id = delivery_id AND project_id = ?) ORDER BY number",
      deliveryId,
      projectId
    ).map((attempt) => ({ projectId, ...attempt })),
  LogPage: logPage,
  Events: (connection, { projectId, after, limit }) =>
    findAll(connection, events, "WHERE project_id = ? AND id > ? ORDER BY id LIMIT ?", projectId, after ?? "", limit),
  Event: (connection, { projectId, id }) =>
    findOne(connection, events, "WHERE id = ? AND project_id = ?", id, projectId),
  EventsOfDelivery: (connection, { projectId, deliveryId }) =>
    findAll(
      connection,
      events,
      `INDEXED BY mailkeep_events_of_delivery WHERE json_extract(data, '$.deliveryId') = ? AND project_id = ? ORDER BY id`,
      deliveryId,
      projectId
    ).map((event) => ({
      event,
      eventDeliveries: findAll(
        connection,
        eventDeliveries,
        "WHERE event_id = ? AND project_id = ? ORDER BY id",
        event.id,
        projectId
      )
    })),
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
  PendingEventDeliveries: pendingEventDeliveries,
  NextDue: nextDue,
  LeasesSetAfter: leasesSetAfter,
  Backlog: backlog,
  WorkHealth: workHealth,
  Records: recordPage,
  RecordsByKey: recordsByKey,
  UsageAudit: (connection, { projectId }) => {
    const count = (from: string) =>
      connection.statement(`SELECT count(*) FROM ${from}`).pluck().get(projectId) as number
    const days =
      "SELECT counted_day AS day, count(*) AS deliveries FROM mailkeep_deliveries WHERE project_id = ? AND counted_day IS NOT NULL GROUP BY counted_day ORDER BY counted_day"
    const ofProject = findAll(connection, counters, "WHERE project_id = ? ORDER BY name", projectId)
    return {
      counters: ofProject.map(({ name, ...rest }) => ({ ...rest, name: name as CounterName })),
      scheduledRecipients: count("mailkeep_deliveries WHERE project_id = ? AND status = 'scheduled'"),
      ...withDeletedCounts(ofProject, {
        charged: count("mailkeep_deliveries WHERE project_id = ? AND charged_at IS NOT NULL"),
        counted: connection.statement(days).all(projectId) as UsageAudit["counted"]
      }),
      contacts: count("mailkeep_contacts WHERE project_id = ?"),
      unsubscribed: count("mailkeep_contacts WHERE project_id = ? AND email_status = 'unsubscribed'")
    }
  }
}

/** The number of contacts that a page may skip on the caller's thread. */
const skipMax = 10_000

/** Returns `true` if a query can read so many rows of a large file that it belongs on the scan thread. */
export const isScan = (query: Query): boolean => {
  switch (query._tag) {
    case "ContactScan":
    case "Backlog":
    case "WorkHealth":
    case "UsageAudit":
    case "Records":
    case "RecordsByKey":
      return true
    case "ContactPage":
      return query.skip > skipMax
    case "SuppressionPage":
      return query.search !== null
    case "LogPage": {
      const { status, source, search, templateId } = query.filters
      const isStatusIndexed = status === indexedStatusOf(query.filters)
      return !isStatusIndexed || source !== null || search !== null || templateId !== null
    }
    default:
      return false
  }
}

export const answerQuery = <Q extends Query>(connection: Prepared, query: Q): Answer<Q> =>
  (answers[query._tag] as (connection: Prepared, query: Query) => unknown)(connection, query) as Answer<Q>
